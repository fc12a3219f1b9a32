"""The programs behind the bots of a tournament file: found before anything is written, and hashed."""

import hashlib
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bourre_server.cli.sections import BotSection


@dataclass(frozen=True)
class Program:
    """How to start an entrant's processes.

    `argv[0]` is a path. `env` is what comes on top of the runner's environment. `digest` is the
    SHA-256 in hex of the program: of the files that the command names, in its order, each by the
    SHA-256 of its content. The program itself is one of them unless it is the interpreter that
    runs `bourre`; a file that the command does not name, such as an imported module, is not.
    """

    argv: tuple[str, ...]
    cwd: Path
    env: dict[str, str]
    memory_mb: int | None
    digest: str


class ProgramError(Exception):
    """A program or folder that is not there: `key` of the bot's table, and what is `allowed`."""

    def __init__(self, key: str, allowed: str) -> None:
        super().__init__(allowed)
        self.key, self.allowed = key, allowed


def find_program(bot: BotSection, folder: Path) -> Program:
    """The program of a bot with a command; `folder` is the tournament file's.

    Raises ProgramError.
    """
    cwd = (folder / bot.cwd).resolve()
    if not cwd.is_dir():
        raise ProgramError("cwd", f"an existing folder; there is no {cwd}")
    argv = (_executable(bot, cwd), *bot.command[1:])
    _check_script(bot, cwd)
    return Program(argv, cwd, bot.env, bot.memory_mb, _digest(bot, argv, cwd))


def _is_interpreter(bot: BotSection) -> bool:
    return bot.command[0] == "python"


def _executable(bot: BotSection, cwd: Path) -> str:
    word = bot.command[0]
    if _is_interpreter(bot):
        return sys.executable
    is_path = os.sep in word
    found = shutil.which(cwd / word) if is_path else shutil.which(word, path=bot.env.get("PATH"))
    if found is None:
        raise ProgramError("command", f"a program on PATH or relative to cwd ({cwd}); {word} is not found")
    return str(Path(found).absolute())


def _check_script(bot: BotSection, cwd: Path) -> None:
    """A missing script would otherwise show only when the interpreter has started."""
    words = bot.command[1:2] if _is_interpreter(bot) else ()
    for word in words:
        if not word.startswith("-") and not (cwd / word).exists():
            raise ProgramError("command", f"a script relative to cwd ({cwd}); {word} is not found")


def _digest(bot: BotSection, argv: tuple[str, ...], cwd: Path) -> str:
    digest = hashlib.sha256()
    for path in _named_files(argv[1:] if _is_interpreter(bot) else argv, cwd):
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def _named_files(words: tuple[str, ...], cwd: Path) -> Iterator[Path]:
    return (path for path in map(cwd.joinpath, words) if _is_file(path))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a word too long for a file name
        return False
