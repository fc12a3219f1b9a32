"""Always: never passes, stands pat, and plays the first legal card.

It shows what playing every hand costs: whoever takes no trick pays the pot.
"""

import bourre


def always(obs: bourre.Observation) -> bourre.Decision:
    """Play, whatever the cards are."""
    if obs.kind == "play":
        return obs.legal_cards[0]
    return bourre.Play()


if __name__ == "__main__":
    bourre.run(always, name="always")
