"""Random matches through the public API of the rules."""

from collections.abc import Callable, Iterator
from random import Random

from bourre_server.rules.cards import cards_in
from bourre_server.rules.decisions import PASS, PLAYS, Decision, Declare
from bourre_server.rules.events import Event
from bourre_server.rules.hand import Hand, Kind
from bourre_server.rules.match import Match, Setup


class Heard(list[Event]):
    """A list of events that hands each one on the moment it is appended."""

    def __init__(self, see: Callable[[Event], object]) -> None:
        super().__init__()
        self._see = see

    def append(self, event: Event) -> None:
        super().append(event)
        self._see(event)


class Chance:
    """Random legal decisions of seats that are as shy and as greedy as the seed makes them."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self._shyness = self.random.choice((0.0, 0.2, 0.5, 0.8))
        self._greed = self.random.choice((0, 2, 5))

    def decide(self, hand: Hand) -> Decision:
        """Any legal decision."""
        cards = cards_in(hand.legal)
        if hand.kind is Kind.PLAY:
            return PLAYS[self.random.choice(cards)]
        if hand.may_pass and self.random.random() < self._shyness:
            return PASS
        return Declare(True, tuple(self.random.sample(cards, self.random.randint(self._greed, 5))))


def most_decisions(setup: Setup) -> int:
    """No match takes more: each seat declares and plays five cards in every hand."""
    return setup.hands * setup.seats * 6


def walk(setup: Setup, chance: Chance) -> Iterator[tuple[Match, list[Event]]]:
    """A match played at random: at each decision, and at its end, with the events since the last."""
    match = Match(setup)
    yield match, match.drain()
    for _ in range(most_decisions(setup)):
        if match.over:
            return
        match.apply(chance.decide(match.hand))
        yield match, match.drain()
    assert match.over, "the match does not end"
