"""Connections: those that are cut, those that are cancelled, those that wait."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import pytest
from prometheus_client import REGISTRY

from libs.ogc.errors import Restarting, TooSlow, Unavailable
from libs.pg.errors import Locked
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import bind, sql
from tests.eventually import eventually


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """A pool of four."""
    async with Database(PoolSettings(database_url, "pool-test", size=4, waiting=6, acquire_timeout=5)) as pool:
        yield pool


async def test_connections_that_the_server_closed_cost_no_request(database: Database, database_url: str) -> None:
    await asyncio.gather(*(database.fetchval(sql("SELECT pg_sleep(0.1)")) for _ in range(4)))
    owner = await asyncpg.connect(database_url)
    await owner.fetch("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pool-test'")
    await asyncio.sleep(0.2)
    for _ in range(6):
        assert await database.fetchval(sql("SELECT 1")) == 1
    await owner.close()


async def test_metrics_tell_of_connections_by_the_name_of_the_application(database: Database) -> None:
    async with database.connection():
        used = REGISTRY.get_sample_value("dams_database_connections", {"pool": "pool-test", "state": "in_use"})
        assert used == 1


async def test_connections_that_nobody_has_needed_for_minutes_are_closed(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def idle() -> float | None:
        return REGISTRY.get_sample_value("dams_database_connections", {"pool": "sweep-test", "state": "idle"})

    monkeypatch.setattr("libs.pg.pool.SWEEP_SECONDS", 0.02)
    # services that other tests share have theirs
    before = asyncio.all_tasks()
    async with Database(PoolSettings(database_url, "sweep-test", size=2)) as pool:
        async with pool.connection(), pool.connection():
            pass
        assert idle() == 2
        later = time.monotonic() + 301
        monkeypatch.setattr("libs.pg.connections.time", SimpleNamespace(monotonic=lambda: later))

        async def closed() -> None:
            assert idle() == 0

        await eventually(closed)
    # no task watches a closed pool
    assert "unused connections" not in {task.get_name() for task in asyncio.all_tasks() - before}


async def test_cancelled_requests_leave_no_connection_behind(database: Database, database_url: str) -> None:
    for _ in range(12):
        task = asyncio.create_task(database.fetchval(sql("SELECT pg_sleep(5)")))
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert await asyncio.gather(*(database.fetchval(sql("SELECT 1")) for _ in range(8))) == [1] * 8
    owner = await asyncpg.connect(database_url)

    async def few_and_idle() -> None:
        found = await owner.fetch("SELECT state FROM pg_stat_activity WHERE application_name = 'pool-test'")
        assert 0 < len(found) <= 4
        assert {row["state"] for row in found} == {"idle"}

    await eventually(few_and_idle)
    await owner.close()


async def test_who_is_cancelled_while_a_failure_is_rolled_back_hears_of_that(database: Database) -> None:
    async def fails() -> None:
        async with database.connection(transaction=True) as connection:
            try:
                await connection.execute("SELECT 1/0")
            finally:
                # comes while the ROLLBACK is waited for
                asyncio.get_running_loop().call_soon(task.cancel)

    task = asyncio.create_task(fails())
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.gather(*(database.fetchval(sql("SELECT 1")) for _ in range(4))) == [1] * 4


async def test_any_error_by_the_time_limit_is_too_slow(database_url: str) -> None:
    # PostGIS says of itself that it threw an error; spikes, which lie over each other without crossing
    spikes = sql(
        "SELECT ST_IsValid(ST_MakePolygon(ST_AddPoint(line, ST_StartPoint(line)))) FROM (SELECT"
        " ST_MakeLine(ST_MakePoint(r * cos(angle), r * sin(angle)) ORDER BY angle) AS line"
        " FROM (SELECT n * 2 * pi() / 60000 AS angle,"
        " 3 + n % 2 * 7 AS r FROM generate_series(0, 59999) AS n) AS corners) AS ring"
    )
    async with Database(PoolSettings(database_url, "pool-test", statement_timeout_ms=1000)) as pool:
        with pytest.raises(TooSlow):
            await pool.fetchval(spikes)


async def test_a_server_that_passes_over_its_time_limit_is_not_waited_for(database_url: str) -> None:
    settings = PoolSettings(database_url, "pool-test", size=1, statement_timeout_ms=100)
    async with asyncio.timeout(20), Database(settings) as pool:
        async with pool.connection() as connection:
            await connection.execute("SET statement_timeout = 0")
        with pytest.raises(Unavailable):
            await pool.fetchval(sql("SELECT pg_sleep(60)"))
        # the server may still be working on it, so that connection is not used again
        assert await pool.fetchval(sql("SELECT current_setting('statement_timeout')")) == "100ms"


async def test_a_statement_that_fails_gives_its_share_back(database_url: str) -> None:
    async with Database(PoolSettings(database_url, "pool-test", size=2, share=1, acquire_timeout=5)) as pool:
        for _ in range(2):
            with pytest.raises(Unavailable):
                await pool.of("quakes").fetchval(sql("SELECT * FROM nowhere"))
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(pool.of("quakes").fetchval(sql("SELECT pg_sleep(60)")), 0.05)
        assert await pool.of("quakes").fetchval(sql("SELECT 1")) == 1


async def test_more_than_may_wait_are_refused_at_once(database: Database) -> None:
    running = [asyncio.create_task(database.fetchval(sql("SELECT pg_sleep(1)"))) for _ in range(10)]
    await asyncio.sleep(0.3)
    with pytest.raises(Unavailable, match="busy"):
        await asyncio.wait_for(database.fetchval(sql("SELECT 1")), 0.5)
    await asyncio.gather(*running)


async def test_more_of_one_name_than_may_wait_are_refused_at_once(database_url: str) -> None:
    settings = PoolSettings(database_url, "pool-test", size=2, share=1, waiting=1, acquire_timeout=5)
    async with Database(settings) as pool:
        quakes = pool.of("quakes")
        running = [asyncio.create_task(quakes.fetchval(sql("SELECT pg_sleep(0.2)"))) for _ in range(2)]
        # the one has its turn, the other waits
        await asyncio.sleep(0)
        with pytest.raises(Unavailable, match="asked for too much"):
            await quakes.fetchval(sql("SELECT 1"))
        assert await pool.of("storms").fetchval(sql("SELECT 1")) == 1
        await asyncio.gather(*running)


@contextlib.asynccontextmanager
async def line_that_stays_open(database_url: str) -> AsyncIterator[str]:
    """An address of the same database whose connections do not end when the server hangs up."""
    server = urlsplit(database_url)
    done = asyncio.Event()

    async def carry(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while data := await source.read(65536):
            sink.write(data)
        await done.wait()
        sink.close()

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_connection(server.hostname, server.port)
        await asyncio.gather(carry(reader, server_writer), carry(server_reader, writer))

    line = await asyncio.start_server(connect, "127.0.0.1", 0)
    login, _, _ = server.netloc.rpartition("@")
    yield server._replace(netloc=f"{login}@127.0.0.1:{line.sockets[0].getsockname()[1]}").geturl()
    done.set()
    line.close()


@pytest.mark.parametrize("asked_how_it_is", [False, True])
async def test_a_server_that_took_leave_without_hanging_up_is_unavailable_once(
    database_url: str, asked_how_it_is: bool
) -> None:
    async with (
        line_that_stays_open(database_url) as url,
        Database(PoolSettings(url, "leaving", size=1)) as database,
    ):
        assert await database.fetchval(sql("SELECT 1")) == 1
        owner = await asyncpg.connect(database_url)
        await owner.fetch("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'leaving'")
        await owner.close()
        await asyncio.sleep(0.2)
        if asked_how_it_is:
            assert (await database.health() or "").startswith("database: The database cannot be reached")
        else:
            with pytest.raises(Unavailable, match="cannot be reached"):
                await database.fetchval(sql("SELECT 1"))
        assert await database.fetchval(sql("SELECT 1")) == 1


SETTINGS = sql(
    "SELECT current_setting(name), name FROM unnest({names}) AS name",
    names=bind(
        [
            *("application_name", "timezone", "default_transaction_read_only", "statement_timeout", "lock_timeout"),
            *("idle_in_transaction_session_timeout", "jit", "datestyle", "intervalstyle", "bytea_output"),
            *("extra_float_digits", "search_path", "max_parallel_workers_per_gather"),
        ],
        "text[]",
    ),
)


async def settings_of(settings: PoolSettings) -> dict[str, str]:
    async with Database(settings) as database:
        return {name: value for value, name in await database.fetch(SETTINGS)}


async def test_a_session_is_read_only_bounded_and_writes_values_in_one_way(database_url: str) -> None:
    found = await settings_of(PoolSettings(database_url, "pool-test", statement_timeout_ms=7000, lock_timeout_ms=3000))
    workers = found.pop("max_parallel_workers_per_gather")
    assert found == {
        "application_name": "pool-test",
        "timezone": "UTC",
        "default_transaction_read_only": "on",
        "statement_timeout": "7s",
        "lock_timeout": "3s",
        "idle_in_transaction_session_timeout": "30s",
        "jit": "off",
        "datestyle": "ISO, MDY",
        "intervalstyle": "iso_8601",
        "bytea_output": "hex",
        "extra_float_digits": "1",
        "search_path": '"$user", public, public, postgis, extensions',
    }
    assert int(workers) > 0
    plain = await settings_of(PoolSettings(database_url, "pool-test", parallel=False))
    assert plain["max_parallel_workers_per_gather"] == "0"
    assert (plain["statement_timeout"], plain["lock_timeout"]) == ("10s", "2s")


def test_long_reads_and_watching_have_their_own_connections() -> None:
    usual = PoolSettings("postgresql://a", "dams", size=8, share=4)
    assert (usual.acquire_timeout, usual.waiting) == (5.0, 1000)
    assert PoolSettings("postgresql://a", "dams").size == 10
    exports, watching = usual.for_exports(2), usual.for_watching()
    assert (exports.application_name, exports.size, exports.share, exports.waiting) == ("dams-export", 2, None, 0)
    assert exports.statement_timeout_ms == 60_000
    assert (watching.application_name, watching.size) == ("dams-watch", 1)
    assert (watching.statement_timeout_ms, watching.acquire_timeout) == (4000, 4.0)
    assert exports.url == watching.url == usual.url
    # with its password
    assert "postgresql" not in repr(usual)


async def test_a_share_of_all_connections_is_none(database_url: str) -> None:
    for share, waits in ((2, False), (1, True), (None, False)):
        async with (
            Database(PoolSettings(database_url, "pool-test", size=2, share=share, acquire_timeout=0.3)) as pool,
            pool.of("quakes").connection(),
        ):
            assert (pool.of("quakes") is pool) is not waits
            if waits:
                with pytest.raises(Unavailable, match="asked for too much"):
                    await pool.of("quakes").fetchval(sql("SELECT 1"))


async def test_who_finds_no_connection_gives_its_share_back(database_url: str) -> None:
    async with Database(PoolSettings(database_url, "pool-test", size=2, share=1, acquire_timeout=1)) as pool:
        # after its own time, not that of any pool
        async with pool.connection(), pool.connection(), asyncio.timeout(4):
            with pytest.raises(Unavailable, match="busy"):
                await pool.of("quakes").fetchval(sql("SELECT 1"))
        assert await pool.of("quakes").fetchval(sql("SELECT 1")) == 1


@pytest.mark.parametrize(
    ("address", "kind", "is_away"),
    [
        ("127.0.0.1:9/nothing", Restarting, True),
        ("{server}/nothing", Unavailable, True),
        # no name of a host
        ("a..b/nothing", Unavailable, True),
        ("{own}", None, False),
    ],
)
async def test_a_database_that_is_away_is_told_from_one_that_refuses(
    database_url: str, address: str, kind: type[Unavailable] | None, is_away: bool
) -> None:
    login = urlsplit(database_url)
    url = "postgresql://" + address.format(server=login.netloc, own=f"{login.netloc}{login.path}").replace(
        "127.0.0.1:9", f"{login.username}@127.0.0.1:9"
    )
    async with Database(PoolSettings(url, "pool-test", size=1)) as pool:
        if kind is None:
            assert await pool.fetchval(sql("SELECT 1")) == 1
        else:
            with pytest.raises(kind) as raised:
                await pool.fetchval(sql("SELECT 1"))
            assert (type(raised.value), raised.value.cause) == (kind, "database")
        wrong = await pool.health()
        assert (wrong is not None) is is_away
        assert wrong is None or wrong.startswith("database: The database cannot be reached")
        # a lock is temporary in every case; an error of a reachable database is not
        assert await pool.passes(Locked())
        assert await pool.passes(Unavailable("no")) is is_away
        assert not await pool.passes(ValueError())
        assert not await pool.is_lost(Unavailable("no"))


class Silent(Database):
    """A database that does not answer."""

    def connection(self, **_: bool) -> Any:
        @contextlib.asynccontextmanager
        async def never() -> AsyncIterator[None]:
            await asyncio.Event().wait()
            yield

        return never()


async def test_a_server_of_which_nothing_is_heard_is_no_healthy_one(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    timeout = asyncio.timeout

    def soon(seconds: float) -> asyncio.Timeout:
        waits.append(seconds)
        return timeout(0.01)

    async with timeout(10):
        # in that module only: services of other tests, in this process, wait at the same time
        monkeypatch.setattr("libs.pg.pool.asyncio", SimpleNamespace(**{**vars(asyncio), "timeout": soon}))
        # which does not prevent a start
        async with Silent(PoolSettings("", "pool-test")) as silent:
            assert await silent.health() == "database: no answer within 2 s"
        assert waits == [3, 2]


async def test_of_a_statement_there_is_all_a_row_or_a_value(database: Database) -> None:
    two, none = sql("SELECT * FROM (VALUES (1, 2), (3, 4)) AS a"), sql("SELECT 1 WHERE false")
    assert [tuple(row) for row in await database.fetch(two)] == [(1, 2), (3, 4)]
    assert tuple(await database.fetchrow(two) or ()) == (1, 2)
    assert await database.fetchval(two) == 1
    assert (await database.fetchrow(none), await database.fetchval(none)) == (None, None)


async def test_silent_server_is_awaited_as_long_as_a_connection() -> None:
    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    url = f"postgresql://a@127.0.0.1:{server.sockets[0].getsockname()[1]}/a"
    async with asyncio.timeout(30), server, Database(PoolSettings(url, "silent", acquire_timeout=0.3)) as pool:
        with pytest.raises(Unavailable, match="cannot be reached") as raised:
            await pool.fetchval(sql("SELECT 1"))
        # not as one that is restarted: that would be waited for
        assert not isinstance(raised.value, Restarting)


async def test_what_asks_for_a_login_that_nobody_knows_is_no_database() -> None:
    async def ask_for_kerberos(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"R" + bytes((0, 0, 0, 8, 0, 0, 0, 2)))
        await reader.read()
        writer.close()

    server = await asyncio.start_server(ask_for_kerberos, "127.0.0.1", 0)
    url = f"postgresql://a@127.0.0.1:{server.sockets[0].getsockname()[1]}/a?sslmode=disable"
    async with server, Database(PoolSettings(url, "pool-test", size=1)) as pool:
        with pytest.raises(Unavailable, match="cannot be reached"):
            await pool.fetchval(sql("SELECT 1"))
