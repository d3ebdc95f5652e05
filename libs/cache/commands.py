"""Commands to Redis over one connection, those of all requests together.

What comes while a round trip is under way goes with the next one: under load a command costs a small part of a
round trip, and an idle service waits for none but its own.
"""

import asyncio
import contextlib
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any, Self

import hiredis
from redis.asyncio import Connection, ConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as BrokenConnection
from redis.exceptions import ResponseError

from libs.concurrency.background import background

Command = tuple[bytes | str | int, ...]

_TIMEOUT = 0.5
_PAUSE = 2.0
_MOST_TOGETHER = 64
_MOST_WAITING = 10_000


class CacheAway(Exception):
    """Redis cannot be reached, or could not a moment ago."""


class Commands:
    """Sends commands in the order in which they come; a broken connection is made again.

    For two seconds after a failure every command fails at once: a cache that is away must not cost each request its
    time limit.
    """

    def __init__(self, url: str) -> None:
        self._pool: ConnectionPool = ConnectionPool.from_url(
            url,
            protocol=2,
            # a round trip has one time limit, not each of its steps
            socket_timeout=None,
            socket_connect_timeout=_TIMEOUT,
            retry=Retry(NoBackoff(), 0),
            health_check_interval=0,
        )
        self._connection: Connection | None = None
        self._waiting: list[tuple[Command, asyncio.Future[Any] | None]] = []
        self._wake = asyncio.Event()
        self._sending = AsyncExitStack()
        self._open = False
        self._paused_until = 0.0
        self.cause = ""
        """Of the last failure."""

    async def __aenter__(self) -> Self:
        await self._sending.enter_async_context(background(self._send(), name="redis"))
        self._open = True
        return self

    async def __aexit__(self, *_: object) -> None:
        # an answer to this means that all that came before has been sent
        with contextlib.suppress(CacheAway, TimeoutError):
            await asyncio.wait_for(self.run("PING"), 2 * _TIMEOUT)
        self._open = False
        await self._sending.aclose()
        self._fail(self._waiting)
        if self._connection:
            await self._connection.disconnect()

    @property
    def away(self) -> bool:
        """Whether commands fail at once."""
        return time.monotonic() < self._paused_until

    async def run(self, *command: bytes | str | int) -> Any:
        """The reply, a ResponseError where Redis refuses. Raises CacheAway."""
        if self.away or not self._open or len(self._waiting) >= _MOST_WAITING:
            raise CacheAway(self.cause)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((command, future))
        self._wake.set()
        return await future

    def post(self, *command: bytes | str | int) -> None:
        """Send it some time; nobody waits for it, and nobody hears when that fails."""
        if not (self.away or not self._open or len(self._waiting) >= _MOST_WAITING):
            self._waiting.append((command, None))
            self._wake.set()

    async def _send(self) -> None:
        while True:
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
                self._paused_until = time.monotonic() + _PAUSE
                self.cause = f"{type(error).__name__}: {error}"
                if self._connection is not None:
                    with contextlib.suppress(Exception):
                        await self._connection.disconnect(nowait=True)
                self._connection = None
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

    async def _exchange(self, commands: Sequence[Command]) -> list[Any]:
        connection = self._connection
        if connection is not None:
            # the server may have closed it since; what it did not answer is asked again
            try:
                return await self._round_trip(connection, commands)
            except BrokenConnection:
                await connection.disconnect(nowait=True)
        self._connection = self._pool.make_connection()  # type: ignore[no-untyped-call]
        await self._connection.connect()
        return await self._round_trip(self._connection, commands)

    @staticmethod
    async def _round_trip(connection: Connection, commands: Sequence[Command]) -> list[Any]:
        packed = b"".join([hiredis.pack_command(command) for command in commands])  # type: ignore[arg-type]
        replies: list[Any] = []
        async with asyncio.timeout(_TIMEOUT):
            await connection.send_packed_command(packed, check_health=False)
            for _ in commands:
                try:
                    replies.append(await connection.read_response(disable_decoding=True))
                except ResponseError as error:
                    replies.append(error)
        return replies

    def _fail(self, batch: Sequence[tuple[Command, asyncio.Future[Any] | None]]) -> None:
        for _, future in batch:
            if future is not None and not future.done():
                future.set_exception(CacheAway(self.cause))
