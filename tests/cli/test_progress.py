"""The progress of a run, on a terminal and elsewhere."""

import io
from collections.abc import Sequence

import pytest
from bourre_server.cli.console import console_on
from bourre_server.cli.progress import LiveProgress, PlainProgress, open_progress
from bourre_server.tournament.standings import Standing
from rich.console import Console
from rich.live import Live

ROW = Standing(1, 1, 0, "ste\x1bady", 0.5, 0.1, 25.0, 1.0, 2, 8, 80, 0.1, 0.5, 0, 0, None)


def rows() -> Sequence[Standing]:
    return [ROW]


@pytest.mark.parametrize("total", [7, 40, 1000])
def test_about_ten_lines_when_piped(total: int) -> None:
    stream = io.StringIO()
    progress = PlainProgress(console_on(stream))
    for done in range(total + 1):
        progress.update(done, total, rows)
    lines = stream.getvalue().splitlines()
    assert len(lines) == min(total, 10)
    assert lines[-1] == f"{total} of {total} matches; ste\\x1bady leads with +0.500 antes a hand"


def test_a_resumed_run_starts_where_it_was() -> None:
    stream = io.StringIO()
    progress = PlainProgress(console_on(stream))
    progress.update(95, 100, rows)
    assert stream.getvalue() == ""
    progress.update(100, 100, list)
    assert stream.getvalue() == "100 of 100 matches\n"


def test_on_a_terminal_the_table_is_computed_once_a_second() -> None:
    now, computed = 0.0, 0

    def counted() -> Sequence[Standing]:
        nonlocal computed
        computed += 1
        return rows()

    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=120, color_system=None)
    with Live(console=console, auto_refresh=False) as live:
        progress = LiveProgress(live, lambda: now)
        for step in range(31):
            now = step / 10
            progress.update(step, 30, counted)
    assert computed == 4
    assert "30/30" in stream.getvalue()
    assert "ste\\x1bady" in stream.getvalue()


@pytest.mark.parametrize(("silent", "lines"), [(True, 0), (False, 1)])
def test_nothing_with_json(silent: bool, lines: int, capsys: pytest.CaptureFixture[str]) -> None:
    with open_progress(silent) as progress:
        progress.update(0, 1, rows)
        progress.update(1, 1, rows)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == lines
