"""The referee: many matches between bots, sans-IO.

Inputs are what bots send, their comings and goings, and the time, in seconds from any start;
outputs are effects, taken with `drain`. What a reply is:

    reply to                            is            then
    a table where the bot has no seat   unknown_table nothing changes
    a decision made already             stale         nothing changes
    a decision not asked of the bot     malformed     nothing changes (id 0: out_of_turn)
    the decision asked, no decision     malformed     asked again
    the decision asked, not legal       illegal       asked again; a renege only once
    the decision asked, legal           made

After three attempts, and when the time is over, the default decision is made (R50).
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import inf

from bourre_server.referee.bot import Bot
from bourre_server.referee.faults import Fault, FaultKind
from bourre_server.referee.lists import Ask
from bourre_server.referee.messages import (
    Effects,
    Ended,
    Faulted,
    Happened,
    Message,
    Reply,
    Started,
    Welcomed,
)
from bourre_server.referee.table import FORFEITED, MAX_ATTEMPTS, MAX_RESTARTS, Table, TableSpec
from bourre_server.rules.decisions import Play
from bourre_server.rules.events import is_visible
from bourre_server.rules.hand import Kind
from bourre_server.rules.record import Made


class Referee:
    """All tables of a run, and the bots at them, which are known by name.

    Every input takes the time `now` at which it happened; time must not run backwards.
    """

    def __init__(self) -> None:
        self.tables: dict[int, Table] = {}
        self._bots: dict[str, Bot] = {}
        self._touched: dict[str, Bot] = {}
        self._timed: dict[str, Bot] = {}
        self._journal: list[tuple[int, str]] = []
        self._messages: list[tuple[str, Message]] = []
        self._finished: list[Table] = []

    # Tables and bots come and go.

    def open(self, spec: TableSpec, now: float, tokens: Iterable[str] = ()) -> None:
        """Open a table; `tokens` are decisions of its match that were journalled before.

        Raises RecordError, and opens none, where they are not decisions of this match.
        """
        table = Table(spec)
        table.resume(tokens)
        self.tables[spec.number] = table
        for seat, name in enumerate(spec.bots):
            bot = self._touch(name, now)
            bot.seats[spec.number] = (table, seat)
            if bot.away_since is not None:
                table.absence[seat] += now - bot.away_since  # what was before this match is not its own
            self._tell(bot, Started(table, seat))
            if bot.events:
                self._listen(bot, table, seat)
        self._advance(table, now)

    def join(
        self,
        name: str,
        now: float,
        *,
        lists: int = 1,
        events: bool = False,
        remembered: Mapping[int, int] | None = None,
    ) -> None:
        """A bot connects, for the first time or again: it hears of its tables and is asked again.

        `lists`: how many may be open at once. `events`: whether it wants them; those after the
        numbers `remembered` by table are sent again.
        """
        self.lose(name, now)
        bot = self._touch(name, now)
        bot.come(now)
        bot.lists = lists
        bot.events = events
        bot.remembered = dict(remembered or {})
        self._tell(bot, Welcomed(list(bot.seats.values())))
        for message in bot.missed:
            self._tell(bot, message)
        bot.missed.clear()
        for table, seat in bot.seats.values():
            table.listening.pop(seat, None)
            if events:
                self._listen(bot, table, seat)

    def lose(self, name: str, now: float) -> None:
        """A bot's connection is lost: its clocks stand, its absence runs."""
        bot = self._touch(name, now)
        if bot.away_since is None:
            self._charge(bot, now)
            bot.leave(now)
            self._take_back(bot)

    def crash(self, name: str, reason: str, now: float) -> None:
        """A bot's process ended: a fault in each of its matches, and too many end its play there."""
        self.lose(name, now)
        bot = self._touch(name, now)
        for table, seat in list(bot.seats.values()):
            table.crashes[seat] += 1
            gives_up = table.crashes[seat] > MAX_RESTARTS
            action = "plays by default from now on" if gives_up else "started again"
            self._fault(table, Fault(seat, FaultKind.CRASHED, 0, reason, action))
            if gives_up:
                self._give_up(table, seat, FaultKind.CRASHED, now)
            else:
                self._forfeit_if_due(table, seat, now)

    def give_up(self, name: str, reason: str, now: float) -> None:
        """A bot is gone for good: its seats play by default to the end of its matches."""
        for table, seat in list(self._touch(name, now).seats.values()):
            action = "plays by default from now on"
            self._fault(table, Fault(seat, FaultKind.DISCONNECTED, 0, reason, action))
            self._give_up(table, seat, FORFEITED, now)

    def dismiss(self, name: str, now: float) -> None:
        """A bot is not expected any more: its connection ends, and it is forgotten if it has no seat."""
        self.lose(name, now)
        if not self._bots[name].seats:
            for bots in (self._bots, self._touched, self._timed):
                bots.pop(name, None)

    # What bots send, and time.

    def apply(self, name: str, replies: Iterable[Reply], now: float) -> None:
        """Apply a frame of replies that a bot sent."""
        bot = self._touch(name, now)
        self._charge(bot, now)
        for reply in replies:
            self._reply(bot, reply, now)

    def disturb(self, name: str, kind: FaultKind, reason: str, now: float) -> None:
        """A bot sent what belongs to no table: a fault in each of its matches."""
        for table, seat in list(self._touch(name, now).seats.values()):
            self._fault(table, Fault(seat, kind, 0, reason, "ignored"))
            self._forfeit_if_due(table, seat, now)

    def tick(self, now: float) -> None:
        """Let the time pass: requests expire, absences run out."""
        for bot in list(self._timed.values()):
            self._touched[bot.name] = bot
            if bot.away_since is None:
                self._charge(bot, now)
            else:
                self._end_absences(bot, now)

    def open_requests(self, name: str) -> int:
        """How many requests a bot has been sent and has not answered."""
        bot = self._bots.get(name)
        return sum(len(opened.asks) for opened in bot.open_lists) if bot else 0

    def drain(self, now: float) -> Effects:
        """What follows from all inputs since the last call."""
        for bot in self._touched.values():
            self._messages += [(bot.name, asked) for asked in bot.next_requests(now)]
            if bot.wake < inf:
                self._timed[bot.name] = bot
            else:
                self._timed.pop(bot.name, None)
        self._touched.clear()
        wake = min((bot.wake for bot in self._timed.values()), default=None)
        effects = Effects(self._journal, self._messages, self._finished, wake)
        self._journal, self._messages, self._finished = [], [], []
        return effects

    # One reply.

    def _reply(self, bot: Bot, reply: Reply, now: float) -> None:
        place = bot.seats.get(reply.table)
        if place is None:
            fault = Fault(0, FaultKind.UNKNOWN_TABLE, reply.decision_id, "no seat at this table", "ignored")
            self._tell(bot, Faulted(reply.table, fault, own=True))
            return
        table, seat = place
        ask = table.ask
        assert ask is not None, "a match that is over has no seats"
        asked = ask.seat == seat and ask.open_list is not None
        if reply.decision_id != ask.decision_id or not asked:
            self._stray(table, seat, reply, now)
        elif reply.decision is None:
            self._refuse(ask, ask.fault(FaultKind.MALFORMED, reply.wrong, now), now)
        elif refused := table.hand.refuse(reply.decision):
            fault = replace(ask.fault(FaultKind.ILLEGAL, refused, now), sent=reply.decision.token)
            if isinstance(reply.decision, Play) and table.hand.reneges(reply.decision):
                self._hand_back(ask, reply.decision.card, fault, now)
            else:
                self._refuse(ask, fault, now)
        else:
            bot.close(ask)
            self._make(table, Made(reply.decision, ask.attempt))
            self._advance(table, now)

    def _stray(self, table: Table, seat: int, reply: Reply, now: float) -> None:
        """A reply that answers no open request."""
        if 0 < reply.decision_id <= len(table.tokens):
            kind, reason = FaultKind.STALE, "the decision was made already"
        elif reply.decision_id == 0:
            kind, reason = FaultKind.OUT_OF_TURN, "nobody asked"
            table.act_out_of_turn(seat)
        else:
            kind, reason = FaultKind.MALFORMED, "no such decision was asked of this seat"
        sent = reply.decision.token if reply.decision else ""
        self._fault(table, Fault(seat, kind, reply.decision_id, reason, "ignored", sent))
        self._forfeit_if_due(table, seat, now)

    def _refuse(self, ask: Ask, fault: Fault, now: float) -> None:
        """Ask again, or make the default decision after the last attempt."""
        if ask.attempt == MAX_ATTEMPTS:
            self._default(ask, fault, now)
            return
        table = ask.table
        self._fault(table, replace(fault, action=fault.action or "asked again"))
        if self._forfeit_if_due(table, ask.seat, now):
            return
        ask.attempt += 1
        ask.refused = fault.reason
        # Asked when all inputs are applied: it may have been answered by then, and a request shows
        # its table as it is, to the seat that is to act.
        self._bots[table.bots[ask.seat]].refused[table.number] = ask

    def _hand_back(self, ask: Ask, card: int, fault: Fault, now: float) -> None:
        """R51: a card that breaks the rules is handed back once; the second time the default is played."""
        if ask.table.retracted is not None:
            self._default(ask, fault, now)
            return
        ask.table.retracted = card
        # Everyone has seen the card.
        self._refuse(ask, replace(fault, action=f"{fault.sent} handed back"), now)

    # Defaults.

    def _charge(self, bot: Bot, now: float) -> None:
        """Let the clocks of a connected bot run up to now."""
        for opened in list(bot.open_lists):
            for ask in opened.charge(now):
                self._default(ask, ask.fault(FaultKind.TIMEOUT, "no answer in time", now), now)

    def _end_absences(self, bot: Bot, now: float) -> None:
        """Play by default for a bot that was away too long, until it comes back."""
        assert bot.away_since is not None
        action = "plays by default until it is back"
        for table, seat in list(bot.seats.values()):
            if not table.by_default[seat] and bot.away_since + table.absence[seat] <= now:
                self._fault(table, Fault(seat, FaultKind.DISCONNECTED, 0, "away for too long", action))
                if not self._forfeit_if_due(table, seat, now):
                    table.by_default[seat] = FaultKind.DISCONNECTED
                    self._pass_over(table, seat, now)

    def _default(self, ask: Ask, fault: Fault, now: float) -> None:
        """Make the default decision for an open request, and go on."""
        table, decision = ask.table, ask.table.match.hand.default()
        self._touch(table.bots[ask.seat], now).close(ask)
        self._fault(table, replace(fault, action=f"{decision.token} by default"))
        self._make(table, Made(decision, ask.attempt, reason=fault.kind))
        if table.counts[ask.seat] >= table.spec.forfeit_after:
            table.forfeit(ask.seat, FORFEITED)
        self._advance(table, now)

    def _forfeit_if_due(self, table: Table, seat: int, now: float) -> bool:
        """End a seat's play where its faults are too many; whether they were."""
        due = table.counts[seat] >= table.spec.forfeit_after and not table.forfeited[seat]
        if due:
            self._give_up(table, seat, FORFEITED, now)
        return due

    def _give_up(self, table: Table, seat: int, reason: str, now: float) -> None:
        """Play a seat by default to the end of its match, an open request included."""
        table.forfeit(seat, reason)
        self._pass_over(table, seat, now)

    def _pass_over(self, table: Table, seat: int, now: float) -> None:
        """Go on without an answer of a seat that plays by default now."""
        ask = table.ask
        if ask is not None and ask.seat == seat:
            self._touch(table.bots[seat], now).close(ask)
            self._advance(table, now)

    # What every decision and every fault leads to.

    def _make(self, table: Table, made: Made) -> None:
        self._journal.append((table.number, table.decide(made)))
        if table.listening:
            self._publish(table)

    def _advance(self, table: Table, now: float) -> None:
        """Make what needs no asking; then ask, or end the match."""
        hand = table.hand
        while hand.kind is not Kind.OVER:
            made = table.next_unasked()
            if made is None:
                table.ask = ask = Ask(table, hand.to_act, len(table.tokens) + 1)
                self._touch(table.bots[ask.seat], now).ready.append(ask)
                return
            self._make(table, made)
        self._finish(table)

    def _finish(self, table: Table) -> None:
        table.ask = None
        del self.tables[table.number]
        for name in table.bots:
            bot = self._bots[name]
            self._touched[name] = bot
            del bot.seats[table.number]
            self._tell(bot, Ended(table))
        self._finished.append(table)

    def _publish(self, table: Table) -> None:
        """Send the new events to the bots that want them."""
        events = table.match.drain()
        for seat in table.listening:
            bot = self._bots[table.bots[seat]]
            for event in events:
                if is_visible(event, seat):
                    table.listening[seat] += 1
                    self._tell(bot, Happened(table, table.listening[seat], event))

    def _listen(self, bot: Bot, table: Table, seat: int) -> None:
        """From now on a bot gets the events of a table; those that it does not remember at once."""
        table.match.drain()  # those are among the events seen so far
        events = table.visible_events(seat)
        table.listening[seat] = len(events)
        seen = bot.remembered.get(table.number, 0)
        for number, event in enumerate(events[seen:], seen + 1):
            self._tell(bot, Happened(table, number, event))

    def _fault(self, table: Table, fault: Fault) -> None:
        fault = table.add_fault(fault)
        for seat, name in enumerate(table.bots):
            own = seat == fault.seat
            if own or fault.kind.counts:
                self._tell(self._bots[name], Faulted(table.number, fault, own))

    def _tell(self, bot: Bot, message: Message) -> None:
        if bot.away_since is None:
            self._messages.append((bot.name, message))
        elif isinstance(message, Ended):
            bot.missed.append(message)

    def _take_back(self, bot: Bot) -> None:
        """What was not sent before a connection is lost is not sent on the next one, before its welcome."""
        bot.missed += [m for name, m in self._messages if name == bot.name and isinstance(m, Ended)]
        self._messages = [(name, message) for name, message in self._messages if name != bot.name]

    def _touch(self, name: str, now: float) -> Bot:
        bot = self._bots.get(name)
        if bot is None:
            bot = self._bots[name] = Bot(name, now)
        self._touched[name] = bot
        return bot
