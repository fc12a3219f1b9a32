"""The bytes of the wire: they parse to what was meant, and hold nothing that a seat may not know."""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from bourre.v1 import card_pb2, observation_pb2, play_pb2
from bourre_server.referee.faults import Fault, FaultKind
from bourre_server.referee.messages import Asked, Faulted, Happened
from bourre_server.referee.table import Table
from bourre_server.rpc.codec import messages as wire
from bourre_server.rpc.codec.framing import varint
from bourre_server.rpc.codec.replies import MAX_MESSAGES, FrameError, decode
from bourre_server.rpc.codec.requests import Requests
from bourre_server.rules.cards import cards_in, parse_card
from bourre_server.rules.decisions import PASS, PLAYS, STAND_PAT, Decision, Declare, Draw
from bourre_server.rules.events import Dealt, Discarded, Drew, Event
from bourre_server.rules.hand import Kind
from bourre_server.rules.house import HAND_SIZE, HouseRules
from bourre_server.rules.match import Match, Setup
from bourre_server.rules.record import Made
from bourre_server.rules.shuffle import Dealing

from tests.rpc.table_talk import TableTalk, by_chance, parsed


def setup_of(seed: int, house: HouseRules | None = None) -> Setup:
    seats = 2 + seed % 7
    return Setup(seats, seats * 2, seed.to_bytes(32), seed % seats, house or HouseRules())


def plain_request(asked: Asked) -> play_pb2.DecisionRequest:
    """The request as one would build it field by field, from the public state and one seat's own."""
    (ask,) = asked.asks
    table, seat, hand = ask.table, ask.seat, ask.table.match.hand
    public, setup = table.match.public, table.spec.setup
    playing = hand.kind is Kind.PLAY
    leaders = [*public.leaders, seat] if playing and not public.trick else public.leaders
    observation = observation_pb2.Observation(
        seat=seat,
        seats=setup.seats,
        bot_seed=table.spec.bot_seeds[seat],
        hand=public.hand,
        hands=setup.hands,
        dealer=public.dealer,
        upcard=public.upcard + 1,  # type: ignore[arg-type]  # the numbers are the wire's, here and below
        trump=public.trump + 1,  # type: ignore[arg-type]
        carried_pot=public.carried,
        antes_paid=public.antes,
        pot=public.pot,
        chips=public.chips,
        upcard_state=public.upcard_state.value,  # type: ignore[arg-type]
        seat_states=public.states,  # type: ignore[arg-type]
        discards_taken=public.discards_taken,
        past_tricks=[card + 1 for card in public.past],  # type: ignore[misc]
        leaders=leaders,
        tricks_won=public.tricks_won,
        trick=[card + 1 for card in public.trick],  # type: ignore[misc]
        holding=[card + 1 for card in cards_in(table.match.holding(seat))],  # type: ignore[misc]
        own_discards=[card + 1 for card in cards_in(table.match.view.privates[seat].discards)],  # type: ignore[misc]
        own_faults=table.counts[seat],
    )
    if setup.house.differences():
        observation.house_rules.limit = setup.house.limit or 0
    assert asked.deadline is not None
    return play_pb2.DecisionRequest(
        table_id=table.number,
        decision_id=ask.decision_id,
        kind=hand.kind.value,  # type: ignore[arg-type]
        attempt=ask.attempt,
        refused=ask.refused,
        legal_cards=[card + 1 for card in cards_in(hand.legal)],  # type: ignore[misc]
        may_pass=hand.may_pass and not playing,
        max_discards=0 if playing else HAND_SIZE,
        budget_ms=1000,
        bank_ms=int(ask.bank * 1000),
        list_size=1,
        list_deadline_ms=int(asked.deadline * 1000),
        observation=observation,
    )


@pytest.mark.parametrize("seed", range(14))
def test_a_request_is_what_one_would_build_field_by_field(seed: int) -> None:
    house = [HouseRules(), HouseRules(limit=None), HouseRules(limit=3)][seed % 3]
    talk = TableTalk(setup_of(seed, house), by_chance(Random(seed)), ask_forced=seed % 2 == 0)
    for asked in talk.play():
        (ask,) = asked.asks
        if ask.decision_id % 5 == 0:
            ask.attempt, ask.refused = 2, "Kd is not held"
            talk.table.counts[ask.seat] += 1
        (message,) = parsed([Requests().encode(asked)])
        assert message.decision_request == plain_request(asked)
        # The kept parts of an earlier request are those that a fresh one writes.
        kept = parsed(talk.sent[ask.seat][-1:])[0].decision_request.observation
        fresh = message.decision_request.observation
        kept.own_faults = fresh.own_faults
        assert kept == fresh


def cards_told(message: play_pb2.RefereeMessage) -> Iterator[int]:
    """Every card that a message names, whatever the field."""
    stack: list[object] = [message]
    while stack:
        for field, value in stack.pop().ListFields():  # type: ignore[attr-defined]  # any message
            values = value if field.is_repeated else [value]
            if field.message_type:
                stack.extend(values)
            elif field.enum_type and field.enum_type.name == "Card":
                yield from (number - 1 for number in values)


@pytest.mark.parametrize("seed", range(60))
def test_f30_no_seat_is_told_a_card_that_it_may_not_know(seed: int) -> None:
    talk = TableTalk(setup_of(seed), by_chance(Random(seed)))
    for asked in talk.play():
        (ask,) = asked.asks
        public, private = talk.table.match.public, talk.table.match.view.privates[ask.seat]
        known = private.received | private.discards | public.played | 1 << public.upcard
        (request,) = parsed(talk.sent[ask.seat][-1:])
        assert all(known >> card & 1 for card in cards_told(request))
    for seat, chunks in talk.sent.items():
        told = [message.event for message in parsed(chunks) if message.HasField("event")]
        assert [event.number for event in told] == list(range(1, len(told) + 1))
        assert told == [happened(talk.table, n, event) for n, event in seen_by(talk.table, seat)]


def seen_by(table: Table, seat: int) -> Iterator[tuple[int, Event]]:
    """The events that a seat may see by their meaning: not what others were dealt, threw or drew."""
    match, number = Match(table.spec.setup), 0
    events = match.drain()
    for token in table.tokens:
        match.apply(Made.parse(token).decision)
        events += match.drain()
    for event in events:
        if not isinstance(event, Dealt | Discarded | Drew) or event.seat == seat:
            number += 1
            yield number, event


def happened(table: Table, number: int, event: Event) -> play_pb2.Event:
    (message,) = parsed([wire.encode_happened(Happened(table, number, event))])
    return message.event


class Exchanged(Dealing):
    """Decks in which two cards have changed places in the first hand."""

    cards = (0, 0)

    def deck(self, hand: int) -> list[int]:
        deck = super().deck(hand)
        if hand == 1:
            one, other = map(deck.index, self.cards)
            deck[one], deck[other] = deck[other], deck[one]
        return deck


def unknown_to(seat: int, setup: Setup, decisions: list[Decision]) -> list[int]:
    """The cards that a seat never sees in the first hand, unless others play them."""
    match = Match(setup)
    known = 1 << match.public.upcard
    for decision in decisions:
        private = match.view.privates[seat]
        known |= private.received | private.discards
        match.apply(decision)
        if match.public.hand != 1:
            break
    return [card for card in range(52) if not known >> card & 1]


def exchanged(decision: Decision, cards: tuple[int, ...]) -> Decision:
    """The same public act of a seat that holds one of two cards for the other."""
    swap = dict(zip(cards, reversed(cards), strict=True))
    if isinstance(decision, Declare):
        return Declare(decision.plays, tuple(swap.get(card, card) for card in decision.discards))
    return decision


def test_f31_bytes_do_not_depend_on_what_a_seat_cannot_know(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two cards that a seat does not see change places; as long as all act the same in public, it is
    sent the same bytes, in every phase of the hand and beyond."""
    whole, phases = 0, Counter[str]()
    for seed in range(150):
        setup = setup_of(seed)
        seat, random = seed % setup.seats, Random(seed)
        first = TableTalk(setup, by_chance(random), ask_forced=True)
        list(first.play())
        cards = tuple(random.sample(unknown_to(seat, setup, first.decisions), 2))
        with monkeypatch.context() as patched:
            patched.setattr(Exchanged, "cards", cards)
            patched.setattr("bourre_server.rules.match.Dealing", Exchanged)

            def act(table: Table, to_act: int) -> Decision:
                decision = first.decisions[len(table.tokens)]  # noqa: B023 - called in this turn only
                return decision if to_act == seat else exchanged(decision, cards)  # noqa: B023 - as above

            second = TableTalk(setup, act, ask_forced=True)
            list(second.play())
        sent = second.sent[seat]
        assert sent == first.sent[seat][: len(sent)]
        whole += len(sent) == len(first.sent[seat])
        phases.update(message.event.WhichOneof("kind") or "asked" for message in parsed(sent))
    assert whole > 30
    told = ("declared", "card_played", "trick_won", "hand_settled", "asked")
    assert min(phases[kind] for kind in told) > 200


def decoded(decision: play_pb2.Decision) -> tuple[object, str]:
    message = play_pb2.BotMessage(decision=decision)
    (reply,) = decode(play_pb2.PlayRequest(messages=[message]).SerializeToString()).replies
    assert (reply.table, reply.decision_id) == (3, 4)
    return reply.decision, reply.wrong


KD, NINE = parse_card("Kd"), parse_card("9c")


@pytest.mark.parametrize(
    ("fields", "decision", "wrong"),
    [
        ({"play": KD + 1}, PLAYS[KD], ""),
        ({"play": 53}, None, "53 is not a card"),
        ({"play": 0}, None, "0 is not a card"),
        ({"play": -1}, None, "-1 is not a card"),
        ({"declare": {"plays": False}}, PASS, ""),
        ({"declare": {"plays": True}}, STAND_PAT, ""),
        ({"declare": {"plays": True, "discards": [KD + 1, NINE + 1]}}, Declare(True, (KD, NINE)), ""),
        ({"declare": {"plays": False, "discards": [KD + 1]}}, Declare(False, (KD,)), ""),
        ({"declare": {"plays": True, "discards": [0]}}, None, "0 is not a card"),
        ({"draw": {"discards": [NINE + 1]}}, Draw((NINE,)), ""),
        ({}, None, "a decision without an action"),
    ],
)
def test_decisions_are_read(fields: dict[str, Any], decision: object, wrong: str) -> None:
    assert decoded(play_pb2.Decision(table_id=3, decision_id=4, **fields)) == (decision, wrong)


@pytest.mark.parametrize("data", [b"\xff", b"\x0a\x05abc", bytes(range(256))])
def test_what_is_no_frame_is_refused(data: bytes) -> None:
    with pytest.raises(FrameError, match="not a PlayRequest"):
        decode(data)


def test_a_list_that_is_too_long_is_refused() -> None:
    request = play_pb2.PlayRequest(messages=[play_pb2.BotMessage()] * (MAX_MESSAGES + 1))
    with pytest.raises(FrameError, match="at most 1024"):
        decode(request.SerializeToString())


def test_what_is_newer_than_the_referee_is_counted() -> None:
    unknown = b"\x0a\x04\xfa\x3e\x01x"  # a message with field 1007
    frame = decode(unknown + play_pb2.PlayRequest(messages=[play_pb2.BotMessage()]).SerializeToString())
    assert frame.unknown == 2


def test_others_are_told_of_a_fault_only_what_they_may_know() -> None:
    fault = Fault(2, FaultKind.ILLEGAL, 7, "Kd is not held", "asked again", "Kd", 1 << KD, 3, 1.5, 0.25)
    (own,), (others,) = (parsed([wire.encode_faulted(Faulted(5, fault, own))]) for own in (True, False))
    assert own.fault == play_pb2.Fault(
        table_id=5,
        seat=2,
        kind=play_pb2.FAULT_KIND_ILLEGAL,
        action="asked again",
        decision_id=7,
        reason="Kd is not held",
        legal_cards=[card_pb2.CARD_KD],
        own_faults=3,
        elapsed_ms=1500,
        charged_ms=250,
        sent="Kd",
    )
    known = play_pb2.Fault(table_id=5, seat=2, kind=play_pb2.FAULT_KIND_ILLEGAL, action="asked again")
    assert others.fault == known


@pytest.mark.parametrize("kind", list(FaultKind))
def test_every_kind_of_fault_has_a_name_on_the_wire(kind: FaultKind) -> None:
    (message,) = parsed([wire.encode_faulted(Faulted(1, Fault(0, kind, 0, ""), own=False))])
    assert play_pb2.FaultKind.Name(message.fault.kind) == f"FAULT_KIND_{kind.name}"


@pytest.mark.parametrize("value", [1, 127, 128, 300, 16383, 16384, 2**32 - 1])
def test_varints_are_those_of_protobuf(value: int) -> None:
    field = play_pb2.Ping(id=value).SerializeToString()
    assert varint(value) == field[1:]
