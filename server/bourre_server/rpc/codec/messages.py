"""Everything that the referee tells a bot, except decision requests."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bourre.v1 import play_pb2

from bourre_server.referee.faults import Fault
from bourre_server.referee.messages import Ended, Faulted, Happened, Started
from bourre_server.referee.table import Table
from bourre_server.rpc.codec.framing import framed
from bourre_server.rpc.codec.values import wire_card, wire_cards, wire_house_rules, wire_milliseconds
from bourre_server.rules import events
from bourre_server.rules.match import RULES_VERSION

PROTOCOL_VERSION = 1
KEEPALIVE_MS = 20_000


@dataclass(frozen=True)
class Grant:
    """What a bot is granted when it joins: its name, tables and lists."""

    entrant: str
    max_tables: int
    lists: int


def encode_welcome(grant: Grant, seats: Sequence[tuple[Table, int]]) -> bytes:
    """The referee's first message."""
    return _framed(
        welcome=play_pb2.Welcome(
            protocol_version=PROTOCOL_VERSION,
            rules_version=RULES_VERSION,
            entrant=grant.entrant,
            keepalive_ms=KEEPALIVE_MS,
            lists=grant.lists,
            max_tables=grant.max_tables,
            running=[_match_started(table, seat) for table, seat in seats],
        )
    )


def encode_started(started: Started) -> bytes:
    """A new table."""
    return _framed(match_started=_match_started(started.table, started.seat))


def encode_ended(ended: Ended) -> bytes:
    """A match that is over."""
    table = ended.table
    return _framed(
        match_ended=play_pb2.MatchEnded(
            table_id=table.number, chips=table.match.public.chips, forfeited=table.forfeited
        )
    )


def encode_faulted(faulted: Faulted) -> bytes:
    """A fault: all of it for the seat that committed it, else what the table may know."""
    fault = faulted.fault
    message = play_pb2.Fault(
        table_id=faulted.table, seat=fault.seat, kind=_FAULT_KINDS[fault.kind], action=fault.action
    )
    if faulted.own:
        message.MergeFrom(_own_part(fault))
    return _framed(fault=message)


def encode_block_settled(block: int, seed: bytes) -> bytes:
    """A block whose seed may be known."""
    return _framed(block_settled=play_pb2.BlockSettled(block=str(block), seed=seed))


def encode_ping(number: int) -> bytes:
    """A sign of life."""
    return _framed(ping=play_pb2.Ping(id=number))


def encode_goodbye(reason: str, detail: str, retry_after: float = 0.0) -> bytes:
    """The end of the stream; `reason` is one of the proto's, such as "REPLACED"."""
    return _framed(
        goodbye=play_pb2.Goodbye(
            reason=play_pb2.GoodbyeReason.Value(f"GOODBYE_REASON_{reason}"),
            detail=detail,
            retry_after_ms=wire_milliseconds(retry_after),
        )
    )


def encode_happened(happened: Happened) -> bytes:
    """An event."""
    message = _EVENTS[type(happened.event)](happened.event)
    message.table_id = happened.table.number
    message.number = happened.number
    return _framed(event=message)


def _framed(**fields: object) -> bytes:
    return framed(play_pb2.RefereeMessage(**fields).SerializeToString())  # type: ignore[arg-type]  # one field each


def _match_started(table: Table, seat: int) -> play_pb2.MatchStarted:
    spec = table.spec
    clock = spec.clock
    return play_pb2.MatchStarted(
        table_id=table.number,
        block=str(spec.block),
        rotation=spec.setup.rotation,
        seat=seat,
        seats=spec.setup.seats,
        hands=spec.setup.hands,
        house_rules=wire_house_rules(spec.setup.house),
        bot_seed=spec.bot_seeds[seat],
        commitment=spec.commitment,
        time_control=play_pb2.TimeControl(
            budget_ms=wire_milliseconds(clock.budget or 0),
            bank_ms=wire_milliseconds(clock.bank),
            increment_ms=wire_milliseconds(clock.increment),
            absence_ms=wire_milliseconds(clock.absence),
        ),
        ask_forced=spec.ask_forced,
    )


def _own_part(fault: Fault) -> play_pb2.Fault:
    return play_pb2.Fault(
        decision_id=fault.decision_id,
        reason=fault.reason,
        legal_cards=wire_cards(fault.legal),
        own_faults=fault.count,
        elapsed_ms=wire_milliseconds(fault.elapsed),
        charged_ms=wire_milliseconds(fault.charged),
        sent=fault.sent,
    )


_FAULT_KINDS = {name.removeprefix("FAULT_KIND_").lower(): value for name, value in play_pb2.FaultKind.items()}


def _hand_started(event: events.HandStarted) -> play_pb2.Event:
    started = play_pb2.HandStarted(hand=event.hand, dealer=event.dealer, antes_paid=event.antes)
    return play_pb2.Event(hand_started=started)


def _dealt(event: events.Dealt) -> play_pb2.Event:
    return play_pb2.Event(dealt=play_pb2.Dealt(cards=wire_cards(event.cards)))


def _upcard_turned(event: events.UpcardTurned) -> play_pb2.Event:
    return play_pb2.Event(upcard_turned=play_pb2.UpcardTurned(card=wire_card(event.card)))


def _declared(event: events.Declared) -> play_pb2.Event:
    declared = play_pb2.Declared(seat=event.seat, plays=event.plays, discards=event.discards)
    return play_pb2.Event(declared=declared)


def _discarded(event: events.Discarded) -> play_pb2.Event:
    return play_pb2.Event(discarded=play_pb2.Discarded(cards=wire_cards(event.cards)))


def _drew(event: events.Drew) -> play_pb2.Event:
    return play_pb2.Event(drew=play_pb2.Drew(cards=wire_cards(event.cards)))


def _upcard_laid_aside(event: events.UpcardLaidAside) -> play_pb2.Event:
    return play_pb2.Event(upcard_laid_aside=play_pb2.UpcardLaidAside(card=wire_card(event.card)))


def _reshuffled(event: events.Reshuffled) -> play_pb2.Event:
    return play_pb2.Event(reshuffled=play_pb2.Reshuffled(cards=event.cards))


def _card_played(event: events.CardPlayed) -> play_pb2.Event:
    return play_pb2.Event(card_played=play_pb2.CardPlayed(seat=event.seat, card=wire_card(event.card)))


def _trick_won(event: events.TrickWon) -> play_pb2.Event:
    return play_pb2.Event(trick_won=play_pb2.TrickWon(seat=event.seat))


def _hand_settled(event: events.HandSettled) -> play_pb2.Event:
    settled = play_pb2.HandSettled(
        pot=event.pot, payments=event.payments, carried_pot=event.carried, exempt=event.exempt
    )
    return play_pb2.Event(hand_settled=settled)


def _match_settled(event: events.MatchSettled) -> play_pb2.Event:
    return play_pb2.Event(match_settled=play_pb2.MatchSettled(shares=event.shares))


_EVENTS: dict[type[events.Event], Callable[..., play_pb2.Event]] = {
    events.HandStarted: _hand_started,
    events.Dealt: _dealt,
    events.UpcardTurned: _upcard_turned,
    events.Declared: _declared,
    events.Discarded: _discarded,
    events.Drew: _drew,
    events.UpcardLaidAside: _upcard_laid_aside,
    events.Reshuffled: _reshuffled,
    events.CardPlayed: _card_played,
    events.TrickWon: _trick_won,
    events.HandSettled: _hand_settled,
    events.MatchSettled: _match_settled,
}
