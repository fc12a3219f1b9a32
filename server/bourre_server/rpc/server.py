"""PlayService on grpc.aio: authenticates streams and carries frames between them and the desk.

Frames are bytes here; the desk's codec reads and writes them.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import grpc

from bourre_server.rpc.codec.messages import PROTOCOL_VERSION
from bourre_server.rpc.codec.replies import FrameError, decode
from bourre_server.rpc.desk import Desk
from bourre_server.rpc.stream import LARGEST_FRAME, Ending, Stream

if TYPE_CHECKING:
    Context = grpc.aio.ServicerContext[bytes, bytes]

SERVICE = "bourre.v1.PlayService"
# Seconds a bot gets between opening the stream and its Join.
JOIN_WITHIN = 30.0

_OPTIONS = (
    ("grpc.max_receive_message_length", LARGEST_FRAME),
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.so_reuseport", 0),
)


class _Refused(Exception):  # noqa: N818 - not an error of ours
    """A stream that is not let in."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(ending.detail)
        self.ending = ending


def token_digest(token: str) -> str:
    """The SHA-256 (hex) of a token: what is kept of it."""
    return hashlib.sha256(token.encode()).hexdigest()


@asynccontextmanager
async def serving(desk: Desk, address: str) -> AsyncIterator[int]:
    """Serve bots at HOST:PORT (port 0: any free one) while the block runs; gives the port.

    Raises OSError where the address cannot be had.
    """
    server = grpc.aio.server(options=_OPTIONS)
    play = PlayService(desk).play
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(play)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {"Play": handler}),))
    try:
        port = server.add_insecure_port(address)
    except RuntimeError as error:
        raise OSError(f"cannot listen on {address}") from error
    await server.start()
    try:
        yield port
    finally:
        await server.stop(grace=1.0)


class PlayService:
    """The service; see the module."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def play(self, _requests: object, context: "Context") -> None:
        """One bot's stream, from its Join to its end."""
        try:
            bot, stream = await self._admit(context)
        except _Refused as refused:
            await _abort(context, refused.ending)
            return
        parts = self._read(bot, stream, context), self._write(stream, context), stream.overrun.wait()
        tasks = [asyncio.create_task(part) for part in parts]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._desk.disconnect(bot, stream)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if stream.ending is not None and stream.ending.code is not grpc.StatusCode.OK:
            await _abort(context, stream.ending)

    async def _admit(self, context: "Context") -> tuple[str, Stream]:
        bot = self._desk.bot_of(token_digest(_token(context)))
        if bot is None:
            detail = "no bot has this token; take the one that `bourre run` printed or put into BOURRE_TOKEN"
            raise _Refused(Ending(grpc.StatusCode.UNAUTHENTICATED, detail))
        try:
            data = await asyncio.wait_for(context.read(), JOIN_WITHIN)
        except TimeoutError:
            detail = f"no Join within {JOIN_WITHIN:g} seconds"
            raise _Refused(Ending(grpc.StatusCode.INVALID_ARGUMENT, detail)) from None
        stream = Stream()
        self._join(bot, stream, data)
        return bot, stream

    def _join(self, bot: str, stream: Stream, data: object) -> None:
        try:
            frame = decode(data if isinstance(data, bytes) else b"")
        except FrameError as error:
            raise _Refused(Ending(grpc.StatusCode.INVALID_ARGUMENT, str(error))) from None
        if frame.join is None:
            raise _Refused(Ending(grpc.StatusCode.INVALID_ARGUMENT, "the first message must be a Join"))
        if frame.join.protocol_version != PROTOCOL_VERSION:
            detail = (
                f"protocol version {frame.join.protocol_version}; the referee speaks {PROTOCOL_VERSION}:"
                " use an SDK of that version"
            )
            raise _Refused(Ending(grpc.StatusCode.FAILED_PRECONDITION, detail))
        self._desk.connect(bot, frame.join, stream)

    async def _read(self, bot: str, stream: Stream, context: "Context") -> None:
        while isinstance(data := await context.read(), bytes):
            self._desk.receive(bot, stream, data)

    async def _write(self, stream: Stream, context: "Context") -> None:
        while (frame := await stream.next_frame()) is not None:
            await context.write(frame)


def _token(context: "Context") -> str:
    for key, value in context.invocation_metadata() or ():
        if key == "authorization" and isinstance(value, str):
            return value.removeprefix("Bearer ").strip()
    return ""


async def _abort(context: "Context", ending: Ending) -> None:
    await context.abort(ending.code, ending.detail, ending.metadata)
