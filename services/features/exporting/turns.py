"""Turns for writing files: how many run at once, how many per client, and the queue."""

import asyncio
from collections import Counter, deque

from libs.ogc.errors import Unavailable

_RETRY_SECONDS = 5


class Turns:
    """At most `at_once` turns; one client gets at most half of them, but at least one.

    Further requests wait in a queue for up to `wait_seconds`, at most `most_waiting` of them. A free turn goes to the
    client with the fewest turns, among these to the one that has waited longest.
    """

    def __init__(self, at_once: int, *, wait_seconds: float = 3.0, most_waiting: int = 50) -> None:
        self._at_once = at_once
        self._share = max(1, at_once // 2)
        self._wait_seconds = wait_seconds
        self._most_waiting = most_waiting
        self._turns: Counter[str] = Counter()
        self._waiting: deque[tuple[str, asyncio.Future[None]]] = deque()

    @property
    def taken(self) -> int:
        """The number of turns that are taken."""
        return self._turns.total()

    async def enter(self, client: str) -> None:
        """Take a turn, to be followed by `leave`. Raises Unavailable if none is free in time."""
        if self.enter_now(client):
            return
        if len(self._waiting) >= self._most_waiting:
            raise self._refusal(client)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((client, turn))
        try:
            async with asyncio.timeout(self._wait_seconds):
                await turn
        except BaseException as error:
            self._forget(client, turn)
            if isinstance(error, TimeoutError):
                raise self._refusal(client) from None
            raise

    def enter_now(self, client: str) -> bool:
        """Take a turn if one is free, to be followed by `leave`; return whether it was."""
        is_free = self._is_free(client)
        self._turns[client] += is_free
        return is_free

    def leave(self, client: str) -> None:
        """Give a turn back."""
        self._turns[client] -= 1
        self._turns += Counter()
        self._hand_over()

    def _is_free(self, client: str) -> bool:
        return self.taken < self._at_once and self._turns[client] < self._share

    def _hand_over(self) -> None:
        waiting = [(self._turns[client], place) for place, (client, _) in enumerate(self._waiting)]
        for _, place in sorted(waiting):
            client, turn = self._waiting[place]
            # one whose time is over, or whose request was cancelled, may still be in the queue
            if not turn.done() and self._is_free(client):
                del self._waiting[place]
                self._turns[client] += 1
                turn.set_result(None)
                return

    def _forget(self, client: str, turn: asyncio.Future[None]) -> None:
        if turn.done() and not turn.cancelled():
            # the turn was handed over at the moment when the client gave up
            self.leave(client)
            return
        self._waiting = deque(each for each in self._waiting if each[1] is not turn)

    def _refusal(self, client: str) -> Unavailable:
        taken = self._turns[client]
        if taken < self._share:
            sentence = "As many files are being made as may be at once; try again."
        elif taken == 1:
            sentence = (
                "1 file is being made for your address, which is its share; wait until it is ready and try again."
            )
        else:
            sentence = (
                f"{taken} files are being made for your address, which is its share;"
                " wait until one of them is ready and try again."
            )
        return Unavailable(sentence, retry_after=_RETRY_SECONDS, cause="exports")
