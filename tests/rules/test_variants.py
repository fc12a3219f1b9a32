"""The worked cases of the rule book that need other house rules, and what they leave open."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pytest
from bourre_server.rules.cards import cards_in, parse_card, parse_cards
from bourre_server.rules.decisions import PASS, STAND_PAT, Declare, Draw
from bourre_server.rules.events import (
    AnteAdded,
    Declared,
    DrawAnnounced,
    Drew,
    MatchSettled,
    Reshuffled,
    Sealed,
    UpcardLaidAside,
    UpcardTurned,
)
from bourre_server.rules.hand import Kind
from bourre_server.rules.house import ANTE, HouseRules
from bourre_server.rules.match import Match, Setup
from bourre_server.rules.shuffle import Dealing
from bourre_server.rules.state import Upcard

from tests.rules.table import SEED, FixedDealing, Table, Tricks, decisions_for, with_upcard


def house_of(**differences: Any) -> HouseRules:
    return HouseRules.from_differences(differences)


def dealt(seats: int, upcard: str = "2h", **differences: Any) -> Table:
    """A table whose first hand turns this card up."""
    house = house_of(**differences)
    table = Table(seats, house, with_upcard(seats, upcard, house.hand_size))
    table.deal()
    return table


def declarations(table: Table) -> list[object]:
    """What the seats have declared and drawn."""
    kinds = Declared | Sealed | DrawAnnounced | AnteAdded
    return [event for event in table.events if isinstance(event, kinds)]


# Declare and draw.


def test_r61_d10_simultaneous_nobody_plays() -> None:
    table = Table(3, house_of(declare="simultaneous"))
    table.deal()
    table.decide(PASS, PASS, PASS)
    assert declarations(table) == [
        *(Sealed(seat, plays=False) for seat in (1, 2, 0)),
        *(Declared(seat, plays=False, discards=0) for seat in (1, 2, 0)),
    ]
    assert (table.hand.kind, table.pot, table.view.public.exempt) == (Kind.OVER, 3, ())
    table.deal()
    assert (table.view.public.dealer, table.pot) == (1, 6)


def test_r62_d11_four_cards() -> None:
    table = dealt(3, hand_size=4)
    public, hand = table.view.public, table.hand
    assert [table.view.holding(seat).bit_count() for seat in range(3)] == [4] * 3
    assert table.view.holding(0) & 1 << public.upcard
    assert (hand.max_discards, hand.refuse(Declare(True, tuple(cards_in(hand.legal))))) == (4, None)
    for _ in range(3):
        table.decide(STAND_PAT)
    for _ in range(12):
        table.decide(hand.default())
    assert hand.kind is Kind.OVER
    assert sum(public.tricks_won) == 4


def test_r61_declarations_are_revealed_together_and_drawn_for_in_rotation() -> None:
    table = dealt(4, declare="simultaneous")
    hand = table.hand
    assert (hand.legal, hand.max_discards) == (0, 0)
    assert hand.refuse(Declare(True, (1,))) == "1 discards; at most 0: they follow when all have declared"
    table.decide(STAND_PAT, PASS, STAND_PAT)
    assert table.view.public.playing == []
    assert [table.view.privates[seat].sealed for seat in (1, 2, 3, 0)] == [True, False, True, None]
    table.decide(STAND_PAT)
    assert table.view.public.playing == [0, 1, 3]
    for seat, count in ((1, 2), (3, 0), (0, 5)):
        assert (hand.kind, hand.to_act, hand.may_pass, hand.max_discards) == (Kind.DRAW, seat, False, 5)
        assert hand.refuse(STAND_PAT) == "asked to draw, not to declare"
        assert hand.default() == Draw()
        table.decide(Draw(tuple(cards_in(hand.legal)[:count])))
    assert (hand.kind, hand.to_act) == (Kind.PLAY, 1)
    assert declarations(table)[-3:] == [DrawAnnounced(1, 2), DrawAnnounced(3, 0), DrawAnnounced(0, 5)]
    assert table.view.public.discards_taken == [5, 2, 0, 0]
    assert table.view.public.upcard_state is Upcard.LAID_ASIDE


@pytest.mark.parametrize("differences", [{"declare": "simultaneous"}, {"draw_timing": "after_declarations"}])
def test_r61_nobody_draws_where_only_one_plays(differences: dict[str, str]) -> None:
    table = dealt(3, **differences)
    table.decide(PASS, STAND_PAT, PASS)
    assert (table.hand.kind, table.ledgers) == (Kind.OVER, [-1, -1, 2])


def test_r61_r8_a_dealer_with_an_ace_must_play() -> None:
    table = dealt(3, "Ah", declare="simultaneous")
    table.decide(PASS, PASS)
    assert table.hand.refuse(PASS) == "the upcard is an ace: the dealer must play"
    table.decide(STAND_PAT)
    assert table.ledgers == [2, -1, -1]


def test_r63_draw_after_declarations() -> None:
    table = dealt(3, draw_timing="after_declarations")
    table.decide(STAND_PAT)
    assert table.view.public.playing == [1]
    table.decide(PASS, STAND_PAT)
    assert (table.hand.kind, table.hand.to_act) == (Kind.DRAW, 1)
    assert table.hand.refuse(Draw((1,))) == "not held: 3s"
    assert not any(isinstance(event, Sealed) for event in table.events)


def test_r9_after_declarations_the_dealer_wins_unasked() -> None:
    table = dealt(3, draw_timing="after_declarations")
    table.decide(PASS, PASS)
    assert table.ledgers == [2, -1, -1]


@pytest.mark.parametrize(
    ("decision", "ledgers", "carried"), [(PASS, [-1, -1, -1], 3), (STAND_PAT, [2, -1, -1], 0)]
)
def test_r61_all_pass_carry_asks_the_dealer(decision: Declare, ledgers: list[int], carried: int) -> None:
    table = dealt(3, all_pass="carry")
    table.decide(PASS, PASS)
    assert (table.hand.kind, table.hand.to_act) == (Kind.DECLARE, 0)
    table.decide(decision)
    assert (table.hand.kind, table.ledgers, table.pot) == (Kind.OVER, ledgers, carried)
    assert table.view.public.exempt == ()


@pytest.mark.parametrize(
    ("dealer_must_play", "upcard", "refused"),
    [
        ("ace", "Kh", None),
        ("never", "Ah", None),
        ("always", "2h", "the dealer must play"),
    ],
)
def test_r63_dealer_must_play(dealer_must_play: str, upcard: str, refused: str | None) -> None:
    table = dealt(3, upcard, dealer_must_play=dealer_must_play)
    table.decide(STAND_PAT, PASS)
    assert table.hand.refuse(PASS) == refused
    assert table.hand.default() == (STAND_PAT if refused else PASS)


@pytest.mark.parametrize(
    ("upcard_discard", "upcard", "may"),
    [("any", "Ah", True), ("not_ace", "Ah", False), ("not_ace", "Kh", True), ("never", "2h", False)],
)
def test_r11_upcard_discard(upcard_discard: str, upcard: str, *, may: bool) -> None:
    table = dealt(3, upcard, upcard_discard=upcard_discard)
    table.decide(STAND_PAT)
    assert table.hand.max_discards == 5
    table.decide(STAND_PAT)
    refused = table.hand.refuse(Declare(True, (parse_card(upcard),)))
    assert refused == (None if may else "the upcard may not be discarded")
    assert table.hand.max_discards == 4 + may


@pytest.mark.parametrize(("seats", "most"), [(7, 4), (8, 3)])
def test_r63_max_discards_by_seats(seats: int, most: int) -> None:
    table = dealt(seats, max_discards=[5, 5, 5, 5, 5, 4, 3])
    discards = tuple(cards_in(table.hand.legal)[: most + 1])
    assert table.hand.refuse(Declare(True, discards)) == f"{most + 1} discards; at most {most}"
    assert table.hand.refuse(Declare(True, discards[:most])) is None


def test_r63_next_card_is_turned_from_the_stock_and_gone() -> None:
    house = house_of(trump_source="next_card", dealer_must_play="never")
    table = Table(2, house, FixedDealing(parse_cards("2s 3s 4s 5s 6s 7s 8s 9s Ts Js Ah 2d")))
    table.deal()
    public, ace = table.view.public, parse_card("Ah")
    assert table.events[-2:] == [UpcardTurned(ace), UpcardLaidAside(ace)]
    assert (public.trump, public.gone, public.upcard_state) == (1, 1 << ace, Upcard.LAID_ASIDE)
    assert not table.view.holding(0) & 1 << ace
    table.decide(Declare(True, (parse_card("2s"),)))
    assert table.events[-1] == Drew(1, 1 << parse_card("2d"))
    assert table.hand.refuse(PASS) is None


@pytest.mark.parametrize(("reshuffle", "pool"), [("discards_and_passed", 15), ("discards", 10)])
def test_r12_reshuffle(reshuffle: str, pool: int) -> None:
    """Eight seats, a stock of twelve: one passes, two draw five, and the next runs it out."""
    table = dealt(8, reshuffle=reshuffle)
    table.decide(PASS)
    for _ in range(3):
        table.decide(Declare(True, tuple(cards_in(table.hand.legal))))
    assert [event for event in table.events if isinstance(event, Reshuffled)] == [Reshuffled(pool)]


# Money.


class Money(NamedTuple):
    """A hand in antes: what the seats win and lose, and what the next hand finds."""

    case: str
    differences: dict[str, Any]
    tricks: Tricks
    changes: Sequence[float]
    carried: float
    exempt: tuple[int, ...]
    next_pot: float
    before: int = 0
    reneges: Mapping[int, bool] | None = None


RENEGE = {"illegal": "renege"}
RIGHT, WRONG = {0: True}, {0: False}
DOUBLE, FIXED = {"double_ante": True}, {"bourre_penalty": "fixed:2"}
LIMITED = {"limit_scope": "penalty_and_payout"}
MONEY = [
    Money("r44_p12_payout", LIMITED, (3, 2, 0, None, None), (19, -1, -21, -1, -1), 30, (2,), 34, 25),
    Money("r60_p15_double_ante", DOUBLE, (3, 2, 0, None, None), (6, -2, -10, -1, -1), 8, (), 13),
    Money("r45_p22_none", {"ante_exempt": "none"}, (2, 2, 1, None, None), (-1,) * 5, 5, (), 10),
    Money(
        "r45_p23_any_trick",
        {"ante_exempt": "any_trick_or_bourre"},
        (3, 2, 0, None, None),
        (4, -1, -6, -1, -1),
        5,
        (0, 1, 2),
        7,
    ),
    Money("r45_no_bourre", {"ante_exempt": "any_trick_or_bourre"}, (2, 2, 1), (-1,) * 3, 3, (), 6),
    Money("r46_p24_fixed", FIXED, (3, 2, 0, None, None), (4, -1, -3, -1, -1), 2, (2,), 6),
    Money("r62_p25_four_cards", {"hand_size": 4}, (2, 2, None, None), (-1,) * 4, 4, (0, 1), 6),
    Money("r46_share", {"tie": "share"}, (2, 2, 1, 0), (1, 1, -1, -5), 4, (3,), 7),
    Money("r44_pot_cap", {"pot_cap": 3}, (3, 2, 0, 0), (3, -1, -2.5, -2.5), 3, (2, 3), 5),
    Money("r10_payout", LIMITED, (None, 0, None, None), (-1, 19, -1, -1), 4, (), 8, 20),
    Money("r51_p18_put_right", RENEGE, (3, 2, None, None), (-1,) * 4, 4, (), 8, 0, RIGHT),
    Money("r51_p19_not_put_right", RENEGE, (1, 3, 1, None), (-5, 3, -1, -1), 4, (), 8, 0, WRONG),
    Money("r51_p20_and_bourre", RENEGE, (0, 3, 2, None), (-5, 3, -1, -1), 4, (0,), 7, 0, WRONG),
    Money("r51_put_right_and_beaten", RENEGE, (2, 3, None, None), (-1, 3, -1, -1), 0, (), 4, 0, RIGHT),
    Money("r51_others_are_bourre", RENEGE, (3, 2, 0, None), (-1, -1, -5, -1), 8, (2,), 11, 0, RIGHT),
    Money("r51_tied", RENEGE, (2, 2, 1, None), (-1,) * 4, 4, (1,), 7, 0, RIGHT),
    Money("r51_shared", RENEGE | {"tie": "share"}, (2, 2, 1, None), (-1, 3, -1, -1), 0, (), 4, 0, RIGHT),
]


@pytest.mark.parametrize("row", [pytest.param(row, id=row.case) for row in MONEY])
def test_money(row: Money) -> None:
    table = Table(len(row.tricks), house_of(**row.differences))
    table.carry(row.before)
    before = table.ledgers
    table.play(row.tricks, row.reneges)
    changes = [after - chips for after, chips in zip(table.ledgers, before, strict=True)]
    assert changes == list(row.changes)
    assert (table.pot, table.view.public.exempt) == (row.carried, row.exempt)
    table.deal()
    assert table.pot == row.next_pot


def test_r60_p15_who_plays_adds_an_ante_when_declaring() -> None:
    table = dealt(5, double_ante=True)
    table.decide(PASS, STAND_PAT)
    assert declarations(table)[-2:] == [Declared(2, plays=True, discards=0), AnteAdded(2, ANTE)]
    assert (table.ledgers, table.pot) == ([-1, -1, -2, -1, -1], 6)


def test_r60_r61_second_antes_follow_the_reveal() -> None:
    table = dealt(3, double_ante=True, declare="simultaneous")
    table.decide(STAND_PAT, PASS)
    assert table.pot == 3
    table.decide(STAND_PAT)
    assert table.pot == 5


@pytest.mark.parametrize(
    ("end_pot", "shares"),
    [("equal", [840, 840, 840, 840]), ("equal_after_ante", [1260, 1260, 420, 420])],
)
def test_r71_e5_end_pot(end_pot: str, shares: list[int]) -> None:
    """Three hands that one seat each wins without play, then 2-2-1: four antes are left."""
    house = house_of(end_pot=end_pot)
    hands: list[Tricks] = [[0 if other == seat else None for other in range(4)] for seat in range(3)]
    match = Match(Setup(4, 4, SEED, house=house))
    for number, tricks in enumerate([*hands, (2, 2, 1, None)], 1):
        for decision in decisions_for(tricks, Dealing(SEED, 0), number, number - 1, house):
            match.apply(decision)
    assert match.drain()[-1] == MatchSettled(tuple(shares))
    assert sum(match.public.chips) == 0
