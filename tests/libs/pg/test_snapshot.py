"""A snapshot goes on after a statement that failed, with the same rows."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest

from libs.ogc.errors import DomainError, InvalidParameters, Unavailable, Uncomputable
from libs.pg.pool import Database, PoolSettings
from libs.pg.replicas import one_server, reads, rotation
from libs.pg.snapshot import Snapshot, snapshot
from libs.pg.sql import Sql, bind, sql


async def test_a_statement_that_fails_leaves_the_snapshot_as_it_was(database_url: str) -> None:
    owner = await asyncpg.connect(database_url)
    await owner.execute("CREATE TABLE rows AS SELECT n FROM generate_series(1, 5) AS n")
    count = sql("SELECT count(*) FROM rows")
    async with Database(PoolSettings(database_url, "snapshot", size=1)) as database, snapshot(database) as rows:
        assert (await rows.fetch(count))[0][0] == 5
        await owner.execute("DELETE FROM rows WHERE n > 2")
        await owner.close()
        with pytest.raises(InvalidParameters):
            await rows.fetch(sql("SELECT 1 / (n - {n}) FROM rows", n=bind(3, "int4")))
        assert (await rows.fetch(count))[0][0] == 5
        assert [row["n"] for row in await rows.fetch(sql("SELECT n FROM rows WHERE n > 3 ORDER BY n"))] == [4, 5]
        walked = [
            len(chunk) async for chunk in rows.walk(sql("SELECT n FROM rows WHERE n > {n}", n=bind(1, "int4")), 3)
        ]
        assert walked == [3, 1]
        assert [row async for row in rows.walk(sql("SELECT n FROM rows WHERE n > 9"), 3)] == []
        # no cursor is left open, and the collection's share is for the same rows
        declared = sql("SELECT name FROM pg_cursors WHERE statement LIKE 'DECLARE%'")
        assert await rows.of("any").fetch(declared) == []
        assert (await rows.of("any").fetch(count))[0][0] == 5


@pytest.mark.parametrize(
    ("statement", "kind"),
    [("SELECT 1 / (3 - n) FROM generate_series(1, 5) AS n", Uncomputable), ("SELECT missing", Unavailable)],
)
async def test_what_a_walk_meets_is_told_in_the_words_of_the_service(
    database_url: str, statement: str, kind: type[DomainError]
) -> None:
    async def walk(rows: Snapshot) -> None:
        async for _ in rows.walk(Sql((statement,)), 2):
            pass

    async with Database(PoolSettings(database_url, "snapshot", size=1)) as database, snapshot(database) as rows:
        # at once, not at the end of the snapshot alone
        with pytest.raises(kind):
            await walk(rows)


async def test_steps_can_be_undone_and_walks_have_own_cursors(database_url: str) -> None:
    numbers, wrong = sql("SELECT 1 AS n"), sql("SELECT FROM FROM")
    said: list[str] = []
    async with (
        Database(PoolSettings(database_url, "snapshot", size=1)) as database,
        database.connection(snapshot=True) as connection,
    ):
        connection.add_query_logger(lambda record: said.append(record.query))
        rows = Snapshot(connection)
        await rows.fetch(numbers)
        # the service has sent a wrong statement
        with pytest.raises(Unavailable):
            await rows.fetch(wrong)
        for _ in range(2):
            assert [len(chunk) async for chunk in rows.walk(numbers, 5)] == [1]
        with pytest.raises(Unavailable):
            await anext(rows.walk(wrong, 5))
        # the driver tells of the last one in the next turn
        await asyncio.sleep(0)
    # and of what it prepares it does not always tell
    steps = [statement for statement in said if not statement.startswith(("SELECT", "FETCH"))]
    first, second = (steps[at].split()[1] for at in (4, 6))
    assert first != second
    walks = [(f"DECLARE {name} NO SCROLL CURSOR FOR SELECT 1 AS n", f"CLOSE {name}") for name in (first, second)]
    assert steps[:8] == [
        *("SAVEPOINT step", "RELEASE SAVEPOINT step", "SAVEPOINT step", "ROLLBACK TO SAVEPOINT step"),
        *walks[0],
        *walks[1],
    ]


@pytest.mark.parametrize("admitted", [frozenset(), frozenset({0})])
async def test_with_replicas_a_snapshot_is_one_whichever_server_is_read(
    database_url: str, admitted: frozenset[int]
) -> None:
    owner = await asyncpg.connect(database_url)
    await owner.execute("CREATE TABLE rows AS SELECT n FROM generate_series(1, 5) AS n")
    count, pool = sql("SELECT count(*) FROM rows"), PoolSettings(database_url, "snapshot", size=1)
    async with rotation(pool, [database_url]) as found, reads(pool, [database_url], found) as database:
        assert found
        found.admit(admitted)
        with one_server():
            async with snapshot(database) as rows:
                assert (await rows.fetch(count))[0][0] == 5
                await owner.execute("DELETE FROM rows WHERE n > 2")
                assert (await rows.fetch(count))[0][0] == 5
            assert (await database.fetch(count))[0][0] == 2
    await owner.close()
