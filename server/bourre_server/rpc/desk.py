"""The referee's desk: where frames arrive, effects leave and time passes, all in one asyncio loop.

trio runs as a guest of that loop, so there is one thread and nothing to lock. In each turn of the
loop all frames that have arrived are applied; then, once, what follows is journalled, encoded
and put in line for the streams.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import inf

import grpc
import trio

from bourre_server.arena.ports import BotJoined, BotLeft, BotLost, MatchFinished, Notice
from bourre_server.referee.faults import FaultKind
from bourre_server.referee.messages import (
    Asked,
    Effects,
    Ended,
    Faulted,
    Happened,
    Message,
    Started,
    Welcomed,
)
from bourre_server.referee.referee import Referee
from bourre_server.referee.table import TableSpec
from bourre_server.rpc.allowance import RATE, Allowance
from bourre_server.rpc.clock import BEAT, Clock
from bourre_server.rpc.codec import messages as wire
from bourre_server.rpc.codec.replies import Frame, FrameError, Joined, decode
from bourre_server.rpc.codec.requests import Requests
from bourre_server.rpc.stream import DONE, Ending, Stream

MOST_LISTS = 16
# What a bot gets that leaves it to the referee.
DEFAULT_TABLES = 1024
# Characters kept of a text that a bot says about itself.
LONGEST_TEXT = 64
LEAVES_AFTER_MATCHES, LEAVES_NOW = 1, 2


@dataclass(slots=True)
class _Guest:
    """A bot that is expected: its entrant, and its newest stream."""

    entrant: str
    token_digest: str
    stream: Stream | None = None
    grant: wire.Grant | None = None
    allowance: Allowance = field(default_factory=lambda: Allowance(0.0))


class Desk:
    """See the module, and `arena.ports.Desk` for what the director asks of it.

    `journal` is given the lines of decisions before anything is sent that follows from them.
    Make it inside the running loop. `fail` is told of an error that ends the run, such as a full
    disk; the desk is of no use then.
    """

    def __init__(self, journal: Callable[[bytes], object], fail: Callable[[Exception], object]) -> None:
        self._loop = asyncio.get_running_loop()
        self._clock = Clock(self._loop.time)
        self._journal = journal
        self._fail = fail
        self._referee = Referee()
        self._requests = Requests()
        self._guests: dict[str, _Guest] = {}
        self._by_token: dict[str, str] = {}
        self._flush_due = False
        self._timer: asyncio.TimerHandle | None = None
        self._notify, self.notices = trio.open_memory_channel[Notice](inf)
        self._beat()

    # What the director asks.

    def expect(self, bot: str, entrant: str, token_digest: str) -> None:
        """Let a bot in that brings the token with this SHA-256 (hex)."""
        self._guests[bot] = _Guest(entrant, token_digest, allowance=Allowance(self._clock.now()))
        self._by_token[token_digest] = bot

    def open_table(self, spec: TableSpec, tokens: Iterable[str]) -> None:
        """Begin a match, or go on with one from the decisions made before."""
        self._referee.open(spec, self._now(), tokens)

    def settle_block(self, block: int, seed: bytes, bots: Iterable[str]) -> None:
        """Tell those who sat in a block its seed."""
        message = wire.encode_block_settled(block, seed)
        for bot in bots:
            self._send(bot, message)

    def crash(self, bot: str, reason: str) -> None:
        """A bot's process ended; what it sent and was not read in time does not count."""
        guest = self._guests[bot]
        if guest.stream is not None:
            guest.stream.end(DONE)
            guest.stream = None
        self._referee.crash(bot, reason, self._now())

    def give_up(self, bot: str, reason: str) -> None:
        """A bot is gone for good: its seats play by default."""
        self._referee.give_up(bot, reason, self._now())

    def dismiss(self, bot: str, reason: str, detail: str) -> None:
        """Say goodbye to a bot, and let it in no more."""
        guest = self._guests.pop(bot)
        del self._by_token[guest.token_digest]
        self._referee.dismiss(bot, self._now())
        if guest.stream is not None:
            self._part(guest.stream, reason, detail)

    # What streams bring.

    def bot_of(self, token_digest: str) -> str | None:
        """The bot that a token belongs to."""
        return self._by_token.get(token_digest)

    def connect(self, bot: str, join: Joined, stream: Stream) -> None:
        """A bot joins on a new stream; an older one of the same bot ends."""
        guest = self._guests[bot]
        if guest.stream is not None:
            self._part(guest.stream, "REPLACED", "a newer connection with this token took over")
        guest.stream = stream
        lists = min(max(join.lists, 1), MOST_LISTS)
        guest.grant = wire.Grant(guest.entrant, join.max_tables or DEFAULT_TABLES, lists)
        self._referee.join(bot, self._now(), lists=lists, events=join.events, remembered=join.remembered)
        self._notify.send_nowait(BotJoined(bot, guest.grant.max_tables, join.version[:LONGEST_TEXT]))

    def disconnect(self, bot: str, stream: Stream) -> None:
        """A stream is gone."""
        guest = self._guests.get(bot)
        if guest is not None and guest.stream is stream:
            guest.stream = None
            self._referee.lose(bot, self._now())
            self._notify.send_nowait(BotLost(bot))

    def receive(self, bot: str, stream: Stream, data: bytes) -> None:
        """A frame arrived."""
        guest = self._guests.get(bot)
        if guest is None or guest.stream is not stream:
            return
        now = self._now()
        try:
            frame = decode(data)
        except FrameError as error:
            self._referee.disturb(bot, FaultKind.MALFORMED, str(error), now)
            frame = Frame(unknown=1)
        idle = self._apply(bot, frame, now)
        if not guest.allowance.take(idle, now):
            reason = f"messages that answer nothing: at most {RATE:g} a second"
            self._referee.disturb(bot, FaultKind.FLOODING, reason, now)
            stream.end(Ending(grpc.StatusCode.RESOURCE_EXHAUSTED, reason, 1.0, "idle_messages_per_second"))
            self.disconnect(bot, stream)

    def _apply(self, bot: str, frame: Frame, now: float) -> int:
        """Apply a frame; how many of its messages answered nothing."""
        open_requests = self._referee.open_requests(bot)
        if frame.replies:
            self._referee.apply(bot, frame.replies, now)
        if frame.unknown or frame.join:
            self._referee.disturb(bot, FaultKind.MALFORMED, "a message that means nothing here", now)
        if frame.leave:
            self._notify.send_nowait(BotLeft(bot))
        if frame.leave == LEAVES_NOW:
            self._referee.give_up(bot, "left", now)
        return max(0, len(frame.replies) - open_requests) + len(frame.pongs) + frame.unknown

    # What follows.

    def _now(self) -> float:
        """The time of an input; what follows from it is sent at the end of the loop's turn."""
        if not self._flush_due:
            self._flush_due = True
            self._loop.call_soon(self._flush)
        return self._clock.now()

    def _flush(self) -> None:
        self._flush_due = False
        try:
            self._carry_out(self._referee.drain(self._clock.now()))
        except Exception as error:
            self._fail(error)

    def _carry_out(self, effects: Effects) -> None:
        if effects.journal:
            self._journal("".join([f"{table} {token}\n" for table, token in effects.journal]).encode())
        for bot, message in effects.messages:
            self._send(bot, self._encode(bot, message))
        for table in effects.finished:
            self._requests.forget(table.number)
            self._notify.send_nowait(MatchFinished(table))
        self._set_timer(effects.wake)

    def _encode(self, bot: str, message: Message) -> bytes:
        match message:
            case Asked():
                return self._requests.encode(message)
            case Happened():
                return wire.encode_happened(message)
            case Started():
                return wire.encode_started(message)
            case Ended():
                return wire.encode_ended(message)
            case Faulted():
                return wire.encode_faulted(message)
            case Welcomed():
                grant = self._guests[bot].grant
                assert grant is not None
                return wire.encode_welcome(grant, message.seats)

    def _send(self, bot: str, chunk: bytes) -> None:
        guest = self._guests.get(bot)
        if guest is not None and guest.stream is not None:
            guest.stream.send(chunk)

    def _part(self, stream: Stream, reason: str, detail: str) -> None:
        stream.send(wire.encode_goodbye(reason, detail))
        stream.end(DONE)

    # Time.

    def _set_timer(self, wake: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if wake is not None:
            # Two turns of the loop later, so that frames that have arrived are applied first.
            when = wake + self._clock.lost
            self._timer = self._loop.call_at(when, self._loop.call_soon, self._loop.call_soon, self._tick)

    def _tick(self) -> None:
        self._referee.tick(self._now())

    def _beat(self) -> None:
        self._clock.beat()
        self._loop.call_later(BEAT, self._beat)
