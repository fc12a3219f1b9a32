"""The conversation with the referee: join, answer lists of requests, come back after a lost stream."""

import logging
import math
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc

from bourre.bot import BotFunction, Hooks, write_decision
from bourre.channel import open_channel
from bourre.errors import PlayError
from bourre.observation import ListClock, Observation
from bourre.stream import Stream
from bourre.v1 import play_pb2
from bourre.version import VERSION

PROTOCOL_VERSION = 1

# Seconds.
FIRST_DELAY, LONGEST_DELAY = 0.1, 5.0
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
_TOLD = {"match_started", "event", "fault", "match_ended", "block_settled"}

_log = logging.getLogger("bourre")


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

    def __post_init__(self) -> None:
        # gRPC would refuse it too, but it would print the token.
        if not (self.token.isascii() and self.token.isprintable()):
            raise PlayError("the token has characters that no token has: copy it again, and nothing else")


class Retry:
    """How long to wait before the next stream: longer each time, until the patience is at its end.

    `patience`: seconds without a welcome, counted from the first failure.
    """

    def __init__(self, patience: float, now: Callable[[], float] = time.monotonic) -> None:
        self._patience = patience
        self._now = now
        self.welcomed()

    def welcomed(self) -> None:
        """The referee is there: begin anew."""
        self._delay = FIRST_DELAY
        self._failed_at: float | None = None

    def next_delay(self) -> float | None:
        """Seconds to wait; None to give up."""
        now = self._now()
        self._failed_at = now if self._failed_at is None else self._failed_at
        if now - self._failed_at >= self._patience:
            return None
        delay, self._delay = self._delay, min(2 * self._delay, LONGEST_DELAY)
        return delay


class Client:
    """One bot and its way to the referee."""

    def __init__(self, bot: BotFunction, settings: Settings) -> None:
        self._bot = bot
        self._hooks = bot if isinstance(bot, Hooks) else Hooks()
        self._settings = settings
        self._retry = Retry(settings.patience)
        self._last_events: dict[int, int] = {}

    def run(self) -> None:
        """Play until the referee says that there is nothing more to play. Raises PlayError."""
        with open_channel(self._settings.address) as channel:
            while not self._played_to_the_end(channel):
                pass

    def _played_to_the_end(self, channel: grpc.Channel) -> bool:
        """Play on one stream; False, after a wait, where it is to be opened again."""
        try:
            goodbye = self._play(Stream(channel, self._settings.token, self._join()))
        except grpc.RpcError as error:
            self._wait_after(error)
            return False
        if goodbye.reason in _DONE:
            return True
        if goodbye.reason == play_pb2.GOODBYE_REASON_REPLACED:
            raise PlayError("another process with this token took over")
        self._wait(goodbye.detail or "the stream ended", at_least=goodbye.retry_after_ms / 1000)
        return False

    def _join(self) -> play_pb2.Join:
        settings = self._settings
        return play_pb2.Join(
            protocol_version=PROTOCOL_VERSION,
            bot_name=settings.name,
            bot_version=settings.version,
            sdk_name="python",
            sdk_version=VERSION,
            max_tables=settings.max_tables,
            lists=settings.lists,
            events=settings.events,
            remembered=[
                play_pb2.TableMemory(table_id=table, last_event=number)
                for table, number in self._last_events.items()
            ],
        )

    def _play(self, stream: Stream) -> play_pb2.Goodbye:
        """Play on one stream; its goodbye, an empty one where it ends without. Raises grpc.RpcError."""
        with stream:
            for received in stream.lists():
                requests = []
                for kind, message in received.messages:
                    if kind == "decision_request":
                        requests.append(message.decision_request)
                    elif kind == "goodbye":
                        return message.goodbye
                    else:
                        self._hear(kind, message)
                if requests:
                    stream.send(self._decide(requests, received.at))
        return play_pb2.Goodbye()

    def _decide(self, requests: list[play_pb2.DecisionRequest], arrived: float) -> play_pb2.PlayRequest:
        """Answer all requests as one list."""
        allowed = requests[0].list_deadline_ms / 1000 or math.inf
        clock = ListClock(arrived + allowed, len(requests))
        answers = play_pb2.PlayRequest()
        for request in requests:
            decision = answers.messages.add().decision
            decision.table_id = request.table_id
            decision.decision_id = request.decision_id
            observation = Observation(request, clock)
            write_decision(self._bot(observation), observation.kind, decision)
            clock.unanswered -= 1
        return answers

    def _hear(self, kind: str | None, message: play_pb2.RefereeMessage) -> None:
        """Tell the bot; what is newer than this SDK is skipped."""
        if kind == "welcome":
            self._retry.welcomed()
            for match in message.welcome.running:
                self._hooks.match_started(match)
        elif kind == "event":
            self._last_events[message.event.table_id] = message.event.number
        elif kind == "match_ended":
            self._last_events.pop(message.match_ended.table_id, None)
        if kind in _TOLD:
            getattr(self._hooks, kind)(getattr(message, kind))

    def _wait_after(self, error: grpc.RpcError) -> None:
        code, details = error.code(), " ".join((error.details() or "").split())
        if code in _FINAL:
            raise PlayError(f"the referee refuses: {details}") from None
        seconds = _retry_after(error) if code is grpc.StatusCode.RESOURCE_EXHAUSTED else None
        if seconds is None:
            self._wait(f"{code.name}: {details}")
        else:
            _sleep(seconds, f"the referee says to wait: {details}")

    def _wait(self, why: str, at_least: float = 0.0) -> None:
        delay = self._retry.next_delay()
        if delay is None:
            raise PlayError(f"no referee at {self._settings.address} ({why})") from None
        _sleep(max(at_least, delay), why)


def _sleep(seconds: float, why: str) -> None:
    _log.warning("bourre: %s; again in %g s", why, seconds)
    time.sleep(seconds)


def _retry_after(error: grpc.RpcError) -> float | None:
    """Seconds that the referee asks for, if it does."""
    trailing: Any = error.trailing_metadata() or ()  # pairs; the stubs know them by another name
    text = dict(trailing).get("retry-after-ms", "")
    return int(text) / 1000 if text.isdecimal() else None


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
    lists of requests may be open at once, 1 to 16; with 2 the next one is there when one is
    answered. `events`: whether the hook `event` is called. `address`, `token`: by default
    BOURRE_ADDRESS and BOURRE_TOKEN, which `bourre run` sets. `patience`: seconds to try to come
    back after a lost stream.
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
