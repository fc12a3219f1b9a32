"""What a result file holds beside the results of matches."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class EntrantRow:
    """A bot in this tournament."""

    name: str
    program_hash: str
    """SHA-256 of its program in hex; empty where it is external."""
    version: str
    """What it says of itself when it joins; empty until then."""
    external: bool
    """Whether it is started by somebody else."""


@dataclass(frozen=True, slots=True)
class Header:
    """What a run is, written before its first match."""

    name: str
    """The tournament's name."""
    config: dict[str, Any]
    """The checked tournament file, as JSON."""
    secret: bytes = field(repr=False)
    """32 bytes, from which every deck is derived."""
    seeded: bool
    """Whether the secret was derived from a seed, so that anyone who knows it can tell every deck."""
    listen: str | None
    """HOST:PORT where external bots dial in; None where there is none."""
    entrants: tuple[EntrantRow, ...]
    tokens: Mapping[str, str] = field(repr=False)
    """SHA-256 in hex of each instance's token, by the instance's name."""


@dataclass(frozen=True, slots=True)
class FaultTally:
    """The faults of one kind that an entrant made in a run."""

    entrant: int
    """Index into the tournament's entrants."""
    kind: str
    count: int
    example: str
    """The reason of one of them."""


@dataclass(frozen=True, slots=True)
class FaultRow:
    """A fault and what was done instead."""

    match: int
    """The match's number."""
    seat: int
    decision_id: int
    """The decision concerned; 0 for none."""
    kind: str
    """As in the wire's FaultKind, in lower case: "timeout"."""
    reason: str
    """What was wrong, in words."""
    action: str
    """What was done instead, in words; empty where nothing was."""
    evidence: dict[str, Any]
    """Times and the like, as JSON; not part of what is compared between runs."""
