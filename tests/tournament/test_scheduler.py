from collections import Counter, deque
from itertools import combinations

import pytest
from bourre_server.tournament.schedule import Plan, Schedule
from bourre_server.tournament.scheduler import WINDOW, Scheduler
from hypothesis import given, settings
from hypothesis import strategies as st


def everyone(_: Plan) -> bool:
    return True


def issue(scheduler: Scheduler) -> Plan:
    plan = scheduler.issue(everyone)
    assert plan is not None
    return plan


def play(scheduler: Scheduler, matches: int) -> list[Plan]:
    """Issue and settle so many matches, one at a time."""
    played = []
    for _ in range(matches):
        played.append(issue(scheduler))
        scheduler.settle(played[-1].number)
    return played


@settings(deadline=None, max_examples=25)
@given(st.data(), st.integers(2, 5), st.integers(0, 2), st.booleans())
def test_everything_is_played_once_however_matches_end(
    data: st.DataObject, seats: int, more: int, duplicates: bool
) -> None:
    schedule = Schedule(seats + more, seats, seats, duplicates)
    scheduler = Scheduler(schedule)
    in_flight: deque[Plan] = deque()
    played: list[Plan] = []
    rollbacks = data.draw(st.lists(st.booleans(), max_size=30))
    pick = data.draw(st.randoms(use_true_random=False))
    for _ in range(2 * (len(schedule) + len(rollbacks))):
        if len(in_flight) < 5 and (plan := scheduler.issue(everyone)):
            in_flight.append(plan)
            continue
        in_flight.rotate(pick.randrange(len(in_flight)))
        plan = in_flight.popleft()
        if rollbacks and rollbacks.pop():
            scheduler.rollback(plan.number)
        else:
            scheduler.settle(plan.number)
            played.append(plan)
        assert scheduler.left == len(schedule) - len(played)
        if scheduler.finished:
            break
    assert scheduler.finished
    assert scheduler.issue(everyone) is None
    assert sorted(played, key=lambda plan: plan.number) == [
        schedule.plan(n + 1) for n in range(len(schedule))
    ]


def test_the_same_calls_give_the_same_order() -> None:
    schedule = Schedule(9, 4, 2, duplicates=True)
    assert play(Scheduler(schedule), 500) == play(Scheduler(schedule), 500)


@pytest.mark.parametrize(
    ("entrants", "seats", "duplicates"),
    [(4, 4, True), (7, 3, True), (9, 4, True), (9, 4, False), (12, 8, True), (16, 6, True), (20, 2, True)],
)
def test_blocks_played_never_differ_by_more_than_two(entrants: int, seats: int, duplicates: bool) -> None:
    schedule = Schedule(entrants, seats, seats, duplicates)
    scheduler = Scheduler(schedule)
    blocks = Counter(dict.fromkeys(range(entrants), 0))
    for plan in play(scheduler, min(len(schedule), 1_200)):
        if plan.number == schedule.matches(plan.block)[-1]:
            blocks.update(plan.seating)
            assert max(blocks.values()) - min(blocks.values()) <= 2


def test_an_entrant_without_a_free_place_holds_nobody_back() -> None:
    schedule = Schedule(8, 2, 4, duplicates=True)
    scheduler = Scheduler(schedule)
    without = 2 * sum(0 not in pair for pair in combinations(range(8), 2))
    for _ in range(without):
        plan = scheduler.issue(lambda plan: 0 not in plan.seating)
        assert plan is not None
        assert 0 not in plan.seating


def test_a_begun_block_goes_first() -> None:
    scheduler = Scheduler(Schedule(6, 3, 2, duplicates=True))
    assert {issue(scheduler).block for _ in range(3)} == {1}


def test_a_rolled_back_match_is_the_next_again() -> None:
    scheduler = Scheduler(Schedule(6, 3, 2, duplicates=True))
    first, second = issue(scheduler), issue(scheduler)
    scheduler.rollback(first.number)
    assert issue(scheduler) == first
    scheduler.rollback(second.number)
    scheduler.rollback(first.number)
    assert [issue(scheduler), issue(scheduler)] == [first, second]


@pytest.mark.parametrize("end", ["settle", "rollback"])
def test_a_match_ends_once(end: str) -> None:
    scheduler = Scheduler(Schedule(3, 3, 1, duplicates=True))
    plan = issue(scheduler)
    getattr(scheduler, end)(plan.number)
    with pytest.raises(KeyError):
        getattr(scheduler, end)(plan.number)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 200), st.integers(0, 8), st.sets(st.integers(0, 5), max_size=2), st.booleans())
def test_a_resumed_run_plays_what_is_missing(
    played: int, lost: int, withdrawn: set[int], duplicates: bool
) -> None:
    """Wherever it stopped, with whatever was in flight, before or after a withdrawal."""
    schedule = Schedule(6, 3, 9, duplicates)
    before = Scheduler(schedule)
    settled = {plan.number for plan in play(before, min(played, len(schedule)))}
    settled -= set(sorted(settled)[-lost:] if lost else [])
    resumed = Scheduler(schedule, sorted(settled), withdrawn)
    live = {n for n in range(1, len(schedule) + 1) if withdrawn.isdisjoint(schedule.plan(n).seating)}
    missing = live - settled
    assert (resumed.settled, resumed.left) == (len(settled), len(missing))
    assert {plan.number for plan in play(resumed, len(missing))} == missing
    assert resumed.finished
    assert resumed.void == len(schedule) - len(settled | live)


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 150), st.lists(st.integers(0, 5), min_size=1, max_size=3, unique=True))
def test_withdrawing_makes_unplayed_matches_void(played: int, withdrawn: list[int]) -> None:
    schedule = Schedule(6, 3, 3, duplicates=True)
    scheduler = Scheduler(schedule)
    settled = {plan.number for plan in play(scheduler, min(played, len(schedule) - 1))}
    in_flight = issue(scheduler)
    for entrant in withdrawn:
        scheduler.withdraw(entrant)
    scheduler.rollback(in_flight.number)
    resumed = Scheduler(schedule, sorted(settled), withdrawn)
    assert (scheduler.left, scheduler.void) == (resumed.left, resumed.void)
    rest = play(scheduler, scheduler.left)
    assert all(set(withdrawn).isdisjoint(plan.seating) for plan in rest)
    assert scheduler.finished


def test_a_match_in_flight_may_outlive_a_withdrawal() -> None:
    schedule = Schedule(4, 3, 1, duplicates=True)
    scheduler = Scheduler(schedule)
    plan = issue(scheduler)
    scheduler.withdraw(plan.seating[0])
    assert scheduler.left == 1 + 3
    scheduler.settle(plan.number)
    assert (scheduler.settled, scheduler.left, scheduler.void) == (1, 3, 8)


def test_settled_numbers_must_ascend() -> None:
    with pytest.raises(ValueError, match="must ascend, but 2 comes after 3"):
        Scheduler(Schedule(4, 2, 2, duplicates=True), [3, 2])


def test_a_long_schedule_is_looked_at_no_further_than_the_window() -> None:
    """Counted by the plans that the scheduler offers when nobody has a free place."""
    offered: list[Plan] = []

    def full(plan: Plan) -> bool:
        offered.append(plan)
        return False

    scheduler = Scheduler(Schedule(12, 6, 600_000, duplicates=False))
    assert scheduler.issue(full) is None
    assert len(offered) == WINDOW
