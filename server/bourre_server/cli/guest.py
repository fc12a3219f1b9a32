"""Runs trio as a guest of the asyncio loop that serves gRPC."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, cast

import trio

T = TypeVar("T")


async def run_as_guest(main: Callable[[], Awaitable[T]]) -> T:
    """Run a trio main function inside the running asyncio loop; what it gives or raises.

    Both run in this thread, in turns, so that neither has to lock anything against the other.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()
    trio.lowlevel.start_guest_run(
        main,
        run_sync_soon_threadsafe=loop.call_soon_threadsafe,
        done_callback=done.set_result,
    )
    return cast(T, (await done).unwrap())
