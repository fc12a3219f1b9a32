"""Elo for tables of any size: every pair at the table is a contest, scored on the match's chips."""

from collections.abc import Sequence


def expected(rating: float, opponent: float) -> float:
    """The score, 0 to 1, that a rating is expected to make against an opponent's."""
    return float(1 / (1 + 10 ** ((opponent - rating) / 400)))


def update(ratings: Sequence[float], chips: Sequence[int], k: float = 16.0) -> list[float]:
    """The ratings after a match, by seat; their sum stays the same.

    `k`: the most that a rating can gain in one match. More chips score 1, as many score a half.
    """
    weight = k / (len(ratings) - 1)
    surplus = [
        sum(
            _score(chips[seat], chips[other]) - expected(own, ratings[other])
            for other in _others(seat, ratings)
        )
        for seat, own in enumerate(ratings)
    ]
    return [own + weight * gain for own, gain in zip(ratings, surplus, strict=True)]


def _others(seat: int, ratings: Sequence[float]) -> list[int]:
    return [other for other in range(len(ratings)) if other != seat]


def _score(chips: int, others: int) -> float:
    return 0.5 if chips == others else float(chips > others)
