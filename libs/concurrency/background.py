"""Work that goes on beside the requests, as long as a block lasts."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

_LOG = logging.getLogger("dams.background")

_AGAIN_SECONDS = 1.0


@asynccontextmanager
async def background(work: Coroutine[Any, Any, None], *, name: str) -> AsyncIterator[asyncio.Task[None]]:
    """Runs `work` beside the block; what is left of it when the block ends is cancelled."""
    task = asyncio.create_task(work, name=name)
    try:
        yield task
    finally:
        # again and again: what the work awaits may turn a cancellation into another error, and the work goes on
        while not task.done():
            task.cancel()
            await asyncio.wait([task], timeout=_AGAIN_SECONDS)
        if not task.cancelled():
            task.result()


@asynccontextmanager
async def periodic(
    work: Callable[[], Awaitable[object]], seconds: float | Callable[[], float], *, name: str
) -> AsyncIterator[asyncio.Event]:
    """Calls `work` at once and then again and again beside the block, with a pause of `seconds` after each call.

    Gives an event that is set when the first call has ended, well or not. An error of `work` goes to the log and does
    not end the calls: a poller that ends would leave what it follows old for ever.
    """
    first = asyncio.Event()

    async def repeat() -> None:
        while True:
            try:
                await work()
            except Exception:
                _LOG.exception("failed, and tried again later", extra={"fields": {"work": name}})
            first.set()
            await asyncio.sleep(seconds() if callable(seconds) else seconds)

    async with background(repeat(), name=name):
        yield first
