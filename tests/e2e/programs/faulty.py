"""Decides like the sample bot `always`, but does something wrong, named by its argument."""

import os
import sys
import threading

import bourre

WRONG = sys.argv[1]
asked = 0


def bot(obs: bourre.Observation) -> bourre.Decision:
    """Every 20th decision is wrong in the way that was asked for."""
    global asked
    asked += 1
    if asked % 20 == 0:
        if WRONG == "illegal":
            return illegal(obs)
        if WRONG == "late":
            threading.Event().wait(obs.seconds + 0.3)
        if WRONG == "exit":
            os._exit(3)
        if WRONG == "raise":
            raise RuntimeError("no idea what to do")
    if WRONG == "silent":
        threading.Event().wait()
    return obs.legal_cards[0] if obs.kind == "play" else bourre.Play()


def illegal(obs: bourre.Observation) -> bourre.Decision:
    """A card that is not legal, or two times the same discard."""
    if obs.kind == "play":
        return next(card for card in bourre.DECK if card not in obs.legal_cards)
    return bourre.Play([obs.legal_cards[0]] * 2)


bourre.run(bot, name="faulty", version="0.1")
