"""Runs that are stopped, killed, paused or that break, and go on with the same command."""

import shlex
import signal
import time
from pathlib import Path
from random import Random

import pytest

from tests.e2e.terminal import CTRL_C, Terminal
from tests.e2e.tournament import THREE, TWO, Tournament, nothing_left, program, until

Result = tuple[str, list[tuple[object, ...]], int]
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -signal.SIGKILL}


def three(folder: Path) -> Tournament:
    """A run of a second or so, of bots that repeat."""
    return Tournament(folder, THREE, seats=3, hands=30, decks=3, tables=3, isolation="none")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """What such a run ends with, its records, and the size of its file."""
    tournament = three(tmp_path_factory.mktemp("undisturbed"))
    return tournament.run().out, tournament.records, tournament.result.stat().st_size


@pytest.mark.parametrize("by", CODES, ids=lambda by: by.name)
def test_f52_f61_interrupted_again_and_again_a_run_ends_the_same(
    tmp_path: Path, by: signal.Signals, undisturbed: Result
) -> None:
    tournament, random, settled = three(tmp_path), Random(by), 0
    for _ in range(2):
        ended = tournament.interrupt(by, tournament.decided + random.randint(1, 900))
        assert ended.code == CODES[by], ended.err
        assert ("the same command goes on from here" in ended.err) == (by is not signal.SIGKILL)
        nothing_left(tournament)
        assert tournament.settled >= settled
        settled = tournament.settled
    ended = tournament.run()
    assert (ended.code, ended.out) == (0, undisturbed[0])
    assert tournament.records == undisturbed[1]
    assert not tournament.faults


@pytest.fixture
def endless(tmp_path: Path) -> Tournament:
    """A run that does not end by itself while a test looks on."""
    return Tournament(tmp_path, TWO, seats=2, hands=1000, decks=50, tables=2, isolation="none")


def test_a_second_run_of_the_same_file_is_refused(endless: Tournament) -> None:
    endless.start()
    endless.wait_for(1)
    first = endless.process
    second = endless.run()
    assert second.code == 4
    assert "another process" in second.err
    assert first.poll() is None


@pytest.mark.parametrize("piped", ["| tee", "2>&1 | tee"])
def test_f60_ctrl_c_at_a_terminal(endless: Tournament, piped: str) -> None:
    command = f"set -o pipefail; {shlex.join(endless.command())} {piped} /dev/null"
    with Terminal(["bash", "-c", command], endless.environment) as terminal:
        until(lambda: endless.decided)
        terminal.press(CTRL_C)
        pressed = time.monotonic()
        assert terminal.wait() == 130
        assert time.monotonic() - pressed < 6
    assert "Traceback" not in terminal.shown
    nothing_left(endless)


@pytest.mark.parametrize("by", [None, *CODES], ids=lambda by: by.name if by else "success")
def test_f50_f60_bots_that_ignore_every_signal_and_their_children(
    tmp_path: Path, by: signal.Signals | None
) -> None:
    bots = {name: program("stubborn") for name in ("one", "other")}
    hands = 1000 if by else 10
    tournament = Tournament(tmp_path, bots, seats=2, hands=hands, decks=1, isolation="none")
    tournament.start()
    if by:
        tournament.wait_for(1)
        assert len(tournament.processes()) == 6  # runner, supervisor, and two of each bot
        tournament.process.send_signal(by)
        tournament.process.send_signal(by)  # nor does it matter that somebody has no patience
    since = time.monotonic()
    ended = tournament.wait()
    assert ended.code == (CODES[by] if by else 0), ended.err
    assert "Traceback" not in ended.err
    assert not by or time.monotonic() - since < 6
    nothing_left(tournament)


def test_f57_a_runner_that_is_paused_charges_nobody(tmp_path: Path) -> None:
    tournament = Tournament(
        tmp_path, TWO, seats=2, hands=200, decks=1, isolation="none", budget=0.4, bank=0.0
    )
    tournament.start()
    for _ in range(2):
        tournament.wait_for(tournament.decided + 20)
        tournament.process.send_signal(signal.SIGSTOP)
        paused(0.8)
        tournament.process.send_signal(signal.SIGCONT)
    assert tournament.wait().code == 0
    assert not tournament.faults


def paused(seconds: float) -> None:
    """Twice the budget of a decision goes by: no event tells of that."""
    time.sleep(seconds)


def test_f70_a_supervisor_that_dies_ends_the_run(endless: Tournament) -> None:
    endless.start()
    endless.wait_for(1)
    (supervisor,) = endless.bots("supervisor.py")
    supervisor.kill()
    ended = endless.wait()
    assert ended.code == 5
    assert (
        ended.err == "bourre: the run broke off: the supervisor of the bots ended unexpectedly (status -9)\n"
    )
    nothing_left(endless)


def test_a_full_disk_ends_the_run_which_goes_on_where_there_is_room(
    tmp_path: Path, undisturbed: Result
) -> None:
    out, records, size = undisturbed
    tournament = three(tmp_path)
    tournament.start(file_bytes=size - 1)
    ended = tournament.wait()
    assert ended.code == 5
    assert "Traceback" not in ended.err
    assert f"{tournament.result}" in ended.err.splitlines()[-1]
    nothing_left(tournament)
    ended = tournament.run()
    assert (ended.code, ended.out, tournament.records) == (0, out, records)
