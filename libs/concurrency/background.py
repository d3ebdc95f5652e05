"""Work that goes on beside the requests, as long as a block lasts."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

_LOG = logging.getLogger("dams.background")


@asynccontextmanager
async def background(work: Coroutine[Any, Any, None], *, name: str) -> AsyncIterator[asyncio.Task[None]]:
    """Runs `work` beside the block; what is left of it when the block ends is cancelled."""
    task = asyncio.create_task(work, name=name)
    try:
        yield task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


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
