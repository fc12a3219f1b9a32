"""Steady: counts trumps, weighs the pot against the bourré, and knows when a trick is worth having.

Before it plays a hand it adds up what its cards should take against as many opponents as are in
or may come in. In play it keeps track of the cards that are gone: it leads what nothing can
beat, wins as cheaply as it may, and throws away what will not win.
"""

import bourre
from bourre import DECK, Card, Observation, Suit

QUEEN, KING, ACE = 12, 13, 14
# How much a hand must promise, in tricks: at least, and more for each opponent that is in or may be.
LEAST = 1.0
FOR_ONE_IN = 0.17
FOR_ONE_TO_COME = 0.06
# What an opponent's chance to trump takes from a plain ace or king.
PLAIN_ACE, PLAIN_KING = 0.55, 0.25


def promise(cards: list[Card], trump: Suit) -> float:
    """Tricks that a holding should take: high trumps by rank, long trumps by number."""
    trumps = sorted((card.rank for card in cards if card.suit == trump), reverse=True)
    total = 0.0
    for place, rank in enumerate(trumps):
        # Of the ranks above this one, those that I hold myself do not beat it.
        above = ACE - rank - place
        total += max(0.35, 1.0 - 0.13 * above)
    for card in cards:
        if card.suit != trump:
            total += PLAIN_ACE if card.rank == ACE else PLAIN_KING if card.rank == KING else 0.0
    return total


def worth_keeping(card: Card, trump: Suit) -> bool:
    """Trumps and aces; a king is more use than a card unknown."""
    return card.suit == trump or card.rank >= KING


class Steady(bourre.Bot):
    """See the module."""

    def declare(self, obs: Observation) -> bourre.Pass | bourre.Play:
        """Play where the promise is enough for the company, and draw to it."""
        trump, holding = obs.trump, obs.holding
        discards = [card for card in obs.legal_cards if not worth_keeping(card, trump)]
        # A card drawn is a trump one time in four or five.
        hoped = promise(holding, trump) + 0.17 * len(discards)
        others_to_come = len(obs.to_declare) - 1
        needed = LEAST + FOR_ONE_IN * len(obs.playing) + FOR_ONE_TO_COME * others_to_come
        if obs.may_pass and hoped < needed:
            return bourre.Pass()
        return bourre.Play(discards[: obs.max_discards])

    def play(self, obs: Observation) -> Card:
        """Lead a winner or a long suit; follow cheaply."""
        legal = obs.legal_cards
        if len(legal) == 1:
            return legal[0]
        return self.lead(obs, legal) if not obs.trick else self.follow(obs, legal)

    def lead(self, obs: Observation, legal: list[Card]) -> Card:
        """The highest trump that nothing can beat, else a plain ace, else a low card."""
        trump = obs.trump
        unseen = set(DECK) - set(obs.gone) - set(obs.holding) - set(obs.own_discards)
        threats = [card for card in unseen if card.suit == trump]
        trumps = [card for card in legal if card.suit == trump]
        sure = [card for card in trumps if all(card > threat for threat in threats)]
        if sure:
            return max(sure)
        masters = [card for card in legal if card.suit != trump and self.is_master(card, unseen)]
        if masters:
            return max(masters, key=lambda card: card.rank)
        if len(trumps) > 1 and len(trumps) >= len(legal) - 1:
            return max(trumps)
        plain = [card for card in legal if card.suit != trump]
        return max(plain or legal, key=lambda card: card.rank)

    def follow(self, obs: Observation, legal: list[Card]) -> Card:
        """The least card allowed. The rules make it win where it can, so the least is the cheapest win."""
        trump = obs.trump
        return min(legal, key=lambda card: (card.suit == trump, card.rank))

    def is_master(self, card: Card, unseen: set[Card]) -> bool:
        """Whether no card of its suit that may be out ranks above it."""
        return not any(other.suit == card.suit and other > card for other in unseen)


if __name__ == "__main__":
    bourre.run(Steady(), name="steady")
