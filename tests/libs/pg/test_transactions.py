"""Uses of a connection that are transactions: how they begin, end, and what becomes of a connection that cannot."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import asyncpg
import pytest

from libs.ogc.errors import DomainError, Restarting, Unavailable
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import sql


@pytest.fixture
async def pool(database_url: str) -> AsyncIterator[Database]:
    """A pool of one."""
    async with Database(PoolSettings(database_url, "transactions-test", size=1, acquire_timeout=2)) as found:
        yield found


async def test_connection_with_transaction_or_snapshot(pool: Database, database_url: str) -> None:
    of_now = "SELECT pg_current_xact_id_if_assigned(), current_setting('transaction_isolation')"
    for wanted, isolation in (({}, "read committed"), ({"transaction": True}, "read committed")):
        async with pool.connection(**wanted) as connection:
            assert connection.is_in_transaction() == bool(wanted)
            assert (await connection.fetchrow(of_now))[1] == isolation
    owner = await asyncpg.connect(database_url)
    await owner.execute("CREATE TABLE seen AS SELECT 1 AS n")
    for wanted, added in (({"snapshot": True}, 0), ({"transaction": True}, 1)):
        async with pool.connection(**wanted) as connection:
            before = await connection.fetchval("SELECT count(*) FROM seen")
            await owner.execute("INSERT INTO seen VALUES (2)")
            assert await connection.fetchval("SELECT count(*) FROM seen") - before == added
    async with pool.connection() as connection:
        assert not connection.is_in_transaction()
    await owner.close()


async def test_a_transaction_ends_whatever_came_of_it(pool: Database) -> None:
    pids = set()
    for statement in ("SELECT 1", "SELECT 1 / 0", "SELECT 1"):
        with contextlib.suppress(DomainError):
            async with pool.connection(transaction=True) as connection:
                pids.add(connection.get_server_pid())
                await connection.execute(statement)
        async with pool.connection() as connection:
            assert not connection.is_in_transaction()
    # a connection at which the server may still be working is not used again
    assert len(pids) == 1
    # one at which the server may still be is of no use any more
    with pytest.raises(Unavailable):
        async with pool.connection(transaction=True) as connection:
            raise TimeoutError
    async with pool.connection() as connection:
        assert connection.get_server_pid() not in pids


@pytest.mark.parametrize(
    ("error", "end", "is_used_again"),
    [
        (None, ["COMMIT"], True),
        (ValueError("mine"), ["ROLLBACK"], True),
        # the server may still be at the statement, or its next answer be that to another one
        *((error, [], False) for error in (TimeoutError(), asyncio.CancelledError(), asyncpg.InternalClientError("a"))),
    ],
)
async def test_error_with_unknown_server_state_closes_the_connection(
    pool: Database, error: BaseException | None, end: list[str], is_used_again: bool
) -> None:
    for is_transaction in (False, True):
        said: list[str] = []
        with contextlib.suppress(ValueError, Unavailable, asyncio.CancelledError):
            async with pool.connection(transaction=is_transaction) as used:
                used.add_query_logger(lambda record, said=said: said.append(record.query))
                if error is not None:
                    raise error
        async with pool.connection() as connection:
            assert (connection is used, used.is_closed()) == (is_used_again, not is_used_again)
        # the driver tells of it in the next turn
        await asyncio.sleep(0)
        assert said == (end if is_transaction else [])


async def test_a_connection_whose_use_cannot_begin_is_given_back(pool: Database) -> None:
    async with pool.connection() as connection:
        connection.begin = "BEGIN READ ONLY; SELECT 1 / 0"
    for _ in range(2):
        with pytest.raises(DomainError, match="out of range"):
            await pool.fetchval(sql("SELECT 1"))
    assert not connection.is_in_transaction()
    connection.begin = None
    async with pool.connection() as other:
        assert other is connection


@pytest.mark.parametrize("error", [None, ValueError("mine")])
async def test_cancelled_commit_raises_and_drops_the_connection(pool: Database, error: Exception | None) -> None:
    used: list[asyncpg.Connection] = []

    async def give_up() -> None:
        async with pool.connection(transaction=True) as connection:
            used.append(connection)
            task = asyncio.current_task()
            assert task
            task.cancel()
            if error is not None:
                raise error

    with pytest.raises(asyncio.CancelledError):
        await asyncio.create_task(give_up())
    async with pool.connection() as connection:
        assert connection is not used[0]
    assert used[0].is_closed()


async def test_failed_commit_raises_unless_the_transaction_failed(pool: Database) -> None:
    twice = (
        "SET TRANSACTION READ WRITE; CREATE TEMP TABLE one (n integer UNIQUE DEFERRABLE INITIALLY DEFERRED);"
        "INSERT INTO one VALUES (1), (1)"
    )
    with pytest.raises(Unavailable):
        async with pool.connection(transaction=True) as connection:
            await connection.execute(twice)
    told = []
    for error in (None, ValueError("mine")):
        try:
            async with pool.connection(transaction=True) as connection:
                connection.terminate()
                if error is not None:
                    raise error
        except (ValueError, Unavailable) as raised:
            told.append(type(raised))
    assert told == [Restarting, ValueError]
    # no row is lost
    assert await pool.fetchval(sql("SELECT 1")) == 1


async def test_what_was_used_ends_with_its_pool(database_url: str) -> None:
    async with Database(PoolSettings(database_url, "transactions-test", size=1)) as pool:
        async with pool.connection() as connection:
            pass
        assert not connection.is_closed()
    assert connection.is_closed()
