"""Speaks gRPC without the SDK: garbage, a flood of answers that nobody asked for, or that it leaves."""

import os
import queue
import random
import sys
from typing import Any

import grpc
from bourre.v1 import play_pb2

WRONG = sys.argv[1]


def main() -> None:
    """Join, then answer everything wrongly until the stream ends; come back as often as it is let in."""
    while True:
        outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        join = play_pb2.BotMessage(join=play_pb2.Join(protocol_version=1))
        outgoing.put(play_pb2.PlayRequest(messages=[join]).SerializeToString())
        metadata = (("authorization", f"Bearer {os.environ['BOURRE_TOKEN']}"),)
        with grpc.insecure_channel(os.environ["BOURRE_ADDRESS"]) as channel:
            play: Any = channel.stream_stream("/bourre.v1.PlayService/Play", None, None)
            try:
                for _ in play(iter(outgoing.get, None), metadata=metadata):
                    outgoing.put(WORDS[WRONG]())
            except grpc.RpcError:
                outgoing.put(None)


def garbage() -> bytes:
    """Bytes that are no message."""
    return b"\xff" + random.randbytes(random.randint(1, 200))


def flood() -> bytes:
    """A thousand answers to a table that does not exist."""
    decision = play_pb2.Decision(table_id=4_000_000_000, decision_id=1)
    messages = [play_pb2.BotMessage(decision=decision)] * 1000
    return play_pb2.PlayRequest(messages=messages).SerializeToString()


def leave() -> bytes:
    """That the bot leaves, now."""
    message = play_pb2.BotMessage(leave=play_pb2.Leave(now=True))
    return play_pb2.PlayRequest(messages=[message]).SerializeToString()


WORDS = {"garbage": garbage, "flood": flood, "leave": leave}
main()
