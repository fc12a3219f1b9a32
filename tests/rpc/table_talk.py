"""Tables played in process, with everything that would go over the wire to each bot, as bytes."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random

from bourre.v1 import play_pb2
from bourre_server.referee.messages import Asked, Ended, Faulted, Happened, Reply, Started
from bourre_server.referee.referee import Referee
from bourre_server.referee.table import Table, TableSpec
from bourre_server.rpc.codec import messages as wire
from bourre_server.rpc.codec.requests import Requests
from bourre_server.rules.cards import cards_in
from bourre_server.rules.decisions import PASS, PLAYS, Decision, Declare
from bourre_server.rules.hand import Kind
from bourre_server.rules.match import Setup

Decide = Callable[[Table, int], Decision]


def by_chance(random: Random) -> Decide:
    """Random legal decisions."""

    def decide(table: Table, _seat: int) -> Decision:
        hand = table.match.hand
        cards = cards_in(hand.legal)
        if hand.kind is Kind.PLAY:
            return PLAYS[random.choice(cards)]
        if hand.may_pass and random.random() < 0.3:
            return PASS
        return Declare(True, tuple(random.sample(cards, random.randint(0, len(cards)))))

    return decide


@dataclass
class TableTalk:
    """One match of bots that want events; `sent` is what each seat's bot was sent, message by message.

    `decisions` are those made. A decision that is not legal ends the talk.
    """

    setup: Setup
    decide: Decide
    ask_forced: bool = False
    sent: defaultdict[int, list[bytes]] = field(default_factory=lambda: defaultdict(list))
    decisions: list[Decision] = field(default_factory=list)

    def __post_init__(self) -> None:
        seats = self.setup.seats
        self.referee = Referee()
        self._requests = Requests()
        self.names = tuple(f"bot{seat}" for seat in range(seats))
        for name in self.names:
            self.referee.join(name, 0.0, events=True)
        self.now = 0.0
        spec = TableSpec(
            1, 1, self.setup, self.names, tuple(range(100, 100 + seats)), ask_forced=self.ask_forced
        )
        self.referee.open(spec, 0.0)
        self.table = self.referee.tables[1]

    def play(self) -> Iterator[Asked]:
        """Play to the end; each list as it was just encoded and not yet answered."""
        while not self.table.over:
            (asked,) = self._send()
            yield asked
            (ask,) = asked.asks
            self.now += 0.01
            decision = self.decide(self.table, ask.seat)
            if self.table.match.refuse(decision):
                return
            self.decisions.append(decision)
            self.referee.apply(self.names[ask.seat], [Reply(1, ask.decision_id, decision)], self.now)
        self._send()

    def _send(self) -> list[Asked]:
        asked = []
        for name, message in self.referee.drain(self.now).messages:
            if isinstance(message, Asked):
                asked.append(message)
            self.sent[self.names.index(name)].append(self._encode(message))
        return asked

    def _encode(self, message: object) -> bytes:
        match message:
            case Asked():
                return self._requests.encode(message)
            case Happened():
                return wire.encode_happened(message)
            case Started():
                return wire.encode_started(message)
            case Ended():
                return wire.encode_ended(message)
            case Faulted():
                return wire.encode_faulted(message)
        return b""


def parsed(chunks: list[bytes]) -> list[play_pb2.RefereeMessage]:
    """The messages in some bytes."""
    return list(play_pb2.PlayResponse.FromString(b"".join(chunks)).messages)
