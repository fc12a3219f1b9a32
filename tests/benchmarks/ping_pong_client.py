"""One client, one stream, one message of 400 bytes in flight: what gRPC in Python costs at the least.

Run by `decisions.py` with the address as its argument; ends when the server does.
"""

import queue
import sys
from typing import Any

import grpc

MESSAGE = bytes(400)


def main(address: str) -> None:
    """Send, wait for the answer, send again."""
    outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    outgoing.put(MESSAGE)
    with grpc.insecure_channel(address) as channel:
        try:
            # Without a serializer the stubs know no type of message; it is bytes.
            play: Any = channel.stream_stream("/bench.Bare/Play", None, None)
            for _ in play(iter(outgoing.get, None)):
                outgoing.put(MESSAGE)
        except grpc.RpcError:
            outgoing.put(None)


if __name__ == "__main__":
    main(sys.argv[1])
