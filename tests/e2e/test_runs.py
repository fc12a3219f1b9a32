"""`bourre run` with real bot processes, from start to end."""

import json
import re
import signal
from pathlib import Path

import pytest

from tests.e2e.terminal import Terminal
from tests.e2e.tournament import FOUR, THREE, TWO, Tournament, nothing_left, sample


@pytest.fixture
def tournament(tmp_path: Path) -> Tournament:
    return Tournament(tmp_path, TWO, seats=2, isolation="none")


def test_a_run_ends_with_a_ranking_and_one_file(tmp_path: Path) -> None:
    tournament = Tournament(tmp_path, FOUR, isolation="none")
    ended = tournament.run()
    assert ended.code == 0, ended.err
    ranking = [line.split()[2] for line in ended.out.splitlines()[2:6]]
    assert (ranking[0], sorted(ranking)) == ("steady", sorted(FOUR))
    assert sorted(path.name for path in tournament.folder.iterdir()) == ["t.db", "t.toml"]
    assert tournament.settled == 8
    assert tournament.sums == {0}
    assert not tournament.faults
    nothing_left(tournament)
    again = tournament.run()
    assert (again.code, again.out) == (0, ended.out)
    assert tournament.run(command="standings").out == ended.out


def test_f22_the_same_records_however_many_tables(tmp_path: Path) -> None:
    records = []
    for tables in (1, 16):
        folder = tmp_path / f"{tables}"
        folder.mkdir()
        tournament = Tournament(folder, THREE, seats=3, hands=6)
        assert tournament.run("--tables", str(tables)).code == 0
        records.append(tournament.records)
    assert records[0] == records[1]
    assert len(records[0]) == 6


@pytest.mark.parametrize("seats", range(2, 9))
def test_f67_tables_of_every_size(tmp_path: Path, seats: int) -> None:
    bots = {f"bot{number}": sample("steady") for number in range(seats)}
    tournament = Tournament(tmp_path, bots, seats=seats, hands=seats, decks=1, isolation="none")
    ended = tournament.run()
    assert ended.code == 0, ended.err
    assert tournament.settled == seats
    assert tournament.sums == {0}


def test_a_fresh_process_for_each_match(tmp_path: Path) -> None:
    tournament = Tournament(tmp_path, TWO, seats=2, hands=2, decks=1, isolation="match", tables=1)
    assert tournament.run().code == 0
    assert tournament.settled == 2
    nothing_left(tournament)


def test_a_changed_file_is_refused_and_nothing_is_lost(tournament: Tournament) -> None:
    tournament.interrupt(signal.SIGINT)
    before = tournament.result.read_bytes()
    tournament.file.write_text(tournament.file.read_text().replace("hands = 8", "hands = 12"))
    ended = tournament.run()
    assert ended.code == 4
    assert "tournament.hands" in ended.err
    assert tournament.result.read_bytes() == before


def test_a_changed_program_is_refused_unless_accepted(tmp_path: Path) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text(Path(sample("always").split("'")[1]).read_text())
    tournament = Tournament(
        tmp_path, {"mine": "python mine.py", "steady": sample("steady")}, seats=2, isolation="none"
    )
    tournament.interrupt(signal.SIGINT)
    bot.write_text(bot.read_text() + "# changed\n")
    ended = tournament.run()
    assert ended.code == 4
    assert "mine" in ended.err
    assert tournament.run("--accept-changed-bots").code == 0


def test_json_and_nothing_else_on_stdout(tournament: Tournament) -> None:
    ended = tournament.run("--json")
    assert json.loads(ended.out)["settled"] == 4
    assert not ended.err


def test_a_dry_run_writes_nothing(tournament: Tournament) -> None:
    assert tournament.run("--dry-run").code == 0
    assert not tournament.result.exists()


def test_a_terminal_60_columns_wide(tournament: Tournament) -> None:
    with Terminal(tournament.command(), tournament.environment, columns=60) as terminal:
        assert terminal.wait() == 0
    lines = re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", terminal.shown))
    assert max(map(len, lines)) <= 60
    first = [line for line in lines if line.split()[:2] == ["1", "1"]][-1]
    assert re.search(r"[+-]\d\.\d{3} ± \d\.\d{3}", first)
