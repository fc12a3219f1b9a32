"""What a seat is told does not depend on cards that it cannot know."""

from random import Random

import pytest
from bourre_server.referee.lists import Ask
from bourre_server.referee.messages import Asked, Ended, Faulted, Happened, Message, Reply
from bourre_server.rules.cards import DECK
from bourre_server.rules.decisions import Decision, Declare
from bourre_server.rules.events import CardPlayed, Dealt, Drew, HandStarted, UpcardTurned
from bourre_server.rules.record import Made
from bourre_server.rules.shuffle import Dealing

from tests.referee.bench_of_bots import Bench, any_legal

CLOCK = {"budget": 1.0, "bank": 2.0}


class Exchanged(Dealing):
    """Decks in which cards have changed places: by hand, what lies where each card lay."""

    swaps: dict[int, list[int]]

    def deck(self, hand: int) -> list[int]:
        return [self.swaps[hand][card] for card in super().deck(hand)]


def exchanges(bench: Bench, seat: int, random: Random) -> dict[int, list[int]]:
    """By hand, an exchange of the cards that a seat never saw in it and that nobody played."""
    (table,) = bench.finished
    seen: dict[int, set[int]] = {}
    for event in table.visible_events(seat):
        match event:
            case HandStarted():
                cards = seen[event.hand] = set()
            case Dealt() | Drew():
                cards.update(card for card in DECK if event.cards >> card & 1)
            case UpcardTurned() | CardPlayed():
                cards.add(event.card)
    swaps = {}
    for hand, known in seen.items():
        hidden = [card for card in DECK if card not in known]
        swap = dict(zip(hidden, random.sample(hidden, len(hidden)), strict=True))
        swaps[hand] = [swap.get(card, card) for card in DECK]
    return swaps


def shown(message: Message, seat: int) -> object:
    """All of a message that may be read on the way to a seat."""
    match message:
        case Asked():
            return [request(ask, seat) for ask in message.asks], message.size, message.deadline
        case Happened():
            return message.number, message.event
        case Faulted(fault=fault):
            return fault if message.own else (fault.seat, fault.kind, fault.action)
        case Ended():
            return message.table.match.public.chips, message.table.forfeited
    return type(message)


def request(ask: Ask, seat: int) -> object:
    assert ask.seat == seat
    table, private = ask.table, ask.table.match.view.privates[seat]
    own = private.received, private.discards, table.match.holding(seat), table.counts[seat], ask.bank
    hand = table.match.hand
    legal = hand.kind, hand.legal, hand.may_pass
    return ask.decision_id, ask.attempt, ask.refused, own, legal, repr(vars(table.match.public))


class Overheard(Bench):
    """Keeps all that a seat is told as it is shown at the time."""

    def __init__(self, seats: int, seat: int) -> None:
        self.seat = seat
        self.shown: list[object] = []
        super().__init__(seats)

    def drain(self) -> None:
        super().drain()
        self.shown += [shown(message, self.seat) for message in self.told_to(f"bot{self.seat}")]
        self.take()


def play(bench: Overheard, seed: int, script: list[Decision], luck: Random) -> None:
    """A match by script, or by chance.

    Other seats break the rules now and then, and it is their `luck` with which card.
    """
    bench.join(f"bot{bench.seat}", events=True)
    bench.open(seed, clock=CLOCK, forfeit_after=1000)
    while bench.referee.tables:
        ask = bench.ask(seed)
        random = Random(f"{seed} {ask.decision_id}")
        if ask.seat != bench.seat and random.random() < 0.1:
            break_rules(bench, ask, luck)
        made = len(ask.table.tokens)
        if ask.table.ask is ask:
            bench.answer(ask, script[made] if script else any_legal(ask.table.match.hand, random))


def break_rules(bench: Bench, ask: Ask, luck: Random) -> None:
    """Discard a card twice, and later than one may for nothing."""
    bench.wait(1.2)
    card = luck.choice(DECK)
    bench.reply(
        ask.table.bots[ask.seat], Reply(ask.table.number, ask.decision_id, Declare(True, (card, card)))
    )


def as_exchanged(bench: Bench, seat: int, swaps: dict[int, list[int]]) -> list[Decision]:
    """The same public acts by seats that hold other cards."""
    (table,) = bench.finished
    again = Bench(len(table.bots))
    again.open(table.number, clock=CLOCK, ask_forced=True)
    script: list[Decision] = []
    for token in table.tokens:
        decision = Made.parse(token).decision
        match = again.table(table.number).match
        swap = swaps[match.public.hand]
        own = match.hand.to_act == seat
        again.answer(again.ask(table.number), decision)
        if isinstance(decision, Declare) and not own:
            decision = Declare(decision.plays, tuple(swap[card] for card in decision.discards))
        script.append(decision)
    return script


@pytest.mark.parametrize("seats", range(2, 9))
def test_f31_what_a_seat_is_told_does_not_depend_on_what_it_cannot_know(
    seats: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(1, 4):
        seat = seed % seats
        first, second = Overheard(seats, seat), Overheard(seats, seat)
        play(first, seed, [], Random(1))
        swaps = exchanges(first, seat, Random(seed))
        script = as_exchanged(first, seat, swaps)
        with monkeypatch.context() as patched:
            patched.setattr(Exchanged, "swaps", swaps, raising=False)
            patched.setattr("bourre_server.rules.match.Dealing", Exchanged)
            play(second, seed, script, Random(2))
        assert second.shown == first.shown
        assert second.finished[0].match.digest != first.finished[0].match.digest
