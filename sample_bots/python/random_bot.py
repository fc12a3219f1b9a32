"""Random: every legal decision is as likely as any other, but it passes one hand in five.

The weakest sane bot, and the smallest whole one. Its random numbers come from the observation,
so it decides the same again when it is asked the same again.
"""

import bourre


def declare(obs: bourre.Observation) -> bourre.Decision:
    """Pass one hand in five; else discard any number of any cards."""
    random = obs.random()
    if obs.may_pass and random.below(5) == 0:
        return bourre.Pass()
    discards = random.below(obs.max_discards + 1)
    return bourre.Play(random.sample(obs.legal_cards, discards))


def random_bot(obs: bourre.Observation) -> bourre.Decision:
    """Any legal decision."""
    if obs.kind == "play":
        return obs.random().choice(obs.legal_cards)
    return declare(obs)


if __name__ == "__main__":
    bourre.run(random_bot, name="random")
