"""A table: one match between bots, its decisions, clocks and faults."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import inf

from bourre_server.referee.faults import Fault, FaultKind
from bourre_server.referee.lists import Ask, TimeControl
from bourre_server.rules.decisions import PLAYS
from bourre_server.rules.events import Event, is_visible
from bourre_server.rules.hand import Kind
from bourre_server.rules.match import Match, Setup
from bourre_server.rules.record import Made, Record, RecordError

MAX_ATTEMPTS = 3
# A launched bot is started again so often in one match.
MAX_RESTARTS = 2
# More faults of a seat than these, and more that do not count, are not kept: a flood must not fill
# the record, nor keep what counts out of it.
MAX_KEPT_FAULTS = 100
# Why a seat plays by default that had too many faults, or whose bot is gone for good.
FORFEITED = "forfeited"
_TOLD_BY_TOKENS = (FaultKind.ILLEGAL, FaultKind.MALFORMED, FaultKind.TIMEOUT, FaultKind.DISCONNECTED)


@dataclass(frozen=True)
class TableSpec:
    """What a table is opened with.

    `number`: the match's, at least 1, the same after a restart. `bots`: by seat, none twice.
    `bot_seeds`: by seat, 64 bits each. `ask_forced`: ask for plays with one legal card too.
    `forfeit_after`: the faults after which a seat plays by default.
    """

    number: int
    block: int
    setup: Setup
    bots: tuple[str, ...]
    bot_seeds: tuple[int, ...]
    commitment: bytes = bytes(32)
    clock: TimeControl = field(default_factory=TimeControl)
    ask_forced: bool = False
    forfeit_after: int = 10


class Table:
    """A match between bots.

    `tokens`: the decisions so far, as in a record. `ask`: the decision that is waited for, None
    when the match is over. `banks`: seconds by seat. `counts`: faults by seat that count.
    `by_default`: why a seat plays by default, by seat; empty where it does not. `retracted`: the
    card that the seat asked has taken back, `out_of_turn`: the seats that acted though they were
    not asked, since the last decision (R51).
    """

    def __init__(self, spec: TableSpec) -> None:
        seats = spec.setup.seats
        self.spec = spec
        self.number = spec.number
        self.bots = spec.bots
        self.clock = spec.clock
        self.budget = inf if spec.clock.budget is None else spec.clock.budget
        self.match = Match(spec.setup)
        self.hand = self.match.hand
        self.public = self.match.public
        self.tokens: list[str] = []
        self.ask: Ask | None = None
        self.banks = [spec.clock.bank] * seats
        self.absence = [spec.clock.absence] * seats
        self.counts = [0] * seats
        self.forfeited = [False] * seats
        self.by_default = [""] * seats
        self.crashes = [0] * seats
        self.faults: list[Fault] = []
        self.retracted: int | None = None
        self.out_of_turn: list[int] = []
        self._hand = 1
        # The seats whose bots want events, with the number of the last one sent.
        self.listening: dict[int, int] = {}

    def resume(self, tokens: Iterable[str]) -> None:
        """Make decisions that were journalled before, with their faults and forfeits.

        Raises RecordError where they are not decisions of this match.
        """
        absent: set[int] = set()
        for token in tokens:
            made = Made.parse(token)
            if self.over or self.match.refuse(made.decision):
                raise RecordError(f"match {self.number}: {token} does not continue its journal")
            seat = self.match.hand.to_act
            self.decide(made)
            self._recall(seat, made, seat in absent)
            if made.reason == FaultKind.DISCONNECTED:
                absent.add(seat)
            elif not made.forced:
                absent.discard(seat)

    def _recall(self, seat: int, made: Made, absent: bool) -> None:
        """Put down against a seat what a journalled decision tells."""
        for kind in _faults_of(made, absent):
            reason, action = "before the referee was started again", f"{made.decision.token} was made"
            self.add_fault(Fault(seat, kind, len(self.tokens), reason, action))
        if made.reason in (FORFEITED, FaultKind.CRASHED):
            self.forfeit(seat, made.reason)
        elif self.counts[seat] >= self.spec.forfeit_after:
            self.forfeit(seat, FORFEITED)

    @property
    def over(self) -> bool:
        """Whether the match is settled."""
        return self.match.over

    def record(self) -> Record:
        """The record of the match, once it is over."""
        self.match.drain()
        return Record.of(self.match, self.spec.block, self.tokens)

    def decide(self, made: Made) -> str:
        """Make the next decision; its token."""
        if self.retracted is not None or self.out_of_turn:
            made = made._replace(retracted=self.retracted, out_of_turn=tuple(self.out_of_turn))
            self.retracted = None
            self.out_of_turn.clear()
        token = made.token
        self.tokens.append(token)
        made.apply(self.match)
        self.ask = None
        if self.public.hand != self._hand:
            self._begin_hand()
        return token

    def _begin_hand(self) -> None:
        """Fill the banks up; drop the last hand's events where nobody wants them."""
        clock = self.clock
        self._hand = self.match.public.hand
        self.banks = [min(clock.bank, bank + clock.increment) for bank in self.banks]
        if not self.listening:
            self.match.drain()

    def next_unasked(self) -> Made | None:
        """The next decision where nobody is asked: forced, or by default. None: ask."""
        hand = self.hand
        legal = hand.legal
        if hand.kind is Kind.PLAY and legal & (legal - 1) == 0 and not self.spec.ask_forced:
            return Made(PLAYS[legal.bit_length() - 1], 1, True)
        reason = self.by_default[hand.to_act]
        return Made(hand.default(), reason=reason) if reason else None

    def visible_events(self, seat: int) -> list[Event]:
        """All events so far that a seat may see, in order: those numbered from 1."""
        match = Match(self.spec.setup)
        events = match.drain()
        for token in self.tokens:
            Made.parse(token).apply(match)
            events += match.drain()
        return [event for event in events if is_visible(event, seat)]

    def act_out_of_turn(self, seat: int) -> None:
        """A seat decided something without being asked."""
        asked = self.ask is not None and self.ask.seat == seat
        if self.match.setup.house.illegal == "renege" and not asked and seat not in self.out_of_turn:
            self.out_of_turn.append(seat)

    def add_fault(self, fault: Fault) -> Fault:
        """Count a fault and keep it; the fault with its count."""
        seat = fault.seat
        self.counts[seat] += fault.kind.counts
        fault = replace(fault, count=self.counts[seat])
        alike = [kept.seat == seat and kept.kind.counts == fault.kind.counts for kept in self.faults]
        if sum(alike) < MAX_KEPT_FAULTS:
            self.faults.append(fault)
        return fault

    def come_back(self, seat: int) -> None:
        """A seat that played by default because its bot was away decides again."""
        if not self.forfeited[seat]:
            self.by_default[seat] = ""

    def forfeit(self, seat: int, reason: str) -> None:
        """Play a seat by default to the end of the match; the first reason stays."""
        if not self.forfeited[seat]:
            self.forfeited[seat] = True
            self.by_default[seat] = reason


def _faults_of(made: Made, absent: bool) -> list[FaultKind]:
    """The faults that led to a decision, as far as its token tells; an absence is one fault.

    What was refused before the last attempt may have been malformed; it counts the same.
    """
    faults = [FaultKind.ILLEGAL] * (made.attempts - 1)
    if made.reason == FaultKind.DISCONNECTED and absent:
        return faults
    if made.reason in _TOLD_BY_TOKENS:
        faults.append(FaultKind(made.reason))
    return faults
