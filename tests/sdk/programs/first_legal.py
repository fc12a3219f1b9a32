"""Plays the first legal card, and passes."""

import bourre


def first_legal(obs: bourre.Observation) -> bourre.Decision:
    return obs.legal_cards[0] if obs.kind == "play" else bourre.Pass()


bourre.run(first_legal, name="first", version="1.2", max_tables=3, lists=2)
