"""How many chips an entrant wins, and how sure that is: estimates over blocks."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import fsum, sqrt

from scipy.special import stdtrit

from bourre_server.rules.house import ANTE
from bourre_server.tournament.results import MatchResult

_CONFIDENCE = 0.95
_ROUNDING = 1e-9
"""Antes: what sums of the same numbers may differ by."""


@dataclass(frozen=True)
class Estimate:
    """An entrant's chips per hand, in antes."""

    by_block: Mapping[int, float]
    """The mean of each block it sat in."""

    @cached_property
    def mean(self) -> float | None:
        """The mean of the block means; None where there is none."""
        return fsum(self.by_block.values()) / len(self.by_block) if self.by_block else None

    @property
    def half_width(self) -> float | None:
        """Half the 95 % interval, Student's t over blocks; None below two blocks."""
        if len(self.by_block) < 2:
            return None
        return _half_width(self.deviations.values(), len(self.by_block))

    def is_apart_from(self, other: "Estimate") -> bool:
        """Whether the 95 % interval of the difference of the means leaves out 0.

        Clustered on blocks: e_b = (Y_ib - m_i) / w_i - (Y_jb - m_j) / w_j, each term where the entrant sat in
        block b, and the variance is the sum of e_b². With w = sqrt(n (n - 1)) this is the paired t
        interval where both sat in the same blocks, and Welch's variance where they never met.
        """
        blocks = min(len(self.by_block), len(other.by_block))
        if self.mean is None or other.mean is None or blocks < 2:
            return False
        mine, theirs = self.deviations, other.deviations
        errors = (mine.get(block, 0.0) - theirs.get(block, 0.0) for block in mine.keys() | theirs.keys())
        return abs(self.mean - other.mean) > _half_width(errors, blocks) + _ROUNDING

    @cached_property
    def deviations(self) -> dict[int, float]:
        """Each block's share of the mean's error. Needs two blocks or more."""
        assert self.mean is not None
        weight = sqrt(len(self.by_block) * (len(self.by_block) - 1))
        return {block: (value - self.mean) / weight for block, value in self.by_block.items()}


def estimate(entrants: int, complete: Iterable[MatchResult]) -> list[Estimate]:
    """By entrant, from the results of complete blocks in the order of their numbers."""
    chips: list[dict[int, int]] = [defaultdict(int) for _ in range(entrants)]
    hands: dict[int, int] = defaultdict(int)
    for result in complete:
        hands[result.block] += result.hands
        for entrant, won in zip(result.seating, result.chips, strict=True):
            chips[entrant][result.block] += won
    return [
        Estimate({block: won / (hands[block] * ANTE) for block, won in by_block.items()})
        for by_block in chips
    ]


def _half_width(errors: Iterable[float], blocks: int) -> float:
    quantile = float(stdtrit(blocks - 1, (1 + _CONFIDENCE) / 2))
    return quantile * sqrt(fsum(error * error for error in errors))
