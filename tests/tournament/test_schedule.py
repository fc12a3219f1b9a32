from collections import Counter
from itertools import combinations
from math import comb

import pytest
from bourre_server.tournament.schedule import Plan, Schedule, ScheduleError
from bourre_server.tournament.seat_orders import seat_orders
from hypothesis import given, settings
from hypothesis import strategies as st


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    seats = draw(st.integers(2, 8))
    entrants = draw(st.integers(seats, 9))
    duplicates = draw(st.booleans())
    decks = draw(st.integers(1, 4)) if duplicates else seats * draw(st.integers(1, 2))
    return Schedule(entrants, seats, decks, duplicates)


def plans(schedule: Schedule) -> list[Plan]:
    return [schedule.plan(number) for number in range(1, len(schedule) + 1)]


@settings(deadline=None, max_examples=60)
@given(schedules())
def test_every_pair_meets_and_every_entrant_sits_in_every_seat_equally_often(schedule: Schedule) -> None:
    meetings: Counter[tuple[int, ...]] = Counter()
    seats: Counter[tuple[int, int]] = Counter()
    for plan in plans(schedule):
        meetings.update(combinations(sorted(plan.seating), 2))
        seats.update((entrant, seat) for seat, entrant in enumerate(plan.seating))
    assert set(meetings) == set(combinations(range(schedule.entrants), 2))
    assert set(meetings.values()) == {schedule.meetings}
    assert len(seats) == schedule.entrants * schedule.seats
    assert len(set(seats.values())) == 1


@settings(deadline=None, max_examples=60)
@given(schedules())
def test_every_composition_plays_every_deck_in_all_its_rotations(schedule: Schedule) -> None:
    blocks: dict[int, list[Plan]] = {}
    for plan in plans(schedule):
        blocks.setdefault(plan.block, []).append(plan)
    played = Counter((plan.deck, tuple(sorted(plan.seating))) for plan in plans(schedule))
    assert list(blocks) == list(range(1, schedule.blocks + 1))
    assert len(played) == comb(schedule.entrants, schedule.seats) * schedule.decks
    assert set(played.values()) == {schedule.rotations}
    for number, block in blocks.items():
        assert [plan.number for plan in block] == list(schedule.matches(number))
        assert {schedule.block_of(plan.number) for plan in block} == {number}
        first = block[0]
        for plan in block:
            turns = (plan.rotation - first.rotation) % schedule.seats
            assert plan.seating == first.seating[-turns:] + first.seating[:-turns]
        assert len({plan.rotation for plan in block}) == schedule.rotations


@pytest.mark.parametrize("duplicates", [True, False])
@pytest.mark.parametrize("seats", range(3, 9))
def test_nobody_is_always_left_of_somebody(seats: int, duplicates: bool) -> None:
    """With a multiple of the number of orders as decks, all left neighbours are equally frequent."""
    decks = len(seat_orders(seats)) * (1 if duplicates else seats)
    schedule = Schedule(min(9, seats + 1), seats, decks, duplicates)
    neighbours: Counter[tuple[int, int]] = Counter()
    for plan in plans(schedule):
        neighbours.update(zip(plan.seating, plan.seating[1:] + plan.seating[:1], strict=True))
    assert len(neighbours) == schedule.entrants * (schedule.entrants - 1)
    assert len(set(neighbours.values())) == 1


def test_one_deck_already_mixes_the_orders() -> None:
    schedule = Schedule(7, 3, 1, duplicates=True)
    ascending = [
        plan.seating == tuple(sorted(plan.seating)) for plan in plans(schedule) if plan.rotation == 0
    ]
    assert 0 < sum(ascending) < len(ascending)


def test_a_schedule_of_a_hundred_million_matches_costs_nothing() -> None:
    schedule = Schedule(16, 8, 1_000, duplicates=True)
    assert len(schedule) == 102_960_000
    assert schedule.plan(len(schedule)).deck == 999


@pytest.mark.parametrize("number", [0, 13])
def test_there_is_no_match_beyond_the_ends(number: int) -> None:
    schedule = Schedule(4, 3, 1, duplicates=True)
    assert len(schedule) == 12
    with pytest.raises(IndexError, match=f"no match {number} in a schedule of 12"):
        schedule.plan(number)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((9, 1, 1, True), "A table has 2 to 8 seats, not 1."),
        ((9, 9, 1, True), "A table has 2 to 8 seats, not 9."),
        ((3, 4, 1, True), "A table of 4 seats needs 4 entrants, not 3."),
        ((4, 4, 0, True), "A composition needs at least 1 deck, not 0."),
        ((5, 4, 6, False), "Without duplicates decks must be a multiple of the 4 seats, not 6."),
    ],
)
def test_what_does_not_fit_together_is_refused(arguments: tuple[int, int, int, bool], sentence: str) -> None:
    with pytest.raises(ScheduleError) as refusal:
        Schedule(*arguments)
    assert str(refusal.value) == sentence
