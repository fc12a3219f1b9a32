"""The online rating: Bradley-Terry over all pairs at a table, folded match by match.

A rating is shown as mu ± 2 sigma. It is a pure fold over results in the order of their numbers: whoever folds
the same results gets the same bits, in whatever order they arrived.
"""

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from openskill.models import BradleyTerryFull


class Rating(NamedTuple):
    """What is known of an entrant's skill, on openskill's scale: 25 ± 2 · 25/3 before any match."""

    mu: float
    sigma: float


class Outcome(Protocol):
    """What a rating needs of a match's result."""

    @property
    def number(self) -> int:
        """The match's place in the order of folding."""

    @property
    def seating(self) -> tuple[int, ...]:
        """Entrants by seat."""

    @property
    def chips(self) -> tuple[int, ...]:
        """Units won and lost, by seat."""


def fold(entrants: int, outcomes: Iterable[Outcome]) -> list[Rating]:
    """The ratings of entrants 0 to entrants - 1 after these matches. Equal chips are a tie."""
    model = BradleyTerryFull(tau=0.0)  # tau would add doubt with every match; these programs do not change
    ratings = [model.rating() for _ in range(entrants)]
    for outcome in sorted(outcomes, key=lambda outcome: outcome.number):
        # By entrant, so that the seats they sat in change nothing, not even the last bit of a sum.
        seated = sorted(zip(outcome.seating, outcome.chips, strict=True))
        ranks = [sum(other > chips for _, other in seated) for _, chips in seated]
        rated = model.rate(
            [[ratings[entrant]] for entrant, _ in seated], ranks=[float(rank) for rank in ranks]
        )
        for (entrant, _), (rating,) in zip(seated, rated, strict=True):
            ratings[entrant] = rating
    return [Rating(rating.mu, rating.sigma) for rating in ratings]
