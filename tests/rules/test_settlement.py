"""R40 to R46, R51, R71: the engine's settlement and the one written from the rule book alone."""

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from bourre_server.rules.house import ANTE, HouseRules
from bourre_server.rules.settlement import end_shares, settle, settle_unplayed
from bourre_server.rules.state import Renege

from tests.rules import naive_settlement
from tests.rules.houses import CHOICES, random_differences, reconciled

MONEY = [name for name in CHOICES if name in naive_settlement.CLASSIC]
RENEGES = ["", "put right", "not put right"]


def random_hand(chance: Random) -> naive_settlement.Hand:
    """Any split of any number of tricks among those who play; two seats at least."""
    seats = chance.randint(2, 8)
    playing = sorted(chance.sample(range(seats), chance.randint(2, seats)))
    tricks: list[int | None] = [None] * seats
    for seat in playing:
        tricks[seat] = 0
    for _ in range(chance.choice((3, 4, 5))):
        seat = chance.choice(playing)
        tricks[seat] = (tricks[seat] or 0) + 1
    reneges = [chance.choice(RENEGES) if won is not None and chance.random() < 0.2 else "" for won in tricks]
    pot = chance.choice((1, 2, 5, 19, 20, 21, chance.randint(1, 200)))
    return naive_settlement.Hand(pot, tricks, reneges, reconciled(random_differences(chance, MONEY)))


def by_engine(hand: naive_settlement.Hand) -> naive_settlement.Outcome:
    """In antes."""
    reneges = [Renege(RENEGES.index(each)) for each in hand.reneges]
    house = HouseRules.from_differences(hand.options)
    outcome = settle(hand.pot * ANTE, hand.tricks, house, reneges)
    return naive_settlement.Outcome(
        [Fraction(units, ANTE) for units in outcome.payments],
        Fraction(outcome.carried, ANTE),
        list(outcome.exempt),
    )


@pytest.mark.parametrize("count", [20_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_r40_to_r51_two_implementations_agree(count: int) -> None:
    chance = Random(count)
    for _ in range(count):
        hand = random_hand(chance)
        outcome = by_engine(hand)
        assert outcome == naive_settlement.settle(hand), hand
        assert sum(outcome.payments) + outcome.carried == hand.pot
        # R72: with whole antes in every pot, each split of it is whole.
        assert outcome.carried.denominator == 1


def test_r71_two_implementations_agree() -> None:
    chance = Random(71)
    for _ in range(500):
        seats, pot = chance.randint(2, 8), chance.randint(0, 100)
        exempt = chance.sample(range(seats), chance.randint(0, seats))
        for end_pot in ("equal", "equal_after_ante"):
            house = HouseRules.from_differences({"end_pot": end_pot})
            shares = end_shares(pot * ANTE, exempt, seats, house)
            expected = naive_settlement.shares(pot, seats, exempt, end_pot)
            assert [Fraction(units, ANTE) for units in shares] == expected
            assert sum(shares) == pot * ANTE


CAPPED: list[tuple[str, dict[str, Any], int, Sequence[int | None], list[int], int]] = [
    ("r44_room_for_all", {"pot_cap": 30}, 10, (3, 2, 0, 0), [10, 0, -10, -10], 20),
    ("r44_room_shared", {"pot_cap": 12}, 10, (3, 2, 0, 0), [10, 0, -6, -6], 12),
    ("r44_no_room", {"pot_cap": 10}, 10, (2, 2, 1, 0), [0, 0, 0, 0], 10),
    ("r44_cap_below_pot", {"pot_cap": 5}, 10, (2, 2, 1, 0), [0, 0, 0, 0], 10),
]


@pytest.mark.parametrize("row", [pytest.param(row[1:], id=row[0]) for row in CAPPED])
def test_r44_pot_cap(row: tuple[dict[str, Any], int, Sequence[int | None], list[int], int]) -> None:
    options, pot, tricks, payments, carried = row
    outcome = by_engine(naive_settlement.Hand(pot, tricks, [""] * len(tricks), options))
    assert list(outcome)[:2] == [payments, carried]


def test_r44_what_one_does_not_owe_goes_to_the_others() -> None:
    """Seat 2 owes one ante as bourré, seat 1 the pot for a renege; there is room for five."""
    options = {"pot_cap": 5, "bourre_penalty": "fixed:1"}
    hand = naive_settlement.Hand(10, (3, 2, 0), ["", "not put right", ""], options)
    assert by_engine(hand) == naive_settlement.Outcome(
        [Fraction(10), Fraction(-4), Fraction(-1)], Fraction(5), [2]
    )


@pytest.mark.parametrize(
    ("limit_scope", "payments", "carried"),
    [("penalty", (0, 30 * ANTE), 0), ("penalty_and_payout", (0, 20 * ANTE), 10 * ANTE)],
)
def test_r44_payout_without_play(limit_scope: str, payments: tuple[int, ...], carried: int) -> None:
    house = HouseRules.from_differences({"limit_scope": limit_scope})
    assert settle_unplayed(30 * ANTE, 1, 2, house) == (payments, carried, ())


def test_r61_nobody_plays() -> None:
    assert settle_unplayed(30 * ANTE, None, 2, HouseRules()) == ((0, 0), 30 * ANTE, ())
