"""The tables of a tournament file, key by key.

Each key carries what it means and what is allowed; error lines and `tournaments/README.md` are
made from that.
"""

import shlex
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, model_validator
from pydantic_core import PydanticCustomError

from bourre_server.cli.text import is_name
from bourre_server.rules.house import MAX_LIMIT, MAX_SEATS, MIN_SEATS, HouseRules

# What the runner itself puts into a bot's environment.
RESERVED = ("BOURRE_ADDRESS", "BOURRE_TOKEN")


def key(text: str, allowed: str, default_text: str | None = None, **options: Any) -> Any:
    """A key of the file: what it means, what is allowed and, where it is computed, its default."""
    extra: dict[str, JsonValue] = {"allowed": allowed}
    if default_text:
        extra["default"] = default_text
    return Field(description=text, json_schema_extra=extra, **options)


def refused(path: tuple[str | int, ...], allowed: str, **context: Any) -> PydanticCustomError:
    """The error for a value that does not fit the rest of the file; `path` is relative to the section."""
    return PydanticCustomError("refused", "{allowed}", {"path": path, "allowed": allowed, **context})


# House rules that the engine knows and a tournament cannot set yet: wire and SDKs come first.
# fmt: off
LATER_HOUSE_RULES = (
    "preset", "hand_size", "upcard_discard", "reshuffle", "trump_lead", "void_trump", "overtrump",
    "undertrump", "cinch", "cinch_last", "cinch_equals", "limit_scope", "pot_cap", "ante_exempt",
    "bourre_penalty", "tie", "illegal", "renege_loses_deal", "double_ante", "declare", "all_pass",
    "draw_timing", "max_discards", "trump_source", "dealer_must_play", "end_pot",
)
# fmt: on


class Section(BaseModel):
    """A table of the file. `later` names keys that a later version will know."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", allow_inf_nan=False)
    later: ClassVar[frozenset[str]] = frozenset()


def _name(value: str) -> str:
    if not is_name(value):
        raise ValueError("not a name")
    return value


def _seed(value: object) -> object:
    is_number = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return str(value) if is_number else value


Name = Annotated[str, AfterValidator(_name)]
NAME_ALLOWED = "1 to 64 visible characters, no blank at either end"


class TournamentSection(Section):
    """Who meets whom, and how often."""

    name: Name = key("The tournament's name.", NAME_ALLOWED)
    format: Literal["round_robin"] = key(
        "Who meets whom. `round_robin`: every composition of `seats` entrants sits together.",
        '"round_robin"',
        default="round_robin",
    )
    seats: int = key("Seats at a table.", "2 to 8", ge=MIN_SEATS, le=MAX_SEATS)
    hands: int = key(
        "Hands in a match. Every seat deals equally often.",
        "a positive multiple of seats, at most 1,000,000",
        ge=1,
        le=1_000_000,
    )
    decks: int = key(
        "Deck sequences for each composition. With `duplicates` each is played once in every rotation of the"
        " seats; without, each is one match.",
        "1 or more; a multiple of seats where duplicates = false",
        ge=1,
    )
    duplicates: bool = key(
        "Whether each deck sequence is played in all rotations, so that everybody holds the same cards.",
        "true, false",
        default=True,
    )
    isolation: Literal["rotation", "match", "none"] = key(
        "Which matches share a bot process, so that none sees a deck twice. `rotation`: one process per"
        " entrant and rotation. `match`: a fresh process for each match. `none`: one process per entrant,"
        " for bots that you trust to remember nothing.",
        '"rotation", "match", "none"; "rotation" only where duplicates = true',
        '`"rotation"` with duplicates, else `"none"`',
        default_factory=lambda checked: "rotation" if checked["duplicates"] else "none",
    )
    ask_forced: bool = key(
        "Whether bots are asked for card plays with one legal card.", "true, false", default=False
    )
    seed: Annotated[str | None, BeforeValidator(_seed)] = key(
        'Makes the decks repeat, and therefore predictable. `7` and `"7"` are the same seed.',
        "an integer of 0 or more, or a text of 1 to 200 characters",
        "256 random bits",
        default=None,
        min_length=1,
        max_length=200,
    )
    tables: int | None = key(
        "Matches played at once. May change when a run is resumed.",
        "1 to 65,536",
        '16 for each bot process, at most 1024; with isolation = "match" as many as 16 processes can play',
        default=None,
        ge=1,
        le=65_536,
    )

    @model_validator(mode="after")
    def _fits(self) -> "TournamentSection":
        if self.hands % self.seats:
            raise refused(("hands",), f"a positive multiple of seats ({self.seats})")
        if not self.duplicates and self.decks % self.seats:
            raise refused(("decks",), f"a multiple of seats ({self.seats}) where duplicates = false")
        if not self.duplicates and self.isolation == "rotation":
            raise refused(("isolation",), '"match", "none" where duplicates = false')
        return self


class TimeSection(Section):
    """How long bots may think, start and be away."""

    control: Literal["clock", "none"] = key(
        "`clock`, or `none`: bots may think for ever, for debugging.", '"clock", "none"', default="clock"
    )
    budget: float = key("Seconds for each decision.", "0.001 to 60", default=1.0, ge=0.001, le=60)
    bank: float = key(
        "Seconds in hand at the start of a match, spent where a decision takes longer than the budget; the"
        " bank never holds more.",
        "0 to 86,400",
        default=10.0,
        ge=0,
        le=86_400,
    )
    increment: float = key(
        "Seconds that the bank gains with each hand.", "0 to 3,600", default=0.1, ge=0, le=3_600
    )
    startup: float = key(
        "Seconds from the start of a bot until it has joined.", "0.1 to 3,600", default=60.0, ge=0.1, le=3_600
    )
    absence: float = key(
        "Seconds that a bot may be away in one match before its seat plays by default.",
        "0 to 3,600",
        default=60.0,
        ge=0,
        le=3_600,
    )
    forfeit_after: int = key(
        "Faults in one match after which the seat plays by default to its end.",
        "1 to 1,000,000",
        default=10,
        ge=1,
        le=1_000_000,
    )


class HouseRulesSection(Section):
    """Where the rules differ from the preset `classic`."""

    later: ClassVar[frozenset[str]] = frozenset(LATER_HOUSE_RULES)

    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT)] | Literal["none"] = key(
        "The most that a bourré pays, in antes.", '1 to 1,000,000, "none"', default=20
    )

    def house_rules(self) -> HouseRules:
        """The same for the rules engine."""
        return HouseRules(limit=None if self.limit == "none" else self.limit)


def _split(value: object) -> object:
    if isinstance(value, str):
        return tuple(shlex.split(value))
    return tuple(value) if isinstance(value, list) else value


def _words(value: tuple[str, ...]) -> tuple[str, ...]:
    if not all(value[:1]) or any("\0" in word for word in value):
        raise ValueError("not a command")
    return value


def _environment(value: dict[str, str]) -> dict[str, str]:
    for name, text in value.items():
        if not name or "=" in name or "\0" in name + text or name in RESERVED:
            raise ValueError("not an environment")
    return value


def _folder(value: str) -> str:
    if not value or "\0" in value:
        raise ValueError("not a folder")
    return value


class BotSection(Section):
    """One entrant."""

    name: Name = key("The entrant's name.", f"{NAME_ALLOWED}, no name twice")
    command: Annotated[tuple[str, ...], BeforeValidator(_split), AfterValidator(_words)] = key(
        "Starts the bot: a program and its arguments, as one text (split as a shell would) or as a list."
        " `python` as the first word is the interpreter that runs `bourre`. Not with `external`.",
        "a text or a list of texts, the first a program on PATH or a path relative to cwd",
        "required, unless `external`",
        default=(),
    )
    cwd: Annotated[str, AfterValidator(_folder)] = key(
        "The folder in which the bot runs, relative to the tournament file's.",
        "an existing folder",
        default=".",
    )
    env: Annotated[dict[str, str], AfterValidator(_environment)] = key(
        "Environment variables for the bot, besides those of `bourre` itself.",
        f"a table of texts without {' and '.join(RESERVED)}, which the runner sets",
        default={},
    )
    external: bool = key(
        "Whether you start the bot yourself, anywhere, with the address and token that"
        " `bourre run --listen` prints.",
        "true, false",
        default=False,
    )
    instances: int | None = key(
        "How many processes an external bot brings.",
        '1 to 64, with external = true; as many as seats where isolation = "rotation"',
        'one for each seat where `isolation = "rotation"`, else 1',
        default=None,
        ge=1,
        le=64,
    )
    memory_mb: int | None = key(
        "The most memory that a launched bot may take, in MiB.",
        "1 to 1,048,576",
        "no limit",
        default=None,
        ge=1,
        le=2**20,
    )

    @model_validator(mode="after")
    def _fits(self) -> "BotSection":
        if self.external and self.command:
            raise refused(("command",), "either command or external = true, not both")
        if not self.external and not self.command:
            raise refused(("command",), "a program and its arguments, or external = true")
        if not self.external and self.instances is not None:
            raise refused(("instances",), "only with external = true")
        if self.external and self.memory_mb is not None:
            raise refused(("memory_mb",), "only for a bot with a command")
        return self
