"""Reads a tournament file; whatever is wrong with it becomes one line that says where and what."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from bourre_server.cli.config import SECTIONS, Configuration
from bourre_server.cli.exits import BadInputError
from bourre_server.cli.programs import Program, ProgramError, find_program
from bourre_server.cli.text import plain, shown
from bourre_server.cli.toml_document import Place, TomlDocument

LATER_FORMATS = ("gauntlet", "compare")


@dataclass(frozen=True)
class TournamentFile:
    """A tournament file that can be played: checked, every program found.

    `programs` are by entrant; None for an external one.
    """

    path: Path
    configuration: Configuration
    programs: tuple[Program | None, ...]


def read_tournament(path: Path, overrides: Mapping[tuple[str, str], object]) -> TournamentFile:
    """The tournament file at `path`, with the values of (section, key) replaced as said.

    Raises BadInputError.
    """
    document = _parse(path)
    for (section, key), value in overrides.items():
        document.set(section, key, value)
    try:
        configuration = Configuration.model_validate(document.values)
    except ValidationError as error:
        raise BadInputError(_describe(path, document, _most_telling(error))) from None
    return TournamentFile(path, configuration, _programs(path, document, configuration))


def _programs(path: Path, document: TomlDocument, configuration: Configuration) -> tuple[Program | None, ...]:
    programs: list[Program | None] = []
    for index, bot in enumerate(configuration.bots):
        try:
            programs.append(None if bot.external else find_program(bot, path.parent))
        except ProgramError as error:
            place = ("bots", index, error.key)
            raise BadInputError(_complaint(path, document, place, error.allowed)) from None
    return tuple(programs)


def _complaint(path: Path, document: TomlDocument, place: Place, allowed: str) -> str:
    return f"{_where(path, document, place)}: {_named(document, place)}; allowed: {allowed}"


def _parse(path: Path) -> TomlDocument:
    try:
        return TomlDocument(path.read_bytes().decode())
    except OSError as error:
        raise BadInputError(f"{plain(str(path))}: {error.strerror}; allowed: a tournament file") from None
    except UnicodeDecodeError as error:
        raise BadInputError(
            f"{plain(str(path))}: not UTF-8 at byte {error.start}; allowed: a text in UTF-8"
        ) from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadInputError(f"{plain(str(path))}: not TOML: {plain(str(error))}") from None


def _most_telling(error: ValidationError) -> ErrorDetails:
    """A misspelt key before what is missing because of it."""
    details = error.errors(include_url=False)
    return next((detail for detail in details if detail["type"] == "extra_forbidden"), details[0])


def _describe(path: Path, document: TomlDocument, detail: ErrorDetails) -> str:
    context: dict[str, Any] = detail.get("ctx", {})
    place = (*_place(detail["loc"]), *context.get("path", ()))
    if detail["type"] == "extra_forbidden":
        return f"{_where(path, document, place)}: {_named(document, place)} {_unknown(place)}"
    allowed = context.get("allowed") or _allowed(place)
    if place == ("tournament", "format") and document.value(place) in LATER_FORMATS:
        allowed = f"{allowed}; others are not supported yet"
    if "twin" in context:
        allowed += f", and line {document.line(context['twin'])} has it already"
    return _complaint(path, document, place, allowed)


def _place(location: tuple[int | str, ...]) -> Place:
    """Without what pydantic adds below a key: branches of a union, positions in a list."""
    return location[: 3 if location[:1] == ("bots",) else 2]


def _where(path: Path, document: TomlDocument, place: Place) -> str:
    line = document.line(place)
    return plain(str(path)) + (f":{line}" if line else "")


def _named(document: TomlDocument, place: Place) -> str:
    try:
        return f"{_dotted(place)} = {shown(document.value(place))}"
    except LookupError:
        return f"{_dotted(place)} is missing"


def _dotted(place: Place) -> str:
    """A place as people write it; `bots[2]` is the second entrant."""
    steps = (f"[{step + 1}]" if isinstance(step, int) else f".{plain(step)}" for step in place)
    return "".join(steps).removeprefix(".")


def _unknown(place: Place) -> str:
    """What is said of a key that does not exist."""
    section = SECTIONS[str(place[0])] if len(place) > 1 else Configuration
    known, word = list(section.model_fields), str(place[-1])
    if word in section.later:
        return f"is not supported yet; allowed: {', '.join(known)}"
    close = get_close_matches(word, known, n=1)
    hint = f"; did you mean {close[0]}?" if close else ";"
    return f"is not a key{hint} allowed: {', '.join(known)}"


def _allowed(place: Place) -> str:
    names = [step for step in place if isinstance(step, str)]
    section = SECTIONS[names[0]] if len(names) > 1 else Configuration
    extra = section.model_fields[names[-1]].json_schema_extra
    assert isinstance(extra, dict), "every key is made by sections.key"
    return str(extra["allowed"])
