"""What a match can be played with."""

import pytest
from bourre_server.rules.decisions import PASS, PLAYS, STAND_PAT, Decision, Draw
from bourre_server.rules.house import CLASSIC, HouseRules, HouseRulesError
from bourre_server.rules.match import Match, Setup

from tests.rules.table import SEED


@pytest.mark.parametrize("limit", [0, -1, 1_000_001, 2.5, True, "20"])
def test_r44_no_such_limit(limit: object) -> None:
    with pytest.raises(HouseRulesError, match="allowed: 1 to 1,000,000 antes, or none"):
        HouseRules.from_differences({"limit": limit})


def test_r72_unknown_house_rule() -> None:
    with pytest.raises(HouseRulesError, match="limits is not a house rule; allowed: hand_size, "):
        HouseRules.from_differences({"limits": 20})


@pytest.mark.parametrize("limit", [None, 1, 20, 1_000_000])
def test_house_rules_round_trip(limit: int | None) -> None:
    house = HouseRules(limit=limit)
    assert HouseRules.from_differences(house.differences()) == house
    assert (house.differences() == {}) == (house == CLASSIC)


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


def test_nothing_is_legal_after_the_match() -> None:
    match = Match(Setup(2, 2, SEED))
    for _ in range(2):
        match.apply(match.hand.default())
    assert match.over
    decisions: list[Decision] = [*PLAYS, PASS, STAND_PAT, Draw()]
    assert all(map(match.refuse, decisions))
