"""Which cards may be played (R21 to R36). The lists sent to bots come from here and nowhere else."""

from collections.abc import Sequence
from functools import lru_cache

from bourre_server.rules.cards import HIGHER, SUIT_MASKS, SUIT_OF
from bourre_server.rules.cinch import Cinch, highest
from bourre_server.rules.house import CLASSIC, HouseRules
from bourre_server.rules.position import BEATING, Position, best_of


class Legality:
    """The options of play, looked up once; `legal_plays` judges a position by them."""

    def __init__(self, house: HouseRules) -> None:
        self.cinch = Cinch(house)
        self._leads_freely = house.trump_lead == "free"
        self._heads_led_when_trumped = house.head_led_when_trumped
        self._highest_when_void = house.void_trump == "highest"
        self._may_undercut = house.overtrump == "optional"
        self._must_undertrump = house.undertrump == "required"
        # Whether R23 to R28 need more than the classic words.
        self._voids_differ = self._highest_when_void or self._may_undercut or self._must_undertrump
        self._binds_last = house.cinch_last == "highest"

    def legal_plays(self, position: Position) -> int:
        """The mask of the cards that may be played; never empty while cards are held."""
        holding, trump, trick, gone, in_play, tricks_won, played = position
        trumps = holding & SUIT_MASKS[trump]
        cinch = self.cinch
        if not trick:
            legal = holding if self._leads_freely else _leads(holding, trumps, played & SUIT_MASKS[trump])
            if legal & trumps and cinch.binds_leader(trumps, gone, trump, tricks_won):
                return cinch.top(trumps, gone, trump)  # R32
            return legal
        best = trick[best_of(trick, trump)] if len(trick) > 1 else trick[0]
        winning = holding & BEATING[trump][best]
        legal = self._answers(holding, trumps, winning, trick, best)
        if not legal & trumps:
            return legal
        if len(trick) < in_play - 1 or self._binds_last:
            if cinch.holds(trumps, gone, trump, tricks_won):
                return legal & cinch.top(trumps, gone, trump)  # R33
        elif self._may_undercut and cinch.holds(trumps, gone, trump, tricks_won):
            return legal & winning or legal  # R34 binds where R26 does not
        return legal

    def _answers(self, holding: int, trumps: int, winning: int, trick: Sequence[int], best: int) -> int:
        """R22 to R28: what may answer a trick that has begun, cinch left aside."""
        led = SUIT_OF[trick[0]]
        following = holding & SUIT_MASKS[led]
        if following:
            if self._heads_led_when_trumped and SUIT_OF[best] != led:
                winning = HIGHER[max(card for card in trick if SUIT_OF[card] == led)]
            # Nothing of a plain suit heads a trump, so R25 needs no words of its own.
            return (following & winning) or following  # R22, R24
        if trumps and self._voids_differ:
            return self._trumps_when_void(holding, trumps, winning)
        # Void: whatever wins is a trump (R23, R26); where nothing does, any card (R27, R28).
        return winning or holding

    def _trumps_when_void(self, holding: int, trumps: int, winning: int) -> int:
        """R23, R26 and R27 with their options."""
        if not winning and not self._must_undertrump:
            return holding
        allowed = trumps if self._may_undercut else winning or trumps
        return highest(allowed) if self._highest_when_void else allowed


def _leads(holding: int, trumps: int, broken: int) -> int:
    """R21 where trumps must be broken first."""
    return holding if broken else holding ^ trumps or trumps


@lru_cache
def legality(house: HouseRules) -> Legality:
    """The legality of some house rules."""
    return Legality(house)


# By the preset `classic`.
legal_plays = legality(CLASSIC).legal_plays
