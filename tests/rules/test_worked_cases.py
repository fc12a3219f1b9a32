"""The worked cases of the rule book, and bugs that open implementations of Bourré have."""

from collections.abc import Sequence
from typing import NamedTuple

import pytest
from bourre_server.rules.cards import DECK, cards_in, parse_card, parse_cards
from bourre_server.rules.decisions import PASS, STAND_PAT, Declare, Play
from bourre_server.rules.events import (
    CardPlayed,
    Drew,
    HandSettled,
    HandStarted,
    MatchSettled,
    Reshuffled,
    TrickWon,
)
from bourre_server.rules.hand import Kind
from bourre_server.rules.house import ANTE, CLASSIC, HouseRules
from bourre_server.rules.match import Match, Setup
from bourre_server.rules.settlement import settle
from bourre_server.rules.shuffle import Dealing
from bourre_server.rules.state import Upcard

from tests.rules.places import Places
from tests.rules.table import SEED, FixedDealing, Table, Tricks, decisions_for, with_upcard

NO_LIMIT = HouseRules(limit=None)


def discard(table: Table, count: int) -> None:
    """The seat that is to declare plays and discards its first cards, the dealer the upcard too."""
    cards = cards_in(table.hand.legal)
    upcard = table.view.public.upcard
    cards.sort(key=lambda card: card != upcard)
    table.decide(Declare(True, tuple(cards[:count])))


def test_r12_d1_reshuffle() -> None:
    table = Table(8)
    table.deal()
    for _ in range(8):
        discard(table, 5)
    places, left = Places(8, table.dealing), []
    for event in table.events:
        places.see(event)
        places.check()
        if isinstance(event, Drew):
            left.append((event.seat, len(places.stock), len(places.pool)))
    # Seat, stock and pool after it was served.
    sevens, twos = (7, 5), (2, 10)
    served = [sevens, twos, sevens, twos, sevens, twos, sevens, (2, 9)]
    assert left == [(seat, *counts) for seat, counts in zip((1, 2, 3, 4, 5, 6, 7, 0), served, strict=True)]
    assert [event for event in table.events if isinstance(event, Reshuffled)] == [Reshuffled(10)] * 3


def test_r8_d4_dealer_with_an_ace_must_play() -> None:
    table = Table(5, dealing=with_upcard(5, "Ah"))
    table.deal()
    table.decide(PASS, PASS, PASS, STAND_PAT)
    assert table.hand.to_act == 0
    assert table.hand.refuse(PASS) == "the upcard is an ace: the dealer must play"
    assert table.hand.default() == STAND_PAT


def test_r11_d5_discarded_upcard_is_laid_aside() -> None:
    table = Table(8, dealing=with_upcard(8, "2h"))
    table.deal()
    for count in (5, 5, 5, 5, 5, 5, 2, 5):
        discard(table, count)
    public, upcard = table.view.public, parse_card("2h")
    assert public.trump == upcard // 13
    assert public.upcard_state is Upcard.LAID_ASIDE
    assert cards_in(public.gone) == [upcard]
    # The stock was empty: the dealer drew from the pool.
    assert [event.cards for event in table.events if isinstance(event, Reshuffled)] == [10, 10, 12]
    assert not any(event.cards & 1 << upcard for event in table.events if isinstance(event, Drew))


def test_r11_upcard_of_a_passing_dealer_is_gone() -> None:
    table = Table(3, dealing=with_upcard(3, "2h"))
    table.deal()
    table.decide(STAND_PAT, STAND_PAT, PASS)
    public = table.view.public
    assert public.upcard_state is Upcard.FOLDED
    assert cards_in(public.gone) == [parse_card("2h")]


def test_r9_d6_dealer_takes_the_pot_unasked() -> None:
    table = Table(5)
    table.deal()
    table.decide(PASS, PASS, PASS, PASS)
    assert table.hand.kind is Kind.OVER
    assert table.ledgers == [4, -1, -1, -1, -1]
    assert table.view.public.exempt == ()


def test_r10_d7_only_one_seat_plays() -> None:
    table = Table(6)
    table.deal()
    table.decide(PASS)
    discard(table, 3)
    table.decide(PASS, PASS, PASS, PASS)
    assert table.hand.kind is Kind.OVER
    assert not any(isinstance(event, CardPlayed) for event in table.events)
    assert table.ledgers == [-1, -1, 5, -1, -1, -1]
    assert table.view.public.exempt == ()


def test_r20_d8_first_playing_seat_left_of_the_dealer_leads() -> None:
    table = Table(5)
    table.deal()
    table.decide(PASS, PASS, STAND_PAT, PASS, STAND_PAT)
    assert (table.hand.kind, table.hand.to_act) == (Kind.PLAY, 3)


@pytest.mark.parametrize(
    ("discards", "reason"),
    [
        ((0, 1, 2, 3, 4, 5), "6 discards; at most 5"),
        ((0,), "not held: 2s"),
        ((1, 1), "the same card is discarded twice"),
    ],
)
def test_r6_d12_refused_discards(discards: tuple[int, ...], reason: str) -> None:
    """The seat at the dealer's left of three holds every third card, from 3s on."""
    table = Table(3, dealing=FixedDealing([*DECK[1:], DECK[0]]))
    table.deal()
    assert table.hand.refuse(Declare(True, discards)) == reason
    assert table.hand.refuse(Declare(True, (1, 4))) is None
    assert table.hand.refuse(Declare(False, (1,))) == "a seat that passes discards nothing"


class Money(NamedTuple):
    """A hand in antes: what the seats win and lose, and what the next hand finds."""

    case: str
    tricks: Tricks
    changes: Sequence[int]
    carried: int
    exempt: tuple[int, ...]
    next_pot: int
    before: int = 0
    house: HouseRules = NO_LIMIT


MONEY = [
    Money("r43_p1_bourre", (3, 2, 0, None, None), (4, -1, -6, -1, -1), 5, (2,), 9),
    Money("r43_p2_two_bourres", (5, 0, 0, None, None), (4, -6, -6, -1, -1), 10, (1, 2), 13),
    Money("r42_p3_split_pot", (2, 2, 1, None, None), (-1,) * 5, 5, (0, 1), 8),
    Money("r42_p5_five_way_split", (1, 1, 1, 1, 1, None), (-1,) * 6, 6, (0, 1, 2, 3, 4), 7),
    Money("r45_p6_nobody_antes", (1, 1, 1, 1, 1), (-1,) * 5, 5, (0, 1, 2, 3, 4), 5),
    Money("r41_p7_two_tricks_win", (2, 1, 1, 1), (3, -1, -1, -1), 0, (), 4),
    Money("r10_p8_alone", (None, None, 0, None), (-1, -1, 3, -1), 0, (), 4),
    Money("r41_p10_two_seats", (3, 2), (1, -1), 0, (), 2),
    Money("r45_tied_and_bourre", (2, 2, 1, 0), (-1, -1, -1, -5), 8, (0, 1, 3), 9),
    Money("r44_p11_limit", (3, 2, 0, None, None), (29, -1, -21, -1, -1), 20, (2,), 24, 25, CLASSIC),
    Money("r44_p14_at_the_limit", (3, 2, 0, None, None), (19, -1, -21, -1, -1), 20, (2,), 24, 15, CLASSIC),
]


@pytest.mark.parametrize("row", [pytest.param(row, id=row.case) for row in MONEY])
def test_money(row: Money) -> None:
    table = Table(len(row.tricks), row.house)
    table.carry(row.before)
    before = table.ledgers
    table.play(row.tricks)
    changes = [after - chips for after, chips in zip(table.ledgers, before, strict=True)]
    assert changes == list(row.changes)
    assert (table.pot, table.view.public.exempt) == (row.carried, row.exempt)
    table.deal()
    assert table.pot == row.next_pot


P17 = (
    # Tricks, pot, ledgers, carried, exempt.
    ((2, 2, 1, None), 4, [-1, -1, -1, -1], 4, (0, 1)),
    ((3, 1, 1, 0), 6, [5, -1, -2, -8], 6, (3,)),
    ((1, 2, 1, 1), 9, [4, 7, -3, -8], 0, ()),
    ((0, 2, 3, None), 4, [-1, 6, 0, -9], 4, (0,)),
)


def test_r40_to_r45_p17_four_hands() -> None:
    table = Table(4, NO_LIMIT)
    for tricks, pot, ledgers, carried, exempt in P17:
        table.play(tricks)
        settled = table.events[-1]
        assert isinstance(settled, HandSettled)
        assert settled.pot == pot * ANTE
        assert (table.ledgers, table.pot, table.view.public.exempt) == (ledgers, carried, exempt)


def play_match(hands: Sequence[Tricks]) -> Match:
    """A match without limit whose hands end in these tricks."""
    seats = len(hands[0])
    match = Match(Setup(seats, len(hands), SEED, house=NO_LIMIT))
    for number, tricks in enumerate(hands, 1):
        for decision in decisions_for(tricks, Dealing(SEED, 0), number, (number - 1) % seats):
            match.apply(decision)
    assert match.over
    return match


def nobody_but(seat: int, seats: int) -> Tricks:
    return [0 if other == seat else None for other in range(seats)]


def test_r71_e1_end_pot() -> None:
    match = play_match([tricks for tricks, *_ in P17])
    assert [units / ANTE for units in match.public.chips] == [0, 7, 1, -8]
    assert match.drain()[-1] == MatchSettled((ANTE,) * 4)


@pytest.mark.parametrize(
    ("last", "changes"),
    [
        pytest.param((3, 2, 0), [2520, 0, -2520], id="e3"),
        pytest.param((2, 2, 1, None), [0, 0, 0, 0], id="e5"),
    ],
)
def test_r71_last_hand(last: Tricks, changes: list[int]) -> None:
    """In units. The hands before are won without play, so that nothing is carried."""
    seats = len(last)
    match = play_match([*(nobody_but(seat, seats) for seat in range(seats - 1)), last])
    # Each of the first seats won one pot, and all paid an ante for each.
    before = [seats * ANTE * (seat < seats - 1) - (seats - 1) * ANTE for seat in range(seats)]
    assert [after - chips for after, chips in zip(match.public.chips, before, strict=True)] == changes


def test_bug_penalty_of_an_emptied_pot() -> None:
    """R40: a bourré pays on the pot as it was before the winner was paid."""
    assert settle(5 * ANTE, (3, 2, 0), CLASSIC).payments == (5 * ANTE, 0, -5 * ANTE)


def test_bug_chips_created_when_a_stack_runs_short() -> None:
    """R4: credit is unlimited, so a bourré far below zero pays in full."""
    table = Table(3)
    for _ in range(5):
        table.play((3, 2, 0))
        assert sum(table.ledgers) + table.pot == 0
    assert table.ledgers[2] == -1 - (3 + 5 + 7 + 9 + 11)


def test_bug_hand_ends_short_because_the_deck_is_never_reshuffled() -> None:
    table = Table(8)
    table.deal()
    for _ in range(8):
        discard(table, 5)
    for _ in range(40):
        table.decide(table.hand.default())
    assert sum(isinstance(event, CardPlayed) for event in table.events) == 40
    assert sum(isinstance(event, TrickWon) for event in table.events) == 5


def test_bug_must_head_stated_and_not_enforced() -> None:
    table = Table(2, dealing=FixedDealing(parse_cards("9c Qc 8c 6c 7c Kd 5c Qd 4c 2h")))
    table.deal()
    table.decide(STAND_PAT, STAND_PAT, Play(parse_card("9c")))
    assert table.hand.refuse(Play(parse_card("6c"))) == "6c is not legal; legal: Qc"
    assert table.hand.refuse(Play(parse_card("As"))) == "As is not held"


@pytest.mark.parametrize(
    ("holding", "card"),
    [("9c 3d 3s 2h Kh", "3s"), ("9c 4d 5s 2h Kh", "4d"), ("9h 4h 8h Kh 3h", "3h")],
)
def test_r50_default_card(holding: str, card: str) -> None:
    """Hearts are trump, and the seat leads."""
    dealer = parse_cards("Qc Jc Tc Ac 7h")
    deck = [each for pair in zip(parse_cards(holding), dealer, strict=True) for each in pair]
    table = Table(2, dealing=FixedDealing(deck))
    table.deal()
    table.decide(STAND_PAT, STAND_PAT)
    assert table.hand.default() == Play(parse_card(card))


def test_bug_seats_that_passed_are_tied() -> None:
    """R42, R45: here as many passed as play, and they sit on both sides."""
    settlement = settle(6 * ANTE, (None, 2, None, 2, 1, None), CLASSIC)
    assert settlement == ((0,) * 6, 6 * ANTE, (1, 3))


def test_bug_all_pass_for_ever() -> None:
    """R9: where nobody ever wants to play, each dealer takes a pot and the match ends."""
    match = Match(Setup(4, 4, SEED))
    for _ in range(4 * 4):
        if not match.over:
            match.apply(match.hand.default())
    assert match.over
    assert match.public.chips == [0, 0, 0, 0]
    assert sum(isinstance(event, HandStarted) for event in match.drain()) == 4
