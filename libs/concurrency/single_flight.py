"""Requests for the same thing at the same time share one answer."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


class SingleFlight(Generic[Result]):
    """Runs one task per key; whoever asks for a key that is under way waits for the same task.

    A client that goes away leaves the task to the others, and to the cache.
    """

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[Result]] = {}

    async def do(self, key: str, make: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """The result of `make()`, or its error, shared."""
        return await asyncio.shield(self.start(key, make))

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
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _done(self, key: str, task: asyncio.Task[Result]) -> None:
        self._tasks.pop(key, None)
        if not task.cancelled():
            # nobody may be left to hear of a failure
            task.exception()
