"""House rules: what they may be, what contradicts, and how they travel."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from bourre_server.rules.house import CLASSIC, OPTIONS, PRESETS, HouseRules, HouseRulesError
from hypothesis import given, settings

from tests.rules.houses import CHOICES, houses

ANTES = "allowed: 1 to 1,000,000 antes, or none"
DISCARDS = "allowed: 3 to 5, or a list of 7 such numbers, for 2 to 8 seats"
PENALTY = "allowed: match_pot, or fixed:k with k from 1 to 1,000,000 antes"

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"limits": 20}, "limits is not a house rule; allowed: hand_size, trump_source, upcard_discard,"),
    *(({"limit": limit}, ANTES) for limit in (0, -1, 1_000_001, 2.5, True, "20")),
    ({"pot_cap": 0}, f"pot_cap is 0; {ANTES}"),
    ({"hand_size": 6}, "hand_size is 6; allowed: 5, 4, 3"),
    ({"hand_size": None}, "hand_size is none; allowed: 5, 4, 3"),
    ({"double_ante": 1}, "double_ante is 1; allowed: false, true"),
    ({"tie": "split"}, "tie is split; allowed: carry, share"),
    ({"tie": ["carry"]}, r"tie is ['carry']; allowed: carry, share"),
    *(({"max_discards": discards}, DISCARDS) for discards in (2, 6, True, "4", [4] * 6, [4] * 6 + [2])),
    *(({"bourre_penalty": f"fixed:{k}"}, PENALTY) for k in ("0", "02", "", "-1", "1000001", "9" * 30, "²")),
    ({"bourre_penalty": 3}, f"bourre_penalty is 3; {PENALTY}"),
    # Section 10 of the rule book.
    (
        {"declare": "simultaneous", "draw_timing": "after_declarations"},
        "declare=simultaneous has no draw_timing: leave it out",
    ),
    ({"declare": "simultaneous", "all_pass": "carry"}, "declare=simultaneous has no all_pass: leave it out"),
    ({"declare": "simultaneous", "all_pass": "dealer_wins"}, "has no all_pass: leave it out"),
    ({"hand_size": 4, "max_discards": 5}, "max_discards is 5; allowed: at most hand_size, 4"),
    ({"hand_size": 3, "max_discards": [3] * 6 + [4]}, "max_discards is 4; allowed: at most hand_size, 3"),
    (
        {"limit": None, "limit_scope": "penalty_and_payout"},
        "limit_scope=penalty_and_payout needs a limit; allowed: 1 to 1,000,000 antes",
    ),
    ({"trump_source": "next_card"}, "has no dealer_must_play=ace; allowed: never, always"),
    (
        {"trump_source": "next_card", "dealer_must_play": "never", "upcard_discard": "any"},
        "trump_source=next_card has no upcard_discard: leave it out",
    ),
    (
        {"double_ante": True, "ante_exempt": "tied_and_bourre"},
        "double_ante=true exempts nobody; ante_exempt allowed: none",
    ),
    ({"double_ante": True, "ante_exempt": "any_trick_or_bourre"}, "double_ante=true exempts nobody"),
    ({"renege_loses_deal": True}, "illegal=reject has no renege_loses_deal: leave it out"),
    ({"renege_loses_deal": False}, "illegal=reject has no renege_loses_deal: leave it out"),
]


@pytest.mark.parametrize(("differences", "sentence"), REFUSED)
def test_no_such_house_rules(differences: dict[str, Any], sentence: str) -> None:
    with pytest.raises(HouseRulesError, match=re.escape(sentence)):
        HouseRules.from_differences(differences)


@settings(max_examples=300, deadline=None, database=None)
@given(houses)
def test_house_rules_round_trip(house: HouseRules) -> None:
    travelled = json.loads(json.dumps(house.differences()))
    assert travelled == house.differences()
    again = HouseRules.from_differences(travelled)
    assert (again, hash(again)) == (house, hash(house))
    assert (house.differences() == {}) == (house == CLASSIC)


@pytest.mark.parametrize(
    "differences",
    [{"max_discards": 5}, {"max_discards": [5] * 7}, {"max_discards": None}, {"hand_size": 5}],
)
def test_one_value_for_what_means_the_same(differences: dict[str, Any]) -> None:
    assert HouseRules.from_differences(differences) == CLASSIC


def test_r60_double_ante_exempts_nobody() -> None:
    house = HouseRules(double_ante=True)
    assert house == HouseRules(double_ante=True, ante_exempt="none")
    assert house.differences() == {"double_ante": True, "ante_exempt": "none"}


@pytest.mark.parametrize(
    ("discards", "two", "eight"), [(None, 4, 4), (3, 3, 3), ((4, 4, 4, 4, 4, 4, 3), 4, 3)]
)
def test_r63_max_discards(discards: int | tuple[int, ...] | None, two: int, eight: int) -> None:
    house = HouseRules(hand_size=4, max_discards=discards)
    assert (house.most_discards(2), house.most_discards(8)) == (two, eight)


def test_presets() -> None:
    assert {name: preset.differences() for name, preset in PRESETS.items()} == {
        "classic": {},
        "pagat": {"undertrump": "required"},
        "hoyle": {
            "trump_source": "next_card",
            "dealer_must_play": "never",
            "max_discards": 4,
            "overtrump": "optional",
            "cinch": "bicycle_lead",
        },
    }
    for preset in PRESETS.values():
        assert HouseRules.from_differences(preset.differences()) == preset


def test_every_option_has_a_line_of_help() -> None:
    """And its default is what the rule book says first; the strategy for laws knows each option."""
    assert list(OPTIONS) == list(CHOICES)
    for name, option in OPTIONS.items():
        assert (option.name, option.default) == (name, CHOICES[name][0])
        assert re.fullmatch(r".+ \((R\d+, )*R\d+\)\.", option.meaning)
        assert option.default_text
        assert all(map(option.accepts, CHOICES[name]))
    assert OPTIONS["limit"].default_text == "20"
    assert OPTIONS["max_discards"].default_text == "hand_size"
    assert OPTIONS["double_ante"].allowed == "false, true"


PAGE = (Path(__file__).parents[2] / "server" / "RULES.md").read_text(encoding="utf-8")


def test_options_on_the_page() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+) \| (.+) \| (.+) \|$", PAGE, flags=re.MULTILINE)
    assert rows == [(each.name, each.default_text, each.allowed, each.meaning) for each in OPTIONS.values()]
