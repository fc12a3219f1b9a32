"""Standings as a table and as JSON."""

import io
import json
from dataclasses import replace
from typing import Any

import pytest
from bourre_server.cli.config import Configuration
from bourre_server.cli.console import console_on
from bourre_server.cli.standings_report import StandingsReport, standings_table
from bourre_server.storage.rows import FaultTally
from bourre_server.tournament.standings import Standing
from rich.cells import cell_len
from rich.console import Console

FIRST = Standing(
    rank=1,
    group=1,
    entrant=0,
    name="steady",
    chips_per_hand=0.4125,
    half_width=0.051,
    mu=27.16,
    sigma=0.52,
    blocks=5,
    matches=20,
    hands=400,
    bourre_rate=0.0625,
    play_rate=0.5,
    faults=3,
    forfeits=1,
    withdrawn=None,
)


def standing(**changes: Any) -> Standing:
    values = {name: getattr(FIRST, name) for name in FIRST.__slots__}
    return Standing(**(values | changes))


def report(*rows: Standing, settled: int = 8, **tournament: object) -> StandingsReport:
    section = {"name": "Cup", "seats": 2, "hands": 4, "decks": 4} | tournament
    bots = [{"name": name, "external": True} for name in ("a", "b")]
    return StandingsReport(
        Configuration.model_validate({"tournament": section, "bots": bots}), settled, 8, rows
    )


def test_faults_are_told_with_a_reason() -> None:
    tallies = [
        FaultTally(0, "timeout", 2, "no answer in time"),
        FaultTally(0, "crashed", 1, "was killed\x1b"),
    ]
    text = printed(replace(report(FIRST), faults=tallies))
    line = "faults of steady: 2 timeout (such as no answer in time), 1 crashed (was killed\\x1b)"
    assert line in text.splitlines()
    assert json.loads(replace(report(FIRST), faults=tallies).to_json())["faults"][1]["kind"] == "crashed"


def printed(shown: StandingsReport) -> str:
    stream = io.StringIO()
    shown.write(console_on(stream))
    return stream.getvalue()


def test_a_line_says_it_all() -> None:
    lines = printed(report(FIRST)).splitlines()
    assert lines[0] == "Cup"
    header, line = lines[1].split(), lines[2]
    assert header == "rank group bot chips/hand rating matches hands play bourré faults forfeits".split()  # noqa: SIM905 - reads as the line does
    assert line.split() == "1 1 steady +0.412 ± 0.051 27.2 ± 1.0 20 400 50.0 % 6.2 % 3 1".split()  # noqa: SIM905 - reads as the line does


def test_what_is_not_known_yet() -> None:
    empty = standing(chips_per_hand=None, half_width=None, bourre_rate=None, play_rate=None)
    assert printed(report(empty)).splitlines()[2].split()[3:4] == ["-"]
    assert "+0.412  " in printed(report(standing(half_width=None)))


def test_why_one_was_withdrawn() -> None:
    shown = printed(report(FIRST, standing(name="late", withdrawn="did not join\nin time")))
    assert "late was withdrawn: did not join\\nin time\n" in shown


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("[red]red[/red]", "[red]red[/red]"),
        ("two\nlines", "two\\nlines"),
        (":smile:", ":smile:"),
        ("a\u202eb", "a\\u202eb"),
        ("x" * 64, "x" * 31 + "…"),
    ],
)
def test_names_do_no_harm(name: str, shown: str) -> None:
    output = printed(report(standing(name=name)))
    assert shown in output
    assert all(line.isprintable() for line in output.splitlines())


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"seed": 7}, 'The decks come from the seed "7": they repeat and are predictable.'),
        ({"isolation": "none"}, "Each bot saw the same decks in several seats"),
        ({"settled": 3}, "3 of 8 matches are settled."),
    ],
)
def test_notes(changes: dict[str, Any], note: str) -> None:
    assert note in printed(report(FIRST, **changes))
    assert note not in printed(report(FIRST))


def test_json_holds_the_same() -> None:
    content = json.loads(report(FIRST, settled=3).to_json())
    assert (content["tournament"], content["settled"], content["matches"]) == ("Cup", 3, 8)
    row = content["standings"][0]
    assert (row["name"], row["chips_per_hand"], row["withdrawn"]) == ("steady", 0.4125, None)


@pytest.mark.parametrize(("width", "columns"), [(80, 8), (100, 8), (120, 11), (140, 11)])
@pytest.mark.parametrize("name", ["steady", "🂡" * 64, "牌" * 64], ids=["short", "cards", "wide"])
def test_a_narrow_terminal_gets_fewer_columns_and_whole_numbers(width: int, columns: int, name: str) -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=width, force_terminal=True, color_system=None)
    console.print(standings_table(console, [standing(name=name)]))
    lines = stream.getvalue().splitlines()
    header = next(line for line in lines if "rank" in line).split()
    (row,) = (line for line in lines if "27.2 ± 1.0" in line)
    assert len(header) == columns
    assert header[-1] == ("forfeits" if columns == 11 else "faults")
    assert row.split()[:2] == ["1", "1"]
    assert "+0.412 ± 0.051" in row
    assert all(cell_len(line) <= width for line in lines)
