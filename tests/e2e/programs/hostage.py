"""Decides by chance, repeatably; so many processes of it wait at a decision to be killed.

Arguments: a file that gets a character when one of them waits, and how many do.
"""

import sys
import threading
from pathlib import Path

import bourre

WAITING, TIMES = Path(sys.argv[1]), int(sys.argv[2])
asked = 0


def bot(obs: bourre.Observation) -> bourre.Decision:
    """The 15th decision of a process is one to wait in."""
    global asked
    asked += 1
    if asked == 15 and WAITING.stat().st_size < TIMES:
        with WAITING.open("a") as file:
            file.write("!")
        threading.Event().wait()
    random = obs.random()
    if obs.kind == "play":
        return random.choice(obs.legal_cards)
    return bourre.Play(random.sample(obs.legal_cards, min(2, obs.max_discards)))


bourre.run(bot, name="hostage")
