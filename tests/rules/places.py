"""Where every card of a hand lies, the places included that no view shows.

Told from the events of all seats and the derivation of the decks alone, so that it can
contradict the engine. Every event has to find its cards where it takes them from.
"""

from functools import singledispatchmethod

from bourre_server.rules.cards import DECK, cards_in
from bourre_server.rules.events import (
    CardPlayed,
    Dealt,
    Declared,
    Discarded,
    Drew,
    Event,
    HandStarted,
    Reshuffled,
    UpcardLaidAside,
)
from bourre_server.rules.house import CLASSIC, HouseRules
from bourre_server.rules.shuffle import Dealing


class Places:
    """The stock (next card first), the pool, and the cards held, thrown, laid aside, folded and played."""

    def __init__(self, seats: int, dealing: Dealing, house: HouseRules = CLASSIC) -> None:
        self.seats = seats
        self._dealing = dealing
        self._house = house

    @singledispatchmethod
    def see(self, event: Event) -> None:
        """Move the cards that an event moves; the other events move none."""

    @see.register
    def _(self, event: HandStarted) -> None:
        self._hand = event.hand
        self._dealer = event.dealer
        self._deck = self._dealing.deck(event.hand)
        self._reshuffles = 0
        self.stock = list(self._deck)
        self.pool: set[int] = set()
        self.holdings: list[set[int]] = [set() for _ in range(self.seats)]
        self.left: list[int] = []  # the rest of an old stock, on its way to the seat being served
        self.thrown: set[int] = set()  # by the seat being served
        self.aside: set[int] = set()
        self.folded: set[int] = set()  # holdings that never come back
        self.played: set[int] = set()

    @see.register
    def _(self, event: Dealt) -> None:
        place = (event.seat - self._dealer - 1) % self.seats
        cards = self._deck[place : self._house.hand_size * self.seats : self.seats]
        assert set(cards) == set(cards_in(event.cards)), "R5: one at a time from the dealer's left"
        for card in cards:
            self.stock.remove(card)
        self.holdings[event.seat] = set(cards)

    @see.register
    def _(self, event: Declared) -> None:
        if not event.plays:
            pooled = self._house.reshuffle == "discards_and_passed"
            heap = self.pool if pooled else self.folded
            heap |= self.holdings[event.seat]
            self.holdings[event.seat] = set()

    @see.register
    def _(self, event: Discarded) -> None:
        aside = self._house.trump_source == "next_card"
        assert len(self.stock) + len(self.pool) >= 12 - aside, "R13"
        self.thrown = set(cards_in(event.cards))
        assert self.thrown <= self.holdings[event.seat]
        self.holdings[event.seat] -= self.thrown

    @see.register
    def _(self, event: UpcardLaidAside) -> None:
        self.aside.add(event.card)
        if self._house.trump_source == "next_card":
            assert self.stock.pop(0) == event.card, "R63: turned from the stock"
        elif self.thrown:
            self.thrown.remove(event.card)
        else:
            (self.folded or self.pool).remove(event.card)

    @see.register
    def _(self, event: Reshuffled) -> None:
        assert event.cards == len(self.pool)
        self._reshuffles += 1
        pool = sorted(self.pool, key=self._deck.index)
        self.left = self.stock
        self.stock = self._dealing.reshuffled(pool, self._hand, self._reshuffles)
        self.pool = set()

    @see.register
    def _(self, event: Drew) -> None:
        fresh = event.cards.bit_count() - len(self.left)
        drawn = set(self.left + self.stock[:fresh])
        assert drawn == set(cards_in(event.cards)), "R12: what is left, then the new stock"
        self.stock = self.stock[fresh:]
        self.left = []
        self.holdings[event.seat] |= drawn
        self.pool |= self.thrown
        self.thrown = set()

    @see.register
    def _(self, event: CardPlayed) -> None:
        self.holdings[event.seat].remove(event.card)
        self.played.add(event.card)

    def check(self) -> None:
        """Each of the 52 cards lies in one place."""
        heaps = [self.stock, self.pool, self.left, self.thrown, self.aside, self.folded, self.played]
        heaps += self.holdings
        assert sorted(card for heap in heaps for card in heap) == list(DECK)
