"""Valid house rules, as many kinds as there are, for laws that hold under all of them."""

from random import Random
from typing import Any

from bourre_server.rules.house import HouseRules
from hypothesis import strategies as st

CHOICES: dict[str, list[object]] = {
    "hand_size": [5, 4, 3],
    "trump_source": ["dealer_last", "next_card"],
    "upcard_discard": ["any", "not_ace", "never"],
    "reshuffle": ["discards_and_passed", "discards"],
    "declare": ["sequential", "simultaneous"],
    "all_pass": ["dealer_wins", "carry"],
    "dealer_must_play": ["ace", "never", "always"],
    "draw_timing": ["inline", "after_declarations"],
    "max_discards": [None, 5, 4, 3, [5, 5, 5, 5, 5, 4, 3], [3, 3, 3, 4, 4, 4, 4]],
    "double_ante": [False, True],
    "trump_lead": ["free", "broken"],
    "void_trump": ["any", "highest"],
    "overtrump": ["required", "optional"],
    "undertrump": ["optional", "required"],
    "head_led_when_trumped": [False, True],
    "cinch": ["sure_trumps", "top_block", "bicycle_lead", "off"],
    "cinch_last": ["win_only", "highest"],
    "cinch_equals": ["live_run", "rank_run", "pair", "none"],
    "limit": [20, None, 1, 3],
    "limit_scope": ["penalty", "penalty_and_payout"],
    "pot_cap": [None, 1, 5, 30],
    "ante_exempt": ["tied_and_bourre", "none", "any_trick_or_bourre"],
    "bourre_penalty": ["match_pot", "fixed:1", "fixed:7", "fixed:50"],
    "tie": ["carry", "share"],
    "illegal": ["reject", "renege"],
    "renege_loses_deal": [True, False],
    "end_pot": ["equal", "equal_after_ante"],
}
PLAY = [
    "hand_size", "trump_lead", "void_trump", "overtrump", "undertrump", "head_led_when_trumped", "cinch",
    "cinch_last", "cinch_equals",
]  # fmt: skip


def reconciled(values: dict[str, Any]) -> dict[str, Any]:
    """The values without what contradicts (section 10 of the rule book): one of the two gives way."""
    said = {name: value for name, value in values.items() if value != CHOICES[name][0]}
    if said.get("declare"):
        said.pop("draw_timing", None)
        said.pop("all_pass", None)
    if said.get("trump_source"):
        said.pop("upcard_discard", None)
        said.setdefault("dealer_must_play", "never")
    if "limit" in said and said["limit"] is None:
        said.pop("limit_scope", None)
    if said.get("double_ante"):
        said.pop("ante_exempt", None)
    if not said.get("illegal"):
        said.pop("renege_loses_deal", None)
    size = said.get("hand_size", 5)
    if isinstance(most := said.get("max_discards"), list):
        said["max_discards"] = [min(each, size) for each in most]
    elif most is not None:
        said["max_discards"] = min(most, size)
    return said


def house_of(values: dict[str, Any]) -> HouseRules:
    return HouseRules.from_differences(reconciled(values))


def random_differences(chance: Random, names: list[str]) -> dict[str, Any]:
    """Each of these options is another than in `classic` every other time."""
    return {name: chance.choice(CHOICES[name]) for name in names if chance.random() < 0.5}


houses = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(values) for name, values in CHOICES.items()}
).map(house_of)
