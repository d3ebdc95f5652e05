"""Limit concurrent uses by name, so that one name's requests leave room for those of others."""

import asyncio
from collections import Counter, defaultdict

from libs.ogc.errors import Unavailable

_BUSY = "The collection is being asked for too much; try again."


class Shares:
    """At most `most` at once for each name; further ones wait in order of arrival, up to `wait_seconds`."""

    def __init__(self, most: int, *, wait_seconds: float, most_waiting: int | None = None) -> None:
        self._wait_seconds = wait_seconds
        self._most_waiting = most_waiting
        self._turns: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(most))
        self._waiting: Counter[str] = Counter()

    async def enter(self, name: str) -> None:
        """Take a share, to be followed by `leave`. Raises Unavailable if the wait is too long, or too many wait."""
        turns = self._turns[name]
        if not turns.locked():
            await turns.acquire()
            return
        if self._most_waiting is not None and self._waiting[name] >= self._most_waiting:
            raise Unavailable(_BUSY, cause="share")
        self._waiting[name] += 1
        try:
            async with asyncio.timeout(self._wait_seconds):
                await turns.acquire()
        except TimeoutError:
            raise Unavailable(_BUSY, cause="share") from None
        finally:
            self._waiting[name] -= 1

    def leave(self, name: str) -> None:
        """Release the share to the next one waiting."""
        self._turns[name].release()
