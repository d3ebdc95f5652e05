"""Behind a PgBouncer in transaction mode, with its defaults, statements are bounded as they are without."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from libs.ogc.errors import TooSlow, Unavailable
from libs.pg import sessions
from libs.pg.pool import Database, PoolSettings
from libs.pg.prepared import Connection, connect
from libs.pg.sessions import Sessions
from libs.pg.sql import sql
from tests.eventually import eventually
from tests.poolers import pgbouncer

SETTINGS = sql(
    "SELECT current_setting('timezone') AS timezone, current_setting('intervalstyle') AS intervals,"
    " current_setting('search_path') AS path, current_setting('statement_timeout') AS most,"
    " current_setting('transaction_read_only') AS read_only"
)
EXPECTED = {
    "timezone": "UTC",
    "intervals": "iso_8601",
    "path": '"$user", public, public, postgis, extensions',
    "most": "1s",
    "read_only": "on",
}


@pytest.fixture(params=["transaction", "session"])
async def address(request: pytest.FixtureRequest, database_url: str) -> AsyncIterator[str]:
    """A database by way of a PgBouncer that has two sessions for all of its clients."""
    sessions = 2 if request.param == "transaction" else 8
    with pgbouncer(database_url, sessions=sessions, pool_mode=request.param) as address:
        yield address


@pytest.fixture
async def pool(address: str) -> AsyncIterator[Database]:
    """A pool of six, each statement with a second."""
    async with Database(PoolSettings(address, "sessions-test", size=6, statement_timeout_ms=1000)) as database:
        yield database


async def test_settings_hold_for_each_statement_and_for_nobody_else(
    pool: Database, address: str, database_url: str
) -> None:
    found = await asyncio.gather(*(pool.fetchrow(SETTINGS) for _ in range(30)))
    assert [dict(row or {}) for row in found] == [EXPECTED] * 30
    with pytest.raises(Unavailable):
        await pool.fetchval(sql("CREATE TABLE written (n integer)"))
    owner = await asyncpg.connect(database_url)
    # the pooler passes the name on, except to a session that no client has used
    names = (
        "SELECT DISTINCT application_name FROM pg_stat_activity WHERE datname = current_database()"
        " AND backend_type = 'client backend' AND application_name <> '' AND pid <> $1"
    )
    assert [name for (name,) in await owner.fetch(names, owner.get_server_pid())] == ["sessions-test"]
    other = await asyncpg.connect(address, statement_cache_size=0)
    for _ in range(4):
        assert await other.fetchval("SHOW transaction_read_only") == "off"
        assert await other.fetchval("SHOW statement_timeout") == await owner.fetchval("SHOW statement_timeout")
    await owner.close()
    await other.close()


async def test_statements_that_come_again_are_prepared_by_no_name(pool: Database) -> None:
    again = sql("SELECT enumlabel, ARRAY[oid] FROM pg_enum")
    for _ in range(5):
        await asyncio.gather(*(pool.fetch(again) for _ in range(6)))
    names = sql("SELECT array_agg(name) FROM pg_prepared_statements")
    assert [name for _ in range(6) for name in await pool.fetchval(names) or () if name] == []


async def test_what_fails_is_slow_or_given_up_leaves_nothing_behind(pool: Database, database_url: str) -> None:
    async def give_up() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(pool.fetchval(sql("SELECT pg_sleep(60)")), 0.1)

    async def is_slow() -> None:
        with pytest.raises(TooSlow):
            await pool.fetchval(sql("SELECT pg_sleep(60)"))

    async def fails() -> None:
        with pytest.raises(Unavailable):
            await pool.fetchval(sql("SELECT * FROM nowhere"))

    await asyncio.gather(*(attempt() for attempt in (give_up, is_slow, fails)))
    assert await asyncio.gather(*(pool.fetchval(sql("SELECT 1")) for _ in range(12))) == [1] * 12
    owner = await asyncpg.connect(database_url)

    async def idle() -> None:
        states = await owner.fetch(
            "SELECT state FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        assert {row["state"] for row in states} == {"idle"}

    await eventually(idle)
    await owner.close()


async def test_settings_of_a_transaction_are_those_of_its_statements(pool: Database) -> None:
    setting = "SELECT current_setting('plan_cache_mode')"
    async with pool.connection(transaction=True) as connection:
        await connection.execute("SET LOCAL plan_cache_mode = force_custom_plan")
        assert (await connection.fetchrow(setting))[0] == "force_custom_plan"
    for _ in range(6):
        assert await pool.fetchval(sql("SELECT current_setting('plan_cache_mode')")) == "auto"


async def test_a_snapshot_has_the_settings_too_and_sees_one_state(pool: Database) -> None:
    for _ in range(3):
        async with pool.connection(snapshot=True) as connection:
            assert await connection.fetchval("SHOW transaction_isolation") == "repeatable read"
            assert dict(await connection.fetchrow(SETTINGS.render()[0]) or {}) == EXPECTED


async def test_connections_that_were_cut_cost_no_more_than_one_request_each(pool: Database, database_url: str) -> None:
    await asyncio.gather(*(pool.fetchval(sql("SELECT 1")) for _ in range(6)))
    owner = await asyncpg.connect(database_url)
    await owner.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    await owner.close()

    async def answers() -> None:
        try:
            assert await pool.fetchval(sql("SELECT 1")) == 1
        except Unavailable:
            raise AssertionError from None

    await eventually(answers)


async def test_a_connection_that_is_given_up_while_it_is_looked_at_is_closed(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()

    async def connected(*arguments: Any, **options: Any) -> Connection:
        made.set_result(await connect(*arguments, **options))
        return made.result()

    monkeypatch.setattr(sessions, "connect", connected)
    monkeypatch.setattr(sessions, "own_session", lambda _: "pg_sleep(2) IS NULL")
    opened = asyncio.create_task(Sessions(database_url, PoolSettings(database_url, "given-up").session()).open())
    connection = await made
    opened.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opened
    assert connection.is_closed()
