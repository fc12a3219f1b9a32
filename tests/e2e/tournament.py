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
from resource import RLIMIT_FSIZE, setrlimit

import psutil

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_bots" / "python"
PROGRAMS = Path(__file__).parent / "programs"
PATIENCE = 60.0
"""Seconds after which what should have happened will not."""

# What started a process can be told by this.
MARK = "BOURRE_TEST_RUN"

_started: list[subprocess.Popen[str]] = []


def sample(name: str) -> str:
    """The command of a sample bot."""
    return f"python '{SAMPLES / name}.py'"


def program(name: str, *arguments: str) -> str:
    """The command of a program of these tests."""
    return " ".join(["python", f"'{PROGRAMS / name}.py'", *arguments])


FOUR = {name: sample(name) for name in ("always", "cautious", "steady")} | {"random": sample("random_bot")}

THREE = {name: FOUR[name] for name in ("cautious", "steady", "random")}
TWO = {name: FOUR[name] for name in ("cautious", "steady")}


@dataclass
class Ended:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str


class Tournament:
    """A tournament file, its result file, and the command that plays it: `process`, once started."""

    process: subprocess.Popen[str]

    def __init__(self, folder: Path, bots: dict[str, str], **keys: object) -> None:
        self.folder = folder
        self.file = folder / "t.toml"
        self.result = folder / "t.db"
        self.mark = f"{folder}"
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

    def command(self, *options: str, command: str = "run") -> list[str]:
        """The words of the command."""
        target = self.file if command == "run" else self.result
        words = [sys.executable, "-m", "bourre_server.cli", command, str(target), *options]
        return words if command != "run" or "--out" in options else [*words, "--out", str(self.result)]

    @property
    def environment(self) -> dict[str, str]:
        """What the command runs in."""
        return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), MARK: self.mark}

    def start(self, *options: str, command: str = "run", file_bytes: int | None = None) -> None:
        """Run the command in the background, on a disk that has no more room than `file_bytes`."""
        limited = None if file_bytes is None else lambda: setrlimit(RLIMIT_FSIZE, (file_bytes, file_bytes))
        self.process = subprocess.Popen(
            self.command(*options, command=command),
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=limited,
        )
        _started.append(self.process)

    def wait(self) -> Ended:
        """Wait for the command to end."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return Ended(self.process.returncode, out, err)

    def run(self, *options: str, command: str = "run") -> Ended:
        """Run the command to its end."""
        self.start(*options, command=command)
        return self.wait()

    def interrupt(self, by: signal.Signals, decisions: int = 1) -> Ended:
        """Run the command, and send it a signal when so many decisions are journalled."""
        self.start()
        until(lambda: self.decided >= decisions or self.process.poll() is not None)
        self.process.send_signal(by)
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

    def until(self, condition: Callable[[], object]) -> None:
        """Wait for something to happen while the command runs."""

        def happened() -> object:
            assert self.process.poll() is None, self.process.communicate()
            return condition()

        until(happened)

    def wait_for(self, decisions: int) -> None:
        """Wait until so many decisions are journalled."""
        self.until(lambda: self.decided >= decisions)

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


def kill_what_runs() -> None:
    """End commands that are still running, and with them their bots."""
    while _started:
        with _started.pop() as process:
            process.kill()
