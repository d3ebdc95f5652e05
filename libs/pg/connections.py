"""A bounded pool of reusable connections."""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import asyncpg

from libs.ogc.errors import Unavailable
from libs.pg.usage import WAITS, watch

_BUSY = "All database connections are busy; try again."


@dataclass(eq=False, slots=True)
class Pooled:
    """A connection, with the times when it was opened and last released, in seconds of the monotonic clock."""

    connection: asyncpg.Connection
    opened: float = field(default_factory=time.monotonic)
    released: float = 0.0


class Connections:
    """Opens connections when needed; the last released one is used next.

    asyncpg's own pool does the same, but spends a task and a timer on each request: as much as a small query costs.
    """

    def __init__(
        self,
        connect: Callable[[], Awaitable[asyncpg.Connection]],
        *,
        size: int,
        wait_seconds: float = 5.0,
        most_waiting: int | None = None,
        idle_seconds: float = 300.0,
        age_seconds: float = 1800.0,
        name: str = "dams",
    ) -> None:
        """Open at most `size` connections; a request waits at most `wait_seconds` for one.

        None is used after `age_seconds`: the server's cost of a session grows with its age, and a session keeps the
        version of PostGIS from its start. `close_unused` also closes those that were unused for `idle_seconds`. Metrics
        use the `name`.
        """
        self._connect = connect
        self._size = size
        self._wait_seconds = wait_seconds
        self._most_waiting = most_waiting
        self._idle_seconds = idle_seconds
        self._age_seconds = age_seconds
        # all that count against `size`
        self._open: set[Pooled] = set()
        self._opening = 0
        self._idle: list[Pooled] = []
        # each gets a released connection, or None if a new one can be opened
        self._waiting: deque[asyncio.Future[Pooled | None]] = deque()
        self._closing: set[asyncio.Task[None]] = set()
        self._ended = False
        self._waits = WAITS.labels(name)
        watch(name, self)

    @property
    def size(self) -> int:
        """Maximum number of connections."""
        return self._size

    @property
    def idle(self) -> int:
        """Number of unused open connections."""
        return len(self._idle)

    @property
    def in_use(self) -> int:
        """Number of connections in use, or being opened."""
        return len(self._open) + self._opening - len(self._idle)

    @property
    def waiting(self) -> int:
        """Number of requests that wait for a connection."""
        return len(self._waiting)

    async def acquire(self) -> Pooled:
        """Return a connection, to be released. Raises Unavailable if all are busy, and errors of `connect`."""
        while self._idle:
            pooled = self._idle.pop()
            if not pooled.connection.is_closed():
                return pooled
            self._forget(pooled)
        while len(self._open) + self._opening >= self._size:
            if (released := await self._wait()) is not None:
                return released
        return await self._new()

    def release(self, pooled: Pooled) -> None:
        """Release a connection on which no statement runs."""
        now = time.monotonic()
        if self._ended:
            # it was opened while the pool was closed
            pooled.connection.terminate()
        if pooled.connection.is_closed():
            self._forget(pooled)
        elif now - pooled.opened > self._age_seconds:
            # checked here: a connection in constant use is never idle when `close_unused` runs
            self.discard(pooled)
        elif not self._hand_over(pooled):
            pooled.released = now
            self._idle.append(pooled)

    def discard(self, pooled: Pooled) -> None:
        """Release a connection on which a statement may still run: cancel the statement and close the connection."""
        task = asyncio.create_task(self._close(pooled))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def close_unused(self) -> None:
        """Close the connections that were idle for a while, and the old ones."""
        now = time.monotonic()
        for pooled in list(self._idle):
            if now - pooled.released > self._idle_seconds or now - pooled.opened > self._age_seconds:
                self._idle.remove(pooled)
                self.discard(pooled)

    async def close(self) -> None:
        """Close all connections, also those in use; one that is being opened is closed when it is released."""
        self._ended = True
        self._idle.clear()
        for pooled in self._open:
            self.discard(pooled)
        await asyncio.gather(*self._closing)

    async def _new(self) -> Pooled:
        self._opening += 1
        try:
            connection = await self._connect()
        except BaseException:
            self._opening -= 1
            self._hand_over(None)
            raise
        self._opening -= 1
        pooled = Pooled(connection)
        self._open.add(pooled)
        return pooled

    async def _wait(self) -> Pooled | None:
        if self._most_waiting is not None and len(self._waiting) >= self._most_waiting:
            raise Unavailable(_BUSY, cause="pool")
        future: asyncio.Future[Pooled | None] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            with self._waits.time():
                async with asyncio.timeout(self._wait_seconds):
                    return await future
        except TimeoutError:
            self._pass_on(future)
            raise Unavailable(_BUSY, cause="pool") from None
        except asyncio.CancelledError:
            self._pass_on(future)
            raise

    def _pass_on(self, future: "asyncio.Future[Pooled | None]") -> None:
        """Pass on a connection that was handed over just when its request stopped waiting."""
        if future.cancelled():
            # the request no longer waits
            with contextlib.suppress(ValueError):
                self._waiting.remove(future)
        elif (pooled := future.result()) is None:
            self._hand_over(None)
        else:
            self.release(pooled)

    def _hand_over(self, pooled: Pooled | None) -> bool:
        """Hand the connection to a waiting request; return whether there was one."""
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(pooled)
                return True
        return False

    def _forget(self, pooled: Pooled) -> None:
        self._open.discard(pooled)
        self._hand_over(None)

    async def _close(self, pooled: Pooled) -> None:
        with contextlib.suppress(Exception):
            # do not wait for a server that does not answer
            await pooled.connection.close(timeout=5)
        self._forget(pooled)
