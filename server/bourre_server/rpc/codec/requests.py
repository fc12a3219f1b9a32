"""Decision requests, as bytes. Half of the referee's time goes here.

What a request says changes at different times: the head of the hand once a hand, declarations
a few times, finished tricks five times. Each such part is written once, by the generated
message, and kept per table. What changes with every request is a handful of numbers and rows
of cards, one byte each, written by hand. A test compares the whole with the plain message.
"""

from functools import lru_cache

from bourre.v1 import observation_pb2, play_pb2

from bourre_server.referee.lists import Ask
from bourre_server.referee.messages import Asked
from bourre_server.referee.table import Table
from bourre_server.rpc.codec.framing import LENGTH_DELIMITED, VARINT, delimited, framed, key, varint
from bourre_server.rpc.codec.values import (
    card_row,
    wire_card,
    wire_house_rules,
    wire_milliseconds,
    wire_row,
    wire_suit,
)
from bourre_server.rules.hand import Kind
from bourre_server.rules.house import HAND_SIZE
from bourre_server.rules.state import Public

_REQUEST = key(play_pb2.RefereeMessage, "decision_request", LENGTH_DELIMITED)
_DECISION_ID = key(play_pb2.DecisionRequest, "decision_id", VARINT)
_LEGAL_CARDS = key(play_pb2.DecisionRequest, "legal_cards", LENGTH_DELIMITED)
_BANK_MS = key(play_pb2.DecisionRequest, "bank_ms", VARINT)
_OBSERVATION = key(play_pb2.DecisionRequest, "observation", LENGTH_DELIMITED)
_TRICK = key(observation_pb2.Observation, "trick", LENGTH_DELIMITED)
_HOLDING = key(observation_pb2.Observation, "holding", LENGTH_DELIMITED)
_OWN_DISCARDS = key(observation_pb2.Observation, "own_discards", LENGTH_DELIMITED)
_OWN_FAULTS = key(observation_pb2.Observation, "own_faults", VARINT)


class Requests:
    """Writes decision requests; keeps the parts of those of running matches."""

    def __init__(self) -> None:
        self._kept: dict[int, _Kept] = {}

    def encode(self, asked: Asked) -> bytes:
        """A list of requests, as entries of a PlayResponse."""
        clock = play_pb2.DecisionRequest(
            list_size=asked.size, list_deadline_ms=wire_milliseconds(asked.deadline or 0)
        ).SerializeToString()
        return b"".join([self._message(ask, clock) for ask in asked.asks])

    def forget(self, table: int) -> None:
        """Drop what is kept of a match that is over."""
        self._kept.pop(table, None)

    def _message(self, ask: Ask, clock: bytes) -> bytes:
        table = ask.table
        kept = self._kept.get(table.number)
        if kept is None:
            kept = self._kept[table.number] = _Kept(table)
        hand = table.hand
        request = b"".join(
            (
                kept.table,
                _DECISION_ID,
                varint(ask.decision_id),
                _kind_part(hand.kind, hand.may_pass),
                delimited(_LEGAL_CARDS, card_row(hand.legal)),
                _attempt_part(ask.attempt, ask.refused),
                _bank_part(table.banks[ask.seat]) if table.clock.budget else b"",
                clock,
                delimited(_OBSERVATION, kept.observed(ask.seat) + _own_part(table, ask.seat)),
            )
        )
        return framed(delimited(_REQUEST, request))


@lru_cache
def _kind_part(kind: Kind, may_pass: bool) -> bytes:
    request = play_pb2.DecisionRequest()
    request.kind = kind.value  # type: ignore[assignment]  # the numbers are the wire's
    if kind is not Kind.PLAY:
        request.may_pass = may_pass
        request.max_discards = HAND_SIZE
    return request.SerializeToString()


@lru_cache
def _attempt_part(attempt: int, refused: str) -> bytes:
    return play_pb2.DecisionRequest(attempt=attempt, refused=refused).SerializeToString()


@lru_cache(maxsize=1024)
def _bank_part(bank: float) -> bytes:
    """Most banks are full."""
    return _BANK_MS + varint(wire_milliseconds(bank))


def _own_part(table: Table, seat: int) -> bytes:
    """What changes with every card: the current trick, and what the seat alone knows."""
    view = table.match.view
    part = delimited(_HOLDING, card_row(view.holding(seat)))
    if trick := view.public.trick:
        part += delimited(_TRICK, bytes([card + 1 for card in trick]))
    if discards := view.privates[seat].discards:
        part += delimited(_OWN_DISCARDS, card_row(discards))
    if faults := table.counts[seat]:
        part += _OWN_FAULTS + varint(faults)
    return part


class _Kept:
    """The parts of a table's requests that stay for a while."""

    def __init__(self, table: Table) -> None:
        self._hand = table.match.hand
        self._public = table.match.public
        self.table = _table_part(table)
        self._seats = [_seat_part(table, seat) for seat in range(len(table.bots))]
        # What each part was written for; it is written again when that is no longer so.
        self._head_of = 0
        self._declared_of = self._tricks_of = (0, 0, 0)
        self._head = self._declared = self._tricks = b""

    def observed(self, seat: int) -> bytes:
        """What everyone at the table knows, and who the seat is."""
        public = self._public
        if self._head_of != public.hand:
            self._head_of, self._head = public.hand, _head_part(public)
        said = (public.hand, public.declared, public.upcard_state)
        if self._declared_of != said:
            self._declared_of, self._declared = said, _declared_part(public)
        playing = self._hand.kind is Kind.PLAY
        finished = (public.hand, playing, len(public.past))
        if self._tricks_of != finished:
            self._tricks_of, self._tricks = finished, _tricks_part(public, seat if playing else None)
        return self._seats[seat] + self._head + self._declared + self._tricks


def _table_part(table: Table) -> bytes:
    return play_pb2.DecisionRequest(
        table_id=table.number, budget_ms=wire_milliseconds(table.clock.budget or 0)
    ).SerializeToString()


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
        upcard_state=public.upcard_state.value,  # type: ignore[arg-type]  # the numbers are the wire's
        seat_states=public.states,  # type: ignore[arg-type]  # as above
        discards_taken=public.discards_taken,
    ).SerializeToString()


def _tricks_part(public: Public, to_act: int | None) -> bytes:
    """Finished tricks, and who leads the current one: the seat to act where no card is out yet."""
    leaders = public.leaders
    if to_act is not None and not public.trick:
        leaders = [*leaders, to_act]
    return observation_pb2.Observation(
        past_tricks=wire_row(public.past), leaders=leaders, tricks_won=public.tricks_won
    ).SerializeToString()
