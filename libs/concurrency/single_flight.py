"""Concurrent requests for the same thing share one response."""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


class SingleFlight(Generic[Result]):
    """Runs one task per key; further callers of a running key wait for the same task.

    A caller that is cancelled leaves the task to the others. A task without callers continues, for the cache. With
    `abandoned_after` it is cancelled that many seconds after its last caller left: a result that is nearly ready is
    worth keeping.
    """

    def __init__(self, *, abandoned_after: float | None = None) -> None:
        self._abandoned_after = abandoned_after
        self._tasks: dict[str, asyncio.Task[Result]] = {}
        self._waiting: Counter[asyncio.Task[Result]] = Counter()
        self._cancelled: set[asyncio.Task[Result]] = set()

    async def do(self, key: str, make: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """Return the shared result of `make()`, or raise its error."""
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
        """Return the task of that key, started if none is running. Do not cancel it: others may wait for it."""
        task = self._tasks.get(key)
        if task is None:
            task = self._tasks[key] = asyncio.create_task(make())
            task.add_done_callback(lambda done: self._finish(key, done))
        return task

    def find(self, key: str) -> asyncio.Task[Result] | None:
        """Return the running task of that key, or None."""
        return self._tasks.get(key)

    async def close(self) -> None:
        """Cancel running tasks and wait for their end."""
        tasks = [*self._tasks.values(), *self._cancelled]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _give_up(self, key: str, task: asyncio.Task[Result]) -> None:
        if task.done() or task in self._waiting or task in self._cancelled:
            return
        # later callers start a new task
        del self._tasks[key]
        self._cancelled.add(task)
        task.cancel()

    def _finish(self, key: str, task: asyncio.Task[Result]) -> None:
        if self._tasks.get(key) is task:
            del self._tasks[key]
        self._cancelled.discard(task)
        if not task.cancelled():
            # retrieve the error: perhaps no caller is left to do it
            task.exception()
