"""server/RULES.md: its figures, and the engine's, computed a second time from its words alone."""

import hashlib
import hmac
import json
import re
from pathlib import Path

from bourre_server.rules.cards import NAMES, SUITS, parse_card
from bourre_server.rules.events import Event
from bourre_server.rules.match import Match, Setup
from bourre_server.rules.record import Made, Record
from bourre_server.rules.shuffle import Dealing, block_seed, bot_seed, commitment, keys, suit_order

PAGE = (Path(__file__).parents[2] / "server" / "RULES.md").read_text(encoding="utf-8")

SECRET = bytes(range(32))
SEATS = 4
NAMES_BY_SEAT = ["ann", "bob", "eve", "zoë"]
CARDS = [rank + suit for suit in "shdc" for rank in "23456789TJQKA"]
TEN = "hand 1, rotation 0, first ten cards"


def words(prefix: bytes, count: int) -> list[int]:
    text = b"".join(hashlib.sha256(prefix + i.to_bytes(4, "big")).digest() for i in range(count))
    return [int.from_bytes(text[8 * i : 8 * i + 8], "big") for i in range(count)]


SEED = hmac.new(SECRET, b"block/1", "sha256").digest()
BOT_SEED = int.from_bytes(hmac.new(SECRET, b"bot/1/0/2", "sha256").digest()[:8], "big")


def in_order_of(name: str, items: list[str]) -> list[str]:
    by_key = dict(zip(words(SEED + name.encode(), len(items)), items, strict=True))
    return [by_key[key] for key in sorted(by_key)]


def suits_of(rotation: int) -> dict[str, str]:
    return dict(zip("shdc", in_order_of(f"suits/{rotation}", list("shdc")), strict=True))


def deck(hand: int, rotation: int) -> list[str]:
    suits = suits_of(rotation)
    return [card[0] + suits[card[1]] for card in in_order_of(f"deck/{hand}", CARDS)]


def hand_lines(hand: int) -> list[str]:
    """A hand of rotation 0 in which all pass and the dealer, whose upcard is no ace, takes the pot."""
    cards, dealer = deck(hand, 0), hand - 1
    assert cards[5 * SEATS - 1][0] != "A"
    seats = [(dealer + 1 + place) % SEATS for place in range(SEATS)]
    holdings = [sorted(cards[place : 5 * SEATS : SEATS], key=CARDS.index) for place in range(SEATS)]
    payments = ",".join("3360" if seat == dealer else "0" for seat in range(SEATS))
    return [
        f"hand {hand} dealer {dealer} antes 840,840,840,840",
        *(f"dealt {seat} {' '.join(held)}" for seat, held in zip(seats, holdings, strict=True)),
        f"upcard {cards[5 * SEATS - 1]}",
        *(f"declared {seat} passes" for seat in seats[:-1]),
        f"settled 3360 payments {payments} carried 0 exempt ",
    ]


LINES = [line for hand in range(1, 5) for line in hand_lines(hand)] + ["shares 0,0,0,0"]
COMMITTED = '{"house_rules":{},"seating":["ann","bob","eve","zoë"],"seed":"' + SEED.hex() + '"}'

FIGURES = {
    "block seed of block 1": SEED.hex(),
    "`bot_seed` of seat 2, rotation 0": str(BOT_SEED),
    "first key of `deck/1`": str(words(SEED + b"deck/1", 1)[0]),
    "suits of rotation 0": " ".join(suits_of(0).values()),
    "suits of rotation 1": " ".join(suits_of(1).values()),
    TEN: " ".join(deck(1, 0)[:10]),
    "hand 1, rotation 1, first ten cards": " ".join(deck(1, 1)[:10]),
    "those ten of rotation 0 as the pool, after the first reshuffle of hand 1": " ".join(
        in_order_of("deck/1/1", deck(1, 0)[:10])
    ),
    "commitment of rotation 0": hashlib.sha256(COMMITTED.encode()).hexdigest(),
    "decisions": " ".join(["-"] * 12),
    "events, first line": LINES[0],
    "events, last line": LINES[-1],
    "SHA-256 of the events": hashlib.sha256("".join(line + "\n" for line in LINES).encode()).hexdigest(),
    "first word of `random()`, seat 2, rotation 0, decision 1": str(
        words(BOT_SEED.to_bytes(8, "big") + (1).to_bytes(4, "big"), 1)[0]
    ),
}


def test_figures_of_the_page() -> None:
    table = PAGE.partition("## A worked example")[2]
    rows = re.findall(r"^\| (.+) \| (.+) \|$", table, flags=re.MULTILINE)
    assert dict(rows[1:]) == {what: f"`{value}`" for what, value in FIGURES.items()}


def test_seeds_and_keys_of_the_engine() -> None:
    assert block_seed(SECRET, 1) == SEED
    assert bot_seed(SECRET, 1, 0, 2) == BOT_SEED
    assert keys(SEED, "deck/1", 52) == words(SEED + b"deck/1", 52)
    assert commitment(SEED, NAMES_BY_SEAT, {}).hex() == FIGURES["commitment of rotation 0"]


def test_decks_of_the_engine() -> None:
    for rotation in range(SEATS):
        assert [SUITS[suit] for suit in suit_order(SEED, rotation)] == list(suits_of(rotation).values())
        for hand in range(1, 5):
            assert [NAMES[card] for card in Dealing(SEED, rotation).deck(hand)] == deck(hand, rotation)
    pool = [parse_card(card) for card in FIGURES[TEN].split()]
    for nth in (1, 2):
        stock = Dealing(SEED, 0).reshuffled(pool, 1, nth)
        assert [NAMES[card] for card in stock] == in_order_of(f"deck/1/{nth}", FIGURES[TEN].split())


def test_record_of_the_engine() -> None:
    match = Match(Setup(SEATS, 4, SEED))
    events: list[Event] = match.drain()
    tokens = FIGURES["decisions"].split()
    for token in tokens:
        match.apply(Made.parse(token).decision)
        events += match.drain()
    assert [event.line for event in events] == LINES
    record = json.loads(Record.of(match, 1, tokens).to_bytes())
    assert record == {
        "block": 1,
        "decisions": FIGURES["decisions"],
        "events": FIGURES["SHA-256 of the events"],
        "hands": 4,
        "house_rules": {},
        "rotation": 0,
        "rules_version": 1,
        "seats": 4,
    }
