"""Decision requests, as bytes. Half of the referee's time goes here.

What a request says changes at different times: the head of the hand once a hand, declarations
a few times, finished tricks five times. Each such part is serialised once and kept per table;
only the rest is written for every request, by one message that is used again and again.
"""

from bourre.v1 import observation_pb2, play_pb2

from bourre_server.referee.lists import Ask
from bourre_server.referee.messages import Asked
from bourre_server.referee.table import Table
from bourre_server.rpc.codec.framing import framed, tag, varint
from bourre_server.rpc.codec.values import (
    wire_card,
    wire_cards,
    wire_house_rules,
    wire_milliseconds,
    wire_row,
    wire_suit,
)
from bourre_server.rules.hand import Kind
from bourre_server.rules.house import HAND_SIZE
from bourre_server.rules.state import Public

_OBSERVATION = tag(play_pb2.DecisionRequest.OBSERVATION_FIELD_NUMBER)
_REQUEST = tag(play_pb2.RefereeMessage.DECISION_REQUEST_FIELD_NUMBER)


class Requests:
    """Writes decision requests; keeps the parts of those of running matches."""

    def __init__(self) -> None:
        self._kept: dict[int, _Kept] = {}
        self._request = play_pb2.DecisionRequest()
        self._fresh = observation_pb2.Observation()

    def encode(self, asked: Asked) -> bytes:
        """A list of requests, as entries of a PlayResponse."""
        deadline = wire_milliseconds(asked.deadline or 0)
        return b"".join([self._message(ask, asked.size, deadline) for ask in asked.asks])

    def forget(self, table: int) -> None:
        """Drop what is kept of a match that is over."""
        self._kept.pop(table, None)

    def _message(self, ask: Ask, size: int, deadline: int) -> bytes:
        observation = self._observation(ask)
        head = self._head(ask, size, deadline)
        request = head + _OBSERVATION + varint(len(observation)) + observation
        return framed(_REQUEST + varint(len(request)) + request)

    def _head(self, ask: Ask, size: int, deadline: int) -> bytes:
        request, table = self._request, ask.table
        hand = table.match.hand
        request.Clear()
        request.table_id = table.number
        request.decision_id = ask.decision_id
        request.kind = hand.kind.value  # type: ignore[assignment]  # the numbers are the wire's
        request.attempt = ask.attempt
        request.legal_cards.extend(wire_cards(hand.legal))
        if hand.kind is not Kind.PLAY:
            request.may_pass = hand.may_pass
            request.max_discards = HAND_SIZE
        if ask.refused:
            request.refused = ask.refused
        request.list_size = size
        if deadline:
            request.budget_ms = wire_milliseconds(table.clock.budget or 0)
            request.bank_ms = wire_milliseconds(ask.bank)
            request.list_deadline_ms = deadline
        return request.SerializeToString()

    def _observation(self, ask: Ask) -> bytes:
        """All that the seat may know: what everyone does, and what it alone knows."""
        table, seat = ask.table, ask.seat
        kept = self._kept.get(table.number)
        if kept is None:
            kept = self._kept[table.number] = _Kept(table)
        fresh = self._fresh
        fresh.Clear()
        fresh.trick.extend(wire_row(table.match.public.trick))
        fresh.holding.extend(wire_cards(table.match.holding(seat)))
        if discards := table.match.view.privates[seat].discards:
            fresh.own_discards.extend(wire_cards(discards))
        fresh.own_faults = table.counts[seat]
        return kept.parts(seat, table.match.hand.kind is Kind.PLAY) + fresh.SerializeToString()


class _Kept:
    """The parts of a table's observations that stay for a while."""

    def __init__(self, table: Table) -> None:
        self._public = table.match.public
        self._seats = [_seat_part(table, seat) for seat in range(len(table.bots))]
        # What each part was written for; it is written again when that is no longer so.
        self._head_of = 0
        self._declared_of = self._tricks_of = (0, 0, 0)
        self._head = self._declared = self._tricks = b""

    def parts(self, seat: int, playing: bool) -> bytes:
        """All parts as one seat sees them; `playing` once all have declared."""
        public = self._public
        if self._head_of != public.hand:
            self._head_of, self._head = public.hand, _head_part(public)
        said = (public.hand, public.declared, public.upcard_state)
        if self._declared_of != said:
            self._declared_of, self._declared = said, _declared_part(public)
        finished = (public.hand, playing, len(public.past))
        if self._tricks_of != finished:
            self._tricks_of, self._tricks = finished, _tricks_part(public, seat if playing else None)
        return self._seats[seat] + self._head + self._declared + self._tricks


def _seat_part(table: Table, seat: int) -> bytes:
    setup = table.spec.setup
    return observation_pb2.Observation(
        seat=seat,
        seats=setup.seats,
        bot_seed=table.spec.bot_seeds[seat],
        house_rules=wire_house_rules(setup.house),
        hands=setup.hands,
    ).SerializeToString()


def _head_part(public: Public) -> bytes:
    return observation_pb2.Observation(
        hand=public.hand,
        dealer=public.dealer,
        upcard=wire_card(public.upcard),
        trump=wire_suit(public.trump),
        carried_pot=public.carried,
        antes_paid=public.antes,
    ).SerializeToString()


def _declared_part(public: Public) -> bytes:
    return observation_pb2.Observation(
        pot=public.pot,
        chips=public.chips,
        upcard_state=public.upcard_state.value,  # type: ignore[arg-type]  # as above
        seat_states=public.states,  # type: ignore[arg-type]  # as above
        discards_taken=public.discards_taken,
    ).SerializeToString()


def _tricks_part(public: Public, to_act: int | None) -> bytes:
    """Finished tricks, and who leads the current one: the seat to act where no card is out yet."""
    leaders = public.leaders
    if to_act is not None and not public.trick:
        leaders = [*leaders, to_act]
    return observation_pb2.Observation(
        past_tricks=wire_row(public.past),
        leaders=leaders,
        tricks_won=public.tricks_won,
    ).SerializeToString()
