"""The conversation with the referee: join, answer lists of requests, come back after a lost stream.

Two threads: one reads the stream and answers pings at once, even while the bot thinks; the
other, the caller's, asks the bot and sends its answers. grpc's own thread writes.
"""

import math
import os
import queue
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc

from bourre.bot import BotFunction, Hooks, write_decision
from bourre.observation import ListClock, Observation
from bourre.v1 import play_pb2, play_pb2_grpc
from bourre.version import VERSION

PROTOCOL_VERSION = 1

_FIRST_DELAY, _LONGEST_DELAY = 0.1, 5.0
# Coming back would end the same way.
_FINAL = {
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.UNIMPLEMENTED,
}
_DONE = {
    play_pb2.GOODBYE_REASON_FINISHED,
    play_pb2.GOODBYE_REASON_WITHDRAWN,
    play_pb2.GOODBYE_REASON_LEFT,
}
_OPTIONS = (
    ("grpc.max_receive_message_length", 4 << 20),
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
)


class PlayError(Exception):
    """The bot cannot play on; the message is one line that says why."""


@dataclass(frozen=True)
class Settings:
    """Where and as what a bot plays; see `run`."""

    address: str
    token: str = field(repr=False)
    name: str = ""
    version: str = ""
    max_tables: int = 0
    lists: int = 1
    events: bool = False
    patience: float = 60.0

    @property
    def join(self) -> play_pb2.BotMessage:
        """The first message of every stream."""
        return play_pb2.BotMessage(
            join=play_pb2.Join(
                protocol_version=PROTOCOL_VERSION,
                bot_name=self.name,
                bot_version=self.version,
                sdk_name="python",
                sdk_version=VERSION,
                max_tables=self.max_tables,
                lists=self.lists,
                events=self.events,
            )
        )


class Client:
    """One bot and its way to the referee."""

    def __init__(self, bot: BotFunction, settings: Settings) -> None:
        self._bot = bot
        self._hooks = bot if isinstance(bot, Hooks) else Hooks()
        self._settings = settings
        self._delay = _FIRST_DELAY
        self._welcomed_at = time.monotonic()

    def run(self) -> None:
        """Play until the referee says goodbye. Raises PlayError."""
        with open_channel(self._settings.address) as channel:
            while True:
                try:
                    goodbye = self._play(_Stream(channel, self._settings))
                except grpc.RpcError as error:
                    self._wait(self._delay_after(error))
                else:
                    if goodbye is not None and goodbye.reason in _DONE:
                        return
                    self._wait(self._delay_after_goodbye(goodbye))

    def _play(self, stream: "_Stream") -> play_pb2.Goodbye | None:
        """Play on one stream; its goodbye, None where it ends without. Raises grpc.RpcError."""
        with stream:
            for messages in stream.lists():
                goodbye = self._answer(stream, messages)
                if goodbye is not None:
                    return goodbye
        return None

    def _answer(
        self, stream: "_Stream", messages: Iterable[play_pb2.RefereeMessage]
    ) -> play_pb2.Goodbye | None:
        """Tell the bot what there is to tell, and answer all requests as one list."""
        requests = []
        for message in messages:
            kind = message.WhichOneof("message")
            if kind == "decision_request":
                requests.append(message.decision_request)
            elif kind == "goodbye":
                return message.goodbye
            else:
                self._tell(kind, message)
        if requests:
            stream.send(self._decide(requests))
        return None

    def _decide(self, requests: list[play_pb2.DecisionRequest]) -> list[play_pb2.BotMessage]:
        allowed = requests[0].list_deadline_ms / 1000 or math.inf
        clock = ListClock(time.monotonic() + allowed, len(requests))
        answers = []
        for request in requests:
            observation = Observation(request, clock)
            answer = play_pb2.BotMessage()
            decision = answer.decision
            decision.table_id = request.table_id
            decision.decision_id = request.decision_id
            write_decision(self._bot(observation), observation.kind, decision)
            answers.append(answer)
            clock.unanswered -= 1
        return answers

    def _tell(self, kind: str | None, message: play_pb2.RefereeMessage) -> None:
        """Call the hook for a message; what is newer than this SDK is skipped."""
        if kind == "welcome":
            self._delay = _FIRST_DELAY
            self._welcomed_at = time.monotonic()
            for match in message.welcome.running:
                self._hooks.match_started(match)
        elif kind in ("match_started", "event", "fault", "match_ended", "block_settled"):
            getattr(self._hooks, kind)(getattr(message, kind))

    def _delay_after(self, error: grpc.RpcError) -> float:
        code, details = error.code(), error.details()
        if code in _FINAL:
            raise PlayError(f"the referee refuses: {details}") from None
        if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
            return _retry_after(error)
        return self._next_delay(f"{code.name}: {details}")

    def _delay_after_goodbye(self, goodbye: play_pb2.Goodbye | None) -> float:
        if goodbye is not None and goodbye.reason == play_pb2.GOODBYE_REASON_REPLACED:
            raise PlayError("another process with this token took over")
        retry = goodbye.retry_after_ms / 1000 if goodbye is not None else 0.0
        return max(retry, self._next_delay("the stream ended"))

    def _next_delay(self, why: str) -> float:
        """Wait longer each time, until the patience is at its end."""
        if time.monotonic() - self._welcomed_at > self._settings.patience:
            raise PlayError(f"no referee at {self._settings.address} ({why})")
        delay, self._delay = self._delay, min(2 * self._delay, _LONGEST_DELAY)
        return delay

    def _wait(self, seconds: float) -> None:
        time.sleep(seconds)


class _Stream:
    """A stream to the referee; a context manager that ends it."""

    def __init__(self, channel: grpc.Channel, settings: Settings) -> None:
        self._outgoing: queue.SimpleQueue[play_pb2.PlayRequest | None] = queue.SimpleQueue()
        self._incoming: queue.SimpleQueue[play_pb2.PlayResponse | grpc.RpcError | None] = queue.SimpleQueue()
        self.send([settings.join])
        metadata = (("authorization", f"Bearer {settings.token}"),)
        stub = play_pb2_grpc.PlayServiceStub(channel)
        self._call = stub.Play(iter(self._outgoing.get, None), metadata=metadata)

    def __enter__(self) -> "_Stream":
        threading.Thread(target=self._read, daemon=True, name="bourre-reader").start()
        return self

    def __exit__(self, *_: object) -> None:
        self._outgoing.put(None)
        self._call.cancel()

    def send(self, messages: list[play_pb2.BotMessage]) -> None:
        """Send a list."""
        self._outgoing.put(play_pb2.PlayRequest(messages=messages))

    def lists(self) -> Iterator[Iterable[play_pb2.RefereeMessage]]:
        """What the referee sends, list by list. Raises grpc.RpcError where the stream breaks."""
        while (response := self._incoming.get()) is not None:
            if isinstance(response, grpc.RpcError):
                raise response
            yield response.messages

    def _read(self) -> None:
        try:
            for response in self._call:
                self._answer_pings(response)
                self._incoming.put(response)
        except grpc.RpcError as error:
            self._incoming.put(error)
        else:
            self._incoming.put(None)

    def _answer_pings(self, response: play_pb2.PlayResponse) -> None:
        # Pings come alone or first, so that a long list costs one look.
        first = response.messages[0] if response.messages else None
        if first is not None and first.HasField("ping"):
            self.send([play_pb2.BotMessage(pong=play_pb2.Pong(id=first.ping.id))])


def _retry_after(error: grpc.RpcError) -> float:
    """Seconds that the referee asks for."""
    trailing: Any = error.trailing_metadata() or ()  # pairs; the stubs know them by another name
    return int(dict(trailing).get("retry-after-ms", 1000 * _FIRST_DELAY)) / 1000


def open_channel(address: str) -> grpc.Channel:
    """A channel to HOST:PORT: encrypted, unless the host is this one or BOURRE_INSECURE=1 is set.

    BOURRE_CA may name a file with the certificate to trust instead of the system's. Raises PlayError.
    """
    if is_loopback(address) or os.environ.get("BOURRE_INSECURE") == "1":
        return grpc.insecure_channel(address, options=_OPTIONS)
    ca = os.environ.get("BOURRE_CA")
    try:
        roots = Path(ca).read_bytes() if ca else None
    except OSError as error:
        raise PlayError(f"BOURRE_CA={ca}: {error.strerror}") from None
    return grpc.secure_channel(address, grpc.ssl_channel_credentials(roots), options=_OPTIONS)


def is_loopback(address: str) -> bool:
    """Whether HOST:PORT is on this machine for certain."""
    host = address.rpartition(":")[0].strip("[]")
    return host in ("localhost", "::1") or host.startswith("127.")


def run(  # noqa: PLR0913 - one keyword for each thing an author may set
    bot: BotFunction,
    *,
    name: str = "",
    version: str = "",
    max_tables: int = 0,
    lists: int = 1,
    events: bool = False,
    address: str | None = None,
    token: str | None = None,
    patience: float = 60.0,
) -> None:
    """Play until there is nothing more to play; where that is not possible, end the process with one line.

    `bot`: a `Bot`, or a function from an observation to a decision. `name`, `version`: what it
    calls itself. `max_tables`: at once, 0 for as many as the referee likes. `lists`: how many
    lists of requests may be open at once; more than 1 only where the bot thinks in parallel.
    `events`: whether the hook `event` is called. `address`, `token`: by default BOURRE_ADDRESS
    and BOURRE_TOKEN, which `bourre run` sets. `patience`: seconds to try to come back.
    """
    try:
        settings = Settings(
            address=address or _from_environment("BOURRE_ADDRESS"),
            token=token or _from_environment("BOURRE_TOKEN"),
            name=name or Path(sys.argv[0]).name,
            version=version,
            max_tables=max_tables,
            lists=lists,
            events=events,
            patience=patience,
        )
        Client(bot, settings).run()
    except PlayError as error:
        raise SystemExit(f"bourre: {error}") from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _from_environment(key: str) -> str:
    value = os.environ.get(key)
    if not value:
        raise PlayError(f"{key} is not set: start the bot with `bourre run`, or set what it printed")
    return value
