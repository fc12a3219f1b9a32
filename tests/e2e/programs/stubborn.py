"""Plays, deaf to every signal that can be ignored, and so is a process that it starts."""

import signal
import subprocess
import sys

import bourre

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)  # what is ignored stays so in children
subprocess.Popen([sys.executable, "-S", "-c", "import signal; signal.pause()"], start_new_session=True)


def bot(obs: bourre.Observation) -> bourre.Decision:
    """Any legal decision."""
    return obs.legal_cards[0] if obs.kind == "play" else bourre.Play()


bourre.run(bot, name="stubborn")
signal.pause()
