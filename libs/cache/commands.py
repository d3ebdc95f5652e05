"""Send commands to Redis over one link, shared by all requests.

Commands that arrive during a round trip are sent with the next one: under load a command costs a small part of a round
trip, and in an idle service it waits for its own round trip only.
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
"""Timeout in seconds. A cached value takes a millisecond; on two processors with ten processes each, at most 40 ms."""
_GRACE = 0.02
"""Extra time in seconds to read replies that have arrived: a delay of this process must not look like a hung Redis."""
_BYTES_A_SECOND = 20_000_000
"""Bytes per second by which the timeout grows for values that are sent."""
_CONNECT_SECONDS = 1.0
"""Timeout in seconds for connecting, its commands (AUTH, SELECT) and a first reply. No request waits for it."""
_PAUSES = (0.0, 0.1, 0.2, 0.5, 1.0, 2.0)
"""Pauses in seconds before each attempt to connect after a failure; the last one repeats."""
_POSTED_SECONDS = 0.005
"""Maximum time in seconds for which a posted command waits for another command to be sent with it."""
_MOST_TOGETHER = 64
_MOST_WAITING = 10_000


_AVAILABLE = Gauge("dams_tile_cache_available", "1 where Redis answered the last time, 0 where it did not")


class CacheAway(Exception):
    """Redis is unavailable, or was a moment ago."""


class Commands:
    """Sends commands in order of arrival, and reconnects a broken connection.

    It is a circuit breaker: a command without a reply within `deadline` seconds opens it. Then every command fails at
    once until Redis answers a PING again. No request waits for that, nor for a connection.
    """

    def __init__(self, url: str, *, deadline: float = DEADLINE) -> None:
        self._link = link_to(url)
        self._deadline = deadline
        self._closed = False
        """State of the circuit breaker: when closed, commands are sent."""
        self._waiting: list[tuple[Command, asyncio.Future[Any] | None]] = []
        self._wake = asyncio.Event()
        self._sending = AsyncExitStack()
        self.cause = ""
        """Cause of the last failure."""

    async def __aenter__(self) -> Self:
        await self._connect()
        await self._sending.enter_async_context(background(self._send(), name="redis"))
        return self

    async def __aexit__(self, *_: object) -> None:
        # a reply to this means that all earlier commands were sent
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
        """Return the reply, or a ResponseError if Redis rejects the command. Raises CacheAway."""
        if self.away or len(self._waiting) >= _MOST_WAITING:
            raise CacheAway(self.cause)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((command, future))
        self._wake.set()
        return await future

    def post(self, *command: bytes | str | int) -> None:
        """Send the command later, without waiting for it and without reporting a failure."""
        if not (self.away or len(self._waiting) >= _MOST_WAITING):
            if not self._waiting:
                # a separate system call would cost more than the rest of the command
                asyncio.get_running_loop().call_later(_POSTED_SECONDS, self._send_posted)
            self._waiting.append((command, None))

    def _send_posted(self) -> None:
        # most posted commands have been sent with others by now
        if self._waiting:
            self._wake.set()

    async def _send(self) -> None:
        while True:
            await self._reconnect()
            await self._wake.wait()
            batch, self._waiting = self._waiting[:_MOST_TOGETHER], self._waiting[_MOST_TOGETHER:]
            if not self._waiting:
                self._wake.clear()
            if not batch:
                continue
            try:
                replies = await self._exchange([command for command, _ in batch])
            except Exception as error:
                # catch everything: if the sender stopped, all later commands would wait forever
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

    async def _reconnect(self) -> None:
        """Try to connect until a connection is open."""
        pauses = chain(_PAUSES, repeat(_PAUSES[-1]))
        while not self._closed:
            await asyncio.sleep(next(pauses))
            await self._connect()

    async def _connect(self) -> None:
        """Open a link on which Redis has answered; leave none open on failure."""
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
        """Open the circuit breaker."""
        self.cause, self._closed = f"{type(error).__name__}: {error}", False
        _AVAILABLE.set(0)
        await self._link.close()

    async def _exchange(self, commands: Sequence[Command]) -> list[Any]:
        size = sum(len(part) for command in commands for part in command if isinstance(part, bytes))
        async with _deadline(self._deadline + size / _BYTES_A_SECOND):
            replies = await self._link.exchange(commands)
        if len(replies) != len(commands):
            # replies can no longer be matched to commands
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
