"""Lists, deadlines and banks, with exact numbers on a clock that the test sets."""

from math import inf

import pytest
from bourre_server.referee.lists import LARGEST_LIST, Ask, OpenList, cut
from bourre_server.referee.messages import Reply
from bourre_server.rules.decisions import STAND_PAT

from tests.referee.bench_of_bots import Bench

CLOCK = {"budget": 2.0, "bank": 10.0, "increment": 0.5}


def four_tables(**clock: float) -> tuple[Bench, list[Ask]]:
    """Two bots at four tables of two, where the same bot is asked at all of them."""
    bench = Bench(2)
    bench.names.reverse()
    for number in range(1, 5):
        bench.open(number, clock=CLOCK | clock)
    asks = [bench.ask(number) for number in range(1, 5)]
    assert len({ask.table.bots[ask.seat] for ask in asks}) == 1
    return bench, asks


def test_one_list_is_open_and_the_rest_waits() -> None:
    bench, asks = four_tables()
    assert [len(asked.asks) for _, asked in bench.lists_told()] == [1]
    assert [ask.open_list is not None for ask in asks] == [True, False, False, False]
    bench.take()
    bench.now = 1.0
    bench.answer(asks[0], STAND_PAT)
    ((_, asked),) = [told for told in bench.lists_told() if told[1].size == 3]
    assert list(asked.asks) == asks[1:]
    assert asked.deadline == 6.0


def a_list_of_three(**clock: float) -> tuple[Bench, list[Ask]]:
    """Three requests that were sent at second 1; their deadline is at second 7."""
    bench, asks = four_tables(**clock)
    bench.now = 1.0
    bench.answer(asks[0], STAND_PAT)
    bench.take()
    return bench, asks[1:]


def test_the_deadline_does_not_move_and_no_bank_is_touched_before_it() -> None:
    bench, asks = a_list_of_three()
    bench.wait(5.0)
    bench.answer(asks[0], STAND_PAT)
    bench.wait(0.9)
    opened = asks[1].open_list
    assert opened is not None
    assert opened.deadline == 7.0
    bench.answer(asks[1], STAND_PAT)
    bench.answer(asks[2], STAND_PAT)
    assert [ask.bank for ask in asks] == [10.0] * 3


def test_after_the_deadline_the_unanswered_share_the_time() -> None:
    bench, asks = a_list_of_three()
    bench.wait(6.0 + 3.0)
    bench.answer(asks[0], STAND_PAT)
    assert [ask.bank for ask in asks] == [pytest.approx(9.0)] * 3
    bench.wait(4.0)
    bench.answer(asks[1], STAND_PAT)
    assert [ask.bank for ask in asks] == [pytest.approx(bank) for bank in (9.0, 7.0, 7.0)]


def test_the_one_whose_bank_is_empty_is_defaulted_alone() -> None:
    bench, asks = a_list_of_three()
    asks[1].table.banks[asks[1].seat] = 1.0
    bench.wait(6.0 + 2.9)
    assert not asks[1].table.faults
    bench.wait(0.2)
    assert [fault.kind.value for fault in asks[1].table.faults] == ["timeout"]
    (fault,) = asks[1].table.faults
    assert fault.elapsed == pytest.approx(9.0)
    assert fault.charged == pytest.approx(1.0)
    assert not asks[0].table.faults
    assert not asks[2].table.faults
    # From second 10 on two are left: 0.05 s each of the 0.1 s since.
    assert [ask.bank for ask in (asks[0], asks[2])] == [pytest.approx(8.95)] * 2


def test_an_answer_that_arrives_after_its_bank_is_empty_is_late() -> None:
    """Although nobody looked at the clock meanwhile."""
    bench, asks = a_list_of_three(bank=1.0)
    bench.now += 6.0 + 3.0 + 0.1
    bench.answer(asks[0], STAND_PAT)
    assert [fault.kind.value for fault in asks[0].table.faults] == ["timeout", "stale"]


def test_a_hand_adds_to_the_bank_up_to_its_size() -> None:
    bench = Bench(2)
    bench.open(clock=CLOCK)
    table = bench.table()
    table.banks[:] = [9.8, 3.0]
    while table.match.public.hand == 1:
        bench.answer(bench.ask())
    assert table.banks == [10.0, 3.5]


def test_f4_a_bot_may_use_nearly_all_its_budget_always() -> None:
    bench = Bench(2)
    bench.open(hands=80, clock=CLOCK)
    for _ in range(200):
        bench.wait(1.9)
        bench.answer(bench.ask())
    assert bench.table().faults == []
    assert bench.table().banks == [10.0, 10.0]


def test_without_a_clock_a_bot_may_think_for_ever() -> None:
    bench = Bench(2)
    bench.open(clock={"budget": None})
    assert bench.wake is None
    bench.wait(1e9)
    bench.answer(bench.ask())
    assert not bench.table().faults


@pytest.mark.parametrize("lists", [1, 2, 16])
def test_no_more_lists_are_open_than_declared(lists: int) -> None:
    bench = Bench(2, lists=lists)
    for number in range(1, 41):
        bench.open(number)
    opened = {id(bench.ask(number).open_list) for number in range(1, 41) if bench.ask(number).open_list}
    assert len(opened) == lists


def test_a_list_is_no_longer_than_its_longest_wait_and_size() -> None:
    bench = Bench(2)
    bench.open(clock={"budget": 25.0})
    asks = [Ask(bench.table(), 0, number) for number in range(5)]
    assert (len(cut(asks)), len(asks)) == (2, 3)
    bench.open(2, clock={"budget": 100.0})
    assert len(cut([Ask(bench.table(2), 0, 1), Ask(bench.table(2), 0, 2)])) == 1
    bench.open(3, clock={"budget": None})
    many = [Ask(bench.table(3), 0, number) for number in range(LARGEST_LIST + 1)]
    assert len(cut(many)) == LARGEST_LIST
    assert OpenList([many[0]], 0.0).deadline == inf


def test_f15_leaving_wins_no_time_to_think() -> None:
    """What was used of a budget before a bot left is used; and its absence is one for the match."""
    bench = Bench(2)
    bench.open(clock=CLOCK | {"absence": 11.0})
    ask = bench.ask()
    name = bench.table().bots[ask.seat]
    for _ in range(20):
        bench.wait(0.09)
        bench.do(bench.referee.lose, name)
        bench.wait(0.5)
        bench.join(name)
    opened = ask.open_list
    assert opened is not None
    assert opened.deadline - bench.now == pytest.approx(0.2)
    assert bench.table().absence[ask.seat] == pytest.approx(1.0)
    assert bench.table().banks[ask.seat] == 10.0
    assert not bench.table().faults


def test_f15_leaving_wins_no_time_from_requests_whose_time_is_used() -> None:
    """A list's time is what it is, also where one of its requests has used its own before."""
    bench = Bench(2)
    bench.names.reverse()
    bench.open(1, clock=CLOCK)
    name = bench.table(1).bots[bench.ask(1).seat]
    bench.wait(1.9)
    bench.do(bench.referee.lose, name)
    bench.open(2, clock=CLOCK)
    bench.join(name)
    assert list_of(bench.ask(1)) is list_of(bench.ask(2))
    assert list_of(bench.ask(2)).deadline - bench.now == pytest.approx(2.1)
    bench.wait(2.0)
    bench.do(bench.referee.lose, name)
    bench.join(name)
    assert list_of(bench.ask(2)).deadline - bench.now == pytest.approx(0.1)


def test_f15_leaving_after_the_deadline_wins_neither_time_nor_bank() -> None:
    bench = Bench(2)
    bench.open(clock=CLOCK)
    ask = bench.ask()
    name = bench.table().bots[ask.seat]
    bench.wait(2.0 + 4.0)
    for _ in range(20):
        bench.do(bench.referee.lose, name)
        bench.wait(0.1)
        bench.join(name)
    assert ask.bank == pytest.approx(6.0)
    bench.wait(5.9)
    assert not bench.table().faults
    bench.wait(0.2)
    assert [fault.kind.value for fault in bench.table().faults] == ["timeout"]
    assert bench.table().faults[0].charged == pytest.approx(10.0)


@pytest.mark.parametrize("clocks", [(1.0, None, None), (None, 1.0, None), (None, None, 1.0)])
def test_requests_without_a_clock_take_the_deadline_from_no_other(clocks: tuple[float | None, ...]) -> None:
    bench = Bench(2, joined=False)
    for number, budget in enumerate(clocks, 1):
        bench.open(number, clock={"budget": budget, "absence": 1e6})
    name = bench.table(1).bots[bench.ask(1).seat]
    bench.join(name, lists=3)
    lists = [list_of(bench.ask(number)) for number in (1, 2, 3)]
    assert [opened.deadline for opened in lists] == [inf if budget is None else budget for budget in clocks]


def list_of(ask: Ask) -> OpenList:
    """The open list of a request that was sent."""
    assert ask.open_list is not None
    return ask.open_list


def test_f15_others_that_come_and_go_change_nothing_for_a_bot_that_is_away() -> None:
    bench = Bench(2)
    bench.open(hands=20, clock=CLOCK | {"absence": 10.0})
    name, other = (bench.table().bots[seat] for seat in (bench.ask().seat, 1 - bench.ask().seat))
    bench.do(bench.referee.lose, name)
    for _ in range(9):
        bench.do(bench.referee.lose, other)
        bench.wait(0.5)
        bench.join(other)
        bench.wait(0.5)
    assert bench.table().tokens == []
    bench.wait(1.0)
    assert bench.table().tokens[0] == "-!disconnected"


def test_an_absence_that_runs_out_in_another_s_turn_is_a_fault_once() -> None:
    bench = Bench(2)
    bench.open(hands=200, clock={"budget": None, "absence": 10.0})
    seat = 1 - bench.ask().seat
    bench.do(bench.referee.lose, bench.table().bots[seat])
    bench.wait(9.9)
    assert not bench.table().faults
    bench.wait(0.2)
    assert [(fault.seat, fault.kind.value) for fault in bench.table().faults] == [(seat, "disconnected")]
    for _ in range(40):
        bench.answer(bench.ask())
    assert bench.table().counts[seat] == 1
    assert "-!disconnected" in bench.table().tokens


@pytest.mark.parametrize("sent", [0, 1, 99], ids=["out of turn", "stale", "malformed"])
def test_f56_a_flood_moves_no_deadline(sent: int) -> None:
    bench = Bench(2)
    bench.open(clock={"budget": 2.0, "bank": 0.0}, forfeit_after=10_000)
    bench.answer(bench.ask(), STAND_PAT)
    ask = bench.ask()
    for _ in range(19):
        bench.wait(0.1)
        bench.reply(bench.table().bots[ask.seat], *[Reply(1, sent, STAND_PAT)] * 50)
    assert bench.table().ask is ask
    bench.wait(0.1 + 1e-9)
    assert bench.table().tokens[1].endswith("!timeout")


@pytest.mark.parametrize("start", [0.0, 3.7e7, 1e9])
def test_time_runs_out_on_a_clock_that_has_run_for_years(start: float) -> None:
    """Its numbers are too coarse for the bank to come out at nothing."""
    bench = Bench(2, joined=False)
    bench.now = start
    for name in bench.names:
        bench.join(name)
    bench.open(hands=40, clock={"budget": 0.3, "bank": 0.51})
    for _ in range(100):
        if bench.wake is not None:
            bench.now = bench.wake
            bench.do(bench.referee.tick)
    assert [table.number for table in bench.finished] == [1]


def test_a_bot_that_is_away_too_long_plays_by_default_until_it_is_back() -> None:
    bench = Bench(2)
    bench.open(hands=20, clock=CLOCK | {"absence": 10.0})
    ask = bench.ask()
    name, other = bench.table().bots[ask.seat], bench.table().bots[1 - ask.seat]
    bench.do(bench.referee.lose, name)
    bench.wait(9.9)
    assert bench.table().tokens == []
    bench.wait(0.2)
    assert bench.table().tokens[0] == "-!disconnected"
    assert bench.table().faults[0].kind.value == "disconnected"
    bench.join(name)
    made = len(bench.table().tokens)
    for _ in range(20):
        bench.answer(bench.ask())
    assert not any("disconnected" in token for token in bench.table().tokens[made:])
    assert other != name


@pytest.mark.parametrize("first", [1, 2])
def test_the_deadline_of_a_list_adds_up_the_budgets_of_its_tables(first: int) -> None:
    bench = Bench(2, joined=False)
    for number in (first, 3 - first):
        bench.open(number, clock={"budget": float(number)})
    bench.join(bench.table().bots[bench.ask().seat])
    ((_, asked),) = bench.lists_told()
    assert (asked.size, asked.deadline) == (2, 3.0)
