"""Everything that can happen to a referee, in any order."""

from math import inf
from random import Random

from bourre_server.referee.bot import Bot
from bourre_server.referee.faults import FaultKind
from bourre_server.referee.messages import Ended, Reply
from bourre_server.referee.referee import Referee
from bourre_server.rules.decisions import PASS, PLAYS, STAND_PAT, Declare, Draw
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.referee.bench_of_bots import Bench, any_legal

BOTS = 5
bots = st.integers(0, BOTS - 1).map(lambda number: f"bot{number}")
decisions = st.sampled_from(
    [None, PASS, STAND_PAT, PLAYS[0], PLAYS[51], Draw(()), Declare(True, (1, 1)), Declare(False, (3,))]
)
seconds = st.sampled_from([0.0, 0.01, 0.5, 1.0, 7.0, 100.0])


class AnyOrder(RuleBasedStateMachine):
    """A referee with a few bots, which sit at tables of several sizes."""

    @initialize(lists=st.integers(1, 3), clocked=st.booleans())
    def begin(self, lists: int, clocked: bool) -> None:
        self.bench = Bench(BOTS, lists=lists, joined=False)
        self.clock = {"budget": 1.0 if clocked else None, "bank": 2.0, "absence": 5.0}
        self.opened = 0

    @rule(seats=st.integers(2, BOTS), seed=st.integers(0, 99), ask_forced=st.booleans())
    @precondition(lambda self: self.opened < 6)
    def open(self, seats: int, seed: int, ask_forced: bool) -> None:
        self.opened += 1
        chosen = Random(seed).sample(self.bench.names, seats)
        self.bench.open(
            self.opened, bots=chosen, hands=seats, clock=self.clock, ask_forced=ask_forced, forfeit_after=6
        )

    @rule(name=bots, lists=st.integers(1, 3), events=st.booleans())
    def join(self, name: str, lists: int, events: bool) -> None:
        self.bench.join(name, lists=lists, events=events)

    @rule(name=bots)
    def lose(self, name: str) -> None:
        self.bench.do(self.bench.referee.lose, name)

    @rule(name=bots)
    def crash(self, name: str) -> None:
        self.bench.do(self.bench.referee.crash, name, "died")

    @rule(name=bots)
    def give_up(self, name: str) -> None:
        self.bench.do(self.bench.referee.give_up, name, "gone")

    @rule(name=bots, kind=st.sampled_from([FaultKind.MALFORMED, FaultKind.FLOODING]))
    def disturb(self, name: str, kind: FaultKind) -> None:
        self.bench.do(self.bench.referee.disturb, name, kind, "noise")

    @rule(time=seconds)
    def wait(self, time: float) -> None:
        self.bench.wait(time)
        assert self.bench.wake is None or self.bench.wake >= self.bench.now

    @rule(name=bots, table=st.integers(0, 7), decision_id=st.integers(0, 200), decision=decisions)
    def say_anything(self, name: str, table: int, decision_id: int, decision: object) -> None:
        self.bench.reply(name, Reply(table, decision_id, decision))  # type: ignore[arg-type]  # anything

    @rule(seed=st.integers(0, 1000), answers=st.integers(1, 60))
    def answer(self, seed: int, answers: int) -> None:
        """Answer open requests as they should be."""
        random = Random(seed)
        for _ in range(answers):
            asks = [t.ask for t in self.bench.referee.tables.values() if t.ask and t.ask.open_list]
            if not asks:
                break
            ask = random.choice(asks)
            self.bench.answer(ask, any_legal(ask.table.match.hand, random))

    @invariant()
    def chips_are_conserved(self) -> None:
        for table in [*self.bench.referee.tables.values(), *self.bench.finished]:
            public = table.match.public
            assert sum(public.chips) + public.pot == 0

    @invariant()
    def the_journal_is_what_was_decided(self) -> None:
        for table in [*self.bench.referee.tables.values(), *self.bench.finished]:
            assert self.bench.journal.get(table.number, []) == table.tokens

    @invariant()
    def every_request_is_in_one_place(self) -> None:
        referee = self.bench.referee
        for table in referee.tables.values():
            ask = table.ask
            assert ask is not None
            assert ask.table is table
            bot = bot_of(referee, table.bots[ask.seat])
            places = [opened for opened in bot.open_lists if table.number in opened.asks]
            assert len(places) + bot.ready.count(ask) == 1
            assert places == ([ask.open_list] if ask.open_list else [])
            assert bot.away_since is None or not bot.open_lists

    @invariant()
    def no_more_lists_are_open_than_declared_and_none_without_end(self) -> None:
        for name in self.bench.names:
            bot = bot_of(self.bench.referee, name)
            assert len(bot.open_lists) <= bot.lists
            assert all(opened.asks for opened in bot.open_lists)
            clocked = self.clock["budget"] is not None
            assert all((opened.deadline < inf) == clocked for opened in bot.open_lists)

    def teardown(self) -> None:
        """Whatever happened, every match ends, and everybody hears of it once."""
        if not hasattr(self, "bench"):
            return
        for name in self.bench.names:
            self.bench.join(name)
        self.bench.play_out(Random(1))
        assert sorted(table.number for table in self.bench.finished) == list(range(1, self.opened + 1))
        ends = [(name, m.table.number) for name, m in self.bench.told if isinstance(m, Ended)]
        assert sorted(ends) == sorted((n, table.number) for table in self.bench.finished for n in table.bots)


def bot_of(referee: Referee, name: str) -> Bot:
    """The referee's own state of a bot; an idle one where it has not heard of it."""
    return referee._bots.get(name) or Bot(name, 0.0)  # noqa: SLF001 - the tests alone look inside


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = settings(max_examples=60, stateful_step_count=40, deadline=None, database=None)
