"""Commands to Redis over one link, those of all requests together.

What comes while a round trip is under way goes with the next one: under load a command costs a small part of a
round trip, and an idle service waits for none but its own.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import chain, repeat
from typing import Any, Self

from prometheus_client import Gauge

from libs.cache.links import Command, link_to
from libs.concurrency.background import background

DEADLINE = 0.1
"""Seconds. What is cached takes a millisecond; on two processors with ten processes each, 40 at the most."""
_GRACE = 0.02
"""Seconds for what has come meanwhile to be read: a process that was late itself must not take Redis for hung."""
_BYTES_A_SECOND = 20_000_000
"""Of values that are sent, which get more time."""
_CONNECT_SECONDS = 1.0
"""Connecting and its commands (AUTH, SELECT) and a first reply. No request waits for it."""
_PAUSES = (0.0, 0.1, 0.2, 0.5, 1.0, 2.0)
"""Before each attempt to connect after a failure; the last one again and again."""
_POSTED_SECONDS = 0.005
"""For which a command that nobody waits for may wait for one that takes it along."""
_MOST_TOGETHER = 64
_MOST_WAITING = 10_000


_AVAILABLE = Gauge("dams_tile_cache_available", "1 where Redis answered the last time, 0 where it did not")


class CacheAway(Exception):
    """Redis cannot be reached, or could not a moment ago."""


class Commands:
    """Sends commands in the order in which they come; a broken connection is made again.

    A circuit breaker: a command that has no reply within `deadline` seconds opens it, and every command fails at once
    until Redis has answered a PING again. No request waits for that, nor for a connection.
    """

    def __init__(self, url: str, *, deadline: float = DEADLINE) -> None:
        self._link = link_to(url)
        self._deadline = deadline
        self._closed = False
        """The circuit breaker: commands are sent."""
        self._waiting: list[tuple[Command, asyncio.Future[Any] | None]] = []
        self._wake = asyncio.Event()
        self._sending = AsyncExitStack()
        self.cause = ""
        """Of the last failure."""

    async def __aenter__(self) -> Self:
        await self._connect()
        await self._sending.enter_async_context(background(self._send(), name="redis"))
        return self

    async def __aexit__(self, *_: object) -> None:
        # an answer to this means that all that came before has been sent
        with contextlib.suppress(CacheAway, TimeoutError):
            await asyncio.wait_for(self.run("PING"), _CONNECT_SECONDS)
        await self._sending.aclose()
        self._closed = False
        self._fail(self._waiting)
        await self._link.close()

    @property
    def away(self) -> bool:
        """Whether commands fail at once."""
        return not self._closed

    async def run(self, *command: bytes | str | int) -> Any:
        """The reply, a ResponseError where Redis refuses. Raises CacheAway."""
        if self.away or len(self._waiting) >= _MOST_WAITING:
            raise CacheAway(self.cause)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((command, future))
        self._wake.set()
        return await future

    def post(self, *command: bytes | str | int) -> None:
        """Send it some time; nobody waits for it, and nobody hears when that fails."""
        if not (self.away or len(self._waiting) >= _MOST_WAITING):
            if not self._waiting:
                # a system call for itself would cost more than the rest of it
                asyncio.get_running_loop().call_later(_POSTED_SECONDS, self._send_posted)
            self._waiting.append((command, None))

    def _send_posted(self) -> None:
        # most have gone along with others meanwhile
        if self._waiting:
            self._wake.set()

    async def _send(self) -> None:
        while True:
            await self._connected()
            await self._wake.wait()
            batch, self._waiting = self._waiting[:_MOST_TOGETHER], self._waiting[_MOST_TOGETHER:]
            if not self._waiting:
                self._wake.clear()
            if not batch:
                continue
            try:
                replies = await self._exchange([command for command, _ in batch])
            except Exception as error:
                # whatever it is: a sender that ends would leave all that come later waiting
                await self._open(error)
                self._fail(batch)
                failed, self._waiting = self._waiting, []
                self._fail(failed)
                continue
            except BaseException:
                self._fail(batch)
                raise
            for (_, future), reply in zip(batch, replies, strict=True):
                if future is not None and not future.done():
                    future.set_result(reply)

    async def _connected(self) -> None:
        """Tries to connect until there is a connection."""
        pauses = chain(_PAUSES, repeat(_PAUSES[-1]))
        while not self._closed:
            await asyncio.sleep(next(pauses))
            await self._connect()

    async def _connect(self) -> None:
        """A link over which Redis has answered, or none."""
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                await self._link.connect()
        except Exception as error:
            await self._open(error)
        except BaseException:
            await self._link.close()
            raise
        else:
            self._closed = True
            _AVAILABLE.set(1)

    async def _open(self, error: Exception) -> None:
        """The circuit breaker is open from now on."""
        self.cause, self._closed = f"{type(error).__name__}: {error}", False
        _AVAILABLE.set(0)
        await self._link.close()

    async def _exchange(self, commands: Sequence[Command]) -> list[Any]:
        size = sum(len(part) for command in commands for part in command if isinstance(part, bytes))
        async with _deadline(self._deadline + size / _BYTES_A_SECOND):
            replies = await self._link.exchange(commands)
        if len(replies) != len(commands):
            # which reply is to which command is unknown
            raise CacheAway(f"{len(replies)} replies to {len(commands)} commands")
        return replies

    def _fail(self, batch: Sequence[tuple[Command, asyncio.Future[Any] | None]]) -> None:
        for _, future in batch:
            if future is not None and not future.done():
                future.set_exception(CacheAway(self.cause))


@asynccontextmanager
async def _deadline(seconds: float) -> AsyncIterator[None]:
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(None) as limit:
        late = loop.call_later(seconds, lambda: limit.reschedule(loop.time() + _GRACE))
        try:
            yield
        finally:
            late.cancel()
