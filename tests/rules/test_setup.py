"""What a match can be played with."""

from dataclasses import replace

import pytest
from bourre_server.rules.decisions import PASS, PLAYS, STAND_PAT, Decision, Draw
from bourre_server.rules.house import HouseRules
from bourre_server.rules.match import Match, Setup

from tests.rules.table import SEED


@pytest.mark.parametrize(
    ("seats", "hands", "seed", "rotation", "message"),
    [
        (1, 1, SEED, 0, "1 seats; allowed: 2 to 8"),
        (9, 9, SEED, 0, "9 seats; allowed: 2 to 8"),
        (4, 0, SEED, 0, "0 hands; allowed: a positive multiple of 4 seats"),
        (4, 6, SEED, 0, "6 hands; allowed: a positive multiple of 4 seats"),
        (4, 4, SEED[1:], 0, "a seed of 31 bytes; allowed: 32"),
        (4, 4, SEED, 4, "rotation 4; allowed: 0 to 3"),
        (4, 4, SEED, -1, "rotation -1; allowed: 0 to 3"),
    ],
)
def test_r1_r70_no_such_setup(seats: int, hands: int, seed: bytes, rotation: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Setup(seats, hands, seed, rotation)


def test_r51_r70_where_deals_are_lost_any_number_of_hands_is_played() -> None:
    house = HouseRules(illegal="renege")
    assert Setup(4, 6, SEED, house=house).hands == 6
    with pytest.raises(ValueError, match="0 hands; allowed: a positive number"):
        Setup(4, 0, SEED, house=house)
    with pytest.raises(ValueError, match="6 hands; allowed: a positive multiple of 4 seats"):
        Setup(4, 6, SEED, house=replace(house, renege_loses_deal=False))


def test_nothing_is_legal_after_the_match() -> None:
    match = Match(Setup(2, 2, SEED))
    for _ in range(2):
        match.apply(match.hand.default())
    assert match.over
    decisions: list[Decision] = [*PLAYS, PASS, STAND_PAT, Draw()]
    assert all(map(match.refuse, decisions))
