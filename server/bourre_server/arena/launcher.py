"""The launcher: starts the bots of a run through a supervisor process, and hears how they end.

    async with open_launcher(log_dir) as launcher:
        launcher.start(BotSpec("steady#0", argv, cwd, env))
        async for ending in launcher.exits:
            print(ending.id, ending.cause)

No bot, and nothing that a bot has started, is alive after the block, nor after the end of this process.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from types import MappingProxyType
from typing import Any

import trio

SUPERVISOR = Path(__file__).with_name("supervisor.py")

CLEARING_SECONDS = 3.0
"""What the supervisor gets, after the grace, to find and kill the last descendant."""


class SupervisorDied(Exception):  # noqa: N818 - an event of a run, named for what happened
    """The supervisor exited without being told to; its bots have been killed and the run cannot go on."""


@dataclass(frozen=True, slots=True)
class BotSpec:
    """How to start one bot.

    `env` is the whole environment; it may hold a token, so it is left out of the repr. `cwd` may be relative
    to the current folder. `memory_mb` limits what each of the bot's processes may allocate, in MiB, its
    threads' stacks included (Linux; elsewhere the system may not enforce it). Raises ValueError if `argv` is
    empty.
    """

    id: str
    argv: Sequence[str]
    cwd: Path
    env: Mapping[str, str] = field(repr=False)
    memory_mb: int | None = None

    def __post_init__(self) -> None:
        if not self.argv:
            raise ValueError(f"bot {self.id}: the command is empty")


@dataclass(frozen=True, slots=True)
class Exited:
    """A bot exited with a code or by a signal (the other is None); `tail` is the end of its stderr."""

    id: str
    code: int | None
    signal: int | None
    tail: str

    @property
    def cause(self) -> str:
        """How it ended, to follow its name in a sentence."""
        if self.signal is None:
            return f"ended with exit code {self.code}"
        return f"was killed by {signal_name(self.signal)}"


@dataclass(frozen=True, slots=True)
class Failed:
    """A bot could not be started."""

    id: str
    reason: str

    @property
    def cause(self) -> str:
        """Why not, to follow its name in a sentence."""
        return f"could not be started: {self.reason}"


class Launcher:
    """Commands go out at once and in order; what becomes of the bots arrives in `exits`.

    `exits` holds an `Exited` or a `Failed` for every start, and ends when the launcher closes.
    """

    def __init__(self, process: trio.Process, log_dir: Path) -> None:
        self._process = process
        self._log_dir = log_dir
        self._pids: dict[str, int | None] = {}
        self._closing = False
        # Unbounded, so that commands need no await and a slow reader stops nobody: a few per start of a bot.
        self._commands, self._unsent = trio.open_memory_channel[bytes](inf)
        self._endings, self.exits = trio.open_memory_channel[Exited | Failed](inf)

    @property
    def pids(self) -> Mapping[str, int | None]:
        """The bots that have not ended, with their process ids (None until started)."""
        return MappingProxyType(self._pids)

    def log_path(self, bot_id: str) -> Path:
        """The file that this bot's stdout and stderr are appended to, up to 1 MiB a run."""
        return self._log_dir / f"{bot_id.replace('/', '_')}.log"

    def start(self, spec: BotSpec) -> None:
        """Start a bot. Raises ValueError if one with this id has not ended yet."""
        if spec.id in self._pids:
            raise ValueError(f"bot {spec.id} is still running")
        self._pids[spec.id] = None
        order = {
            "id": spec.id,
            "argv": list(spec.argv),
            "cwd": str(spec.cwd.absolute()),
            "env": dict(spec.env),
            "memory_mb": spec.memory_mb,
            "log": str(self.log_path(spec.id)),
        }
        self._send("start", order)

    def stop(self, bot_id: str, grace: float) -> None:
        """SIGTERM now, SIGKILL after `grace` seconds. Nothing happens if the bot has ended."""
        self._send("stop", {"id": bot_id, "grace": grace})

    def kill(self, bot_id: str) -> None:
        """SIGKILL to the bot and its descendants. Nothing happens if the bot has ended."""
        self._send("kill", {"id": bot_id})

    def _send(self, verb: str, order: dict[str, Any]) -> None:
        self._commands.send_nowait(json.dumps({verb: order}).encode() + b"\n")

    @asynccontextmanager
    async def serving(self, grace: float) -> AsyncIterator[None]:
        """Exchange messages with the supervisor during the block, and end it afterwards."""
        with self.exits, self._unsent:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(shielded, self._read)
                nursery.start_soon(shielded, self._write)
                try:
                    yield
                finally:
                    with trio.CancelScope(shield=True):
                        await self._close(grace)

    async def _write(self) -> None:
        assert self._process.stdin is not None
        # A supervisor that no longer listens has died; whoever reads from it hears of that and reports it.
        with contextlib.suppress(trio.BrokenResourceError):
            async with self._process.stdin as pipe:
                async for command in self._unsent:
                    await pipe.send_all(command)

    async def _read(self) -> None:
        assert self._process.stdout is not None
        unfinished = b""
        async with self._process.stdout as pipe, self._endings:
            async for received in pipe:
                *lines, unfinished = (unfinished + received).split(b"\n")
                for line in lines:
                    ((kind, report),) = json.loads(line).items()
                    self._record(kind, report)
        self._kill_groups()
        if not self._closing:
            status = await self._process.wait()
            raise SupervisorDied(f"the supervisor of the bots ended unexpectedly (status {status})")

    def _record(self, kind: str, report: dict[str, Any]) -> None:
        if kind == "started":
            self._pids[report["id"]] = report["pid"]
            return
        del self._pids[report["id"]]
        self._endings.send_nowait(Exited(**report) if kind == "exited" else Failed(**report))

    def _kill_groups(self) -> None:
        """Kill the bots that a supervisor has left behind by dying; it does not when it ends as told."""
        for pid in filter(None, self._pids.values()):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
        self._pids.clear()

    async def _close(self, grace: float) -> None:
        self._closing = True
        self._send("end", {"grace": grace})
        with trio.move_on_after(grace + CLEARING_SECONDS):
            await self._process.wait()
        self._process.kill()
        await self._process.wait()
        self._commands.close()


async def shielded(serve: Callable[[], Awaitable[None]]) -> None:
    """Run to the end whatever is cancelled: the way to the supervisor is needed to the last bot."""
    with trio.CancelScope(shield=True):
        await serve()


def signal_name(number: int) -> str:
    """SIGSEGV for 11; signals without a name, such as the real-time ones, keep their number."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


@asynccontextmanager
async def open_launcher(log_dir: Path, grace: float = 2.0) -> AsyncIterator[Launcher]:
    """Run a supervisor for the length of the block; logs go to `log_dir`, made if need be.

    Leaving the block, in whatever way, stops all bots within one shared `grace` of so many seconds, and waits
    until they, their descendants and the supervisor are gone: `grace` + 3 s at most. `SupervisorDied` comes,
    as from any nursery, in an exception group, and cancels the block. Raises OSError if `log_dir` cannot be
    made.
    """
    log_dir = log_dir.absolute()
    log_dir.mkdir(parents=True, exist_ok=True)
    process = await trio.lowlevel.open_process(
        [sys.executable, "-I", "-S", str(SUPERVISOR)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Out of reach of what is sent to the runner's whole group, such as SIGKILL by a CI job that gives up.
        start_new_session=True,
    )
    launcher = Launcher(process, log_dir)
    async with launcher.serving(grace):
        yield launcher
