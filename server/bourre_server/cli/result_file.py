"""The result file of a run: made for a new tournament, or opened again to go on with it."""

import hashlib
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bourre_server.arena.roster import instance_name
from bourre_server.cli.config import Configuration, differences
from bourre_server.cli.exits import BadInputError, ResultRefusedError
from bourre_server.cli.request import RunRequest
from bourre_server.cli.text import plain
from bourre_server.storage.journal import Journal
from bourre_server.storage.rows import EntrantRow, Header
from bourre_server.storage.run_file import RunFile

SECRET_PREFIX = b"bourre/seed/"


@dataclass(frozen=True)
class OpenedRun:
    """A result file, open. `tokens`: of external bots by instance, only when new.

    `journal`: of what is running; None where the run is finished.
    """

    file: RunFile
    tokens: dict[str, str]
    journal: Journal | None


def secret_of(seed: str | None) -> bytes:
    """The tournament's secret: from its seed, or 256 random bits."""
    if seed is None:
        return secrets.token_bytes(32)
    return hashlib.sha256(SECRET_PREFIX + seed.encode()).digest()


@contextmanager
def open_run(request: RunRequest) -> Iterator[OpenedRun]:
    """The result file of a request, new, to go on with, or finished.

    Everything that can be refused is refused before anything is written. Raises BadInputError,
    ResultRefusedError and StorageError.
    """
    if not request.out.exists():
        header, tokens = _new_header(request)
        yield from _locked(request.out, partial(RunFile.create, request.out, header), tokens)
    elif _is_finished(request):
        with RunFile.open(request.out, read_only=True) as file:
            yield OpenedRun(file, {}, None)
    else:
        yield from _locked(request.out, partial(_reopen, request), {})


def _locked(path: Path, opening: Callable[[], RunFile], tokens: dict[str, str]) -> Iterator[OpenedRun]:
    """A result file to be played into, under the lock that its journal is.

    The journal is there until the last match is settled and the file is closed.
    """
    journal = Journal(path)
    finished = False
    try:
        with opening() as file:
            yield OpenedRun(file, tokens, journal)
            finished = file.finished
    finally:
        if finished:
            journal.delete()
        else:
            journal.close()


def _new_header(request: RunRequest) -> tuple[Header, dict[str, str]]:
    configuration = request.tournament.configuration
    rules = configuration.tournament
    tokens = {name: secrets.token_urlsafe(32) for name in _external_instances(configuration)}
    if tokens and request.listen is None:
        raise BadInputError("a tournament with external bots needs --listen HOST:PORT, where they connect")
    header = Header(
        name=rules.name,
        config=configuration.dump(),
        secret=secret_of(rules.seed),
        seeded=rules.seed is not None,
        listen=request.listen,
        entrants=tuple(
            EntrantRow(bot.name, program.digest if program else "", "", bot.external)
            for bot, program in zip(configuration.bots, request.tournament.programs, strict=True)
        ),
        tokens={name: hashlib.sha256(token.encode()).hexdigest() for name, token in tokens.items()},
    )
    return header, tokens


def _external_instances(configuration: Configuration) -> list[str]:
    return [
        instance_name(bot.name, number)
        for bot in configuration.bots
        if bot.external
        for number in range(configuration.instances(bot))
    ]


def _is_finished(request: RunRequest) -> bool:
    """Whether the result file has all there is; refuses one that is not of this tournament."""
    with RunFile.open(request.out, read_only=True) as file:
        _check_same(request, file.header)
        if not file.finished and not request.accept_changed_bots:
            _check_programs(request, file.header)
        return file.finished


def _check_same(request: RunRequest, header: Header) -> None:
    key = differences(header.config, request.tournament.configuration.dump())
    if key is not None:
        raise ResultRefusedError(
            f"{plain(str(request.out))}: {key} is not what it was when this run began; undo the change in"
            f" {plain(str(request.tournament.path))}, or play it into a file of its own with --out"
        )


def _check_programs(request: RunRequest, header: Header) -> None:
    """Refuse programs that changed in the middle of a run."""
    for row, program in zip(header.entrants, request.tournament.programs, strict=True):
        if program is not None and program.digest != row.program_hash:
            raise ResultRefusedError(
                f"{plain(str(request.out))}: the program of {plain(row.name)} is not what it was when this"
                " run began; undo the change, play into another file with --out, or say --accept-changed-bots"
            )


def _reopen(request: RunRequest) -> RunFile:
    """The result file of a run to go on with; programs that changed are accepted by now."""
    file = RunFile.open(request.out)
    for entrant, (row, program) in enumerate(
        zip(file.header.entrants, request.tournament.programs, strict=True)
    ):
        if program is not None and program.digest != row.program_hash:
            file.set_program(entrant, program.digest, row.version)
    return file
