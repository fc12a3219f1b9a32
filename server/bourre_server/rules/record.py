"""The record of a match: what was decided, and the hash of what came of it.

A record holds no times, addresses or evidence, so the same play gives the same bytes. With the
seed of its block every event comes back from it.

Each decision is a token: the decision (see `decisions.py`), then `*2` or `*3` where it took so
many attempts, then `=` where it was forced (made without asking) or `!` and a reason where it
is the default decision: `Kd`, `+2s9c*2`, `5h=`, `-!timeout`. Before it, where an illegal card is a
renege: `@` and a seat for each that acted out of turn while the decision was waited for, and the
card that was handed back with `>`: `@3Kd`, `9c>Kd*2`.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import NamedTuple, get_origin, get_type_hints

from bourre_server.rules.cards import NAMES, parse_card
from bourre_server.rules.decisions import PLAYS, Decision, parse_decision
from bourre_server.rules.events import Event
from bourre_server.rules.hand import Kind
from bourre_server.rules.house import HouseRules
from bourre_server.rules.match import RULES_VERSION, Match, Setup

_TOKEN = re.compile(r"((?:@[0-7])*)(?:(\w\w)>)?([-+~0-9A-Za-z]+)(?:\*([23]))?(=|![a-z_]+)?")


class RecordError(Exception):
    """A record that is damaged or that does not replay; the message says where."""


class Made(NamedTuple):
    """A decision as it was made.

    `attempts`: 1 to 3. `forced`: made without asking. `reason`: why it is the default
    decision, such as "timeout"; empty where it is not. `retracted`: the card that the seat
    played before and took back. `out_of_turn`: the seats that acted while it was not their turn,
    in order, none twice (R51).
    """

    decision: Decision
    attempts: int = 1
    forced: bool = False
    reason: str = ""
    retracted: int | None = None
    out_of_turn: tuple[int, ...] = ()

    @property
    def token(self) -> str:
        """See the module."""
        if self[1:] == _ORDINARY:
            return self.decision.token
        before = "".join(f"@{seat}" for seat in self.out_of_turn)
        if self.retracted is not None:
            before += f"{NAMES[self.retracted]}>"
        attempts = f"*{self.attempts}" if self.attempts > 1 else ""
        mark = "=" if self.forced else f"!{self.reason}" if self.reason else ""
        return before + self.decision.token + attempts + mark

    @classmethod
    def parse(cls, token: str) -> "Made":
        """The decision that a token stands for. Raises RecordError where it stands for none."""
        match = _TOKEN.fullmatch(token)
        if match is None:
            raise RecordError(f"{token!r} is not a decision")
        seats, card, decision, attempts, mark = match.groups(default="")
        try:
            parsed = parse_decision(decision)
            retracted = parse_card(card) if card else None
        except ValueError as error:
            raise RecordError(f"{token!r} is not a decision: {error}") from None
        out_of_turn = tuple(map(int, seats[1::2]))
        return cls(parsed, int(attempts or 1), mark == "=", mark[1:], retracted, out_of_turn)

    def apply(self, match: Match) -> None:
        """Make the decision in a match, and what came before it."""
        for seat in self.out_of_turn:
            match.act_out_of_turn(seat)
        if self.retracted is not None:
            match.retract(self.retracted, put_right=not self.reason)
        match.apply(self.decision)


# All but the decision of what was made at the first attempt, by the seat itself.
_ORDINARY = (1, False, "", None, ())


@dataclass(frozen=True)
class Record:
    """A finished match. `decisions`: tokens with blanks between; `events`: SHA-256, hex."""

    rules_version: int
    house_rules: dict[str, object]
    seats: int
    hands: int
    block: int
    rotation: int
    decisions: str
    events: str

    @classmethod
    def of(cls, match: Match, block: int, tokens: list[str]) -> "Record":
        """The record of a match that is over, whose events were drained."""
        setup = match.setup
        return cls(
            RULES_VERSION,
            setup.house.differences(),
            setup.seats,
            setup.hands,
            block,
            setup.rotation,
            " ".join(tokens),
            match.digest,
        )

    def to_bytes(self) -> bytes:
        """Canonical JSON: sorted keys, no blanks, UTF-8."""
        return json.dumps(asdict(self), separators=(",", ":"), sort_keys=True).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Record":
        """The record in some bytes. Raises RecordError where there is none."""
        try:
            record = cls(**json.loads(data))
        except (ValueError, TypeError) as error:
            raise RecordError(f"not a record: {error}") from None
        for name, kind in get_type_hints(cls).items():
            if not isinstance(getattr(record, name), get_origin(kind) or kind):
                raise RecordError(f"not a record: {name} is of the wrong type")
        if record.rules_version != RULES_VERSION:
            raise RecordError(f"rules version {record.rules_version}; this is {RULES_VERSION}")
        return record

    def setup(self, seed: bytes) -> Setup:
        """What the match was played with, given the seed of its block.

        Raises RecordError where no match is played with that.
        """
        try:
            house = HouseRules.from_differences(self.house_rules)
            return Setup(self.seats, self.hands, seed, self.rotation, house)
        except ValueError as error:
            raise RecordError(f"the record of no match: {error}") from None


def replay(record: Record, seed: bytes) -> Iterator[tuple[Made | None, list[Event]]]:
    """Play a record again: each decision with the events that follow it.

    The first item has no decision. Raises RecordError at the first decision that the rules do
    not allow or that is marked as what it is not, and at the end where the events are not those
    of the record.
    """
    match = Match(record.setup(seed))
    yield None, match.drain()
    for number, token in enumerate(record.decisions.split(), 1):
        made = Made.parse(token)
        if refused := _refuse(match, made):
            raise RecordError(f"decision {number}, {token}: {refused}")
        made.apply(match)
        yield made, match.drain()
    if not match.over:
        raise RecordError(f"the match is not over after its last decision, in hand {match.public.hand}")
    if match.digest != record.events:
        raise RecordError(f"the events have the hash {match.digest}, the record says {record.events}")


def _refuse(match: Match, made: Made) -> str | None:
    """Why a decision cannot have been made as it is marked, or None where it can."""
    if match.over:
        return "the match is over"
    hand, default = match.hand, match.hand.default()
    if strange := _refuse_renege(match, made):
        return strange
    if made.reason and made.decision != default:
        return f"the default decision is {default.token}"
    if made.forced and (hand.kind is not Kind.PLAY or hand.legal.bit_count() != 1):
        return "nothing forces it"
    return hand.refuse(made.decision)


def _refuse_renege(match: Match, made: Made) -> str | None:
    """Why what came before a decision cannot have been, or None where it can."""
    hand, seats = match.hand, made.out_of_turn
    if seats and match.setup.house.illegal != "renege":
        return "by these house rules nobody acts out of turn"
    if hand.to_act in seats or max(seats, default=0) >= match.setup.seats or len(set(seats)) < len(seats):
        return "these seats cannot have acted out of turn"
    if made.retracted is not None and (made.forced or not hand.reneges(PLAYS[made.retracted])):
        return f"{NAMES[made.retracted]} is no renege"
    return None
