"""Starts the bots of a run, drains what they write, and lets none of them outlive the run.

A standalone program (standard library only, one thread). The launcher starts one per run and speaks JSON
lines with it. In, on stdin:

    {"start": {"id", "argv", "cwd", "env", "memory_mb", "log"}}    run argv with exactly this environment
    {"stop": {"id", "grace"}}    SIGTERM to the bot; SIGKILL to it and its descendants after `grace` seconds
    {"kill": {"id"}}             SIGKILL to the bot and its descendants now
    {"end": {"grace"}}           stop every bot, all within the same `grace` seconds, then exit

Out, on stdout:

    {"started": {"id", "pid"}}
    {"failed": {"id", "reason"}}
    {"exited": {"id", "code", "signal", "tail"}}    code or signal is null; tail is the end of its stderr

The kernel closes stdin when the launcher's process is gone, whatever ended it. That, or SIGTERM, kills every
descendant. On Linux this process is a child subreaper: a descendant that daemonises becomes its child, and is
found by walking /proc. Elsewhere a bot's process group is all that can be found.
"""

import contextlib
import ctypes
import json
import os
import resource
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from types import FrameType
from typing import IO, Any

LOG_BYTES = 1 << 20
"""What one bot may add to its log in one run, all its restarts together; notes about the cap come on top."""

READ_BYTES = 32 << 10
"""What is read from one pipe before the next one's turn: with two pipes, 64 kB per bot."""

LAST_READS = 32
"""Reads from each pipe of a bot that has exited: as much as the largest unprivileged pipe (1 MiB) holds."""

TAIL_BYTES = 2048
SWEEPING_SECONDS = 2.5
SWEEP_SECONDS = 0.05

PR_SET_CHILD_SUBREAPER = 36
STDIN, STDOUT = 0, 1


class BotLog:
    """The log file of one bot: appended to as output comes, capped, and saying so when it was."""

    def __init__(self, path: str) -> None:
        # Private to the user: a bot may print its environment, and its token is in there.
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._written = 0
        self._dropped = 0
        self._reported = 0

    def append(self, output: bytes) -> None:
        """Write what the cap leaves room for, and count the rest."""
        kept = self._write(output[: max(LOG_BYTES - self._written, 0)])
        self._written += kept
        first_drop = not self._dropped
        self._dropped += len(output) - kept
        if first_drop and self._dropped:
            self._note(f"log capped at {LOG_BYTES} bytes: what follows is dropped")

    def report_dropped(self) -> None:
        """End a capped log with the number of bytes that are missing from it."""
        if self._dropped > self._reported:
            self._reported = self._dropped
            self._note(f"log capped at {LOG_BYTES} bytes: {self._dropped} bytes dropped")

    def _note(self, text: str) -> None:
        self._write(f"\n[{text}]\n".encode())

    def _write(self, output: bytes) -> int:
        try:
            return os.write(self._fd, output)
        except OSError:  # A full disk costs the log, never the bot.
            return 0


class Bot:
    """One running bot: its process, the pipes it writes to, and the end of its stderr."""

    def __init__(self, process: subprocess.Popen[bytes], log: BotLog) -> None:
        self.process = process
        self.log = log
        self.kill_at: float | None = None
        self._tail = b""

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def pipes(self) -> Iterator[IO[bytes]]:
        """The pipes that are still open."""
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None and not pipe.closed:
                yield pipe

    @property
    def tail(self) -> str:
        """The end of stderr, with everything visible that a terminal would act on or hide."""
        text = self._tail.decode(errors="replace")
        return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)

    def read(self, pipe: IO[bytes]) -> bytes | None:
        """Move one helping of output to the log. b"" means end of file, None that nothing is there yet."""
        output = pipe.read(READ_BYTES)
        if output:
            self.log.append(output)
            if pipe is self.process.stderr:
                self._tail = (self._tail + output)[-TAIL_BYTES:]
        return output

    def terminate(self, kill_at: float) -> None:
        """Ask the bot to exit before the monotonic time `kill_at`; an earlier limit holds."""
        self.kill_at = kill_at if self.kill_at is None else min(kill_at, self.kill_at)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        """Kill the bot and what it started, as far as that is still attached to it."""
        self.kill_at = None
        attached = descendants(self.pid)
        self.kill_group()
        kill_each(attached)

    def kill_group(self) -> None:
        # macOS answers EPERM where only zombies are left in the group.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)


class Supervisor:
    """The loop: commands, output and exits come in through one selector; nothing else is waited for."""

    def __init__(self) -> None:
        self._bots: dict[str, Bot] = {}
        self._logs: dict[str, BotLog] = {}
        self._selector = selectors.DefaultSelector()
        self._commands = b""
        self._child_exited = False
        self._ending = False
        self._cut_off = False
        self._signals = catch_signals()
        self._selector.register(self._signals, selectors.EVENT_READ, self._read_signals)
        self._selector.register(STDIN, selectors.EVENT_READ, self._read_commands)

    def run(self) -> None:
        """Serve until told to end, or cut off from the launcher; leave no descendant alive."""
        try:
            while not self._cut_off and not (self._ending and not self._bots):
                self._turn()
        except BrokenPipeError:
            pass  # The launcher is gone: the same as the end of stdin.
        finally:
            self._kill_all()

    def _turn(self) -> None:
        for key, _ in self._selector.select(self._patience()):
            key.data()
        # After the reads: closing a pipe in between would pull it from under a read that is due.
        if self._child_exited:
            self._child_exited = False
            self._reap_bots()
        now = time.monotonic()
        for bot in self._bots.values():
            if bot.kill_at is not None and bot.kill_at <= now:
                bot.kill()

    def _patience(self) -> float | None:
        deadlines = [bot.kill_at for bot in self._bots.values() if bot.kill_at is not None]
        return max(min(deadlines) - time.monotonic(), 0) if deadlines else None

    def _read_signals(self) -> None:
        received = os.read(self._signals, READ_BYTES)
        self._child_exited |= signal.SIGCHLD in received
        self._cut_off |= signal.SIGTERM in received

    def _read_commands(self) -> None:
        received = os.read(STDIN, READ_BYTES)
        self._cut_off |= not received
        *lines, self._commands = (self._commands + received).split(b"\n")
        for line in lines:
            ((verb, order),) = json.loads(line).items()
            self._obey(verb, order)

    def _obey(self, verb: str, order: dict[str, Any]) -> None:
        if verb == "start":
            self._start(order)
        elif verb == "end":
            self._end(order["grace"])
        elif bot := self._bots.get(order["id"]):  # else it exited while the command was on its way
            if verb == "stop":
                bot.terminate(time.monotonic() + order["grace"])
            else:
                bot.kill()

    def _end(self, grace: float) -> None:
        self._ending = True
        kill_at = time.monotonic() + grace
        for bot in self._bots.values():
            bot.terminate(kill_at)

    def _start(self, order: dict[str, Any]) -> None:
        bot_id = order["id"]
        try:
            log = self._log(order["log"])
            bot = Bot(spawn(order), log)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            emit("failed", {"id": bot_id, "reason": why_not_started(error, order)})
            return
        self._bots[bot_id] = bot
        for pipe in bot.pipes:
            os.set_blocking(pipe.fileno(), False)
            self._selector.register(pipe, selectors.EVENT_READ, self._reader(bot, pipe))
        emit("started", {"id": bot_id, "pid": bot.pid})

    def _log(self, path: str) -> BotLog:
        if path not in self._logs:
            self._logs[path] = BotLog(path)
        return self._logs[path]

    def _reader(self, bot: Bot, pipe: IO[bytes]) -> Callable[[], None]:
        def read() -> None:
            if bot.read(pipe) == b"":
                self._close(pipe)

        return read

    def _close(self, pipe: IO[bytes]) -> None:
        self._selector.unregister(pipe)
        pipe.close()

    def _reap_bots(self) -> None:
        by_pid = {bot.pid: bot_id for bot_id, bot in self._bots.items()}
        for pid, code in reap():
            if pid in by_pid:  # else an adopted descendant
                bot_id = by_pid[pid]
                self._settle(bot_id, self._bots.pop(bot_id), code)

    def _settle(self, bot_id: str, bot: Bot, code: int) -> None:
        """Clear up after a bot that has exited, and report it."""
        bot.process.returncode = code  # reaped here, so Popen need not
        bot.kill_group()
        for pipe in bot.pipes:
            for _ in range(LAST_READS):
                if not bot.read(pipe):
                    break
            self._close(pipe)
        bot.log.report_dropped()
        cause = {"code": None, "signal": -code} if code < 0 else {"code": code, "signal": None}
        emit("exited", {"id": bot_id, **cause, "tail": bot.tail})

    def _kill_all(self) -> None:
        for bot in self._bots.values():
            bot.kill()
            bot.log.report_dropped()
        # A walk of /proc is no snapshot and may miss some, so it is repeated. The kernel says when it is
        # done: whoever adopts all orphans and has no child has no descendant either.
        give_up = time.monotonic() + SWEEPING_SECONDS
        with contextlib.suppress(ChildProcessError):
            while time.monotonic() < give_up:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
                kill_each(descendants(os.getpid()))
                self._await_signal()

    def _await_signal(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._signals, selectors.EVENT_READ)
            if selector.select(SWEEP_SECONDS):
                os.read(self._signals, READ_BYTES)


def spawn(order: Mapping[str, Any]) -> subprocess.Popen[bytes]:
    """Start a bot in a session of its own, deaf to the terminal; its pid is its process group."""
    memory_mb: int | None = order["memory_mb"]
    return subprocess.Popen(
        order["argv"],
        cwd=order["cwd"],
        env=order["env"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,
        # Safe here: this process has one thread, so nothing can hold a lock across the fork.
        preexec_fn=None if memory_mb is None else lambda: limit_memory(memory_mb),
    )


def limit_memory(memory_mb: int) -> None:
    """Limit what this process and its children may each allocate, in MiB.

    RLIMIT_DATA counts private writable memory. RLIMIT_AS would count reserved address space as well, of which
    runtimes with a garbage collector take gigabytes that they never touch.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = memory_mb << 20
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def why_not_started(error: Exception, order: Mapping[str, Any]) -> str:
    """One line for people: which of program, interpreter, folder or log is wrong, and how."""
    program, cwd = order["argv"][0], order["cwd"]
    if not isinstance(error, OSError):
        return str(error)
    if error.filename == order["log"]:
        return f"cannot write its log {error.filename}: {error.strerror}"
    if not os.access(cwd, os.X_OK):
        return f"cannot enter its folder {cwd}: {error.strerror}"
    if not isinstance(error, FileNotFoundError):
        return f"cannot run {program}: {error.strerror}"
    if "/" in program and os.access(f"{cwd}/{program}" if program[0] != "/" else program, os.F_OK):
        return f"cannot run {program}: the interpreter in its first line does not exist"
    return f"no such program: {program}"


def emit(kind: str, report: dict[str, Any]) -> None:
    """Tell the launcher. Raises BrokenPipeError if it is gone."""
    line = json.dumps({kind: report}).encode() + b"\n"
    while line:
        line = line[os.write(STDOUT, line) :]


def reap() -> Iterator[tuple[int, int]]:
    """Every child that has exited, as (pid, exit code or negative signal)."""
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            yield pid, os.waitstatus_to_exitcode(status)


def descendants(root: int) -> list[int]:
    """The living descendants of a process, parents first; empty where there is no /proc."""
    children: dict[int, list[int]] = {}
    for pid, parent in living():
        children.setdefault(parent, []).append(pid)
    found = list(children.get(root, ()))
    for pid in found:  # grows as it goes
        found += children.get(pid, ())
    return found


def living() -> Iterator[tuple[int, int]]:
    """Every process that is not a zombie, as (pid, parent's pid)."""
    try:
        names = os.listdir("/proc")  # noqa: PTH208 - pathlib would take a sixth of the start-up time
    except FileNotFoundError:
        return
    for name in filter(str.isdecimal, names):
        with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123 - as above
            # The command stands in brackets and may hold any character, so look behind the last bracket.
            state, parent = file.read().rpartition(b")")[2].split()[:2]
            if state not in b"ZX":
                yield int(name), int(parent)


def kill_each(pids: list[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def catch_signals() -> int:
    """Turn signals into bytes on a pipe, whose reading end is returned.

    The terminal's signals are caught and then ignored: what Ctrl-C means is the runner's to decide. They are
    caught rather than set to SIG_IGN because bots would inherit that.
    """

    def leave_to_the_pipe(_signal: int, _frame: FrameType | None) -> None:
        pass

    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, leave_to_the_pipe)
    return reading


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent exits, where the system can do that."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


if __name__ == "__main__":
    adopt_orphans()
    Supervisor().run()
