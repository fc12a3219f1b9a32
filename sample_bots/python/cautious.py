"""Cautious: plays only with a hand that should take a trick, and throws what will not.

A trump is worth a trick in two, the high ones more; an ace outside trumps half a trick. It leads
high and spends no more than it must to win.
"""

import bourre
from bourre import Card, Observation, Suit

ENOUGH = 1.5
JACK, KING, ACE = 11, 13, 14


def worth(card: Card, trump: Suit) -> float:
    """Tricks that a card should take, roughly."""
    if card.suit != trump:
        return 0.5 if card.rank == ACE else 0.0
    return 1.0 if card.rank >= KING else 0.7 if card.rank >= JACK else 0.5


class Cautious(bourre.Bot):
    """See the module."""

    def declare(self, obs: Observation) -> bourre.Pass | bourre.Play:
        """Play a hand that is worth enough, and keep what makes it so."""
        trump = obs.trump
        total = sum(worth(card, trump) for card in obs.holding)
        if obs.may_pass and total < ENOUGH:
            return bourre.Pass()
        useless = [card for card in obs.legal_cards if card.suit != trump and card.rank < KING]
        return bourre.Play(useless[: obs.max_discards])

    def play(self, obs: Observation) -> Card:
        """Lead the best card; else win as cheaply as the rules allow, or lose the least."""
        trump = obs.trump

        def strength(card: Card) -> tuple[bool, int]:
            return card.suit == trump, card.rank

        if not obs.trick:
            return max(obs.legal_cards, key=strength)
        return min(obs.legal_cards, key=strength)


if __name__ == "__main__":
    bourre.run(Cautious(), name="cautious")
