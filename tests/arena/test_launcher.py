"""The launcher and its supervisor with real bots: how they start, end and write, and what they leave."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import outcome
import psutil
import pytest
import trio
from bourre_server.arena.launcher import (
    BotSpec,
    Exited,
    Failed,
    Launcher,
    SupervisorDied,
    open_launcher,
)

PROGRAMS = Path(__file__).parent / "programs"
ENV = {"PATH": os.defpath}
CAP = 1 << 20
PATIENCE = 10.0

ALL_CLINGING = 4
"""A clinging bot, its two children, and its daemonised grandchild."""


def python_bot(program: str, *args: object, bot_id: str = "bot#0", memory_mb: int | None = None) -> BotSpec:
    argv = [sys.executable, "-S", str(PROGRAMS / program), *map(str, args)]
    return BotSpec(bot_id, argv, Path(), ENV, memory_mb)


async def until(condition: Callable[[], object]) -> None:
    """Wait, for a bounded time, for what no event tells of."""
    with trio.fail_after(PATIENCE):
        while not condition():
            await trio.sleep(0.01)


async def be_cancelled() -> None:
    with trio.fail_after(PATIENCE):
        await trio.sleep_forever()


@pytest.fixture
async def launcher(tmp_path: Path) -> AsyncIterator[Launcher]:
    async with open_launcher(tmp_path / "logs") as launcher:
        yield launcher


async def ending(launcher: Launcher) -> Exited | Failed:
    with trio.fail_after(PATIENCE):
        return await launcher.exits.receive()


async def ending_of(launcher: Launcher, spec: BotSpec) -> Exited | Failed:
    launcher.start(spec)
    return await ending(launcher)


@pytest.mark.parametrize(
    ("how", "cause"),
    [
        (("code", 0), "ended with exit code 0"),
        (("code", 3), "ended with exit code 3"),
        (("signal", signal.SIGSEGV.value), "was killed by SIGSEGV"),
        (("signal", signal.SIGRTMIN + 1), f"was killed by signal {signal.SIGRTMIN + 1}"),
    ],
)
async def test_exit_is_reported_with_its_cause(launcher: Launcher, how: tuple[str, int], cause: str) -> None:
    exited = await ending_of(launcher, python_bot("ends.py", *how))
    assert isinstance(exited, Exited)
    assert exited.cause == cause
    assert (exited.code, exited.signal) == ((how[1], None) if how[0] == "code" else (None, how[1]))
    assert exited.tail == f"on my way: {how[0]} \\x1b[31m{how[1]}\\u202e\n"
    assert not launcher.pids


async def test_kill_and_stop(launcher: Launcher, tmp_path: Path) -> None:
    """A kill needs no consent; a stop is first a request, and a kill when the grace is over."""
    pids = tmp_path / "pids"
    ends: list[Callable[[], None]] = [
        lambda: launcher.kill("bot#0"),
        lambda: launcher.stop("bot#0", grace=0.1),
    ]
    for end in ends:
        pids.unlink(missing_ok=True)
        launcher.start(python_bot("clings.py", pids))
        await until(lambda: has_lines(pids, ALL_CLINGING))
        end()
        exited = await ending(launcher)
        assert exited.cause == "was killed by SIGKILL"
        await until(lambda: len(alive(pids)) == 1)  # the daemon, which nothing ties to the bot
    launcher.start(python_bot("shows.py", tmp_path / "seen"))
    await until((tmp_path / "seen").exists)
    launcher.stop("bot#0", grace=PATIENCE)
    assert (await ending(launcher)).cause == "was killed by SIGTERM"


async def test_commands_to_a_bot_that_has_ended_do_nothing(launcher: Launcher) -> None:
    await ending_of(launcher, python_bot("ends.py", "code", 0))
    launcher.kill("bot#0")
    launcher.stop("bot#0", grace=1.0)
    assert (await ending_of(launcher, python_bot("ends.py", "code", 4))).cause == "ended with exit code 4"


async def test_one_id_is_one_bot_at_a_time(launcher: Launcher) -> None:
    launcher.start(python_bot("ends.py", "code", 0))
    with pytest.raises(ValueError, match="bot#0 is still running"):
        launcher.start(python_bot("ends.py", "code", 0))


def test_an_empty_command_is_refused() -> None:
    with pytest.raises(ValueError, match="command is empty"):
        BotSpec("bot#0", [], Path(), ENV)


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def has_lines(path: Path, count: int) -> bool:
    return path.exists() and len(path.read_text().splitlines()) == count


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("no-such-bot", "no such program: no-such-bot"),
        ("./no-such-bot", "no such program: ./no-such-bot"),
        ("./plain", "cannot run ./plain: Permission denied"),
        ("./binary", "cannot run ./binary: Exec format error"),
        ("./script", "cannot run ./script: the interpreter in its first line does not exist"),
        ("nul\0", "embedded null byte"),
    ],
)
async def test_a_program_that_cannot_run_fails_in_one_line(
    launcher: Launcher, tmp_path: Path, program: str, reason: str
) -> None:
    (tmp_path / "plain").touch()
    for name, content in {"binary": b"\0\1\2", "script": b"#!/no/such/interpreter\n"}.items():
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(0o755)
    failed = await ending_of(launcher, BotSpec("bot#0", [program], tmp_path, ENV))
    assert failed == Failed("bot#0", reason)
    assert failed.cause == f"could not be started: {reason}"
    assert not launcher.pids


async def test_a_missing_folder_is_named(launcher: Launcher, tmp_path: Path) -> None:
    failed = await ending_of(launcher, BotSpec("bot#0", [sys.executable], tmp_path / "gone", ENV))
    assert failed == Failed(
        "bot#0", f"cannot enter its folder {tmp_path / 'gone'}: No such file or directory"
    )


async def test_an_unwritable_log_is_named(launcher: Launcher) -> None:
    launcher.log_path("bot#0").mkdir()
    failed = await ending_of(launcher, python_bot("ends.py", "code", 0))
    assert failed == Failed("bot#0", f"cannot write its log {launcher.log_path('bot#0')}: Is a directory")


async def test_a_bot_gets_its_environment_folder_and_arguments(
    launcher: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blanks and odd characters in paths, a folder and a program relative to it; the environment is whole."""
    folder = tmp_path / "bot's folder é"
    folder.mkdir()
    (folder / "a bot.py").write_bytes((PROGRAMS / "shows.py").read_bytes())
    monkeypatch.chdir(tmp_path)
    argv = [sys.executable, "-S", "a bot.py", "seen by it", "two words", "", 'quote"']
    launcher.start(BotSpec("odd/name é", argv, Path(folder.name), ENV | {"TOKEN": "né $HOME"}))
    await until((folder / "seen by it").exists)
    seen = json.loads((folder / "seen by it").read_text())
    assert seen["env"].pop("LC_CTYPE", "C.UTF-8") == "C.UTF-8"  # Python's own addition
    assert seen == {
        "env": ENV | {"TOKEN": "né $HOME"},
        "cwd": str(folder),
        "args": ["two words", "", 'quote"'],
        "stdin": "",
        "sigint": True,
    }


async def test_a_token_is_in_no_argument_list_and_no_repr(launcher: Launcher, tmp_path: Path) -> None:
    token = "token-that-nobody-may-see"
    spec = python_bot("shows.py", tmp_path / "seen")
    spec = BotSpec(spec.id, spec.argv, spec.cwd, ENV | {"TOKEN": token})
    launcher.start(spec)
    await until((tmp_path / "seen").exists)
    lines = [line for pid in Path("/proc").glob("[0-9]*/cmdline") if (line := read_if_there(pid))]
    assert any(b"shows.py" in line for line in lines)
    assert not any(token.encode() in line for line in lines)
    assert token not in repr(spec)


def read_if_there(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


async def test_a_flood_does_not_block_and_its_log_is_capped(launcher: Launcher) -> None:
    flooded = await ending_of(launcher, python_bot("floods.py", 100, bot_id="floods"))
    assert isinstance(flooded, Exited)
    assert flooded.cause == "ended with exit code 0"
    assert flooded.tail.endswith("\nplayed on to the end\n")
    assert len(flooded.tail) == 2048
    log = launcher.log_path("floods").read_bytes()
    dropped = (200 << 20) + len("played on to the end\n") - CAP
    assert log.splitlines()[-1] == f"[log capped at {CAP} bytes: {dropped} bytes dropped]".encode()
    assert log.count(b"what follows is dropped") == 1
    assert len(log) < CAP + 200


async def test_a_flood_starves_nobody(launcher: Launcher) -> None:
    launcher.start(python_bot("floods.py", 1 << 30, bot_id="floods"))
    await until(lambda: size(launcher.log_path("floods")) > CAP)
    launcher.start(python_bot("ends.py", "code", 0, bot_id="quick"))
    assert (await ending(launcher)).id == "quick"
    launcher.kill("floods")
    assert (await ending(launcher)).cause == "was killed by SIGKILL"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has pipes of variable depth")
async def test_last_words_deep_in_a_pipe_are_heard(launcher: Launcher) -> None:
    exited = await ending_of(launcher, python_bot("fills_pipe.py"))
    assert isinstance(exited, Exited)
    assert exited.tail.endswith("last words\n")


async def test_restarts_share_one_log_and_its_cap(launcher: Launcher) -> None:
    launcher.log_path("bot#0").write_text("an earlier run\n")
    for _ in range(2):
        await ending_of(launcher, python_bot("ends.py", "code", 0))
    assert (
        launcher.log_path("bot#0").read_text() == "an earlier run\n" + 2 * "on my way: code \x1b[31m0\u202e\n"
    )
    for _ in range(2):
        await ending_of(launcher, python_bot("floods.py", 1))
    log = launcher.log_path("bot#0").read_bytes()
    assert log.count(b"what follows is dropped") == 1
    assert log.count(b"bytes dropped]") == 2
    assert len(log) < CAP + 300


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a process to RLIMIT_DATA")
async def test_memory_limit(launcher: Launcher) -> None:
    within = await ending_of(launcher, python_bot("allocates.py", 64, memory_mb=256))
    assert within.cause == "ended with exit code 0"
    beyond = await ending_of(launcher, python_bot("allocates.py", 512, memory_mb=256))
    assert isinstance(beyond, Exited)
    assert beyond.code == 1
    assert beyond.tail.endswith("MemoryError\n")


async def start_clinging(launcher: Launcher, pids: Path, bots: int = 1) -> None:
    for bot in range(bots):
        launcher.start(python_bot("clings.py", pids, bot_id=f"clings#{bot}"))
    await until(lambda: has_lines(pids, bots * ALL_CLINGING))


def alive(pids: Path) -> list[int]:
    return [pid for pid in map(int, pids.read_text().split()) if is_alive(pid)]


def is_alive(pid: int | None) -> bool:
    assert pid
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def leave_normally(tmp_path: Path, pids: Path) -> None:
    async with open_launcher(tmp_path, grace=0.1) as launcher:
        await start_clinging(launcher, pids)
        assert len(alive(pids)) == ALL_CLINGING


async def leave_by_cancellation(tmp_path: Path, pids: Path) -> None:
    with trio.CancelScope() as scope:
        async with open_launcher(tmp_path, grace=0.1) as launcher:
            await start_clinging(launcher, pids)
            scope.cancel()
            await be_cancelled()


async def leave_by_error(tmp_path: Path, pids: Path) -> None:
    with pytest.RaisesGroup(ZeroDivisionError):
        async with open_launcher(tmp_path, grace=0.1) as launcher:
            await start_clinging(launcher, pids)
            raise ZeroDivisionError


leavings = pytest.mark.parametrize("leave", [leave_normally, leave_by_cancellation, leave_by_error])


@leavings
async def test_nothing_is_left_when_the_block_is_left(
    leave: Callable[[Path, Path], Awaitable[None]], tmp_path: Path
) -> None:
    await leave(tmp_path, tmp_path / "pids")
    assert alive(tmp_path / "pids") == []
    assert psutil.Process().children() == []


@leavings
def test_the_same_under_a_guest_run(leave: Callable[[Path, Path], Awaitable[None]], tmp_path: Path) -> None:
    """In a run, trio is the guest of the asyncio loop that serves the bots."""
    asyncio.run(as_guest(lambda: leave(tmp_path, tmp_path / "pids")))
    assert alive(tmp_path / "pids") == []
    assert psutil.Process().children() == []


async def as_guest(run: Callable[[], Awaitable[None]]) -> None:
    loop = asyncio.get_running_loop()
    done: asyncio.Future[outcome.Outcome[None]] = loop.create_future()
    trio.lowlevel.start_guest_run(
        run, run_sync_soon_threadsafe=loop.call_soon_threadsafe, done_callback=done.set_result
    )
    (await done).unwrap()


async def test_eight_stubborn_bots_share_one_grace(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    async with open_launcher(tmp_path) as launcher:
        await start_clinging(launcher, pids, bots=8)
        leaving = trio.current_time()
    assert trio.current_time() - leaving < 6
    assert alive(pids) == []


async def test_no_grace_is_waited_for_when_bots_stop_at_once(tmp_path: Path) -> None:
    with trio.fail_after(PATIENCE):
        async with open_launcher(tmp_path, grace=10 * PATIENCE) as launcher:
            launcher.start(python_bot("shows.py", tmp_path / "seen"))
            await until((tmp_path / "seen").exists)


async def test_bots_may_say_goodbye_when_the_block_is_cancelled(tmp_path: Path) -> None:
    with trio.CancelScope() as scope:
        async with open_launcher(tmp_path, grace=PATIENCE) as launcher:
            launcher.start(python_bot("says_goodbye.py", tmp_path / "ready"))
            await until((tmp_path / "ready").exists)
            scope.cancel()
            await be_cancelled()
    assert launcher.log_path("bot#0").read_text() == "goodbye\n"


async def test_endings_are_heard_to_the_last(tmp_path: Path) -> None:
    heard: list[Exited | Failed] = []

    async def listen(launcher: Launcher) -> None:
        heard.extend([ending async for ending in launcher.exits])

    async with trio.open_nursery() as nursery, open_launcher(tmp_path) as launcher:
        nursery.start_soon(listen, launcher)
        launcher.start(python_bot("shows.py", tmp_path / "seen"))
        await until((tmp_path / "seen").exists)
    assert [ending.cause for ending in heard] == ["was killed by SIGTERM"]


async def test_a_bot_that_exits_takes_its_group_along(launcher: Launcher, tmp_path: Path) -> None:
    exited = await ending_of(launcher, python_bot("leaves_child.py", tmp_path / "pids"))
    assert exited.cause == "ended with exit code 0"
    await until(lambda: alive(tmp_path / "pids") == [])


@pytest.mark.parametrize("whom", ["runner", "group"])
async def test_nothing_outlives_a_runner_that_is_killed(tmp_path: Path, whom: str) -> None:
    pids = tmp_path / "pids"
    runner = subprocess.Popen(
        [sys.executable, PROGRAMS / "runs_bots.py", tmp_path, PROGRAMS / "clings.py", pids],
        start_new_session=True,
    )
    with runner:
        await until(lambda: has_lines(pids, ALL_CLINGING))
        supervisor, *_ = psutil.Process(runner.pid).children()
        assert len(alive(pids)) == ALL_CLINGING
        if whom == "runner":
            runner.kill()
        else:
            os.killpg(runner.pid, signal.SIGKILL)
    await until(lambda: not alive(pids) and not is_alive(supervisor.pid))


def the_supervisor() -> psutil.Process:
    (supervisor,) = psutil.Process().children()
    return supervisor


async def test_a_supervisor_told_to_terminate_kills_all_and_ends_the_run(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    with pytest.RaisesGroup(pytest.RaisesExc(SupervisorDied, match="unexpectedly")):
        async with open_launcher(tmp_path) as launcher:
            await start_clinging(launcher, pids)
            the_supervisor().terminate()
            await be_cancelled()
    assert alive(pids) == []


async def test_a_killed_supervisor_ends_the_run_and_its_bots(tmp_path: Path) -> None:
    """Who daemonised is out of reach then, so the bot here is one that has not."""
    with pytest.RaisesGroup(pytest.RaisesExc(SupervisorDied, match=r"status -9")):
        async with open_launcher(tmp_path) as launcher:
            launcher.start(python_bot("shows.py", tmp_path / "seen"))
            await until((tmp_path / "seen").exists)
            (pid,) = launcher.pids.values()
            the_supervisor().kill()
            await be_cancelled()
    await until(lambda: not is_alive(pid))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGQUIT, signal.SIGHUP])
async def test_the_terminal_s_signals_are_the_runner_s_to_decide(launcher: Launcher, number: int) -> None:
    await ending_of(launcher, python_bot("ends.py", "code", 0))  # the supervisor is up
    the_supervisor().send_signal(number)
    assert (await ending_of(launcher, python_bot("ends.py", "code", 5))).cause == "ended with exit code 5"
