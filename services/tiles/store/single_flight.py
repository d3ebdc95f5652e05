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
        task = self._tasks.get(key)
        if task is None:
            task = self._tasks[key] = asyncio.create_task(make())
            task.add_done_callback(lambda done: self._done(key, done))
        return await asyncio.shield(task)

    def _done(self, key: str, task: asyncio.Task[Result]) -> None:
        self._tasks.pop(key, None)
        if not task.cancelled():
            # nobody may be left to hear of a failure
            task.exception()
