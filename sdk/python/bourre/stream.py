"""One stream to the referee: a thread reads it, and answers pings at once even while the bot thinks."""

import queue
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import grpc

from bourre.v1 import play_pb2, play_pb2_grpc


@dataclass(frozen=True, slots=True)
class Received:
    """A list: each message with the name of its kind, None for one that is newer than this SDK.

    `at`: when it arrived, by `time.monotonic()`.
    """

    messages: Sequence[tuple[str | None, play_pb2.RefereeMessage]]
    at: float


class Stream:
    """A context manager that ends the stream. `join` is the first message, `token` says whose it is."""

    def __init__(self, channel: grpc.Channel, token: str, join: play_pb2.Join) -> None:
        self._outgoing: queue.SimpleQueue[play_pb2.PlayRequest | None] = queue.SimpleQueue()
        self._incoming: queue.SimpleQueue[Received | grpc.RpcError | None] = queue.SimpleQueue()
        self.send(play_pb2.PlayRequest(messages=[play_pb2.BotMessage(join=join)]))
        metadata = (("authorization", f"Bearer {token}"),)
        # gRPC has a thread of its own that writes what is put into the queue.
        self._call = play_pb2_grpc.PlayServiceStub(channel).Play(
            iter(self._outgoing.get, None), metadata=metadata
        )

        self._reader = threading.Thread(target=self._read, daemon=True, name="bourre-reader")

    def __enter__(self) -> "Stream":
        self._reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._outgoing.put(None)
        self._call.cancel()
        # A thread that is still inside gRPC when the interpreter ends can keep it from ending.
        self._reader.join(timeout=2.0)

    def send(self, request: play_pb2.PlayRequest) -> None:
        """Send a list. Where the stream is lost already, nothing happens."""
        self._outgoing.put(request)

    def lists(self) -> Iterator[Received]:
        """What the referee sends, until it ends the stream. Raises grpc.RpcError where the stream breaks."""
        while (received := self._incoming.get()) is not None:
            if isinstance(received, grpc.RpcError):
                raise received
            yield received

    def _read(self) -> None:
        end: grpc.RpcError | None = None
        try:
            for response in self._call:
                messages = [(message.WhichOneof("message"), message) for message in response.messages]
                received = Received(messages, time.monotonic())
                self._answer_pings(received)
                self._incoming.put(received)
        except grpc.RpcError as error:
            end = error
        finally:
            self._incoming.put(end)

    def _answer_pings(self, received: Received) -> None:
        pongs = [
            play_pb2.BotMessage(pong=play_pb2.Pong(id=message.ping.id))
            for kind, message in received.messages
            if kind == "ping"
        ]
        if pongs:
            self.send(play_pb2.PlayRequest(messages=pongs))
