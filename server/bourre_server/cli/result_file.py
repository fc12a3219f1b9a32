"""The result file of a run: made for a new tournament, or opened again to go on with it."""

import hashlib
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bourre_server.arena.roster import instance_name
from bourre_server.cli.config import Configuration, differences
from bourre_server.cli.exits import BadInputError, ResultRefusedError
from bourre_server.cli.request import RunRequest
from bourre_server.cli.text import plain
from bourre_server.storage.rows import EntrantRow, Header
from bourre_server.storage.run_file import RunFile

SECRET_PREFIX = b"bourre/seed/"


@dataclass(frozen=True)
class OpenedRun:
    """A result file to be played into. `tokens`: of external bots by instance, only when new."""

    file: RunFile
    tokens: dict[str, str]


def secret_of(seed: str | None) -> bytes:
    """The tournament's secret: from its seed, or 256 random bits."""
    if seed is None:
        return secrets.token_bytes(32)
    return hashlib.sha256(SECRET_PREFIX + seed.encode()).digest()


@contextmanager
def open_run(request: RunRequest) -> Iterator[OpenedRun]:
    """The result file of a request, new or to go on with.

    Raises ResultRefusedError where it is not of this tournament, or a bot's program changed.
    """
    if request.out.exists():
        with RunFile.open(request.out) as file:
            _check_same(request, file.header)
            _check_programs(request, file)
            yield OpenedRun(file, {})
    else:
        header, tokens = _new_header(request)
        with RunFile.create(request.out, header) as file:
            yield OpenedRun(file, tokens)


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


def _check_same(request: RunRequest, header: Header) -> None:
    key = differences(header.config, request.tournament.configuration.dump())
    if key is not None:
        raise ResultRefusedError(
            f"{plain(str(request.out))}: {key} is not what it was when this run began; undo the change in"
            f" {plain(str(request.tournament.path))}, or play it into a file of its own with --out"
        )


def _check_programs(request: RunRequest, file: RunFile) -> None:
    """Refuse programs that changed in the middle of a run, unless told to accept them."""
    rows = zip(file.header.entrants, request.tournament.programs, strict=True)
    for entrant, (row, program) in enumerate(rows):
        if program is None or program.digest == row.program_hash or file.finished:
            continue
        if not request.accept_changed_bots:
            raise ResultRefusedError(
                f"{plain(str(request.out))}: the program of {plain(row.name)} is not what it was when this"
                " run began; undo the change, play into another file with --out, or say --accept-changed-bots"
            )
        file.set_program(entrant, program.digest, row.version)
