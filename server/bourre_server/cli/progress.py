"""The progress of a run on stderr: a bar with the table so far, or a line now and then."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

from bourre_server.cli.console import console_on
from bourre_server.cli.standings_report import standings_table
from bourre_server.cli.text import plain
from bourre_server.tournament.standings import Standing

# Seconds between two drawings of the table; computing it takes time from the bots.
REDRAW_INTERVAL = 1.0
# Lines for a run whose output is not a terminal.
LINES = 10

Rows = Callable[[], Sequence[Standing]]


class RunProgress(Protocol):
    """Told how far the run is."""

    def update(self, done: int, total: int, rows: Rows) -> None:
        """`done` of `total` matches are settled; `rows` computes the standings, if they are shown."""


class _Silent:
    def update(self, done: int, total: int, rows: Rows) -> None:
        pass


class PlainProgress:
    """A line for each tenth of the run."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._shown: int | None = None

    def update(self, done: int, total: int, rows: Rows) -> None:
        """See RunProgress."""
        tenth = done * LINES // max(total, 1)
        if self._shown is not None and tenth > self._shown:
            self._console.print(Text(f"{done} of {total} matches{_leader(rows())}"))
        if self._shown is None or tenth > self._shown:
            self._shown = tenth


def _leader(rows: Sequence[Standing]) -> str:
    first = next(iter(rows), None)
    if first is None or first.chips_per_hand is None:
        return ""
    return f"; {plain(first.name)} leads with {first.chips_per_hand:+.3f} antes a hand"


class LiveProgress:
    """A bar and the standings so far, drawn in place."""

    def __init__(self, live: Live, clock: Callable[[], float]) -> None:
        self._live = live
        self._clock = clock
        self._bar = Progress(
            TextColumn("matches"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=live.console,
        )
        self._task: TaskID | None = None
        self._due = clock()

    def update(self, done: int, total: int, rows: Rows) -> None:
        """See RunProgress."""
        if self._task is None:
            # What an earlier run settled must not count as speed.
            self._task = self._bar.add_task("", total=total, completed=done)
        self._bar.update(self._task, completed=done)
        if (now := self._clock()) >= self._due:
            self._due = now + REDRAW_INTERVAL
            table = standings_table(self._live.console, rows())
            self._live.update(Group(self._bar, table), refresh=True)


@contextmanager
def open_progress(silent: bool, clock: Callable[[], float] = time.monotonic) -> Iterator[RunProgress]:
    """The progress that fits stderr; on a terminal it is gone at the end. `silent`: none at all."""
    console = console_on(sys.stderr)
    if silent:
        yield _Silent()
    elif not console.is_terminal:
        yield PlainProgress(console)
    else:
        # No thread of its own: it would draw while the referee is at work.
        with Live(console=console, auto_refresh=False, transient=True) as live:
            yield LiveProgress(live, clock)
