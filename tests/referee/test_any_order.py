"""Everything that can happen to a referee, in any order, one by one or together."""

from collections import defaultdict
from math import inf
from random import Random
from typing import Any

from bourre_server.referee.bot import Bot
from bourre_server.referee.faults import FaultKind
from bourre_server.referee.lists import Ask
from bourre_server.referee.messages import Asked, Ended, Faulted, Happened, Reply, Started, Welcomed
from bourre_server.referee.referee import Referee
from bourre_server.rules.decisions import PASS, PLAYS, STAND_PAT, Declare, Draw
from bourre_server.rules.record import replay
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.referee.bench_of_bots import Bench, any_legal

BOTS = 8
TABLES = 6
bots = st.integers(0, BOTS - 1).map(lambda number: f"bot{number}")
decisions = st.sampled_from(
    [None, PASS, STAND_PAT, PLAYS[0], PLAYS[51], Draw(()), Declare(True, (1, 1)), Declare(False, (3,))]
)
seconds = st.sampled_from([0.0, 0.01, 0.5, 1.0, 7.0, 100.0])
seeds = st.integers(0, 1000)


class Listener:
    """What one bot was told, checked as a bot would rely on it; nothing before a welcome."""

    def __init__(self) -> None:
        self.welcomed = False  # on the connection that it has
        self.running: set[int] = set()
        self.ended: list[int] = []
        self.events: dict[int, int] = defaultdict(int)

    def hear(self, message: object) -> None:
        match message:
            case Welcomed(seats):
                self.welcomed = True
                self.running = {table.number for table, _ in seats}
                self.events.clear()
            case Started(table):
                assert table.number not in self.running
                self.running.add(table.number)
            case Ended(table):
                self.running.discard(table.number)
                self.ended.append(table.number)
            case Asked(asks):
                assert self.running.issuperset(ask.table.number for ask in asks)
            case Faulted(table, fault):
                assert table in self.running or fault.kind is FaultKind.UNKNOWN_TABLE
            case Happened(table, number):
                assert table.number in self.running
                assert number == self.events[table.number] + 1
                self.events[table.number] = number
        assert self.welcomed


class AnyOrder(RuleBasedStateMachine):
    """A referee with a few bots, which sit at tables of two to eight.

    While `bench.batching`, inputs arrive together: what follows is not taken after each.
    """

    @initialize(lists=st.integers(1, 3), clocked=st.booleans())
    def begin(self, lists: int, clocked: bool) -> None:
        self.bench = Bench(BOTS, lists=lists, joined=False)
        self.clock = {"budget": 1.0 if clocked else None, "bank": 2.0, "absence": 5.0}
        self.listeners = {name: Listener() for name in self.bench.names}
        # Matches that were over when the referee was started again.
        self.before = 0
        self.opened: dict[int, dict[str, Any]] = {}

    @rule(seats=st.integers(2, BOTS), seed=seeds, ask_forced=st.booleans())
    @precondition(lambda self: len(self.opened) < TABLES)
    def open(self, seats: int, seed: int, ask_forced: bool) -> None:
        number = len(self.opened) + 1
        chosen = Random(seed).sample(self.bench.names, seats)
        self.opened[number] = {"bots": chosen, "hands": seats, "ask_forced": ask_forced}
        self.bench.open(number, clock=self.clock, forfeit_after=6, **self.opened[number])

    @rule(name=bots, lists=st.integers(1, 3), events=st.booleans())
    def join(self, name: str, lists: int, events: bool) -> None:
        self.cut(name)
        self.bench.join(name, lists=lists, events=events)

    @rule(events=st.booleans())
    def join_all(self, events: bool) -> None:
        for name in self.bench.names:
            self.join(name, 1, events)

    @rule(name=bots)
    def lose(self, name: str) -> None:
        self.cut(name)
        self.bench.do(self.bench.referee.lose, name)

    @rule(name=bots)
    def crash(self, name: str) -> None:
        self.cut(name)
        self.bench.do(self.bench.referee.crash, name, "died")

    @rule(name=bots)
    def give_up(self, name: str) -> None:
        self.bench.do(self.bench.referee.give_up, name, "gone")

    @rule(name=bots, kind=st.sampled_from([FaultKind.MALFORMED, FaultKind.FLOODING]))
    def disturb(self, name: str, kind: FaultKind) -> None:
        self.bench.do(self.bench.referee.disturb, name, kind, "noise")

    @rule()
    def begin_batch(self) -> None:
        self.bench.batching = True

    @rule()
    @precondition(lambda self: self.bench.batching)
    def end_batch(self) -> None:
        self.bench.batching = False
        self.bench.drain()

    @rule(time=seconds)
    def wait(self, time: float) -> None:
        self.end_batch()
        self.bench.wait(time)
        assert self.bench.wake is None or self.bench.wake >= self.bench.now

    @rule(time=seconds)
    def look_at_the_clock_late(self, time: float) -> None:
        """Time passes, and nobody ticks."""
        self.bench.now += time

    @rule(name=bots, table=st.integers(0, TABLES + 1), step=st.integers(-3, 2), decision=decisions)
    def say_anything(self, name: str, table: int, step: int, decision: object) -> None:
        """To a decision near the one that is asked for, or to none."""
        running = self.bench.referee.tables.get(table)
        decision_id = max(0, len(running.tokens) + 1 + step) if running else 0
        self.bench.reply(name, Reply(table, decision_id, decision))  # type: ignore[arg-type]  # anything

    @rule(seed=seeds, decision=decisions)
    def answer_with_anything(self, seed: int, decision: object) -> None:
        if asks := self.asked():
            ask = Random(seed).choice(asks)
            name = ask.table.bots[ask.seat]
            self.bench.reply(name, Reply(ask.table.number, ask.decision_id, decision))  # type: ignore[arg-type]

    @rule(seed=seeds, answers=st.integers(1, 60))
    def answer(self, seed: int, answers: int) -> None:
        """Answer open requests as they should be."""
        random = Random(seed)
        for _ in range(answers):
            if asks := self.asked():
                ask = random.choice(asks)
                self.bench.answer(ask, any_legal(ask.table.match.hand, random))

    @rule(early=st.booleans())
    def restart(self, early: bool) -> None:
        """The referee is killed, and goes on from its journal; its bots come back before that, or later."""
        self.end_batch()
        self.hear()
        self.bench.referee = Referee()
        self.before = len(self.bench.finished)
        over = {table.number for table in self.bench.finished}
        self.listeners = {name: Listener() for name in self.bench.names}
        if early:
            self.join_all(True)
        for number, spec in self.opened.items():
            if number not in over:
                tokens = list(self.bench.journal.get(number, []))
                self.bench.open(number, tokens, clock=self.clock, forfeit_after=6, **spec)

    def asked(self) -> list[Ask]:
        tables = self.bench.referee.tables.values()
        return [table.ask for table in tables if table.ask and table.ask.open_list]

    @invariant()
    def chips_are_conserved(self) -> None:
        for table in [*self.bench.referee.tables.values(), *self.bench.finished]:
            public = table.match.public
            assert sum(public.chips) + public.pot == 0

    @invariant()
    @precondition(lambda self: not self.bench.batching)
    def the_journal_is_what_was_decided(self) -> None:
        for table in [*self.bench.referee.tables.values(), *self.bench.finished]:
            assert self.bench.journal.get(table.number, []) == table.tokens

    @invariant()
    @precondition(lambda self: not self.bench.batching)
    def bots_hear_what_they_can_rely_on(self) -> None:
        self.hear()

    def cut(self, name: str) -> None:
        """A connection ends: what was not taken from the referee by now must not be told any more."""
        self.hear()
        self.listeners[name].welcomed = False

    def hear(self) -> None:
        for name, message in self.bench.take():
            self.listeners[name].hear(message)

    @invariant()
    def every_request_is_in_one_place(self) -> None:
        referee = self.bench.referee
        waiting = 0
        for table in referee.tables.values():
            ask = table.ask
            assert ask is not None
            assert ask.table is table
            bot = bot_of(referee, table.bots[ask.seat])
            places = [opened for opened in bot.open_lists if table.number in opened.asks]
            assert len(places) + bot.ready.count(ask) == 1
            assert places == ([ask.open_list] if ask.open_list else [])
            waiting += ask.open_list is None
        assert waiting == sum(len(bot_of(referee, name).ready) for name in self.bench.names)

    @invariant()
    def no_more_lists_are_open_than_declared_and_none_without_end(self) -> None:
        for name in self.bench.names:
            bot = bot_of(self.bench.referee, name)
            assert len(bot.open_lists) <= (bot.lists if bot.away_since is None else 0)
            assert all(opened.asks for opened in bot.open_lists)
            clocked = self.clock["budget"] is not None
            assert all((opened.deadline < inf) == clocked for opened in bot.open_lists)

    @invariant()
    def too_many_faults_are_a_forfeit(self) -> None:
        for table in [*self.bench.referee.tables.values(), *self.bench.finished]:
            for count, forfeited in zip(table.counts, table.forfeited, strict=True):
                assert count < table.spec.forfeit_after or forfeited
            assert table.ask is None or not table.by_default[table.ask.seat]

    @invariant()
    @precondition(lambda self: not self.bench.batching)
    def a_clock_that_runs_wakes_the_referee(self) -> None:
        clocked = self.clock["budget"] is not None
        for ask in self.asked():
            opened = ask.open_list
            assert opened is not None
            assert not clocked or (self.bench.wake is not None and self.bench.wake <= opened.expiry)

    def teardown(self) -> None:
        """Whatever happened, every match ends, by answers or by time; everybody hears of it once."""
        if not hasattr(self, "bench"):
            return
        self.end_batch()
        for name in self.bench.names[:4]:
            self.join(name, 2, True)
        for _ in range(1000):
            if not self.bench.referee.tables:
                break
            self.bench.wait(100.0)
            self.answer(1, 20)
        self.hear()
        self.join_all(False)
        self.hear()
        assert sorted(table.number for table in self.bench.finished) == sorted(self.opened)
        for table in self.bench.finished:
            assert list(replay(table.record(), table.spec.setup.seed))
        for name, listener in self.listeners.items():
            own = [table.number for table in self.bench.finished[self.before :] if name in table.bots]
            assert (sorted(listener.ended), listener.running) == (sorted(own), set())


def bot_of(referee: Referee, name: str) -> Bot:
    """The referee's own state of a bot; an idle one where it has not heard of it."""
    return referee._bots.get(name) or Bot(name, 0.0)  # noqa: SLF001 - the tests alone look inside


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = settings(max_examples=60, stateful_step_count=40, deadline=None, database=None)
