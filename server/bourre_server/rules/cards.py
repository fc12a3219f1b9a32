"""Cards as small integers, sets of cards as bit masks.

A card is `13 * suit + rank` with suits s, h, d, c = 0..3 and ranks 2..A = 0..12, so the order
of the integers is the order in which lists of cards are shown and sent. A mask has bit `card`
set for every card in the set.
"""

from collections.abc import Iterable

RANKS = "23456789TJQKA"
SUITS = "shdc"
NAMES = tuple(rank + suit for suit in SUITS for rank in RANKS)
DECK = tuple(range(52))
SUIT_OF = tuple(card // 13 for card in DECK)
BITS = tuple(1 << card for card in DECK)

ALL_CARDS = (1 << 52) - 1
SUIT_MASKS = tuple(0x1FFF << (13 * suit) for suit in range(4))
# The cards of the same suit that rank above a card.
HIGHER = tuple(SUIT_MASKS[card // 13] & ~((2 << card) - 1) for card in DECK)

_BY_NAME = {name: card for card, name in enumerate(NAMES)}


def parse_card(name: str) -> int:
    """The card called `name`, such as "Kd".

    Raises ValueError for any other text.
    """
    try:
        return _BY_NAME[name]
    except KeyError:
        raise ValueError(f"{name!r} is not a card: a rank of {RANKS} and a suit of {SUITS}") from None


def parse_cards(text: str) -> list[int]:
    """The cards of a text such as "Kd9c", in its order; blanks are skipped.

    Raises ValueError where the text is not a row of cards.
    """
    joined = "".join(text.split())
    return [parse_card(joined[i : i + 2]) for i in range(0, len(joined), 2)]


def _by_ranks(first: int) -> list[tuple[int, ...]]:
    """For each 13-bit mask of ranks, the cards of the suit whose lowest card is `first`."""
    rows: list[tuple[int, ...]] = [()]
    for rank in range(13):
        rows += [(*row, first + rank) for row in rows]
    return rows


_SPADES, _HEARTS, _DIAMONDS, _CLUBS = (_by_ranks(13 * suit) for suit in range(4))


def cards_in(mask: int) -> list[int]:
    """The cards of a mask, lowest integer first."""
    return [
        *_SPADES[mask & 0x1FFF],
        *_HEARTS[mask >> 13 & 0x1FFF],
        *_DIAMONDS[mask >> 26 & 0x1FFF],
        *_CLUBS[mask >> 39],
    ]


def mask_of(cards: Iterable[int]) -> int:
    """The mask of some cards."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def show(mask: int) -> str:
    """The cards of a mask as a text such as "9c Kd", in the order of the integers."""
    return " ".join(NAMES[card] for card in cards_in(mask))
