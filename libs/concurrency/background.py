"""Work that runs in the background as long as a block lasts."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

_LOG = logging.getLogger("dams.background")

_AGAIN_SECONDS = 1.0


@asynccontextmanager
async def background(work: Coroutine[Any, Any, None], *, name: str) -> AsyncIterator[asyncio.Task[None]]:
    """Run `work` beside the block; cancel it when the block ends."""
    task = asyncio.create_task(work, name=name)
    try:
        yield task
    finally:
        # repeatedly: the awaited code may turn a cancellation into another error, and the work continues
        while not task.done():
            task.cancel()
            await asyncio.wait([task], timeout=_AGAIN_SECONDS)
        if not task.cancelled():
            task.result()


@asynccontextmanager
async def periodic(
    work: Callable[[], Awaitable[object]], seconds: float | Callable[[], float], *, name: str
) -> AsyncIterator[asyncio.Event]:
    """Call `work` at once and then repeatedly beside the block, with a pause of `seconds` after each call.

    Yields an event that is set when the first call has ended, successfully or not. An error of `work` is logged and
    does not end the calls: a poller that stopped would leave its results outdated forever.
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
