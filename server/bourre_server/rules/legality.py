"""Which cards may be played (R21 to R35). The lists sent to bots come from here and nowhere else."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from bourre_server.rules.cards import BITS, HIGHER, SUIT_MASKS, SUIT_OF
from bourre_server.rules.house import CINCH_TRICKS


class Position(NamedTuple):
    """What decides which cards a seat may play: its own cards and public facts only.

    `holding` and `gone` are masks; `gone` holds the cards played in finished tricks and the
    upcard where it was laid aside. `trick` is the current trick in order. `in_play` counts the
    seats that play this hand; `tricks_won` those of the seat to act.
    """

    holding: int
    trump: int
    trick: Sequence[int]
    gone: int
    in_play: int
    tricks_won: int


def best_of(trick: Sequence[int], trump: int) -> int:
    """The index in a trick of the card that wins it so far (R20)."""
    best = 0
    for i in range(1, len(trick)):
        if BITS[trick[i]] & beating(trick[best], trump):
            best = i
    return best


def beating(best: int, trump: int) -> int:
    """The mask of the cards that beat a card which wins so far."""
    if SUIT_OF[best] == trump:
        return HIGHER[best]
    return HIGHER[best] | SUIT_MASKS[trump]


def legal_plays(position: Position) -> int:
    """The mask of the cards that may be played; never empty while cards are held."""
    holding, trump, trick = position.holding, position.trump, position.trick
    trumps = holding & SUIT_MASKS[trump]
    if not trick:
        if trumps and has_cinch(position):
            return top_trumps(trumps, position.gone, trump)  # R32
        return holding  # R21
    legal = _answers(holding, trump, trick)
    last = len(trick) == position.in_play - 1
    if legal & trumps and not last and has_cinch(position):  # R33, R34
        return top_trumps(trumps, position.gone, trump)
    return legal


def _answers(holding: int, trump: int, trick: Sequence[int]) -> int:
    """R22 to R28: what may answer a trick that has begun, cinch left aside."""
    best = trick[best_of(trick, trump)] if len(trick) > 1 else trick[0]
    winning = holding & beating(best, trump)
    following = holding & SUIT_MASKS[SUIT_OF[trick[0]]]
    if following:
        # Nothing of a plain suit heads a trump, so R25 needs no words of its own.
        return (following & winning) or following  # R22, R24
    # Void: whatever wins is a trump (R23, R26); where nothing does, any card (R27, R28).
    return winning or holding


def has_cinch(position: Position) -> bool:
    """R31: whether the tricks won and the sure ones make a majority."""
    suit = SUIT_MASKS[position.trump]
    mine = position.holding & suit
    if position.tricks_won + mine.bit_count() < CINCH_TRICKS:
        return False
    threats = suit & ~mine & ~position.gone
    shift = 13 * position.trump
    return position.tricks_won + sure_tricks(mine >> shift, threats >> shift) >= CINCH_TRICKS


@lru_cache(maxsize=1 << 14)
def sure_tricks(mine: int, threats: int) -> int:
    """R30: the trumps of mine that no higher threat is left for.

    Both are 13-bit masks of trump ranks. Going up, each threat is paired with one of mine
    below it that is still unpaired; what stays unpaired is sure.
    """
    unpaired = 0
    for rank in range(13):
        bit = 1 << rank
        if mine & bit:
            unpaired += 1
        elif threats & bit and unpaired:
            unpaired -= 1
    return unpaired


def top_trumps(trumps: int, gone: int, trump: int) -> int:
    """R35: the highest trump of `trumps` and its equals: the run below it, ranks gone left out."""
    top = 0
    for card in range(13 * trump + 12, 13 * trump - 1, -1):
        bit = BITS[card]
        if trumps & bit:
            top |= bit
        elif top and not gone & bit:
            break
    return top
