"""Requests for the same thing at the same time share one answer."""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


class SingleFlight(Generic[Result]):
    """Runs one task per key; whoever asks for a key that is under way waits for the same task.

    A client that goes away leaves the task to the others. What nobody waits for any more goes on, for the cache; with
    `abandoned_after` it is cancelled so many seconds after the last one has gone: what is nearly made is worth keeping.
    """

    def __init__(self, *, abandoned_after: float | None = None) -> None:
        self._abandoned_after = abandoned_after
        self._tasks: dict[str, asyncio.Task[Result]] = {}
        self._waiting: Counter[asyncio.Task[Result]] = Counter()
        self._cancelled: set[asyncio.Task[Result]] = set()

    async def do(self, key: str, make: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """The result of `make()`, or its error, shared."""
        task = self.start(key, make)
        if self._abandoned_after is None:
            return await asyncio.shield(task)
        self._waiting[task] += 1
        try:
            return await asyncio.shield(task)
        finally:
            self._waiting[task] -= 1
            if not self._waiting[task]:
                del self._waiting[task]
                if not task.done():
                    asyncio.get_running_loop().call_later(self._abandoned_after, self._give_up, key, task)

    def start(self, key: str, make: Callable[[], Coroutine[Any, Any, Result]]) -> asyncio.Task[Result]:
        """The task of that key, started where none is under way; not to be cancelled, others may wait for it."""
        task = self._tasks.get(key)
        if task is None:
            task = self._tasks[key] = asyncio.create_task(make())
            task.add_done_callback(lambda done: self._done(key, done))
        return task

    def under_way(self, key: str) -> asyncio.Task[Result] | None:
        """The task of that key, if there is one that has not ended."""
        return self._tasks.get(key)

    async def close(self) -> None:
        """Cancels what is under way and waits for its end."""
        tasks = [*self._tasks.values(), *self._cancelled]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _give_up(self, key: str, task: asyncio.Task[Result]) -> None:
        if task.done() or task in self._waiting or task in self._cancelled:
            return
        # whoever comes now starts anew
        del self._tasks[key]
        self._cancelled.add(task)
        task.cancel()

    def _done(self, key: str, task: asyncio.Task[Result]) -> None:
        if self._tasks.get(key) is task:
            del self._tasks[key]
        self._cancelled.discard(task)
        if not task.cancelled():
            # nobody may be left to hear of a failure
            task.exception()
