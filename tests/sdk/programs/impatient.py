"""Gives up at once."""

import bourre


def impatient(obs: bourre.Observation) -> bourre.Decision:
    return obs.legal_cards[0]


bourre.run(impatient, patience=0.0)
