from dataclasses import dataclass
from random import Random

from bourre_server.ratings.online import Rating, fold
from hypothesis import given, settings
from hypothesis import strategies as st


@dataclass(frozen=True)
class Outcome:
    number: int
    seating: tuple[int, ...]
    chips: tuple[int, ...]


@st.composite
def outcomes(draw: st.DrawFn) -> list[Outcome]:
    count = draw(st.integers(1, 6))
    matches = []
    for number in range(1, count + 1):
        seats = draw(st.integers(2, 8))
        seating = tuple(draw(st.permutations(range(8)))[:seats])
        won = [draw(st.integers(-3, 3)) for _ in range(seats - 1)]
        matches.append(Outcome(number, seating, (*won, -sum(won))))
    return matches


@settings(deadline=None, max_examples=50)
@given(outcomes(), st.randoms(use_true_random=False))
def test_order_is_by_number_not_by_arrival(matches: list[Outcome], shuffle: Random) -> None:
    arrived = list(matches)
    shuffle.shuffle(arrived)
    assert fold(8, arrived) == fold(8, matches)


@settings(deadline=None, max_examples=50)
@given(outcomes(), st.integers(1, 7))
def test_the_seats_change_nothing(matches: list[Outcome], turns: int) -> None:
    def turn(values: tuple[int, ...]) -> tuple[int, ...]:
        shift = turns % len(values)
        return values[shift:] + values[:shift]

    turned = [Outcome(match.number, turn(match.seating), turn(match.chips)) for match in matches]
    assert fold(8, turned) == fold(8, matches)


@settings(deadline=None, max_examples=50)
@given(outcomes())
def test_a_sole_winner_never_falls_and_a_sole_loser_never_rises(matches: list[Outcome]) -> None:
    before, after = fold(8, matches[:-1]), fold(8, matches)
    last = matches[-1]
    best, worst = max(last.chips), min(last.chips)
    if last.chips.count(best) == 1:
        winner = last.seating[last.chips.index(best)]
        assert after[winner].mu >= before[winner].mu
    if last.chips.count(worst) == 1:
        loser = last.seating[last.chips.index(worst)]
        assert after[loser].mu <= before[loser].mu


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(-2, 2), min_size=1, max_size=7))
def test_ties_are_symmetric_and_better_is_higher(won: list[int]) -> None:
    """Among newcomers ratings are in the order of chips, and equal chips give equal ratings."""
    chips = (*won, -sum(won))
    ratings = fold(len(chips), [Outcome(1, tuple(range(len(chips))), chips)])
    for one, rating in zip(chips, ratings, strict=True):
        for other, others in zip(chips, ratings, strict=True):
            assert (one > other) == (rating.mu - others.mu > 1e-9)


def test_joint_winners_gain_more_than_the_third() -> None:
    ratings = fold(5, [Outcome(1, (0, 1, 2, 3, 4), (900, 900, 0, -600, -1200))])
    assert ratings[0].mu > ratings[2].mu


def test_who_did_not_play_keeps_the_rating_of_a_newcomer() -> None:
    newcomer = Rating(25.0, 25.0 / 3)
    first, second, absent = fold(3, [Outcome(1, (0, 1), (840, -840))])
    assert absent == newcomer
    assert first.mu - 25.0 == 25.0 - second.mu > 0
    assert first.sigma == second.sigma < newcomer.sigma
