"""`bourre run` with real bot processes: it ends, it is interrupted, it goes on."""

import json
import signal
from pathlib import Path
from random import Random

import pytest

from tests.e2e.tournament import FOUR, Tournament, nothing_left, sample


@pytest.fixture
def tournament(tmp_path: Path) -> Tournament:
    return Tournament(tmp_path, FOUR, isolation="none")


def test_a_run_ends_with_a_ranking_and_one_file(tournament: Tournament) -> None:
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
        tournament = Tournament(folder, FOUR, decks=1, hands=4)
        assert tournament.run("--tables", str(tables)).code == 0
        records.append(tournament.records)
    assert records[0] == records[1]
    assert len(records[0]) == 4


@pytest.mark.parametrize("seats", range(2, 9))
def test_f67_tables_of_every_size(tmp_path: Path, seats: int) -> None:
    bots = {f"bot{number}": sample("steady") for number in range(seats)}
    tournament = Tournament(tmp_path, bots, seats=seats, hands=seats, decks=1, isolation="none")
    ended = tournament.run()
    assert ended.code == 0, ended.err
    assert tournament.settled == seats
    assert tournament.sums == {0}


def test_a_fresh_process_for_each_match(tmp_path: Path) -> None:
    bots = {name: FOUR[name] for name in ("steady", "cautious")}
    tournament = Tournament(tmp_path, bots, seats=2, hands=2, decks=1, isolation="match", tables=1)
    assert tournament.run().code == 0
    assert tournament.settled == 2
    nothing_left(tournament)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[tuple[object, ...]]]:
    """What a longer run ends with, and its records."""
    tournament = long_tournament(tmp_path_factory.mktemp("undisturbed"))
    return tournament.run().out, tournament.records


def long_tournament(folder: Path) -> Tournament:
    return Tournament(folder, FOUR, isolation="none", decks=3, hands=20, tables=3)


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda by: by.name)
def test_f52_f61_interrupted_again_and_again_a_run_ends_the_same(
    tmp_path: Path, by: signal.Signals, undisturbed: tuple[str, list[tuple[object, ...]]]
) -> None:
    tournament = long_tournament(tmp_path)
    random = Random(by)
    codes = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -signal.SIGKILL}
    settled = 0
    for _ in range(3):
        reached = tournament.decided + random.randint(1, 600)
        ended = tournament.interrupt(by, reached)
        assert ended.code in (codes[by], 0), ended.err
        nothing_left(tournament)
        assert tournament.settled >= settled
        settled = tournament.settled
    ended = tournament.run()
    assert (ended.code, ended.out) == (0, undisturbed[0])
    assert tournament.records == undisturbed[1]
    assert not tournament.faults


def test_an_interrupted_run_says_how_to_go_on(tournament: Tournament) -> None:
    ended = tournament.interrupt(signal.SIGINT)
    assert ended.code == 130
    assert "the same command goes on from here" in ended.err


def test_a_changed_file_is_refused_and_nothing_is_lost(tournament: Tournament) -> None:
    tournament.interrupt(signal.SIGINT)
    before = tournament.file.read_text()
    tournament.file.write_text(before.replace("hands = 8", "hands = 12"))
    ended = tournament.run()
    assert ended.code == 4
    assert "tournament.hands" in ended.err
    tournament.file.write_text(before)
    assert tournament.run().code == 0


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


def test_a_second_run_of_the_same_file_is_refused(tmp_path: Path) -> None:
    first, second = (
        Tournament(tmp_path, FOUR, isolation="none", hands=400, decks=20, tables=2) for _ in range(2)
    )
    process = first.start()
    try:
        first.wait_for(1)
        ended = second.run()
    finally:
        process.send_signal(signal.SIGINT)
        first.wait()
    assert ended.code == 4
    assert "another process" in ended.err


def test_json_and_nothing_else_on_stdout(tournament: Tournament) -> None:
    ended = tournament.run("--json")
    assert json.loads(ended.out)["settled"] == 8
    assert not ended.err


def test_a_dry_run_writes_nothing(tournament: Tournament) -> None:
    assert tournament.run("--dry-run").code == 0
    assert not tournament.result.exists()
