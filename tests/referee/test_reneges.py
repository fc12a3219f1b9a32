"""R51: cards that are handed back, and decisions out of turn, where the house rules give them a price."""

from collections.abc import Callable

import pytest
from bourre_server.referee.faults import FaultKind
from bourre_server.referee.messages import Reply
from bourre_server.rules.cards import NAMES, cards_in
from bourre_server.rules.decisions import PASS, PLAYS, STAND_PAT, Declare
from bourre_server.rules.events import CardRetracted, DealLost, DealSkipped, Event, HandStarted
from bourre_server.rules.hand import Kind
from bourre_server.rules.house import HouseRules
from bourre_server.rules.record import Made, Record, replay
from bourre_server.rules.state import Renege

from tests.referee.bench_of_bots import Bench

RENEGE = HouseRules(illegal="renege")


def at_a_renege(house: HouseRules = RENEGE) -> tuple[Bench, int]:
    """Three seats that all play, at the first request with an illegal card among those held; the card."""
    bench = Bench(3)
    bench.open(house=house)
    for _ in range(100):
        hand = bench.table().match.hand
        illegal = cards_in(bench.table().match.holding(hand.to_act) & ~hand.legal)
        if hand.kind is Kind.PLAY and illegal:
            return bench, illegal[0]
        bench.answer(bench.ask(), STAND_PAT if hand.kind is Kind.DECLARE else None)
    raise AssertionError("every card is legal for ever")


def finished(bench: Bench) -> tuple[list[Event], Record]:
    """The events of the match, played out and replayed from its record."""
    bench.play_out()
    record = bench.finished[0].record()
    steps = list(replay(record, bench.finished[0].spec.setup.seed))
    assert bench.journal[1] == record.decisions.split()
    return [event for _, events in steps for event in events], record


def test_r51_a_card_is_handed_back_once_and_put_right() -> None:
    bench, card = at_a_renege()
    ask = bench.ask()
    seat, tokens = ask.seat, len(bench.table().tokens)
    bench.take()
    bench.answer(ask, PLAYS[card])
    assert (ask.attempt, ask.open_list is not None) == (2, True)
    assert [told.fault.action for _, told in bench.faults_told()] == [f"{NAMES[card]} handed back"] * 3
    legal = PLAYS[cards_in(bench.table().match.hand.legal)[0]]
    bench.answer(ask, legal)
    assert bench.table().tokens[tokens] == Made(legal, 2, retracted=card).token
    assert bench.table().match.public.reneges[seat] is Renege.PUT_RIGHT
    events, _ = finished(bench)
    assert [event for event in events if isinstance(event, CardRetracted | DealLost | DealSkipped)] == [
        CardRetracted(seat, card, put_right=True),
        DealLost(seat),
        DealSkipped(seat),
    ]


def second_card(bench: Bench, card: int) -> None:
    bench.answer(bench.ask(), PLAYS[card])


def no_answer(bench: Bench, _card: int) -> None:
    """To the list's deadline, and on until the bank is empty."""
    for _ in range(2):
        assert bench.wake is not None
        bench.wait(bench.wake - bench.now)


def gone_for_good(bench: Bench, _card: int) -> None:
    bench.do(bench.referee.give_up, bench.names[bench.ask().seat], "gone")


@pytest.mark.parametrize("act", [second_card, no_answer, gone_for_good])
def test_r51_not_put_right(act: Callable[[Bench, int], None]) -> None:
    bench, card = at_a_renege()
    seat, tokens, default = bench.ask().seat, len(bench.table().tokens), bench.table().match.hand.default()
    bench.answer(bench.ask(), PLAYS[card])
    act(bench, card)
    made = Made.parse(bench.table().tokens[tokens])
    assert (made.decision, made.retracted, made.reason != "") == (default, card, True)
    assert bench.table().match.public.reneges[seat] is Renege.NOT_PUT_RIGHT


def test_r51_a_card_that_is_not_held_is_no_renege() -> None:
    bench, _ = at_a_renege()
    ask = bench.ask()
    others = [card for card in range(52) if not bench.table().match.holding(ask.seat) >> card & 1]
    bench.answer(ask, PLAYS[others[0]])
    assert (ask.attempt, bench.table().retracted) == (2, None)


def test_r50_without_a_price_an_illegal_card_is_refused_three_times() -> None:
    bench, card = at_a_renege(HouseRules())
    ask, tokens = bench.ask(), len(bench.table().tokens)
    for _ in range(3):
        bench.answer(ask, PLAYS[card])
    assert bench.table().tokens[tokens].endswith("*3!illegal")


def test_r51_the_first_renege_at_the_last_attempt_is_not_put_right() -> None:
    bench, card = at_a_renege()
    ask, tokens = bench.ask(), len(bench.table().tokens)
    bench.answer(ask, PASS)
    bench.answer(ask, PASS)
    bench.answer(ask, PLAYS[card])
    made = Made.parse(bench.table().tokens[tokens])
    assert (made.attempts, made.retracted, made.reason) == (3, card, FaultKind.ILLEGAL)


def test_r51_out_of_turn_loses_the_next_deal_once() -> None:
    bench = Bench(3)
    bench.open(house=RENEGE, hands=6)
    unasked = Reply(1, 0, PASS)
    bench.reply(bench.names[2], unasked, unasked)
    bench.answer(bench.ask(), Declare(True))
    bench.reply(bench.names[2], Reply(1, 1, PASS))  # late, so it loses nothing
    events, record = finished(bench)
    assert record.decisions.split()[0] == "@2+"
    assert events.count(DealLost(2)) == events.count(DealSkipped(2)) == 1
    dealers = [event.dealer for event in events if isinstance(event, HandStarted)]
    assert dealers == [0, 1, 0, 1, 2, 0]


@pytest.mark.parametrize("house", [HouseRules(), HouseRules(illegal="renege", renege_loses_deal=False)])
def test_r51_out_of_turn_where_no_deal_is_lost(house: HouseRules) -> None:
    bench = Bench(3)
    bench.open(house=house)
    bench.reply(bench.names[(bench.ask().seat + 1) % 3], Reply(1, 0, PASS))
    events, _ = finished(bench)
    assert not any(isinstance(event, DealLost) for event in events)


def test_r51_who_is_asked_is_never_out_of_turn() -> None:
    bench = Bench(3)
    bench.open(house=RENEGE)
    bench.reply(bench.names[bench.ask().seat], Reply(1, 0, PASS))
    assert bench.table().out_of_turn == []


def test_a_restarted_referee_remembers_a_renege() -> None:
    bench, card = at_a_renege()
    bench.answer(bench.ask(), PLAYS[card])
    bench.answer(bench.ask())
    again = Bench(3)
    again.open(tokens=bench.journal[1], house=RENEGE)
    assert vars(again.table().match.public) == vars(bench.table().match.public)
