"""Random matches through the public API of the rules."""

from collections.abc import Callable, Iterator
from random import Random

from bourre_server.rules.cards import cards_in
from bourre_server.rules.decisions import PASS, PLAYS, Decision, Declare, Draw
from bourre_server.rules.events import Event
from bourre_server.rules.hand import Hand, Kind
from bourre_server.rules.match import Match, Setup
from bourre_server.rules.record import Made


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
        count = self.random.randint(min(self._greed, hand.max_discards), hand.max_discards)
        discards = tuple(self.random.sample(cards, count))
        return Declare(True, discards) if hand.kind is Kind.DECLARE else Draw(discards)

    def make(self, match: Match) -> Made:
        """Any legal decision; where that has a price (R51), now and then after a renege or out of turn."""
        made = Made(self.decide(match.hand))
        if match.setup.house.illegal == "reject" or self.random.random() < 0.5:
            return made
        seat = match.hand.to_act
        others = [other for other in range(match.setup.seats) if other != seat]
        made = made._replace(out_of_turn=tuple(self.random.sample(others, self.random.choice((0, 0, 1)))))
        illegal = cards_in(match.holding(seat) & ~match.hand.legal)
        if match.hand.kind is not Kind.PLAY or not illegal:
            return made
        made = made._replace(retracted=self.random.choice(illegal), attempts=2)
        if self.random.random() < 0.5:
            return made
        return made._replace(decision=match.hand.default(), reason="illegal")


def most_decisions(setup: Setup) -> int:
    """No match takes more: each seat declares, draws and plays five cards in every hand."""
    return setup.hands * setup.seats * 7


def walk(setup: Setup, chance: Chance) -> Iterator[tuple[Match, list[Event]]]:
    """A match played at random: at each decision, and at its end, with the events since the last."""
    match = Match(setup)
    yield match, match.drain()
    for _ in range(most_decisions(setup)):
        if match.over:
            return
        chance.make(match).apply(match)
        yield match, match.drain()
    assert match.over, "the match does not end"
