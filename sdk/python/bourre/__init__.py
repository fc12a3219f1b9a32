"""Write a bot that plays Bourré.

import bourre

def bot(obs):
    if obs.kind == "declare":
        return bourre.Play() if obs.may_pass is False or obs.pot_in_antes > 4 else bourre.Pass()
    return obs.legal_cards[0]

bourre.run(bot)
"""

from bourre.bot import Bot, BotFunction, Decision, Pass, Play
from bourre.cards import DECK, Card, Suit
from bourre.client import run
from bourre.errors import PlayError
from bourre.generator import Generator
from bourre.observation import ANTE, Kind, Observation
from bourre.version import VERSION

__all__ = [
    "ANTE",
    "DECK",
    "VERSION",
    "Bot",
    "BotFunction",
    "Card",
    "Decision",
    "Generator",
    "Kind",
    "Observation",
    "Pass",
    "Play",
    "PlayError",
    "Suit",
    "run",
]
