"""Cinch: certain tricks, judged from a seat's own cards and public facts (R30 to R36)."""

from functools import lru_cache

from bourre_server.rules.cards import BITS, SUIT_MASKS
from bourre_server.rules.house import HouseRules

_ACE_KING_QUEEN = 0b111 << 10
# More tricks than a hand has: no seat ever has a cinch.
_NEVER = 6


class Cinch:
    """The options of cinch, looked up once.

    Masks are of trumps held, and of cards gone (see `Position`).
    """

    def __init__(self, house: HouseRules) -> None:
        judged = house.cinch in ("sure_trumps", "top_block")
        bicycle = house.cinch == "bicycle_lead"
        self._needed = house.majority if judged else _NEVER
        self._sure = top_block if house.cinch == "top_block" else sure_tricks
        # R32: whether a leader must lead the highest trump; R35: which are its equals.
        self.binds_leader = _has_honour if bicycle else self.holds
        self.top = _TOPS["none" if bicycle else house.cinch_equals]

    def holds(self, trumps: int, gone: int, trump: int, tricks_won: int) -> bool:
        """R31: whether the tricks won and the sure ones make a majority."""
        if tricks_won + trumps.bit_count() < self._needed:
            return False
        threats = SUIT_MASKS[trump] & ~trumps & ~gone
        shift = 13 * trump
        return tricks_won + self._sure(trumps >> shift, threats >> shift) >= self._needed


def _has_honour(trumps: int, _gone: int, trump: int, _tricks_won: int) -> bool:
    """R36: whether a leader has the ace, king or queen of trumps."""
    return trumps >> 13 * trump & _ACE_KING_QUEEN != 0


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


def top_block(mine: int, threats: int) -> int:
    """R36: the trumps of mine above every threat; 13-bit masks of trump ranks."""
    return (mine >> threats.bit_length()).bit_count()


def live_run(trumps: int, gone: int, trump: int) -> int:
    """R35: the highest trump of `trumps` and its equals: the run below it, ranks gone left out."""
    top = 0
    for card in range(13 * trump + 12, 13 * trump - 1, -1):
        bit = BITS[card]
        if trumps & bit:
            top |= bit
        elif top and not gone & bit:
            break
    return top


def _rank_run(trumps: int, _gone: int, trump: int) -> int:
    """The highest trump and those below it without a gap in rank."""
    return live_run(trumps, 0, trump)


def _pair(trumps: int, _gone: int, _trump: int) -> int:
    """The highest trump and the rank below it."""
    top = highest(trumps)
    # Below a suit's lowest card lies another suit's: no trump.
    return top | trumps & top >> 1


def _alone(trumps: int, _gone: int, _trump: int) -> int:
    return highest(trumps)


def highest(trumps: int) -> int:
    """The highest of some trumps."""
    return 1 << trumps.bit_length() - 1


_TOPS = {"live_run": live_run, "rank_run": _rank_run, "pair": _pair, "none": _alone}
