"""Cards and suits.

>>> king = Card("Kd")
>>> king, king.rank, king.suit
(Kd, 13, Suit.DIAMONDS)
>>> sorted([Card("Ah"), Card("2c"), Card("Ts")])
[Ts, Ah, 2c]
"""

from collections.abc import Iterable
from enum import IntEnum

RANKS = "23456789TJQKA"


class Suit(IntEnum):
    """A suit, in the order used everywhere.

    >>> print(Suit.HEARTS)
    h
    """

    SPADES = 1
    HEARTS = 2
    DIAMONDS = 3
    CLUBS = 4

    def __str__(self) -> str:
        return "shdc"[self - 1]

    def __repr__(self) -> str:
        return f"Suit.{self.name}"


class Card(int):
    """One of the 52 cards, by its name (`Card("Kd")`) or its number on the wire (`Card(38)`).

    There is one object for each card. They compare by number: spades, hearts, diamonds, clubs,
    each from the 2 to the ace.

    Raises:
        ValueError: there is no such card.
    """

    rank: int
    """2 to 14: the jack is 11, the queen 12, the king 13, the ace 14."""
    suit: Suit

    def __new__(cls, name: str | int) -> "Card":
        try:
            return _CARDS[name]
        except KeyError:
            raise ValueError(f"no such card: {name!r}; a card is written like Kd or Th") from None

    def __repr__(self) -> str:
        return f"{RANKS[self.rank - 2]}{self.suit}"

    __str__ = __repr__


def _make(number: int) -> Card:
    card = int.__new__(Card, number)
    card.suit = Suit((number - 1) // 13 + 1)
    card.rank = (number - 1) % 13 + 2
    return card


DECK = tuple(_make(number) for number in range(1, 53))
"""All cards, in order."""

_CARDS: dict[str | int, Card] = {int(card): card for card in DECK} | {str(card): card for card in DECK}

# Indexing a tuple is several times faster than calling a class; 0 is the wire's CARD_UNSPECIFIED.
_BY_NUMBER: tuple[Card, ...] = (DECK[0], *DECK)


def from_wire(numbers: Iterable[int]) -> list[Card]:
    """The cards with these numbers, each 1 to 52."""
    return [_BY_NUMBER[number] for number in numbers]
