"""Waiting for what happens in its own time; the limit only guards against hanging."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from aiohttp import ClientError

Result = TypeVar("Result")

_NOT_YET = (AssertionError, ClientError, OSError)


async def eventually(attempt: Callable[[], Awaitable[Result]], *, seconds: float = 90) -> Result:
    """What `attempt` gives once it fails no assertion, is refused no connection, and does not give False.

    When the time is over, its last failure.
    """
    deadline = time.monotonic() + seconds
    while True:
        try:
            return _happened(await attempt(), seconds)
        except _NOT_YET:
            if time.monotonic() > deadline:
                raise
        await asyncio.sleep(0.05)


def eventually_true(attempt: Callable[[], bool], *, seconds: float = 90) -> None:
    """The same for tests that have no event loop."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            _happened(attempt(), seconds)
        except _NOT_YET:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return


def _happened(result: Result, seconds: float) -> Result:
    assert result is not False, f"not within {seconds} s"
    return result
