"""The README does what it says: every command, file and output in it is tried in a folder like a clone."""

import contextlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from bourre_server.cli.exits import Exit
from bourre_server.storage.run_file import RunFile

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()
PAGES = sorted(
    path.relative_to(ROOT)
    for pattern in (
        "*.md",
        "proto/*.md",
        "sdk/**/*.md",
        "server/*.md",
        "server/decisions/*.md",
        "tournaments/*.md",
    )
    for path in ROOT.glob(pattern)
)
LONGEST = 120  # seconds

BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
FILES = re.findall(r"Save this as `([^`]+)`(?:(?!```).)*```\w+\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def sessions() -> Iterator[tuple[str, list[str]]]:
    """What is typed after each `$`, and the lines that follow it."""
    for language, text in BLOCKS:
        if language == "console":
            for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, *shown = part.splitlines()
                yield command, shown


SHOWN = dict(sessions())
(LISTEN,) = (command for command in SHOWN if "--listen" in command)
(JOIN,) = (command for command in SHOWN if "BOURRE_TOKEN=" in command)
APART = {"make demo", "make test", ". .venv/bin/activate", LISTEN, JOIN}
COMMANDS = [command for command in SHOWN if command not in APART]
IN_PROSE = [text for text in re.findall(r"`(bourre [^`]+)`", README) if text not in COMMANDS]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone with an active environment, and the files that the README has one save."""
    folder = tmp_path_factory.mktemp("clone")
    for name in ("sample_bots", "tournaments"):
        (folder / name).symlink_to(ROOT / name)
    for name, content in FILES:
        (folder / name).write_text(content)
    (folder / "bin").mkdir()
    for name, arguments in (("python", ""), ("bourre", "-m bourre_server.cli")):
        program = folder / "bin" / name
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {arguments} "$@"\n')
        program.chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def demo(clone: Path) -> str:
    """What `make demo` prints on stdout."""
    recipes = re.findall(r"^demo:.*\n\t\$\(BIN\)/(.*)$", MAKEFILE, re.MULTILINE)
    assert recipes == ["bourre run tournaments/quickstart.toml"]
    return output(clone, recipes[0])


def environment(clone: Path) -> dict[str, str]:
    return os.environ | {
        "PATH": f"{clone / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(filter(None, map(os.path.abspath, sys.path))),
    }


def output(clone: Path, command: str) -> str:
    """What a command prints on stdout; it has to succeed."""
    ended = subprocess.run(
        command,
        shell=True,
        cwd=clone,
        env=environment(clone),
        capture_output=True,
        encoding="utf-8",
        timeout=LONGEST,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


@contextlib.contextmanager
def started(clone: Path, command: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        f"exec env {command}",
        shell=True,
        cwd=clone,
        env=environment(clone),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_the_demo_prints_what_is_shown(demo: str) -> None:
    assert lines(demo) == SHOWN["make demo"]


@pytest.mark.usefixtures("demo")
def test_the_demo_tells_the_first_from_random(clone: Path) -> None:
    first, *_, last = json.loads(output(clone, "bourre standings quickstart.db --json"))["standings"]
    assert last["name"] == "random"
    assert last["chips_per_hand"] + last["half_width"] < first["chips_per_hand"] - first["half_width"]


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_prints_what_is_shown(clone: Path, command: str) -> None:
    assert lines(output(clone, command)) == SHOWN[command]


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("command", IN_PROSE)
def test_a_command_in_prose_runs(clone: Path, command: str) -> None:
    assert output(clone, command)


@pytest.mark.parametrize("option", sorted(set(re.findall(r"`(--[a-z-]+)", README))))
def test_an_option_in_prose_exists(clone: Path, option: str) -> None:
    assert option in output(clone, "bourre run --help")


def test_the_bot_plays_without_a_fault(clone: Path) -> None:
    output(clone, "bourre run mine.toml")
    with RunFile.open(clone / "mine.db", read_only=True) as file:
        assert file.finished
        assert list(file.faults()) == []


def test_the_bot_plays_as_external(clone: Path) -> None:
    """Both terminals, but for the port: any free one."""
    with started(clone, LISTEN.replace("50051", "0")) as run:
        assert run.stderr is not None
        printed = [run.stderr.readline().rstrip("\n") for _ in SHOWN[LISTEN]]
        port, token = (line.rpartition(sign)[2] for line, sign in zip(printed, ":=", strict=True))
        assert [line.replace(port, "50051").replace(token, "…") for line in printed] == SHOWN[LISTEN]
        with started(clone, JOIN.replace("50051", port).replace("…", shlex.quote(token))) as bot:
            run.communicate(timeout=LONGEST)
            _, errors = bot.communicate(timeout=LONGEST)
    assert (run.returncode, bot.returncode, errors) == (0, 0, "")
    with RunFile.open(clone / "outside.db", read_only=True) as file:
        assert file.finished
        assert list(file.faults()) == []


def test_the_sdk_shows_the_same_bot() -> None:
    assert f"```python\n{dict(FILES)['mybot.py']}```" in (ROOT / "sdk" / "python" / "README.md").read_text()


def test_make_has_the_targets_and_the_environment() -> None:
    for command in SHOWN:
        if command.startswith("make "):
            assert re.search(rf"^{command.removeprefix('make ')}:", MAKEFILE, re.MULTILINE)
    assert "VENV := .venv\n" in MAKEFILE


def test_the_exit_codes_are_the_commands() -> None:
    rows = re.findall(r"^\| (\d+) \| (.*) \|$", README, re.MULTILINE)
    assert rows == [(str(code.value), code.sentence) for code in Exit]


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", (ROOT / page).read_text())
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (ROOT / page).parent.joinpath(link).exists()] == []
