"""Bots that do everything wrong: a fault with its reason, and nobody else's match is touched."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.tournament import MARK, SAMPLES, Tournament, nothing_left, program, sample

STEADY = sample("steady")


def against_steady(folder: Path, command: str, **keys: object) -> Tournament:
    """A bot that does something wrong, against one that does not."""
    bots = {"bad": command, "steady": STEADY}
    settings = {"seats": 2, "decks": 1, "hands": 20, "isolation": "none"}
    return Tournament(folder, bots, **(settings | keys))


def among_three(folder: Path, command: str, **keys: object) -> Tournament:
    """A bot that will not stay, and two others, at tables of two."""
    bots = {"bad": command, "steady": STEADY, "other": STEADY}
    return Tournament(folder, bots, seats=2, decks=1, hands=10, isolation="none", **keys)


def kinds(tournament: Tournament) -> set[object]:
    """The kinds of faults, all of which are the first bot's."""
    assert {entrant for entrant, *_ in tournament.faults} <= {0}
    return {kind for _, kind, _ in tournament.faults}


@pytest.mark.parametrize(
    ("wrong", "kind", "reason"),
    [
        ("illegal", "illegal", "not held|twice|not legal"),
        ("late", "timeout", "no answer in time"),
        ("exit", "crashed", "exit code 3"),
        ("raise", "crashed", "RuntimeError: no idea what to do"),
    ],
)
def test_a_fault_with_its_reason(tmp_path: Path, wrong: str, kind: str, reason: str) -> None:
    tournament = against_steady(tmp_path, program("faulty", wrong), budget=0.2, bank=0.0)
    ended = tournament.run()
    assert ended.code == 0, ended.err
    assert kinds(tournament) == {kind} | ({"stale"} if wrong == "late" else set())
    assert any(re.search(reason, str(told)) for _, _, told in tournament.faults)
    assert tournament.settled == 2
    assert tournament.sums == {0}
    assert f"{kind} (" in ended.out
    assert kind in tournament.run(command="replay").out
    nothing_left(tournament)


def test_f13_f17_a_bot_that_never_answers_forfeits(tmp_path: Path) -> None:
    tournament = against_steady(tmp_path, program("faulty", "silent"), budget=0.05, bank=0.0, forfeit_after=3)
    ended = tournament.run()
    assert ended.code == 0, ended.err
    assert kinds(tournament) == {"timeout"}
    assert tournament.query("select entrant, sum(forfeited) from seats group by entrant") == [(0, 2), (1, 0)]
    assert ended.out.splitlines()[3].split()[2] == "bad"


@pytest.mark.parametrize(("wrong", "kind"), [("garbage", "malformed"), ("flood", "flooding")])
def test_f56_a_bot_that_sends_what_it_likes(tmp_path: Path, wrong: str, kind: str) -> None:
    tournament = against_steady(tmp_path, program("raw", wrong), budget=0.1, bank=0.0, forfeit_after=3)
    ended = tournament.run()
    assert ended.code == 0, ended.err
    assert kind in kinds(tournament)
    assert tournament.sums == {0}
    nothing_left(tournament)


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (program("exits", "3"), "ended with exit code 3: I give up"),
        (program("exits", "SIGSEGV"), "was killed by SIGSEGV"),
        (program("never_joins"), "did not join within 2 s of its start"),
    ],
)
def test_f5_f12_f18_a_bot_that_never_joins_is_withdrawn(tmp_path: Path, command: str, reason: str) -> None:
    tournament = among_three(tmp_path, command, startup=2.0)
    ended = tournament.run()
    assert ended.code == 0, ended.err
    assert f"bad was withdrawn: {reason}" in ended.out
    assert tournament.settled == 2
    assert tournament.query("select distinct entrant from seats order by 1") == [(1,), (2,)]
    nothing_left(tournament)


def test_too_few_entrants_left_is_an_exit_code(tmp_path: Path) -> None:
    tournament = against_steady(tmp_path, program("exits", "3"))
    ended = tournament.run()
    assert ended.code == 3
    assert "1 are left" in ended.err
    assert "bad was withdrawn" in ended.out
    nothing_left(tournament)


def killed(folder: Path, times: int, **keys: object) -> Tournament:
    """A run in which a bot was killed so often, by SIGKILL, in the middle of its matches."""
    waiting = folder / "waiting"
    waiting.touch()
    bots = {"hostage": program("hostage", f"'{waiting}'", str(times)), "steady": STEADY}
    settings = {"seats": 2, "hands": 40, "decks": 1, "isolation": "none", "budget": 60.0}
    tournament = Tournament(folder, bots, **(settings | keys))
    tournament.start()
    for number in range(times):
        tournament.until(lambda: waiting.stat().st_size > number)  # noqa: B023 - called in this turn only
        (process,) = tournament.bots("hostage.py")
        process.kill()
    assert tournament.wait().code == 0
    return tournament


def test_f7_a_bot_killed_in_its_matches_comes_back_and_plays_the_same(tmp_path: Path) -> None:
    folders = tmp_path / "killed", tmp_path / "undisturbed"
    for folder in folders:
        folder.mkdir()
    disturbed, undisturbed = killed(folders[0], times=1), killed(folders[1], times=0)
    assert disturbed.records == undisturbed.records
    assert disturbed.faults == [(0, "crashed", "was killed by SIGKILL")] * 2  # one in each of its matches
    assert not undisturbed.faults


def test_a_bot_killed_three_times_in_a_match_plays_by_default(tmp_path: Path) -> None:
    tournament = killed(tmp_path, times=3, duplicates=False, decks=2, tables=1)
    assert [kind for _, kind, _ in tournament.faults] == ["crashed"] * 3
    assert tournament.query("select forfeited from seats where entrant = 0 order by match") == [(1,), (0,)]
    assert tournament.sums == {0}
    nothing_left(tournament)


def test_a_bot_that_leaves_is_withdrawn(tmp_path: Path) -> None:
    tournament = among_three(tmp_path, program("raw", "leave"))
    ended = tournament.run()
    assert ended.code == 0, ended.err
    assert "bad was withdrawn: left" in ended.out
    assert kinds(tournament) <= {"disconnected"}
    assert tournament.sums == {0}
    nothing_left(tournament)


def test_an_external_bot_waits_joins_and_survives_a_killed_runner(tmp_path: Path) -> None:
    bots = {"mine": "", "steady": STEADY}
    tournament = Tournament(tmp_path, bots, seats=2, hands=100, decks=2, isolation="none")
    tournament.start("--listen", "127.0.0.1:0")
    runner = tournament.process
    assert runner.stderr is not None
    lines = [runner.stderr.readline() for _ in range(2)]
    address = lines[0].rpartition("=")[2].strip()
    token = lines[1].rpartition("=")[2].strip()
    bot = subprocess.Popen(
        [sys.executable, str(SAMPLES / "cautious.py")],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "BOURRE_ADDRESS": address,
            "BOURRE_TOKEN": token,
            MARK: "external",
        },
    )
    tournament.wait_for(100)
    runner.send_signal(signal.SIGKILL)
    tournament.wait()
    ended = tournament.run()
    assert ended.code == 0, ended.err
    assert "printed when this run began" in ended.err
    assert token not in ended.err + ended.out
    assert bot.wait(timeout=10) == 0
    assert (tournament.settled, tournament.sums) == (4, {0})
    assert token.encode() not in tournament.result.read_bytes()
