"""The standings of a run, as a table and as JSON."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from rich.cells import cell_len
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from bourre_server.cli.config import Configuration
from bourre_server.cli.console import table_for
from bourre_server.cli.text import plain, shown
from bourre_server.storage.rows import FaultTally
from bourre_server.tournament.standings import Standing

MIN_NAME_WIDTH, MAX_NAME_WIDTH = 12, 32


@dataclass(frozen=True)
class StandingsReport:
    """The standings of a tournament after `settled` of `matches` matches."""

    configuration: Configuration
    settled: int
    matches: int
    rows: Sequence[Standing]
    faults: Sequence[FaultTally] = ()

    @property
    def notes(self) -> list[str]:
        """What a reader has to know to judge the standings, a sentence each."""
        rules = self.configuration.tournament
        notes = []
        if self.settled < self.matches:
            notes.append(f"{self.settled} of {self.matches} matches are settled.")
        if rules.seed is not None:
            notes.append(
                f"The decks come from the seed {shown(rules.seed)}: they repeat and are predictable."
            )
        if rules.isolation == "none" and rules.duplicates:
            notes.append("Each bot saw the same decks in several seats, and is trusted not to remember them.")
        return notes

    def to_json(self) -> str:
        """The report for programs; money is in antes, rates from 0 to 1."""
        content = {
            "tournament": self.configuration.tournament.name,
            "settled": self.settled,
            "matches": self.matches,
            "notes": self.notes,
            "standings": [asdict(row) for row in self.rows],
            "faults": [asdict(tally) for tally in self.faults],
        }
        return json.dumps(content, indent=2, ensure_ascii=False)

    def write(self, console: Console) -> None:
        """Print the report for people."""
        console.print(Text(plain(self.configuration.tournament.name), style="bold"))
        console.print(standings_table(console, self.rows))
        for row in self.rows:
            if row.withdrawn is not None:
                console.print(Text(f"{plain(row.name)} was withdrawn: {plain(row.withdrawn)}"))
        for row in self.rows:
            if faults := [tally for tally in self.faults if tally.entrant == row.entrant]:
                console.print(Text(f"faults of {plain(row.name)}: {', '.join(map(_fault, faults))}"))
        console.print(Text("chips/hand: antes, with a 95 % interval over blocks. rating: mu ± 2 sigma."))
        console.print(Text("Entrants of one group cannot be told apart from the first of it."))
        for note in self.notes:
            console.print(Text(note))


def _fault(tally: FaultTally) -> str:
    return f"{tally.count} {tally.kind} ({'such as ' if tally.count > 1 else ''}{plain(tally.example)})"


@dataclass(frozen=True)
class _Column:
    header: str
    cell: Callable[[Standing], str]
    always: bool = True


def _percent(rate: float | None) -> str:
    return "-" if rate is None else f"{100 * rate:.1f} %"


def _chips(row: Standing) -> str:
    if row.chips_per_hand is None:
        return "-"
    return f"{row.chips_per_hand:+.3f}" + ("" if row.half_width is None else f" ± {row.half_width:.3f}")


_PLACE = (_Column("rank", lambda row: f"{row.rank}"), _Column("group", lambda row: f"{row.group}"))
_NUMBERS = (
    _Column("chips/hand", _chips),
    _Column("rating", lambda row: f"{row.mu:.1f} ± {2 * row.sigma:.1f}"),
    _Column("matches", lambda row: f"{row.matches}", always=False),
    _Column("hands", lambda row: f"{row.hands}"),
    _Column("play", lambda row: _percent(row.play_rate), always=False),
    _Column("bourré", lambda row: _percent(row.bourre_rate)),
    _Column("faults", lambda row: f"{row.faults}"),
    _Column("forfeits", lambda row: f"{row.forfeits}", always=False),
)


def standings_table(console: Console, rows: Sequence[Standing]) -> Table:
    """The standings, best first; where the console is too narrow, without what explains least."""
    longest = max((cell_len(plain(row.name)) for row in rows), default=0)
    name_width = min(max(longest, len("bot")), MAX_NAME_WIDTH)
    excess = _excess(console, _table(console, rows, _NUMBERS, name_width))
    if excess <= max(name_width - MIN_NAME_WIDTH, 0):
        return _table(console, rows, _NUMBERS, name_width - max(excess, 0))
    essential = [column for column in _NUMBERS if column.always]
    excess = _excess(console, _table(console, rows, essential, name_width))
    return _table(console, rows, essential, max(name_width - max(excess, 0), 1))


def _excess(console: Console, table: Table) -> int:
    """By how many cells a table is wider than the console."""
    unbounded = console.options.update_width(MAX_NAME_WIDTH * len(table.columns))
    return Measurement.get(console, unbounded, table).maximum - console.width


def _table(console: Console, rows: Sequence[Standing], columns: Sequence[_Column], name_width: int) -> Table:
    table = table_for(console)
    for column in _PLACE:
        _add(table, column, rows)
    table.add_column("bot", no_wrap=True, overflow="ellipsis", width=name_width)
    for column in columns:
        _add(table, column, rows)
    for row in rows:
        place, numbers = ([column.cell(row) for column in part] for part in (_PLACE, columns))
        table.add_row(*place, Text(plain(row.name)), *numbers)
    return table


def _add(table: Table, column: _Column, rows: Sequence[Standing]) -> None:
    """A column that stays whole: only names are cut."""
    width = max(len(text) for text in (column.header, *map(column.cell, rows)))
    table.add_column(column.header, justify="right", no_wrap=True, min_width=width)
