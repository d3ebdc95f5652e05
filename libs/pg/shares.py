"""How many may do the same kind of thing at once, by name: one name's requests leave room for those of others."""

import asyncio
from collections import Counter, defaultdict

from libs.ogc.errors import Unavailable

_BUSY = "The collection is being asked for too much; try again."


class Shares:
    """At most `most` at once of each name; those who come later wait, in their order, for `wait_seconds`."""

    def __init__(self, most: int, *, wait_seconds: float, most_waiting: int | None = None) -> None:
        self._wait_seconds = wait_seconds
        self._most_waiting = most_waiting
        self._turns: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(most))
        self._waiting: Counter[str] = Counter()

    async def enter(self, name: str) -> None:
        """To be followed by `leave`. Raises Unavailable for one who would wait for too long, or with too many."""
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
        """The next one's turn."""
        self._turns[name].release()
