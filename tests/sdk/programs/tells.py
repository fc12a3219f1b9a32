"""Says what it hears."""

import sys

import bourre
from bourre.v1 import play_pb2


def tell(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


class Tells(bourre.Bot):
    def declare(self, obs: bourre.Observation) -> bourre.Pass:  # noqa: ARG002 - all are answered alike
        return bourre.Pass()

    def play(self, obs: bourre.Observation) -> bourre.Card:
        return obs.legal_cards[0]

    def match_started(self, match: play_pb2.MatchStarted) -> None:
        tell("match_started", match.table_id)

    def event(self, event: play_pb2.Event) -> None:
        tell("event", event.table_id, event.number, event.WhichOneof("kind"))

    def fault(self, fault: play_pb2.Fault) -> None:
        tell("fault", fault.table_id, fault.reason)

    def match_ended(self, match: play_pb2.MatchEnded) -> None:
        tell("match_ended", match.table_id, *match.chips)

    def block_settled(self, block: play_pb2.BlockSettled) -> None:
        tell("block_settled", block.block)


bourre.run(Tells(), events=True)
