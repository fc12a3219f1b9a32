"""A referee, its bots and a clock, all in the test's hands."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any

from bourre_server.referee.lists import Ask, TimeControl
from bourre_server.referee.messages import Asked, Ended, Faulted, Message, Reply
from bourre_server.referee.referee import Referee
from bourre_server.referee.table import Table, TableSpec
from bourre_server.rules.cards import cards_in
from bourre_server.rules.decisions import PASS, PLAYS, Decision, Declare
from bourre_server.rules.hand import Hand, Kind
from bourre_server.rules.house import CLASSIC
from bourre_server.rules.match import Setup

# More than any test needs: a referee that never stops waking must fail, not hang.
MOST_WAKES = 20_000


def any_legal(hand: Hand, random: Random | None = None) -> Decision:
    """A legal decision: the first there is, or a random one."""
    cards = cards_in(hand.legal)
    if hand.kind is Kind.PLAY:
        return PLAYS[random.choice(cards) if random else cards[0]]
    if random and hand.may_pass and random.random() < 0.3:
        return PASS
    return Declare(True, tuple(random.sample(cards, random.randint(0, 5))) if random else ())


def is_asked(ask: Ask, name: str) -> bool:
    """Whether a table waits for this answer of the bot: a request shows what the seat to act may know."""
    table = ask.table
    return table.ask is ask and ask.open_list is not None and table.bots[table.match.hand.to_act] == name


class Bench:
    """Drains after every input, unless `batching`; `told` is what was told since it was taken."""

    def __init__(self, bots: int = 2, *, lists: int = 1, joined: bool = True) -> None:
        self.referee = Referee()
        self.now = 0.0
        self.names = [f"bot{number}" for number in range(bots)]
        self.told: list[tuple[str, Message]] = []
        self.journal: dict[int, list[str]] = {}
        self.finished: list[Table] = []
        self.wake: float | None = None
        self.lists = lists
        self.batching = False
        if joined:
            for name in self.names:
                self.join(name)

    # Inputs.

    def join(self, name: str, **options: Any) -> None:
        self.referee.join(name, self.now, **({"lists": self.lists} | options))
        self.drain()

    def open(self, number: int = 1, tokens: Sequence[str] = (), **changes: Any) -> None:
        """A table of these bots; two hands for each seat."""
        seats = changes.pop("seats", len(self.names))
        bots = tuple(changes.pop("bots", self.names[:seats]))
        hands = changes.pop("hands", 2 * len(bots))
        house = changes.pop("house", CLASSIC)
        setup = Setup(len(bots), hands, number.to_bytes(32), house=house)
        clock = TimeControl(**changes.pop("clock", {}))
        spec = TableSpec(number, 1, setup, bots, tuple(range(len(bots))), clock=clock, **changes)
        self.referee.open(spec, self.now, tokens)
        self.drain()

    def reply(self, name: str, *replies: Reply) -> None:
        self.referee.apply(name, replies, self.now)
        self.drain()

    def answer(self, ask: Ask, decision: Decision | None = None) -> None:
        """Answer a request, with any legal decision where none is given."""
        name = ask.table.bots[ask.seat]
        made = decision or any_legal(ask.table.match.hand)
        self.reply(name, Reply(ask.table.number, ask.decision_id, made))

    def wait(self, seconds: float) -> None:
        """Let the time pass, with a tick whenever the referee wants to be woken."""
        end = self.now + seconds
        for _ in range(MOST_WAKES):
            if self.wake is None or self.wake > end:
                break
            self.now = max(self.now, self.wake)
            self.referee.tick(self.now)
            self.drain()
        else:
            raise AssertionError(f"the referee wants to be woken at {self.wake} again and again")
        self.now = end
        self.referee.tick(self.now)
        self.drain()

    def do(self, act: Callable[..., None], *arguments: Any) -> None:
        """Any other input, at the present time."""
        act(*arguments, self.now)
        self.drain()

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Inputs that arrive together: what follows is drained after the last."""
        self.batching = True
        yield
        self.batching = False
        self.drain()

    # Outputs.

    def drain(self) -> None:
        if self.batching:
            return
        effects = self.referee.drain(self.now)
        for number, token in effects.journal:
            self.journal.setdefault(number, []).append(token)
        for name, message in effects.messages:
            assert not isinstance(message, Asked) or all(is_asked(ask, name) for ask in message.asks)
        self.told += effects.messages
        self.finished += effects.finished
        self.wake = effects.wake

    def table(self, number: int = 1) -> Table:
        return self.referee.tables[number]

    def ask(self, number: int = 1) -> Ask:
        """The open request of a table."""
        ask = self.table(number).ask
        assert ask is not None
        return ask

    def told_to(self, name: str) -> list[Message]:
        return [message for to, message in self.told if to == name]

    def take(self) -> list[tuple[str, Message]]:
        """What was told since the last call."""
        told, self.told = self.told, []
        return told

    def lists_told(self) -> list[tuple[str, Asked]]:
        """The lists of requests that were sent since the last call of `take`."""
        return [(name, message) for name, message in self.told if isinstance(message, Asked)]

    def faults_told(self) -> list[tuple[str, Faulted]]:
        return [(name, message) for name, message in self.told if isinstance(message, Faulted)]

    def ends_told(self) -> list[str]:
        return [name for name, message in self.told if isinstance(message, Ended)]

    def play_out(self, random: Random | None = None, most: int = 100_000) -> None:
        """Answer everything until no table is left."""
        for _ in range(most):
            asks = [t.ask for t in self.referee.tables.values() if t.ask and t.ask.open_list]
            if not asks:
                break
            ask = random.choice(asks) if random else asks[0]
            self.answer(ask, any_legal(ask.table.match.hand, random))
        assert not self.referee.tables
