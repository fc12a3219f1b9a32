"""What a reply is, in every state of what it answers; see the table at the top of `referee.py`."""

import pytest
from bourre_server.referee.faults import FaultKind
from bourre_server.referee.messages import Asked, Faulted, Reply
from bourre_server.rules.cards import cards_in
from bourre_server.rules.decisions import PASS, PLAYS, STAND_PAT, Decision, Declare, Play

from tests.referee.bench_of_bots import Bench, any_legal

TWICE = Declare(True, (0, 0))


def a_bench() -> Bench:
    """Three bots at a table, after one decision."""
    bench = Bench(3)
    bench.open()
    bench.answer(bench.ask())
    bench.take()
    return bench


# reply, relative to the open request: (id, decision, whose reply)
ASKED, OTHER = "the bot asked", "another bot at the table"


@pytest.mark.parametrize(
    ("who", "table", "step", "decision", "kind"),
    [
        (ASKED, 9, 0, STAND_PAT, FaultKind.UNKNOWN_TABLE),
        (OTHER, 9, 0, STAND_PAT, FaultKind.UNKNOWN_TABLE),
        (ASKED, 1, -1, STAND_PAT, FaultKind.STALE),
        (OTHER, 1, -1, STAND_PAT, FaultKind.STALE),
        (ASKED, 1, -2, STAND_PAT, FaultKind.OUT_OF_TURN),
        (OTHER, 1, -2, STAND_PAT, FaultKind.OUT_OF_TURN),
        (ASKED, 1, 1, STAND_PAT, FaultKind.MALFORMED),
        (OTHER, 1, 1, STAND_PAT, FaultKind.MALFORMED),
        (OTHER, 1, 0, STAND_PAT, FaultKind.MALFORMED),
        (ASKED, 1, 0, None, FaultKind.MALFORMED),
        (ASKED, 1, 0, TWICE, FaultKind.ILLEGAL),
        (ASKED, 1, 0, PLAYS[3], FaultKind.ILLEGAL),
        (ASKED, 1, 0, STAND_PAT, None),
    ],
)
def test_every_reply(
    who: str, table: int, step: int, decision: Decision | None, kind: FaultKind | None
) -> None:
    bench = a_bench()
    ask, before = bench.ask(), list(bench.table().tokens)
    asked = bench.table().bots[ask.seat]
    name = asked if who == ASKED else next(other for other in bench.names if other != asked)
    bench.reply(name, Reply(table, ask.decision_id + step, decision, "no action" if decision is None else ""))
    if kind is None:
        assert bench.table().tokens == [*before, "+"]
        assert not bench.faults_told()
        return
    assert bench.table().tokens == before
    assert {told.fault.kind for _, told in bench.faults_told()} == {kind}
    told = {bot: faulted.own for bot, faulted in bench.faults_told()}
    assert told[name]
    assert (len(told) > 1) == kind.counts
    at_fault = bench.table().bots.index(name)
    assert bench.table().counts[at_fault] == kind.counts
    again = [(bot, list(asked.asks)) for bot, asked in bench.lists_told()]
    is_asked_again = who == ASKED and table == 1 and step == 0
    assert again == ([(name, [ask])] if is_asked_again else [])
    assert ask.attempt == (2 if is_asked_again else 1)


def test_r50_three_attempts_then_the_default() -> None:
    bench = a_bench()
    ask = bench.ask()
    deadline = ask.open_list.deadline if ask.open_list else None
    for attempt in (2, 3):
        bench.now += 0.1
        bench.answer(ask, TWICE)
        assert (ask.attempt, ask.refused) == (attempt, "the same card is discarded twice")
        assert ask.open_list is not None
        assert ask.open_list.deadline == deadline
    bench.answer(ask, TWICE)
    assert bench.table().tokens[-1] == "-*3!illegal"
    assert [fault.action for fault in bench.table().faults] == ["asked again", "asked again", "- by default"]
    assert bench.table().counts[ask.seat] == 3


def test_f71_an_illegal_card_shows_the_list_that_was_legal() -> None:
    bench = Bench(2)
    bench.open()
    while bench.table().match.hand.kind.name != "PLAY":
        bench.answer(bench.ask(), STAND_PAT)
    ask = bench.ask()
    legal = bench.table().match.hand.legal
    bad = next(card for card in range(52) if not legal >> card & 1)
    bench.answer(ask, Play(bad))
    fault = bench.table().faults[-1]
    assert fault.legal == legal
    assert fault.sent == PLAYS[bad].token
    bench.answer(ask, PLAYS[cards_in(legal)[0]])
    assert bench.table().tokens[ask.decision_id - 1] == f"{PLAYS[cards_in(legal)[0]].token}*2"


def test_f59_a_late_answer_is_stale_and_leaks_nowhere() -> None:
    bench = Bench(2)
    bench.open(clock={"budget": 1.0, "bank": 0.0})
    late = bench.ask()
    bench.wait(1.5)
    following, tokens = bench.ask(), list(bench.table().tokens)
    assert tokens == ["-!timeout"]
    bench.answer(late, STAND_PAT)
    assert [fault.kind for fault in bench.table().faults][:2] == [FaultKind.TIMEOUT, FaultKind.STALE]
    assert (bench.ask(), following.attempt, bench.table().tokens) == (following, 1, tokens)
    assert bench.table().counts[late.seat] == 1


def test_so_many_faults_and_a_seat_plays_by_default() -> None:
    bench = Bench(2)
    bench.open(forfeit_after=4)
    seat = bench.ask().seat
    name = bench.table().bots[seat]
    for _ in range(4):
        bench.reply(name, Reply(1, 99, PASS))
    assert bench.table().forfeited[seat]
    bench.play_out()
    (table,) = bench.finished
    assert table.forfeited.count(True) == 1
    assert sum(table.match.public.chips) == 0


def test_a_flood_of_stale_replies_does_not_fill_the_record() -> None:
    bench = a_bench()
    for _ in range(300):
        bench.reply("bot0", Reply(1, 1, PASS))
    assert len(bench.table().faults) == 100
    assert bench.table().counts == [0, 0, 0]
    bench.reply("bot0", Reply(1, 0, PASS))
    assert bench.table().faults[-1].kind is FaultKind.OUT_OF_TURN, "what counts is kept in spite of it"


def test_the_fault_of_one_is_told_to_others_in_part() -> None:
    bench = a_bench()
    bench.answer(bench.ask(), TWICE)
    own = [told.own for _, told in bench.faults_told()]
    assert sorted(own) == [False, False, True]
    assert all(isinstance(message, Faulted | Asked) for _, message in bench.told)


@pytest.mark.parametrize("kind", [FaultKind.MALFORMED, FaultKind.FLOODING])
def test_noise_is_a_fault_in_each_match(kind: FaultKind) -> None:
    bench = Bench(2)
    bench.open(1)
    bench.open(2)
    bench.do(bench.referee.disturb, "bot0", kind, "noise")
    for number in (1, 2):
        assert [fault.kind for fault in bench.table(number).faults] == [kind]
        assert bench.table(number).counts == [1, 0]


@pytest.mark.parametrize("decision", [STAND_PAT, TWICE, None])
def test_a_request_that_waits_to_be_sent_is_not_asked_yet(decision: Decision | None) -> None:
    bench = Bench(2)
    bench.open(1)
    bench.open(2)
    ask = bench.ask(2)
    assert ask.open_list is None
    bench.reply(bench.table(2).bots[ask.seat], Reply(2, ask.decision_id, decision, "no action"))
    assert [fault.kind for fault in bench.table(2).faults] == [FaultKind.MALFORMED]
    assert (bench.table(2).tokens, ask.attempt, bench.ask(2)) == ([], 1, ask)


@pytest.mark.parametrize("step", [-1, 0, 1])
def test_a_seat_that_forfeited_decides_nothing(step: int) -> None:
    bench = Bench(3)
    bench.open(forfeit_after=1)
    seat = bench.ask().seat
    bench.answer(bench.ask(), TWICE)
    assert bench.table().tokens == ["-!forfeited"]
    ask, name = bench.ask(), bench.table().bots[seat]
    bench.take()
    bench.reply(name, Reply(1, ask.decision_id + step, STAND_PAT))
    assert (bench.table().tokens, bench.ask()) == (["-!forfeited"], ask)
    assert [faulted.own for to, faulted in bench.faults_told() if to == name] == [True]


def test_replies_to_a_match_that_ends_in_the_same_frame_reach_no_table() -> None:
    bench = Bench(2)
    bench.open(hands=2)
    while bench.referee.tables:
        ask = bench.ask()
        reply = Reply(1, ask.decision_id, any_legal(bench.table().match.hand))
        bench.take()
        bench.reply(bench.table().bots[ask.seat], reply, reply)
    assert bench.faults_told()[-1][1].fault.kind is FaultKind.UNKNOWN_TABLE
    assert not any(table.counts[0] or table.counts[1] for table in bench.finished)
