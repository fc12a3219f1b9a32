"""The director: plays the matches of a schedule with the bots of a run, and settles them.

Everything that happens, at the desk, to processes and in time, comes to one inbox and is heard
one by one, so no two things happen to a bot at once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Protocol

import trio

from bourre_server.arena.crew import Crew, Launcher
from bourre_server.arena.launcher import Exited, Failed
from bourre_server.arena.ports import BotJoined, BotLeft, BotLost, Desk, MatchFinished
from bourre_server.arena.results import fault_rows, result_of
from bourre_server.arena.roster import Instance, Isolation, Roster
from bourre_server.referee.lists import TimeControl
from bourre_server.referee.table import Table, TableSpec
from bourre_server.rules.house import HouseRules
from bourre_server.rules.match import Setup
from bourre_server.rules.shuffle import block_seed, bot_seed, commitment
from bourre_server.storage.rows import FaultRow
from bourre_server.tournament.results import MatchResult
from bourre_server.tournament.schedule import Plan
from bourre_server.tournament.scheduler import Scheduler


@dataclass(frozen=True)
class Conditions:
    """What the matches of a run are played with.

    `secret`: 32 bytes, all decks come from it. `tables`: matches at once. `startup`: seconds that
    a process gets to join. `address`: where launched bots connect.
    """

    secret: bytes
    hands: int
    house: HouseRules
    clock: TimeControl
    ask_forced: bool
    forfeit_after: int
    tables: int
    startup: float
    address: str


class Store(Protocol):
    """Where results go; `storage.run_file.RunFile`."""

    def settle(self, result: MatchResult, record: bytes, faults: Sequence[FaultRow]) -> bool:
        """Keep a result, once."""

    def set_version(self, entrant: int, version: str) -> None:
        """Keep the version that an entrant says it is."""

    def withdraw(self, entrant: int, reason: str) -> None:
        """Keep that an entrant was withdrawn, and why."""


@dataclass(frozen=True)
class Parts:
    """What a director works with."""

    desk: Desk
    launcher: Launcher
    store: Store


@dataclass(frozen=True, slots=True)
class _Withdrawal:
    """An entrant cannot go on."""

    entrant: int
    reason: str


@dataclass(frozen=True, slots=True)
class _Table:
    """A match that was issued, with the instance that plays each seat."""

    plan: Plan
    seats: list[Instance]


class Director:
    """Conducts one run. `journalled`: decisions of interrupted matches, by number."""

    def __init__(
        self,
        conditions: Conditions,
        roster: Roster,
        scheduler: Scheduler,
        parts: Parts,
        journalled: Mapping[int, Sequence[str]],
    ) -> None:
        self._conditions = conditions
        self._roster = roster
        self._scheduler = scheduler
        self._parts = parts
        self._desk = parts.desk
        self._journalled = dict(journalled)
        self._crew = Crew(roster, parts.desk, parts.launcher, conditions.address, conditions.startup)
        self._versions: dict[int, str] = {}
        self._running: dict[int, _Table] = {}
        # Matches whose bots, started for them alone, have not all joined yet.
        self._waiting: dict[int, _Table] = {}
        self._post, self._inbox = trio.open_memory_channel[object](inf)

    async def run(self) -> None:
        """Play until no match is left; bots are told goodbye however it ends."""
        goodbye = "STOPPING", "the run was interrupted"
        try:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                nursery.start_soon(self._forward, self._desk.notices)
                nursery.start_soon(self._forward, self._parts.launcher.exits)
                for instance in self._roster:
                    self._start(instance)
                await self._conduct()
                nursery.cancel_scope.cancel()
            goodbye = "FINISHED", "the tournament is over"
        finally:
            for instance in self._roster:
                self._desk.dismiss(instance.bot, *goodbye)

    async def _conduct(self) -> None:
        self._issue()
        while not self._scheduler.finished:
            await self._hear(await self._inbox.receive())
            self._issue()

    async def _forward(self, source: "trio.MemoryReceiveChannel[object]") -> None:
        async for item in source:
            await self._post.send(item)

    async def _hear(self, item: object) -> None:
        match item:
            case MatchFinished(table):
                await self._settle(table)
            case _Withdrawal(entrant, reason):
                await self._withdraw(entrant, reason)
            case BotJoined(bot) | BotLost(bot) | BotLeft(bot) if bot in self._roster:
                await self._hear_of_connection(self._roster[bot], item)
            case Exited(bot) | Failed(bot) if bot in self._roster:
                await self._hear_of_end(self._roster[bot], item)

    # Bots.

    def _start(self, instance: Instance) -> None:
        self._crew.start(instance)
        self._watch(instance)

    def _watch(self, instance: Instance) -> None:
        """Give a launched bot its start-up budget to be connected."""
        if instance.launch is not None:
            self._nursery.start_soon(self._await_join, instance)

    async def _await_join(self, instance: Instance) -> None:
        if reason := await self._crew.overdue(instance):
            await self._post.send(_Withdrawal(instance.entrant, reason))

    async def _hear_of_connection(self, instance: Instance, notice: BotJoined | BotLost | BotLeft) -> None:
        match notice:
            case BotJoined():
                self._crew.joined(instance, notice.max_tables)
                await self._note_version(instance.entrant, notice.version)
                self._open_waiting()
            case BotLost():
                self._crew.lost(instance)
                self._watch(instance)
            case BotLeft():
                instance.leaving = True
                await self._see_off(instance)

    async def _note_version(self, entrant: int, version: str) -> None:
        if self._versions.get(entrant, "") != version:
            self._versions[entrant] = version
            await trio.to_thread.run_sync(self._parts.store.set_version, entrant, version)

    async def _hear_of_end(self, instance: Instance, ending: Exited | Failed) -> None:
        if instance.leaving:
            return
        if reason := self._crew.ended(instance, ending):
            await self._withdraw(instance.entrant, reason)
        else:
            self._watch(instance)

    async def _see_off(self, instance: Instance) -> None:
        """A bot that wanted to leave goes after its last match; its entrant with it."""
        if instance.leaving and not instance.running:
            await self._withdraw(instance.entrant, "left")

    async def _withdraw(self, entrant: int, reason: str) -> None:
        """Void what an entrant has not begun; its running matches end by default."""
        await trio.to_thread.run_sync(self._parts.store.withdraw, entrant, reason)
        self._scheduler.withdraw(entrant)
        for instance in self._roster.of(entrant):
            self._desk.give_up(instance.bot, reason)
            self._crew.dismiss(instance, "WITHDRAWN", reason)
        for number in [n for n, table in self._waiting.items() if entrant in table.plan.seating]:
            self._release(self._waiting.pop(number))
            self._scheduler.rollback(number)

    # Matches.

    def _issue(self) -> None:
        """Begin matches as long as there are places."""
        while len(self._running) + len(self._waiting) < self._conditions.tables:
            plan = self._scheduler.issue(self._has_places)
            if plan is None:
                return
            if self._roster.isolation is Isolation.MATCH:
                self._prepare(plan)
            else:
                seats = [self._place(entrant, plan) for entrant in plan.seating]
                self._open(_Table(plan, seats))

    def _has_places(self, plan: Plan) -> bool:
        if self._roster.isolation is Isolation.MATCH:
            return True
        return all(self._roster.place(entrant, plan) for entrant in plan.seating)

    def _place(self, entrant: int, plan: Plan) -> Instance:
        instance = self._roster.place(entrant, plan)
        assert instance is not None, "the scheduler was told that there are places"
        return instance

    def _prepare(self, plan: Plan) -> None:
        """Start fresh bots for a match; it is opened when all have joined."""
        seats = [self._roster.add(entrant, plan.number) for entrant in plan.seating]
        self._waiting[plan.number] = _Table(plan, seats)
        for instance in seats:
            self._start(instance)

    def _open_waiting(self) -> None:
        ready = [n for n, table in self._waiting.items() if all(i.connected for i in table.seats)]
        for number in ready:
            self._open(self._waiting.pop(number))

    def _open(self, table: _Table) -> None:
        number = table.plan.number
        for instance in table.seats:
            instance.running += 1
        self._running[number] = table
        self._desk.open_table(self._spec(table), self._journalled.pop(number, ()))

    def _spec(self, table: _Table) -> TableSpec:
        conditions, plan = self._conditions, table.plan
        seed = block_seed(conditions.secret, plan.block)
        names = [self._roster.entrants[entrant].name for entrant in plan.seating]
        seats = range(len(names))
        return TableSpec(
            number=plan.number,
            block=plan.block,
            setup=Setup(len(seats), conditions.hands, seed, plan.rotation, conditions.house),
            bots=tuple(instance.bot for instance in table.seats),
            bot_seeds=tuple(
                bot_seed(conditions.secret, plan.block, plan.rotation, seat)
                for seat in range(len(plan.seating))
            ),
            commitment=commitment(seed, names, conditions.house.differences()),
            clock=conditions.clock,
            ask_forced=conditions.ask_forced,
            forfeit_after=conditions.forfeit_after,
        )

    async def _settle(self, finished: Table) -> None:
        table = self._running.pop(finished.number)
        result, record = result_of(finished, table.plan), finished.record().to_bytes()
        await trio.to_thread.run_sync(self._parts.store.settle, result, record, fault_rows(finished))
        self._scheduler.settle(finished.number)
        if self._scheduler.is_settled(table.plan.block):
            self._reveal(table)
        for instance in table.seats:
            instance.running -= 1
            await self._see_off(instance)
        if self._roster.isolation is Isolation.MATCH:
            self._release(table)

    def _reveal(self, table: _Table) -> None:
        """A block is settled: all who may have played in it hear its seed."""
        seed = block_seed(self._conditions.secret, table.plan.block)
        bots = [instance.bot for entrant in table.plan.seating for instance in self._roster.of(entrant)]
        self._desk.settle_block(table.plan.block, seed, bots)

    def _release(self, table: _Table) -> None:
        """The bots of a match that is over, or void, are not needed any more."""
        if self._roster.isolation is Isolation.MATCH:
            for instance in table.seats:
                if instance.bot in self._roster:
                    self._crew.dismiss(instance, "FINISHED", "the match is over")
