"""A bounded number of connections that are used again and again."""

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
    """A connection; when it was opened and last given back, in seconds of the monotonic clock."""

    connection: asyncpg.Connection
    opened: float = field(default_factory=time.monotonic)
    released: float = 0.0


class Connections:
    """Connections that are opened when they are needed; the one released last is the next to be used.

    asyncpg's own pool does the same, and spends a task and a timer on each request: as much as a small query costs.
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
        """At most `size` connections, for each of which requests wait `wait_seconds` at the most.

        None is used after `age_seconds`: what a session costs the server grows with its age, and it knows PostGIS as it
        was when the session began. `close_unused` closes those too that were not used for `idle_seconds`. Metrics have
        the `name`.
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
        # each gets a connection that was released, or None where there is room to open one
        self._waiting: deque[asyncio.Future[Pooled | None]] = deque()
        self._closing: set[asyncio.Task[None]] = set()
        self._ended = False
        self._waits = WAITS.labels(name)
        watch(name, self)

    @property
    def size(self) -> int:
        """How many connections there may be."""
        return self._size

    @property
    def idle(self) -> int:
        """How many connections nobody uses."""
        return len(self._idle)

    @property
    def in_use(self) -> int:
        """How many connections are in use, opened or closed."""
        return len(self._open) + self._opening - len(self._idle)

    @property
    def waiting(self) -> int:
        """How many wait for a connection."""
        return len(self._waiting)

    async def acquire(self) -> Pooled:
        """A connection, to be given back. Raises Unavailable where all are busy, and what `connect` raises."""
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
        """Give back a connection on which no statement runs."""
        now = time.monotonic()
        if self._ended:
            # it was opened while the others were closed
            pooled.connection.terminate()
        if pooled.connection.is_closed():
            self._forget(pooled)
        elif now - pooled.opened > self._age_seconds:
            # here, since one that is always wanted is never idle when `close_unused` looks
            self.discard(pooled)
        elif not self._hand_over(pooled):
            pooled.released = now
            self._idle.append(pooled)

    def discard(self, pooled: Pooled) -> None:
        """Give back a connection on which a statement may still run: it is cancelled, and the connection closed."""
        task = asyncio.create_task(self._close(pooled))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def close_unused(self) -> None:
        """Closes the idle connections that nobody has needed for a while, and the old ones."""
        now = time.monotonic()
        for pooled in list(self._idle):
            if now - pooled.released > self._idle_seconds or now - pooled.opened > self._age_seconds:
                self._idle.remove(pooled)
                self.discard(pooled)

    async def close(self) -> None:
        """Closes all connections, those in use too; one that is just opened, when it is given back."""
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
        """What came at the moment at which nobody waited any more is for the next."""
        if future.cancelled():
            # it counts no more among those who wait
            with contextlib.suppress(ValueError):
                self._waiting.remove(future)
        elif (pooled := future.result()) is None:
            self._hand_over(None)
        else:
            self.release(pooled)

    def _hand_over(self, pooled: Pooled | None) -> bool:
        """Whether somebody waited for it."""
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
            # a server that does not answer is left alone
            await pooled.connection.close(timeout=5)
        self._forget(pooled)
