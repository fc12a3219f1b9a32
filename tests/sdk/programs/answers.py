"""Answers what its argument says, in Python; logs all there is to log."""

import logging
import sys

import bourre

logging.basicConfig(level=logging.DEBUG)


def answers(obs: bourre.Observation) -> bourre.Decision:
    answer: bourre.Decision = eval(sys.argv[1], {"bourre": bourre, "obs": obs})
    return answer


bourre.run(answers)
