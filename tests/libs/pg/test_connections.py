"""The bounded number of connections, on a real server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from inspect import signature
from typing import Any

import asyncpg
import pytest
from prometheus_client import REGISTRY

from libs.ogc.errors import Unavailable
from libs.pg.connections import Connections, Pooled


class Server:
    """Opens connections, counts them, and fails or waits when the test wants it."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.opened = 0
        self.error: Exception | None = None
        self.answers = asyncio.Event()
        self.answers.set()

    async def connect(self) -> asyncpg.Connection:
        self.opened += 1
        await self.answers.wait()
        if self.error is not None:
            raise self.error
        return await asyncpg.connect(self._url)


@pytest.fixture
def server(database_url: str) -> Server:
    return Server(database_url)


@asynccontextmanager
async def pool(server: Server, **settings: Any) -> AsyncIterator[Connections]:
    connections = Connections(server.connect, **{"size": 2, **settings})
    try:
        yield connections
    finally:
        await connections.close()


async def eventually_waits(waiting: Coroutine[Any, Any, Pooled]) -> asyncio.Task[Pooled]:
    task = asyncio.create_task(waiting)
    await asyncio.sleep(0.02)
    assert not task.done()
    return task


async def test_no_more_than_its_size_are_open_whatever_is_asked(server: Server) -> None:
    async with pool(server, size=3) as connections:
        in_use, most = 0, 0

        async def use() -> None:
            nonlocal in_use, most
            pooled = await connections.acquire()
            in_use += 1
            most = max(most, in_use)
            await pooled.connection.execute("SELECT pg_sleep(0.002)")
            in_use -= 1
            connections.release(pooled)

        await asyncio.gather(*(use() for _ in range(60)))
        assert (most, server.opened) == (3, 3)


async def test_the_one_released_last_is_used_next(server: Server) -> None:
    async with pool(server) as connections:
        first, second = await connections.acquire(), await connections.acquire()
        connections.release(second)
        connections.release(first)
        assert await connections.acquire() is first
        assert await connections.acquire() is second
        assert server.opened == 2


async def test_those_who_wait_are_served_in_their_order(server: Server) -> None:
    async with pool(server, size=1) as connections:
        only = await connections.acquire()
        first = await eventually_waits(connections.acquire())
        second = await eventually_waits(connections.acquire())
        connections.release(only)
        assert await first is only
        assert not second.done()
        connections.release(only)
        assert await second is only


async def test_who_waits_too_long_or_among_too_many_gets_an_error(server: Server) -> None:
    async with pool(server, size=1, wait_seconds=0.1, most_waiting=1) as connections:
        only = await connections.acquire()
        waiting = await eventually_waits(connections.acquire())
        with pytest.raises(Unavailable) as one_too_many:
            await connections.acquire()
        with pytest.raises(Unavailable) as too_long:
            await waiting
        for raised in (one_too_many.value, too_long.value):
            assert (str(raised), raised.cause) == ("All database connections are busy; try again.", "pool")
        connections.release(only)
        assert await connections.acquire() is only


async def test_as_many_may_wait_as_before_once_others_have_stopped_waiting(server: Server) -> None:
    async with pool(server, size=1, wait_seconds=60, most_waiting=2, name="waiting-test") as connections:
        await connections.acquire()

        def waits() -> float:
            return REGISTRY.get_sample_value("dams_database_wait_seconds_count", {"pool": "waiting-test"}) or 0

        before = waits()
        for _ in range(2):
            waiting = [await eventually_waits(connections.acquire()) for _ in range(2)]
            assert (connections.waiting, connections.in_use, connections.idle, connections.size) == (2, 1, 0, 1)
            with pytest.raises(Unavailable, match="busy") as raised:
                await asyncio.wait_for(connections.acquire(), 5)
            assert raised.value.cause == "pool"
            for task in waiting:
                task.cancel()
            await asyncio.wait(waiting)
        assert connections.waiting == 0
        assert waits() == before + 4


@pytest.mark.parametrize("is_closed", [False, True])
async def test_connection_of_a_cancelled_request_goes_to_the_next(server: Server, is_closed: bool) -> None:
    async with pool(server, size=1) as connections:
        only = await connections.acquire()
        gone = await eventually_waits(connections.acquire())
        stays = await eventually_waits(connections.acquire())
        if is_closed:
            only.connection.terminate()
        # released and cancelled in the same turn of the loop
        connections.release(only)
        gone.cancel()
        found = await asyncio.wait_for(stays, 1)
        assert (found is only) is not is_closed
        assert not found.connection.is_closed()
        with pytest.raises(asyncio.CancelledError):
            await gone


async def test_who_went_away_just_before_a_connection_came_is_passed_over(server: Server) -> None:
    async with pool(server, size=1) as connections:
        only = await connections.acquire()
        gone, stays = [await eventually_waits(connections.acquire()) for _ in range(2)]
        gone.cancel()
        connections.release(only)
        assert await asyncio.wait_for(stays, 1) is only
        await asyncio.wait([gone])
        assert gone.cancelled()


async def test_a_connection_that_comes_when_the_wait_is_over_is_the_next_ones(server: Server) -> None:
    async with pool(server, size=1, wait_seconds=0.2) as connections:
        only = await connections.acquire()
        late = await eventually_waits(connections.acquire())
        # the loop finds both due in one turn: the release, then the end of the wait
        asyncio.get_running_loop().call_later(0.01, connections.release, only)
        time.sleep(0.3)  # noqa: ASYNC251 blocks all tasks on purpose
        with pytest.raises(Unavailable, match="busy"):
            await late
        assert await connections.acquire() is only


async def test_a_failed_attempt_makes_room_for_the_next(server: Server) -> None:
    async with pool(server, size=1) as connections:
        server.error = OSError("no route")
        server.answers.clear()
        failing = await eventually_waits(connections.acquire())
        waiting = await eventually_waits(connections.acquire())
        server.answers.set()
        with pytest.raises(OSError, match="no route"):
            await failing
        with pytest.raises(OSError, match="no route"):
            await waiting
        server.error = None
        assert await (await connections.acquire()).connection.fetchval("SELECT 1") == 1


async def test_client_that_leaves_frees_its_opening_connection(server: Server) -> None:
    async with pool(server, size=1) as connections:
        server.answers.clear()
        gone = await eventually_waits(connections.acquire())
        waiting = await eventually_waits(connections.acquire())
        # a connection that is being opened counts
        assert (connections.in_use, connections.idle) == (1, 0)
        gone.cancel()
        server.answers.set()
        found = await asyncio.wait_for(waiting, 10)
        assert await found.connection.fetchval("SELECT 1") == 1
        with pytest.raises(asyncio.CancelledError):
            await gone
        assert connections.in_use == 1


async def test_a_connection_that_is_closed_is_replaced(server: Server) -> None:
    async with pool(server, size=1) as connections:
        broken = await connections.acquire()
        waiting = await eventually_waits(connections.acquire())
        broken.connection.terminate()
        connections.release(broken)
        replaced = await asyncio.wait_for(waiting, 1)
        assert await replaced.connection.fetchval("SELECT 1") == 1
        connections.release(replaced)
        replaced.connection.terminate()
        assert await (await connections.acquire()).connection.fetchval("SELECT 1") == 1
        assert server.opened == 3


async def test_a_discarded_connection_counts_until_its_statement_has_ended(server: Server) -> None:
    async with pool(server, size=1) as connections:
        busy = await connections.acquire()
        pid = busy.connection.get_server_pid()
        running = asyncio.create_task(busy.connection.execute("SELECT pg_sleep(60)"))
        await asyncio.sleep(0.05)
        running.cancel()
        await asyncio.wait([running])
        connections.discard(busy)
        other = await connections.acquire()
        assert other is not busy
        query = "SELECT count(*) FROM pg_stat_activity WHERE pid = $1 AND query LIKE '%pg_sleep(60)%'"
        assert await other.connection.fetchval(query, pid) == 0


async def test_connections_that_nobody_needs_are_closed_and_old_ones(server: Server) -> None:
    async with pool(server, size=3, idle_seconds=0.2, age_seconds=3600) as connections:
        *unused, used = [await connections.acquire() for _ in range(3)]
        for each in unused:
            connections.release(each)
        await asyncio.sleep(0.3)
        connections.release(used)
        await connections.close_unused()
        assert connections.idle == 1
        assert await connections.acquire() is used
        assert not {await connections.acquire(), await connections.acquire()} & {*unused}
        assert all(each.connection.is_closed() for each in unused)
    async with pool(server, idle_seconds=3600, age_seconds=0.1) as connections:
        old = await connections.acquire()
        connections.release(old)
        await connections.close_unused()
        assert not old.connection.is_closed()
        await asyncio.sleep(0.15)
        await connections.close_unused()
        assert await connections.acquire() is not old


def test_connections_stay_for_minutes_unless_somebody_says_otherwise() -> None:
    said = signature(Connections).parameters
    assert (said["wait_seconds"].default, said["most_waiting"].default) == (5.0, None)
    assert (said["idle_seconds"].default, said["age_seconds"].default) == (300.0, 1800.0)
    assert said["name"].default == "dams"


async def test_a_server_that_does_not_take_leave_is_not_waited_for() -> None:
    class Hung:
        seconds: float | None = None

        def is_closed(self) -> bool:
            return self.seconds is not None

        async def close(self, *, timeout: float | None = None) -> None:  # noqa: ASYNC109 the driver's
            self.seconds = timeout or 0
            raise TimeoutError

    hung = Hung()

    async def connect() -> Any:
        return hung

    connections = Connections(connect, size=1)
    await connections.acquire()
    await connections.close()
    assert (hung.seconds, connections.in_use) == (5, 0)


async def test_old_connection_is_replaced_under_load(server: Server) -> None:
    async with pool(server, size=1, age_seconds=0.1) as connections:
        old = await connections.acquire()
        waiting = await eventually_waits(connections.acquire())
        await asyncio.sleep(0.15)
        connections.release(old)
        new = await asyncio.wait_for(waiting, 1)
        assert new is not old
        assert old.connection.is_closed()


async def test_closing_ends_what_is_in_use(server: Server) -> None:
    async with pool(server) as connections:
        idle, busy = await connections.acquire(), await connections.acquire()
        connections.release(idle)
        running = asyncio.create_task(busy.connection.execute("SELECT pg_sleep(60)"))
        await asyncio.sleep(0.05)
    assert idle.connection.is_closed()
    assert busy.connection.is_closed()
    assert (connections.idle, connections.in_use) == (0, 0)
    assert isinstance((await asyncio.gather(running, return_exceptions=True))[0], Exception)


async def test_what_was_being_opened_at_the_end_is_closed_when_it_is_given_back(server: Server) -> None:
    async with pool(server) as connections:
        server.answers.clear()
        late = await eventually_waits(connections.acquire())
    server.answers.set()
    pooled = await late
    assert not pooled.connection.is_closed()
    connections.release(pooled)
    assert pooled.connection.is_closed()
    assert (connections.idle, connections.in_use) == (0, 0)
