"""What a seat sees of a trick, and which card of it wins (R20)."""

from collections.abc import Sequence
from typing import NamedTuple

from bourre_server.rules.cards import BITS, DECK, HIGHER, SUIT_MASKS, SUIT_OF


class Position(NamedTuple):
    """What decides which cards a seat may play: its own cards and public facts only.

    `holding`, `gone` and `played` are masks; `gone` holds the cards of finished tricks and the
    upcard where it was laid aside, `played` the cards played in this hand. `trick` is the current
    trick in order. `in_play` counts the seats that play this hand; `tricks_won` those of the
    seat to act.
    """

    holding: int
    trump: int
    trick: Sequence[int]
    gone: int
    in_play: int
    tricks_won: int
    played: int = 0


def _beating(best: int, trump: int) -> int:
    return HIGHER[best] if SUIT_OF[best] == trump else HIGHER[best] | SUIT_MASKS[trump]


# For each trump suit and each card that wins so far, the mask of the cards that beat it (R20).
BEATING = tuple(tuple(_beating(card, trump) for card in DECK) for trump in range(4))


def best_of(trick: Sequence[int], trump: int) -> int:
    """The index in a trick of the card that wins it so far (R20)."""
    beating = BEATING[trump]
    best = 0
    for i in range(1, len(trick)):
        if BITS[trick[i]] & beating[trick[best]]:
            best = i
    return best
