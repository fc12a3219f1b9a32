"""The README does what it says: its commands, its bot, its tables."""

import contextlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from bourre_server.cli.exits import Exit
from bourre_server.cli.replay import LEGEND
from bourre_server.storage.run_file import RunFile

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
BOURRE = [sys.executable, "-m", "bourre_server.cli"]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


COMMANDS = [line for block in blocks("sh") for line in block.splitlines()]
(BOT,) = blocks("python")
(TOURNAMENT,) = blocks("toml")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a newcomer has after following the README."""
    folder = tmp_path_factory.mktemp("clone")
    (folder / "sample_bots").symlink_to(ROOT / "sample_bots")
    (folder / "mybot.py").write_text(BOT)
    (folder / "mine.toml").write_text(TOURNAMENT)
    small = (ROOT / "tournaments" / "quickstart.toml").read_text().replace("../sample_bots", "sample_bots")
    (folder / "quickstart.toml").write_text(re.sub(r"^decks = \d+", "decks = 1", small, flags=re.MULTILINE))
    assert bourre("run", "quickstart.toml", folder=folder).returncode == Exit.DONE
    return folder


def bourre(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*BOURRE, *arguments],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("line", [line for line in COMMANDS if "/bourre " in line])
def test_bourre_commands(folder: Path, line: str) -> None:
    program, *arguments = shlex.split(line)
    assert program == ".venv/bin/bourre"
    ended = bourre(*arguments, folder=folder)
    assert ended.returncode == Exit.DONE, ended.stderr
    assert ended.stdout


def test_the_bot_plays_without_a_fault(folder: Path) -> None:
    assert bourre("run", "mine.toml", folder=folder).returncode == Exit.DONE
    with RunFile.open(folder / "mine.db", read_only=True) as file:
        assert len(file.settled_numbers()) == 40
        assert list(file.faults()) == []


def test_the_bot_plays_as_external(folder: Path) -> None:
    """Started by hand, with what `bourre run --listen` prints."""
    command = 'command = "python mybot.py"'
    assert command in TOURNAMENT
    (folder / "external.toml").write_text(TOURNAMENT.replace(command, "external = true"))
    listening = [*BOURRE, "run", "external.toml", "--no-clock", "--listen", "127.0.0.1:0"]
    with (
        subprocess.Popen(
            listening,
            cwd=folder,
            env=ENVIRONMENT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        ) as run,
        contextlib.ExitStack() as bots,
    ):
        for joining in invitations(run):
            bots.enter_context(started(folder, joining))
        run.communicate(timeout=60)
    assert run.returncode == Exit.DONE
    with RunFile.open(folder / "external.db", read_only=True) as file:
        assert len(file.settled_numbers()) == 40
        assert list(file.faults()) == []


def invitations(run: subprocess.Popen[str]) -> list[dict[str, str]]:
    """What each instance of the external bot finds in its environment: one for each of two seats."""
    assert run.stderr is not None
    address, *tokens = (run.stderr.readline() for _ in range(3))
    return [dict([address.split()[-1].split("="), token.split()[-1].split("=", 1)]) for token in tokens]


@contextlib.contextmanager
def started(folder: Path, joining: dict[str, str]) -> Iterator[None]:
    with subprocess.Popen([sys.executable, "mybot.py"], cwd=folder, env=ENVIRONMENT | joining) as bot:
        try:
            yield
            assert bot.wait(timeout=30) == 0
        finally:
            bot.kill()


@pytest.mark.parametrize("line", [line for line in COMMANDS if line.startswith("make ")])
def test_make_targets(line: str) -> None:
    target = line.split()[1]
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


def test_exit_codes() -> None:
    rows = re.findall(r"^\| (\d+) \| (.*) \|$", README, re.MULTILINE)
    assert rows == [(str(code.value), code.sentence) for code in Exit]


def test_what_is_shown_is_what_is_printed(folder: Path) -> None:
    standings = bourre("standings", "quickstart.db", folder=folder).stdout.splitlines()
    header = " ".join(standings[1].split())
    assert header in [" ".join(line.split()) for line in README.splitlines()]
    assert set(standings[-2:]) | {LEGEND} <= set(README.splitlines())


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "tournaments/README.md"])
def test_links_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", (ROOT / page).read_text())
    missing = [link for link in links if "://" not in link and not ((ROOT / page).parent / link).exists()]
    assert links
    assert not missing
