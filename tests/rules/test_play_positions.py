"""Positions of the rule book with the cards that may be played in them, and the two tricks."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from bourre_server.rules.cards import NAMES as CARD_NAMES
from bourre_server.rules.cards import SUIT_MASKS, SUITS, cards_in, mask_of, parse_card, parse_cards
from bourre_server.rules.cinch import sure_tricks
from bourre_server.rules.house import CLASSIC, HouseRules
from bourre_server.rules.legality import legal_plays, legality
from bourre_server.rules.position import Position, best_of

from tests.rules import naive
from tests.rules.houses import PLAY, random_differences

ROWS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("play_positions.json").read_text())


def names(mask: int) -> set[str]:
    return {CARD_NAMES[card] for card in cards_in(mask)}


def in_bits(at: naive.Position) -> Position:
    """A position of the naive kind as the engine takes it."""
    return Position(
        holding=mask_of(map(parse_card, at.holding)),
        trump=SUITS.index(at.trump),
        trick=[parse_card(card) for card in at.trick],
        gone=mask_of(map(parse_card, at.gone)),
        in_play=at.in_play,
        tricks_won=at.tricks_won,
        # Which trump was played does not matter.
        played=SUIT_MASKS[SUITS.index(at.trump)] if at.trumps_broken else 0,
    )


def engine_legal(at: naive.Position) -> set[str]:
    house = HouseRules.from_differences(at.options)
    return names(legality(house).legal_plays(in_bits(at)))


def of_row(row: dict[str, Any]) -> naive.Position:
    return naive.Position(
        holding=frozenset(row["holding"]),
        trump=row["trump"],
        trick=row["trick"],
        gone=frozenset(row["gone"]),
        in_play=row["in_play"],
        tricks_won=row["tricks_won"],
        trumps_broken=row.get("trumps_broken", False),
        options=row["options"],
    )


def test_all_rows_are_there() -> None:
    assert (len(ROWS), sum(bool(row["options"]) for row in ROWS)) == (45, 12)


@pytest.mark.parametrize("row", [pytest.param(row, id=f"{row['id']}-{row['rule']}") for row in ROWS])
def test_position(row: dict[str, Any]) -> None:
    at = of_row(row)
    assert engine_legal(at) == set(row["legal"]), row["note"]
    assert naive.legal(at) == set(row["legal"]), "the second implementation"


@pytest.mark.parametrize(("trick", "wins"), [("9c Kc Ad 3h Ac", "3h"), ("5h Ac 9h 2h", "9h")])
def test_r20_trick(trick: str, wins: str) -> None:
    cards = parse_cards(trick)
    assert cards[best_of(cards, SUITS.index("h"))] == parse_card(wins)


HEARTS = "23456789TJQKA"


@pytest.mark.parametrize(
    ("mine", "gone", "sure"),
    [
        ("KQJT", "", 3),
        ("QJT9", "", 2),
        ("AKQ", "", 3),
        ("QJT98", "", 3),
        ("KQ", "A", 2),
        ("A2", "", 1),
        ("", "", 0),
    ],
)
def test_r30_sure_tricks(mine: str, gone: str, sure: int) -> None:
    held = {rank + "h" for rank in mine}
    threats = {rank + "h" for rank in HEARTS} - held - {rank + "h" for rank in gone}
    shift = 13 * SUITS.index("h")
    assert sure_tricks(*(mask_of(map(parse_card, cards)) >> shift for cards in (held, threats))) == sure


def test_r31_a_cinch_can_be_true() -> None:
    """An open implementation has a test for it that never is."""
    holding = mask_of(parse_cards("Kh Qh Jh Th 2c"))
    at = Position(holding, SUITS.index("h"), [], 0, in_play=4, tricks_won=0)
    hearts, cinch = SUITS.index("h"), legality(CLASSIC).cinch
    assert cinch.holds(mask_of(parse_cards("Kh Qh Jh Th")), 0, hearts, 0)
    assert names(legal_plays(at)) == {"Kh", "Qh", "Jh", "Th"}
    assert not cinch.holds(mask_of(parse_cards("Qh Jh Th 9h")), 0, hearts, 0)


# What the positions of the rule book leave open: hearts are trump; trick, gone, holding, legal.
MORE = [
    ("r21_only_trumps", {"trump_lead": "broken"}, "", "", "9h 2h", "9h 2h"),
    ("r26_highest_over", {"void_trump": "highest"}, "9c 3h", "", "4h Jh Ad", "Jh"),
    ("r27_highest_under", {"void_trump": "highest", "undertrump": "required"}, "9c Ah", "", "4h Jh Ad", "Jh"),
    ("r27_any_card", {"void_trump": "highest"}, "9c Ah", "", "4h Jh Ad", "4h Jh Ad"),
    ("r27_optional", {"overtrump": "optional"}, "9c Qh", "", "2h Jh Ad", "2h Jh Ad"),
    ("r24_trump_led", {"overtrump": "optional", "void_trump": "highest"}, "9h", "", "2h Jh Ah", "Jh Ah"),
    ("r25_trumped_cannot_head", {"head_led_when_trumped": True}, "9c 3h Ac", "", "4c Kc Ah", "4c Kc"),
    ("r33_both_bind", {"void_trump": "highest"}, "9c", "", "Ah Kh Qh 2d", "Ah"),
    ("r34_win_if_you_can", {"overtrump": "optional"}, "9c Jh 2c", "", "Ah Kh Qh 3h", "Ah Kh Qh"),
    ("r36_highest_alone", {"cinch": "bicycle_lead"}, "", "", "Ah Kh 4c", "Ah"),
    ("r36_no_honour", {"cinch": "bicycle_lead"}, "", "", "Jh Th 4c", "Jh Th 4c"),
    ("r36_not_led", {"cinch": "bicycle_lead", "trump_lead": "broken"}, "", "", "Ah Kh 4c", "4c"),
    ("r36_top_block", {"cinch": "top_block"}, "", "Kh", "Ah Qh Jh 4c", "Ah Qh Jh"),
    ("r32_cannot_lead_trumps", {"trump_lead": "broken"}, "", "", "Ah Kh Qh 4c", "4c"),
    ("r35_pair_with_a_gap", {"cinch_equals": "pair"}, "", "Kh", "Ah Qh Jh 4c", "Ah"),
    ("r35_none", {"cinch_equals": "none", "hand_size": 3}, "", "", "Ah Kh", "Ah"),
    ("r31_three_cards", {"hand_size": 3}, "", "", "Ah Kh 4c", "Ah Kh"),
]


@pytest.mark.parametrize("row", [pytest.param(row[1:], id=row[0]) for row in MORE])
def test_more_positions(row: tuple[dict[str, object], str, str, str, str]) -> None:
    options, trick, gone, holding, legal = row
    at = naive.Position(
        set(holding.split()),
        "h",
        trick.split(),
        set(gone.split()),
        4,
        0,
        trumps_broken=False,
        options=options,
    )
    assert engine_legal(at) == naive.legal(at) == set(legal.split())


def random_position(chance: Random) -> naive.Position:
    """A position that need not be reachable; every other one is rich in trumps."""
    trump = chance.choice(SUITS)
    cards = list(CARD_NAMES)
    if chance.random() < 0.5:
        cards = [card for card in cards if card[1] == trump or chance.random() < 0.25]
    chance.shuffle(cards)
    options = random_differences(chance, PLAY)
    size = options.get("hand_size", 5)
    held, in_play = chance.randint(1, size), chance.randint(2, 8)
    laid = held + chance.randrange(in_play)
    return naive.Position(
        holding=frozenset(cards[:held]),
        trump=trump,
        trick=cards[held:laid],
        gone=frozenset(cards[laid : laid + chance.choice((0, 1, 5, 20))]),
        in_play=in_play,
        tricks_won=chance.randint(0, size - held),
        trumps_broken=chance.random() < 0.5,
        options=options,
    )


@pytest.mark.parametrize("count", [20_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_r21_to_r36_two_implementations_agree(count: int) -> None:
    chance = Random(count)
    for _ in range(count):
        at = random_position(chance)
        legal = naive.legal(at)
        assert legal
        assert engine_legal(at) == legal, at
