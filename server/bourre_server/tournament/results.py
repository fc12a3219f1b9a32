"""The result of a match, as standings and ratings read it."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MatchResult:
    """What came of one match. Every tuple is by seat."""

    number: int
    """The match's number in its schedule, from 1."""
    block: int
    """From 1."""
    rotation: int
    """0 to seats - 1."""
    seating: tuple[int, ...]
    """Entrants, each an index into the tournament's entrants."""
    hands: int
    """Hands played, at least 1."""
    chips: tuple[int, ...]
    """Units won and lost; they sum to 0."""
    played: tuple[int, ...]
    """Hands in which the seat did not pass."""
    bourres: tuple[int, ...]
    """Hands in which the seat went bourré."""
    faults: tuple[int, ...]
    """Faults that count towards a forfeit."""
    forfeited: tuple[bool, ...]
    """Whether the seat forfeited and was played by default to the end."""


def in_complete_blocks(results: Iterable[MatchResult], rotations: int) -> list[MatchResult]:
    """The results whose block has all its `rotations` matches, ascending by number.

    A block that is still being played, or that is void because an entrant was withdrawn, is left out:
    some of its entrants would have had seats, and cards, that others had not.
    """
    ordered = sorted(results, key=lambda result: result.number)
    settled = Counter(result.block for result in ordered)
    return [result for result in ordered if settled[result.block] == rotations]
