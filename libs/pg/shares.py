"""How many may do the same kind of thing at once, by name: one name's requests leave room for those of others."""

import asyncio
from collections import deque

from libs.ogc.errors import Unavailable


class Shares:
    """At most `most` at once of each name; those who come later wait, in their order, for `wait_seconds`."""

    def __init__(self, most: int, *, wait_seconds: float, most_waiting: int | None = None) -> None:
        self._most = most
        self._wait_seconds = wait_seconds
        self._most_waiting = most_waiting
        self._in_use: dict[str, int] = {}
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    async def enter(self, name: str) -> None:
        """To be followed by `leave`. Raises Unavailable for one who would wait for too long, or with too many."""
        in_use = self._in_use.get(name, 0)
        if in_use < self._most:
            self._in_use[name] = in_use + 1
            return
        queue = self._waiting.setdefault(name, deque())
        if self._most_waiting is not None and len(queue) >= self._most_waiting:
            raise Unavailable("The collection is being asked for too much; try again.")
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(turn)
        try:
            async with asyncio.timeout(self._wait_seconds):
                await turn
        except TimeoutError:
            self._give_up(name, turn)
            raise Unavailable("The collection is being asked for too much; try again.") from None
        except asyncio.CancelledError:
            self._give_up(name, turn)
            raise

    def leave(self, name: str) -> None:
        """The next one's turn."""
        queue = self._waiting.get(name, deque())
        while queue:
            turn = queue.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._waiting.pop(name, None)
        if self._in_use[name] == 1:
            del self._in_use[name]
        else:
            self._in_use[name] -= 1

    def _give_up(self, name: str, turn: "asyncio.Future[None]") -> None:
        # a turn that came at the moment at which nobody waited any more is the next one's
        if turn.done() and not turn.cancelled():
            self.leave(name)
        elif (queue := self._waiting.get(name)) and turn in queue:
            queue.remove(turn)
