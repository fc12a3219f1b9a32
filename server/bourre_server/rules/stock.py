"""The cards that nobody holds: the stock, and the pool that becomes the next one (R12)."""

from typing import NamedTuple

from bourre_server.rules.cards import BITS
from bourre_server.rules.shuffle import Dealing


class Served(NamedTuple):
    """Cards from the stock, as a mask. `reshuffled`: the size of a new stock, 0 for none."""

    cards: int
    reshuffled: int


class Stock:
    """The stock of one hand, and its discard pool."""

    def __init__(self, dealing: Dealing, hand: int, dealt: int) -> None:
        self.deck = dealing.deck(hand)
        self._dealing = dealing
        self._hand = hand
        self._cards = self.deck[: dealt - 1 : -1]  # the next card is last
        self._pool = 0
        self._reshuffles = 0

    def turn_up(self) -> int:
        """Take the next card off the stock (R63)."""
        return self._cards.pop()

    def throw(self, cards: int) -> None:
        """Put cards into the pool."""
        self._pool |= cards

    def serve(self, count: int) -> Served:
        """Take cards off the stock; when it runs out, the pool becomes the new one."""
        drawn, reshuffled = 0, 0
        for _ in range(count):
            if not self._cards:
                reshuffled = self._reshuffle()
            drawn |= BITS[self._cards.pop()]
        return Served(drawn, reshuffled)

    def _reshuffle(self) -> int:
        pool = [card for card in self.deck if self._pool & BITS[card]]
        assert pool, "R13: stock and pool never run out together"
        self._reshuffles += 1
        self._cards = self._dealing.reshuffled(pool, self._hand, self._reshuffles)[::-1]
        self._pool = 0
        return len(pool)
