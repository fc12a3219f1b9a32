"""The director against a desk, a launcher and a store that the test plays, on a clock that it sets."""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from math import inf
from pathlib import Path

import pytest
import trio
from bourre_server.arena.crew import MAX_IDLE_EXITS
from bourre_server.arena.director import Conditions, Director, Parts
from bourre_server.arena.launcher import BotSpec, Exited, Failed
from bourre_server.arena.ports import BotJoined, BotLeft, BotLost, MatchFinished, Notice
from bourre_server.arena.roster import Entrant, Isolation, Launch, Roster
from bourre_server.referee.lists import TimeControl
from bourre_server.referee.table import Table, TableSpec
from bourre_server.rules.house import CLASSIC
from bourre_server.storage.rows import FaultRow
from bourre_server.tournament.results import MatchResult
from bourre_server.tournament.schedule import Schedule
from bourre_server.tournament.scheduler import Scheduler
from trio.testing import MockClock, wait_all_tasks_blocked

STARTUP = 60.0


class World:
    """The desk, the launcher and the store of a run: what the director did, and ways to answer."""

    def __init__(self) -> None:
        self._notify, self.notices = trio.open_memory_channel[Notice](inf)
        self._end, self.exits = trio.open_memory_channel[Exited | Failed](inf)
        self.expected: dict[str, str] = {}
        self.started: list[BotSpec] = []
        self.killed: list[str] = []
        self.stopped: list[str] = []
        self.opened: list[TableSpec] = []
        self.resumed: dict[int, list[str]] = {}
        self.goodbyes: dict[str, tuple[str, str]] = {}
        self.given_up: list[tuple[str, str]] = []
        self.crashes: list[tuple[str, str]] = []
        self.revealed: list[int] = []
        self.settled: list[MatchResult] = []
        self.withdrawn: dict[int, str] = {}
        self.versions: dict[int, str] = {}
        self.ran = False

    # The desk.

    def expect(self, bot: str, _entrant: str, token_digest: str) -> None:
        self.expected[bot] = token_digest

    def open_table(self, spec: TableSpec, tokens: Iterable[str]) -> None:
        self.opened.append(spec)
        self.resumed[spec.number] = list(tokens)

    def settle_block(self, block: int, _seed: bytes, _bots: Iterable[str]) -> None:
        self.revealed.append(block)

    def crash(self, bot: str, reason: str) -> None:
        self.crashes.append((bot, reason))

    def give_up(self, bot: str, reason: str) -> None:
        self.given_up.append((bot, reason))

    def dismiss(self, bot: str, reason: str, detail: str) -> None:
        self.goodbyes[bot] = (reason, detail)

    # The launcher.

    def start(self, spec: BotSpec) -> None:
        self.started.append(spec)

    def stop(self, bot_id: str, _grace: float) -> None:
        self.stopped.append(bot_id)

    def kill(self, bot_id: str) -> None:
        self.killed.append(bot_id)

    # The store.

    def settle(self, result: MatchResult, _record: bytes, _faults: Sequence[FaultRow]) -> bool:
        self.settled.append(result)
        return True

    def withdraw(self, entrant: int, reason: str) -> None:
        self.withdrawn[entrant] = reason

    def set_version(self, entrant: int, version: str) -> None:
        self.versions[entrant] = version

    # What happens.

    async def say(self, *notices: Notice) -> None:
        """The desk has news."""
        for notice in notices:
            self._notify.send_nowait(notice)
        await self.calm()

    async def join(self, *bots: str, max_tables: int = 8) -> None:
        await self.say(*(BotJoined(bot, max_tables, "1.0") for bot in bots))

    async def end(self, bot: str, code: int = 1, tail: str = "") -> None:
        """A process ends."""
        self._end.send_nowait(Exited(bot, code, None, tail))
        await self.calm()

    async def fail(self, bot: str, reason: str) -> None:
        """A process cannot be started."""
        self._end.send_nowait(Failed(bot, reason))
        await self.calm()

    async def wait(self, clock: MockClock, seconds: float) -> None:
        """Let the time pass."""
        clock.jump(seconds)
        await self.calm()

    async def finish(self, *numbers: int) -> None:
        """Matches end: every seat was played by default."""
        specs = {spec.number: spec for spec in self.opened}
        for number in numbers:
            await self.say(MatchFinished(played_by_default(specs[number])))

    async def calm(self) -> None:
        """Wait until the director waits, and not for a thread."""
        threads = trio.to_thread.current_default_thread_limiter()
        await wait_all_tasks_blocked()
        for _ in range(1_000_000):
            if not threads.borrowed_tokens:
                return
            await trio.lowlevel.checkpoint()
            await wait_all_tasks_blocked()
        raise AssertionError("a thread does not end")

    @property
    def numbers(self) -> list[int]:
        return [spec.number for spec in self.opened]


def played_by_default(spec: TableSpec) -> Table:
    table = Table(spec)
    for seat in range(len(spec.bots)):
        table.forfeit(seat, "forfeited")
    while (made := None if table.over else table.next_unasked()) is not None:
        table.decide(made)
    return table


@asynccontextmanager
async def conducted(
    *, entrants: int = 2, isolation: Isolation = Isolation.NONE, tables: int = 8, external: bool = False
) -> AsyncIterator[World]:
    """A run of two-seat tables, two matches for every pair."""
    world = World()
    launch = None if external else Launch(("bot",), Path("/"), {"HOME": "/"})
    roster = Roster(tuple(Entrant(f"e{number}", launch) for number in range(entrants)), isolation)
    schedule = Schedule(entrants, seats=2, decks=1, duplicates=True)
    if isolation is not Isolation.MATCH:
        for entrant in range(entrants):
            for number in range(2 if isolation is Isolation.ROTATION else 1):
                roster.add(entrant, number)
    conditions = Conditions(
        secret=bytes(32),
        hands=2,
        house=CLASSIC,
        clock=TimeControl(),
        ask_forced=False,
        forfeit_after=10,
        tables=tables,
        startup=STARTUP,
        address="127.0.0.1:1",
    )
    parts = Parts(world, world, world)
    director = Director(conditions, roster, Scheduler(schedule), parts, {1: ["-"]})

    async def run() -> None:
        await director.run()
        world.ran = True

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        await world.calm()
        yield world
        await world.calm()
        nursery.cancel_scope.cancel()


async def test_a_run_from_start_to_end() -> None:
    async with conducted() as world:
        assert [spec.id for spec in world.started] == ["e0#0", "e1#0"]
        assert not world.opened
        await world.join("e0#0")
        assert not world.opened
        await world.join("e1#0")
        assert world.numbers == [1, 2]
        assert world.resumed == {1: ["-"], 2: []}
        assert world.versions == {0: "1.0", 1: "1.0"}
        await world.finish(2)
        assert not world.revealed
        await world.finish(1)
        assert world.revealed == [1]
    assert world.ran
    assert sorted(result.number for result in world.settled) == [1, 2]
    assert {reason for reason, _ in world.goodbyes.values()} == {"FINISHED"}


async def test_a_token_is_in_the_environment_and_its_hash_at_the_desk() -> None:
    async with conducted() as world:
        tokens = {spec.id: spec.env["BOURRE_TOKEN"] for spec in world.started}
        assert len(set(tokens.values())) == 2
        assert {spec.env["BOURRE_ADDRESS"] for spec in world.started} == {"127.0.0.1:1"}
        assert not set(tokens.values()) & set(world.expected.values())
        assert all(token not in repr(world.started) for token in tokens.values())


async def test_no_more_tables_than_asked_for_and_than_bots_take() -> None:
    async with conducted(entrants=4, tables=3) as world:
        await world.join("e0#0", "e1#0", "e2#0", "e3#0")
        assert len(world.opened) == 3
        await world.finish(world.numbers[0])
        assert len(world.opened) == 4
    async with conducted(entrants=2) as world:
        await world.join("e0#0", max_tables=1)
        await world.join("e1#0")
        assert len(world.opened) == 1


async def test_a_rotation_is_played_by_its_own_instances() -> None:
    async with conducted(isolation=Isolation.ROTATION) as world:
        await world.join("e0#0", "e1#0", "e0#1", "e1#1")
        assert [set(spec.bots) for spec in world.opened] == [{"e0#0", "e1#0"}, {"e0#1", "e1#1"}]


async def test_a_match_is_played_by_fresh_bots() -> None:
    async with conducted(isolation=Isolation.MATCH, tables=1) as world:
        assert [spec.id for spec in world.started] == ["e0#1", "e1#1"]
        await world.join("e0#1", "e1#1")
        await world.finish(1)
        assert set(world.goodbyes) == {"e0#1", "e1#1"}
        assert {spec.id for spec in world.started[2:]} == {"e0#2", "e1#2"}
        await world.join("e0#2", "e1#2")
        await world.finish(2)
    assert world.ran


async def test_f12_a_bot_that_never_joins_is_withdrawn(mock_clock: MockClock) -> None:
    async with conducted() as world:
        await world.join("e0#0")
        await world.wait(mock_clock, STARTUP - 1)
        assert not world.withdrawn
        await world.wait(mock_clock, 2)
        assert world.withdrawn == {1: "did not join within 60 s of its start"}
        assert world.goodbyes["e1#0"][0] == "WITHDRAWN"
        assert world.stopped == ["e1#0"]
    assert world.ran
    assert not world.settled


async def test_f12_a_slow_start_is_no_fault(mock_clock: MockClock) -> None:
    async with conducted() as world:
        await world.wait(mock_clock, STARTUP / 2)
        await world.join("e0#0", "e1#0")
        await world.wait(mock_clock, STARTUP)
        assert (world.withdrawn, world.killed) == ({}, [])


async def test_a_bot_that_ends_before_it_joins_is_tried_again_and_then_withdrawn() -> None:
    async with conducted() as world:
        for attempt in range(MAX_IDLE_EXITS):
            assert len(world.started) == 2 + attempt
            await world.end("e1#0", code=3, tail="Traceback\nKeyError: 'x'\n")
        assert world.withdrawn == {1: "ended with exit code 3: KeyError: 'x'"}
    assert world.ran


async def test_a_program_that_cannot_be_started_is_withdrawn_at_once() -> None:
    async with conducted() as world:
        await world.fail("e0#0", "no such program: bot")
        assert world.withdrawn == {0: "could not be started: no such program: bot"}


async def test_f7_a_bot_that_dies_in_a_match_is_started_again_with_the_same_token() -> None:
    async with conducted() as world:
        await world.join("e0#0", "e1#0")
        await world.say(BotLost("e0#0"))
        await world.end("e0#0", code=-9)
        assert world.crashes == [("e0#0", "ended with exit code -9")]
        first, again = (spec.env["BOURRE_TOKEN"] for spec in world.started if spec.id == "e0#0")
        assert first == again
        await world.join("e0#0")
        await world.finish(1, 2)
    assert world.ran
    assert not world.withdrawn


async def test_f17_a_process_that_stays_away_is_ended_to_be_started_again(mock_clock: MockClock) -> None:
    async with conducted() as world:
        await world.join("e0#0", "e1#0")
        await world.say(BotLost("e0#0"))
        await world.wait(mock_clock, STARTUP + 1)
        assert world.killed == ["e0#0"]


async def test_f18_bots_that_all_fail_end_the_run_and_rate_nobody() -> None:
    async with conducted() as world:
        for _ in range(MAX_IDLE_EXITS):
            await world.end("e0#0")
            await world.end("e1#0")
    assert world.ran
    assert not world.settled


async def test_an_entrant_that_is_withdrawn_leaves_the_others_their_matches() -> None:
    async with conducted(entrants=3) as world:
        await world.join("e0#0", "e1#0")
        for _ in range(MAX_IDLE_EXITS):
            await world.end("e2#0")
        await world.finish(*world.numbers)
    assert world.ran
    assert {frozenset(result.seating) for result in world.settled} == {frozenset({0, 1})}


async def test_a_bot_that_leaves_goes_after_its_matches() -> None:
    async with conducted() as world:
        await world.join("e0#0", "e1#0", max_tables=1)
        await world.say(BotLeft("e0#0"))
        assert not world.withdrawn
        await world.finish(1)
        assert world.withdrawn == {0: "left"}
        assert len(world.opened) == 1
    assert world.ran


async def test_an_external_bot_is_waited_for_and_never_started(mock_clock: MockClock) -> None:
    async with conducted(external=True) as world:
        await world.wait(mock_clock, 100 * STARTUP)
        assert (world.started, world.withdrawn) == ([], {})
        await world.join("e0#0", "e1#0")
        await world.finish(1, 2)
    assert world.ran


async def test_bots_hear_that_an_interrupted_run_stops() -> None:
    async with conducted() as world:
        await world.join("e0#0", "e1#0")
    assert not world.ran
    assert {reason for reason, _ in world.goodbyes.values()} == {"STOPPING"}


@pytest.mark.parametrize("numbers", [(1, 2), (2, 1)])
async def test_results_count_once_in_whatever_order_they_come(numbers: tuple[int, int]) -> None:
    async with conducted() as world:
        await world.join("e0#0", "e1#0")
        await world.finish(*numbers)
    assert tuple(result.number for result in world.settled) == numbers
