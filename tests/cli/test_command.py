"""`bourre` as a user meets it: a process, its output and its exit code."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from bourre_server.cli.exits import Exit
from bourre_server.cli.main import invoke

ROOT = Path(__file__).parents[2]
QUICKSTART = ROOT / "tournaments" / "quickstart.toml"
SMALL = f"""
[tournament]
name = "Small"
seats = 2
hands = 4
decks = 4
isolation = "none"

[[bots]]
name = "always"
command = ["python", "{ROOT}/sample_bots/python/always.py"]

[[bots]]
name = "steady"
command = ["python", "{ROOT}/sample_bots/python/steady.py"]
"""
HEAVY = ("grpc", "numpy", "scipy", "sqlalchemy", "trio", "openskill", "bourre")


ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "COLUMNS": "120"}


class Ended(NamedTuple):
    """What is left of a command."""

    code: int
    stdout: str
    stderr: str


def process(*arguments: object, folder: Path, stdout: int = subprocess.PIPE) -> Ended:
    """`bourre` as a process of its own."""
    command = [sys.executable, "-m", "bourre_server.cli", *map(str, arguments)]
    ended = subprocess.run(
        command,
        cwd=folder,
        env=ENVIRONMENT,
        stdout=stdout,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


Bourre = Callable[..., Ended]


@pytest.fixture
def bourre(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Bourre:
    """`bourre` in this process, which saves its start."""
    monkeypatch.setenv("COLUMNS", "120")

    def run(*arguments: object, folder: Path) -> Ended:
        monkeypatch.chdir(folder)
        code = invoke([str(argument) for argument in arguments])
        return Ended(code, *capsys.readouterr())

    return run


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a small tournament was played."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "small.toml").write_text(SMALL)
    ended = process("run", "small.toml", "--seed", "7", folder=folder)
    assert (ended.code, ended.stderr.splitlines()[-1][:14]) == (Exit.DONE, "8 of 8 matches")
    return folder


@pytest.mark.parametrize("arguments", [[], ["--help"], ["run", "-h"], ["standings", "-h"], ["replay", "-h"]])
def test_help_has_examples(arguments: list[str], tmp_path: Path, bourre: Bourre) -> None:
    ended = bourre(*arguments, folder=tmp_path)
    assert (ended.code, ended.stderr) == (Exit.DONE, "")
    assert re.search(r"Examples\s+bourre ", ended.stdout)


def test_help_names_every_exit_code(tmp_path: Path, bourre: Bourre) -> None:
    shown = bourre("--help", folder=tmp_path).stdout
    assert all(re.search(rf" {code.value}  {re.escape(code.sentence)}", shown) for code in Exit)


def test_help_imports_nothing_heavy() -> None:
    """So that it answers at once."""
    script = f"""
import sys
from bourre_server.cli.main import invoke
assert invoke(["--help"]) == 0
sys.stderr.write(" ".join(name for name in {HEAVY!r} if name in sys.modules))
"""
    command = [sys.executable, "-c", script]
    ended = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=30, check=True)
    assert ended.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (["run"], Exit.BAD_INPUT, "Missing argument 'FILE'"),
        (["runn"], Exit.BAD_INPUT, "No such command 'runn'"),
        (["run", "none.toml"], Exit.BAD_INPUT, "none.toml: No such file"),
        (["run", QUICKSTART, "--jsn"], Exit.BAD_INPUT, "No such option: --jsn"),
        (["run", QUICKSTART, "--tables", "0"], Exit.BAD_INPUT, "'--tables'"),
        (["run", QUICKSTART, "--listen", "50051"], Exit.BAD_INPUT, "allowed: HOST:PORT"),
        (["run", QUICKSTART, "--out", "none/q.db"], Exit.RESULT_REFUSED, "none/q.db.running: No such file"),
        (["run", QUICKSTART, "--out", QUICKSTART], Exit.RESULT_REFUSED, "not a result file"),
        (["standings", "none.db"], Exit.RESULT_REFUSED, "none.db: there is no such file"),
        (["replay", QUICKSTART], Exit.RESULT_REFUSED, "not a result file"),
        (["replay", "none.db", "0"], Exit.BAD_INPUT, "'MATCH'"),
    ],
)
def test_what_is_wrong_is_one_line(
    arguments: list[object], code: Exit, line: str, tmp_path: Path, bourre: Bourre
) -> None:
    ended = bourre(*arguments, folder=tmp_path)
    assert (ended.code, ended.stdout) == (code, "")
    assert re.fullmatch(rf"bourre: .*{re.escape(line)}.*\n", ended.stderr), ended.stderr
    assert list(tmp_path.iterdir()) == []


def test_dry_run_writes_nothing(tmp_path: Path, bourre: Bourre) -> None:
    ended = bourre("run", QUICKSTART, "--dry-run", folder=tmp_path)
    assert ended.code == Exit.DONE
    assert {"matches: 480", "hands: 9,600", "meetings per pair: 480"} <= set(ended.stdout.splitlines())
    assert list(tmp_path.iterdir()) == []


def test_dry_run_for_programs(tmp_path: Path, bourre: Bourre) -> None:
    plan = json.loads(bourre("run", QUICKSTART, "--dry-run", "--json", "--tables", 3, folder=tmp_path).stdout)
    assert (plan["entrants"], plan["processes"], plan["tables"], plan["blocks"]) == (4, 16, 3, 120)
    assert plan["bots"][0] == {"name": "random", "processes": 4}


def test_standings_of_a_run(played: Path, bourre: Bourre) -> None:
    printed = bourre("standings", "small.db", folder=played).stdout
    assert printed.startswith("Small\n")
    assert 'seed "7"' in printed
    content = json.loads(bourre("standings", "small.db", "--json", folder=played).stdout)
    assert content["settled"] == content["matches"] == 8
    assert {row["name"] for row in content["standings"]} == {"always", "steady"}


def test_a_finished_run_shows_its_standings(played: Path, bourre: Bourre) -> None:
    again = bourre("run", "small.toml", "--seed", "7", folder=played)
    assert (again.code, again.stderr) == (Exit.DONE, "")
    assert again.stdout == bourre("standings", "small.db", folder=played).stdout


def test_another_tournament_does_not_go_into_the_same_file(played: Path, bourre: Bourre) -> None:
    refused = bourre("run", "small.toml", "--seed", "8", folder=played)
    assert refused.code == Exit.RESULT_REFUSED
    assert refused.stderr.startswith("bourre: small.db: tournament.seed is not what it was")
    assert refused.stderr.count("\n") == 1


def test_replay_of_a_run(played: Path, bourre: Bourre) -> None:
    matches = bourre("replay", "small.db", folder=played).stdout.splitlines()
    assert [line.split()[0] for line in matches[1:]] == [str(number) for number in range(1, 9)]
    assert len(bourre("replay", "small.db", 3, folder=played).stdout.splitlines()) == 6
    assert bourre("replay", "small.db", 3, "--hand", 2, folder=played).stdout.startswith(
        "Hand 2 of 4 · dealer"
    )


@pytest.mark.parametrize(
    ("arguments", "line"), [([9], "match 9 is not settled"), ([3, "--hand", 5], "hands 1 to 4")]
)
def test_what_there_is_not_to_replay(
    played: Path, arguments: list[object], line: str, bourre: Bourre
) -> None:
    refused = bourre("replay", "small.db", *arguments, folder=played)
    assert refused.code == Exit.BAD_INPUT
    assert line in refused.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_under_the_output(played: Path) -> None:
    with Path("/dev/full").open("w") as full:
        ended = process("replay", "small.db", folder=played, stdout=full.fileno())
    assert (ended.code, ended.stderr.count("\n")) == (Exit.BROKEN, 1)


def test_a_reader_that_goes_away(played: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ended = process("replay", "small.db", folder=played, stdout=writing)
    os.close(writing)
    assert (ended.code, ended.stderr) == (Exit.PIPE_CLOSED, "")
