"""Faults: what went wrong, as data in the record of a match."""

from dataclasses import dataclass
from enum import StrEnum


class FaultKind(StrEnum):
    """What went wrong."""

    ILLEGAL = "illegal"
    TIMEOUT = "timeout"
    MALFORMED = "malformed"
    STALE = "stale"
    OUT_OF_TURN = "out_of_turn"
    UNKNOWN_TABLE = "unknown_table"
    DISCONNECTED = "disconnected"
    CRASHED = "crashed"
    FLOODING = "flooding"

    @property
    def counts(self) -> bool:
        """Whether it counts towards a forfeit."""
        return self not in (FaultKind.STALE, FaultKind.UNKNOWN_TABLE)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of one seat.

    `decision_id`: the decision concerned, 0 for none. `action`: what was done instead, in
    words. `reason`: what was wrong, in words. `sent`: the token of what was refused. `legal`:
    the mask of the cards that were legal. `count`: the seat's faults that count so far.
    `elapsed`, `charged`: seconds since the request was sent, and of them those taken from the
    bank.
    """

    seat: int
    kind: FaultKind
    decision_id: int
    reason: str
    action: str = ""
    sent: str = ""
    legal: int = 0
    count: int = 0
    elapsed: float = 0.0
    charged: float = 0.0
