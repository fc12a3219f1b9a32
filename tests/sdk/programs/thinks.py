"""Says when it is asked, and thinks until it reads a line."""

import sys

import bourre


def thinks(obs: bourre.Observation) -> bourre.Decision:
    sys.stdout.write(f"asked {obs.table} {obs.decision_id}\n")
    sys.stdout.flush()
    sys.stdin.readline()
    return obs.legal_cards[0]


bourre.run(thinks)
