"""A tournament of real processes in a folder of its own: written, run, interrupted, looked into."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_bots" / "python"
PROGRAMS = Path(__file__).parent / "programs"
PATIENCE = 60.0
"""Seconds after which what should have happened will not."""

# A process finds out by this what started it.
MARK = "BOURRE_TEST_RUN"


def sample(name: str) -> str:
    """The command of a sample bot."""
    return f"python '{SAMPLES / name}.py'"


def program(name: str, *arguments: str) -> str:
    """The command of a program of these tests."""
    return " ".join(["python", f"'{PROGRAMS / name}.py'", *arguments])


FOUR = {name: sample(name) for name in ("always", "cautious", "steady")} | {"random": sample("random_bot")}


@dataclass
class Ended:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str


class Tournament:
    """A tournament file, its result file, and the command that plays it."""

    def __init__(self, folder: Path, bots: dict[str, str], **keys: object) -> None:
        self.folder = folder
        self.file = folder / "t.toml"
        self.result = folder / "t.db"
        self.mark = f"{folder}"
        self._process: subprocess.Popen[str] | None = None
        tournament = {"seats": 4, "hands": 8, "decks": 2, "seed": 7} | {
            key: value for key, value in keys.items() if key not in TIME
        }
        time_keys = {key: value for key, value in keys.items() if key in TIME}
        lines = ["[tournament]", 'name = "test"', *_lines(tournament), "[time]", *_lines(time_keys)]
        for name, command in bots.items():
            lines += [
                "[[bots]]",
                f'name = "{name}"',
                f"command = {command!r}" if command else "external = true",
            ]
        self.file.write_text("\n".join(lines) + "\n")

    def start(self, *options: str, command: str = "run") -> subprocess.Popen[str]:
        """Run the command in the background."""
        target = self.file if command == "run" else self.result
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bourre_server.cli", command, str(target), *options],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), MARK: self.mark},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        return self._process

    def wait(self) -> Ended:
        """Wait for the command to end."""
        assert self._process is not None
        out, err = self._process.communicate(timeout=PATIENCE)
        return Ended(self._process.returncode, out, err)

    def run(self, *options: str, command: str = "run") -> Ended:
        """Run the command to its end."""
        self.start(*options, command=command)
        return self.wait()

    def interrupt(self, by: signal.Signals, decisions: int = 1) -> Ended:
        """Run the command, and send it a signal when so many decisions are journalled."""
        process = self.start()
        until(lambda: self.decided >= decisions or process.poll() is not None)
        process.send_signal(by)
        return self.wait()

    # What came of it.

    def query(self, sql: str) -> list[tuple[object, ...]]:
        """Ask the result file; nothing where it is not there yet."""
        if not self.result.exists():
            return []
        with sqlite3.connect(f"file:{self.result}?mode=ro", uri=True) as connection:
            return connection.execute(sql).fetchall()

    @property
    def records(self) -> list[tuple[object, ...]]:
        """All records, by number."""
        return self.query("select number, record from matches order by number")

    @property
    def settled(self) -> int:
        """Matches settled so far."""
        return len(self.records)

    @property
    def faults(self) -> list[tuple[object, ...]]:
        """(entrant, kind, reason) of all faults."""
        return self.query(
            "select entrant, kind, reason from faults join seats using (match, seat) order by faults.id"
        )

    @property
    def sums(self) -> set[object]:
        """The sum of chips of each match."""
        return {total for (total,) in self.query("select sum(chips) from seats group by match")}

    @property
    def decided(self) -> int:
        """Decisions journalled so far, of matches that are running or were."""
        journal = self.result.with_name(self.result.name + ".running")
        return journal.read_bytes().count(b"\n") if journal.exists() else 0

    def wait_for(self, decisions: int) -> None:
        """Wait until so many decisions are journalled."""
        until(lambda: self.decided >= decisions)

    def processes(self) -> list[psutil.Process]:
        """All processes that this tournament started, itself left out."""
        return [p for p in psutil.process_iter() if p.pid != os.getpid() and _is_marked(p, self.mark)]

    def bots(self, name: str) -> list[psutil.Process]:
        """The running processes of a program, by its file's name."""
        return [p for p in self.processes() if any(name in word for word in _command_line(p))]


TIME = ("control", "budget", "bank", "increment", "startup", "absence", "forfeit_after")


def _lines(keys: dict[str, object]) -> Iterable[str]:
    for key, value in keys.items():
        yield f"{key} = {str(value).lower() if isinstance(value, bool) else repr(value)}"


def _is_marked(process: psutil.Process, mark: str) -> bool:
    try:
        return process.environ().get(MARK) == mark
    except psutil.Error:
        return False


def _command_line(process: psutil.Process) -> Sequence[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return ()


def until(condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait, for a bounded time, for what no event tells of."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "what was waited for did not happen"
        time.sleep(0.01)


def nothing_left(tournament: Tournament) -> None:
    """No process of the tournament is alive 5 s after it ended."""
    until(lambda: not tournament.processes(), seconds=5.0)
