"""The referee's end of one bot's stream: what waits to be written, and how it ends."""

import asyncio
from dataclasses import dataclass

import grpc

# As much as a peer may be sent in one message.
LARGEST_FRAME = 1 << 20
# A bot that lets so much wait unread is cut off.
MOST_UNREAD = 4 << 20


@dataclass(frozen=True, slots=True)
class Ending:
    """How a stream ends: a gRPC status and what the bot's author should know.

    `retry_after`: seconds to wait before connecting again, sent as `retry-after-ms`; `limit`: the key
    of the limit that was hit.
    """

    code: grpc.StatusCode
    detail: str
    retry_after: float | None = None
    limit: str = ""

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """The trailing metadata."""
        retry = () if self.retry_after is None else (("retry-after-ms", str(int(self.retry_after * 1000))),)
        return (*retry, ("limit", self.limit)) if self.limit else retry


DONE = Ending(grpc.StatusCode.OK, "")


class Stream:
    """What is to be written to a bot. The writer takes it from here as fast as the bot reads.

    `overrun` is set when the bot does not: the writer must not be waited for.
    """

    def __init__(self) -> None:
        self._chunks: list[bytes] = []
        self._unread = 0
        self._ready = asyncio.Event()
        self.ending: Ending | None = None
        self.overrun = asyncio.Event()

    def send(self, chunk: bytes) -> None:
        """Put entries of a PlayResponse in line. What a bot will never read is dropped."""
        if self.ending is not None:
            return
        self._chunks.append(chunk)
        self._unread += len(chunk)
        self._ready.set()
        if self._unread > MOST_UNREAD:
            self._chunks.clear()
            detail = f"more than {MOST_UNREAD} bytes wait to be read"
            self.end(Ending(grpc.StatusCode.RESOURCE_EXHAUSTED, detail, 1.0, "unread_bytes"))
            self.overrun.set()

    def end(self, ending: Ending) -> None:
        """End the stream once what waits is written. The first ending counts."""
        self.ending = self.ending or ending
        self._ready.set()

    async def next_frame(self) -> bytes | None:
        """The next PlayResponse: all that waits, as far as it fits. None at the end."""
        while not self._chunks:
            if self.ending is not None:
                return None
            self._ready.clear()
            await self._ready.wait()
        size = taken = 0
        while taken < len(self._chunks) and (not taken or size + len(self._chunks[taken]) <= LARGEST_FRAME):
            size += len(self._chunks[taken])
            taken += 1
        frame = b"".join(self._chunks[:taken])
        del self._chunks[:taken]
        self._unread -= size
        return frame
