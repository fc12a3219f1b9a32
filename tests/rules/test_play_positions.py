"""Positions of the rule book with the cards that may be played in them, and the two tricks."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from bourre_server.rules.cards import NAMES as CARD_NAMES
from bourre_server.rules.cards import SUITS, cards_in, mask_of, parse_card, parse_cards
from bourre_server.rules.cinch import sure_tricks
from bourre_server.rules.house import CLASSIC
from bourre_server.rules.legality import legal_plays, legality
from bourre_server.rules.position import Position, best_of

from tests.rules import naive

ROWS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("play_positions.json").read_text())
CLASSIC_ROWS = [row for row in ROWS if not row["options"]]


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
    )


def of_row(row: dict[str, Any]) -> naive.Position:
    return naive.Position(
        holding=frozenset(row["holding"]),
        trump=row["trump"],
        trick=row["trick"],
        gone=frozenset(row["gone"]),
        in_play=row["in_play"],
        tricks_won=row["tricks_won"],
    )


def test_classic_rows_are_all_there() -> None:
    assert (len(ROWS), len(CLASSIC_ROWS)) == (45, 33)


@pytest.mark.parametrize("row", [pytest.param(row, id=f"{row['id']}-{row['rule']}") for row in CLASSIC_ROWS])
def test_position(row: dict[str, Any]) -> None:
    at = of_row(row)
    assert names(legal_plays(in_bits(at))) == set(row["legal"]), row["note"]
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


def random_position(chance: Random) -> naive.Position:
    """A position that need not be reachable; every other one is rich in trumps."""
    trump = chance.choice(SUITS)
    cards = list(CARD_NAMES)
    if chance.random() < 0.5:
        cards = [card for card in cards if card[1] == trump or chance.random() < 0.25]
    chance.shuffle(cards)
    held, in_play = chance.randint(1, 5), chance.randint(2, 8)
    laid = held + chance.randrange(in_play)
    return naive.Position(
        holding=frozenset(cards[:held]),
        trump=trump,
        trick=cards[held:laid],
        gone=frozenset(cards[laid : laid + chance.choice((0, 1, 5, 20))]),
        in_play=in_play,
        tricks_won=chance.randint(0, 5 - held),
    )


def test_r21_to_r35_two_implementations_agree() -> None:
    chance = Random(20_000)
    for _ in range(20_000):
        at = random_position(chance)
        legal = naive.legal(at)
        assert legal
        assert names(legal_plays(in_bits(at))) == legal, at
