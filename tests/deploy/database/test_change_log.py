"""Data versions under real concurrent transactions."""

import asyncio
from contextlib import suppress

import asyncpg
import pytest

from deploy.database.apply import apply_schema
from tests.deploy.database.conftest import Connect


@pytest.fixture
async def watched(owner: asyncpg.Connection) -> asyncpg.Connection:
    """The owner's connection to a database with a watched table `t`."""
    await owner.execute("CREATE TABLE t (a integer); SELECT dams.watch('t')")
    return owner


async def version(connection: asyncpg.Connection, relation: str = "t") -> int:
    found = await connection.fetchval(
        "SELECT version FROM dams.data_versions() WHERE relation = $1::text::regclass", relation
    )
    assert isinstance(found, int)
    return found


async def test_each_commit_changes_the_version_in_whatever_order(watched: asyncpg.Connection, connect: Connect) -> None:
    first, second = await connect(), await connect()
    seen = [await version(watched)]
    earlier = first.transaction()
    await earlier.start()
    await first.execute("INSERT INTO t VALUES (1)")
    assert await version(watched) == seen[0], "shows before its data"
    async with second.transaction():
        await second.execute("INSERT INTO t VALUES (2)")
    seen.append(await version(watched))
    await earlier.commit()
    seen.append(await version(watched))
    assert len(set(seen)) == 3


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO t VALUES (1)",
        "UPDATE t SET a = 2",
        "DELETE FROM t",
        "TRUNCATE t",
        "MERGE INTO t USING (SELECT 7 AS a) s ON t.a = s.a WHEN NOT MATCHED THEN INSERT VALUES (s.a)",
        "SET session_replication_role = replica; INSERT INTO t VALUES (1); RESET session_replication_role",
    ],
)
async def test_every_kind_of_change_counts_once(watched: asyncpg.Connection, statement: str) -> None:
    before = await version(watched)
    async with watched.transaction():
        await watched.execute(statement)
        await watched.execute(statement)
    assert await version(watched) == before + 1


async def test_copy_counts(watched: asyncpg.Connection) -> None:
    before = await version(watched)
    await watched.copy_records_to_table("t", records=[(1,), (2,)])
    assert await version(watched) == before + 1


async def test_versions_of_other_tables_stay(watched: asyncpg.Connection) -> None:
    await watched.execute("CREATE TABLE other (a integer); SELECT dams.watch('other')")
    before = await version(watched, "other")
    await watched.execute("INSERT INTO t VALUES (1)")
    assert await version(watched, "other") == before


async def test_rolled_back_transaction_changes_nothing(watched: asyncpg.Connection) -> None:
    before = await version(watched)
    with suppress(ZeroDivisionError):
        async with watched.transaction():
            await watched.execute("INSERT INTO t VALUES (1)")
            raise ZeroDivisionError
    assert await version(watched) == before
    await watched.execute("INSERT INTO t VALUES (1)")
    assert await version(watched) == before + 1


async def test_savepoints(watched: asyncpg.Connection) -> None:
    before = await version(watched)
    await watched.execute("BEGIN; SAVEPOINT s; INSERT INTO t VALUES (1); ROLLBACK TO s; COMMIT")
    assert await version(watched) == before, "only rolled back work"
    await watched.execute(
        "BEGIN; SAVEPOINT s; INSERT INTO t VALUES (1); ROLLBACK TO s; INSERT INTO t VALUES (2); COMMIT"
    )
    assert await version(watched) == before + 1, "work after the rollback to the savepoint"
    await watched.execute(
        "BEGIN; INSERT INTO t VALUES (1); SAVEPOINT s; INSERT INTO t VALUES (1); ROLLBACK TO s; COMMIT"
    )
    assert await version(watched) == before + 2, "work before the savepoint"
    await watched.execute("BEGIN; SAVEPOINT s; INSERT INTO t VALUES (1); RELEASE s; INSERT INTO t VALUES (1); COMMIT")
    assert await version(watched) == before + 3, "a released savepoint"


async def test_version_and_data_show_together(watched: asyncpg.Connection, connect: Connect) -> None:
    writer = await connect()
    base = await version(watched)

    async def write() -> None:
        for _ in range(100):
            await writer.execute("INSERT INTO t VALUES (1)")

    writing = asyncio.create_task(write())
    while not writing.done():
        rows, now = await watched.fetchrow(
            "SELECT (SELECT count(*) FROM t), (SELECT version FROM dams.data_versions() WHERE relation = 't'::regclass)"
        )
        assert now - base == rows
    await writing


async def test_pruning_under_writers_keeps_every_change(watched: asyncpg.Connection, connect: Connect) -> None:
    writers, pruners = [await connect() for _ in range(4)], [await connect() for _ in range(2)]
    before, seen = await version(watched), []

    async def write(writer: asyncpg.Connection) -> None:
        for number in range(50):
            async with writer.transaction():
                await writer.execute("INSERT INTO t VALUES ($1)", number)

    async def prune(pruner: asyncpg.Connection) -> None:
        while not all(task.done() for task in writing):
            await pruner.fetchval("SELECT dams.prune_change_log()")

    writing = [asyncio.create_task(write(writer)) for writer in writers]
    pruning = [asyncio.create_task(prune(pruner)) for pruner in pruners]
    while not all(task.done() for task in writing):
        seen.append(await version(watched))
    await asyncio.gather(*writing, *pruning)
    assert seen == sorted(seen), "the version never goes back"
    assert await version(watched) == before + 200
    await watched.fetchval("SELECT dams.prune_change_log()")
    assert await version(watched) == before + 200
    assert await watched.fetchval("SELECT count(*) FROM dams.change_log WHERE relation = 't'::regclass") == 1


async def test_pruning_neither_waits_for_nor_loses_a_transaction_under_way(
    watched: asyncpg.Connection, connect: Connect
) -> None:
    writer, pruner = await connect(), await connect()
    await watched.execute("INSERT INTO t VALUES (0)")
    before = await version(watched)
    async with writer.transaction():
        await writer.execute("INSERT INTO t VALUES (1)")
        await writer.fetchval("SELECT dams.prune_change_log()")
        async with asyncio.timeout(5):
            await pruner.fetchval("SELECT dams.prune_change_log()")
            await pruner.execute("INSERT INTO t VALUES (2)")
        assert await version(watched) == before + 1
    # A transaction that prunes and then writes again may count twice; it must count at least once.
    assert await version(watched) > before + 1


async def test_pruning_keeps_the_time_of_the_last_change(watched: asyncpg.Connection) -> None:
    # At this level the trigger never prunes by itself.
    await watched.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; INSERT INTO t VALUES (1); COMMIT")
    query = "SELECT changed_at FROM dams.data_versions() WHERE relation = 't'::regclass"
    before = await watched.fetchval(query)
    assert await watched.fetchval("SELECT dams.prune_change_log()") > 1
    assert await watched.fetchval(query) == before


async def test_the_log_stays_short_by_itself(watched: asyncpg.Connection) -> None:
    for _ in range(1500):
        await watched.execute("INSERT INTO t VALUES (1)")
    # With chance 1/50, 600 transactions in a row without pruning happen once in 180,000 runs.
    assert await watched.fetchval("SELECT count(*) FROM dams.change_log") < 600


async def test_rows_of_dropped_tables_go(watched: asyncpg.Connection) -> None:
    oid = await watched.fetchval("SELECT 't'::regclass::oid")
    await watched.execute("DROP TABLE t")
    await watched.fetchval("SELECT dams.prune_change_log()")
    assert await watched.fetchval("SELECT count(*) FROM dams.change_log WHERE relation = $1", oid) == 0


async def test_serializable_writers_do_not_fail_each_other(watched: asyncpg.Connection, connect: Connect) -> None:
    await watched.execute("CREATE INDEX ON t (a)")
    first, second = await connect(), await connect()
    before = await version(watched)
    one, two = first.transaction(isolation="serializable"), second.transaction(isolation="serializable")
    await one.start()
    await two.start()
    await first.execute("INSERT INTO t VALUES (1)")
    await second.execute("INSERT INTO t VALUES (2)")
    await one.commit()
    await two.commit()
    assert await version(watched) == before + 2


async def test_writers_notify_nobody_also_in_a_database_that_did(watched: asyncpg.Connection, connect: Connect) -> None:
    source = await watched.fetchval("SELECT prosrc FROM pg_proc WHERE oid = 'dams.record_change'::regproc")
    notifying = source.replace("INSERT INTO", "PERFORM pg_notify('dams_change', TG_RELID::text); INSERT INTO", 1)
    await watched.execute(
        "CREATE OR REPLACE FUNCTION dams.record_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER "
        f"SET search_path = pg_catalog, pg_temp AS $body${notifying}$body$"
    )
    listener = await connect()
    payloads: asyncio.Queue[str] = asyncio.Queue()
    await listener.add_listener("dams_change", lambda *arguments: payloads.put_nowait(arguments[-1]))
    await watched.execute("INSERT INTO t VALUES (1)")
    async with asyncio.timeout(5):
        await payloads.get()
    before = await version(watched)
    await apply_schema(watched)
    await watched.execute("INSERT INTO t VALUES (1)")
    assert await version(watched) == before + 1
    # notifications are sent in the order of commits
    await watched.execute("SELECT pg_notify('dams_change', 'the last')")
    async with asyncio.timeout(5):
        assert await payloads.get() == "the last"


async def test_partitions_and_parents_change_together(watched: asyncpg.Connection) -> None:
    await watched.execute(
        "CREATE TABLE p (a integer) PARTITION BY RANGE (a); CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10);"
        "SELECT dams.watch('p')"
    )
    parent, child = await version(watched, "p"), await version(watched, "p1")
    await watched.execute("INSERT INTO p VALUES (1)")
    assert (await version(watched, "p"), await version(watched, "p1")) == (parent + 1, child + 1)
    await watched.execute("INSERT INTO p1 VALUES (2)")
    assert (await version(watched, "p"), await version(watched, "p1")) == (parent + 2, child + 2)


async def test_only_tables_can_be_watched(watched: asyncpg.Connection) -> None:
    await watched.execute("CREATE VIEW v AS SELECT * FROM t")
    with pytest.raises(asyncpg.WrongObjectTypeError, match="not a table"):
        await watched.execute("SELECT dams.watch('v')")


async def test_writer_needs_no_right_to_the_log(watched: asyncpg.Connection) -> None:
    before = await version(watched)
    await watched.execute("CREATE ROLE plain_writer; GRANT INSERT ON t TO plain_writer")
    try:
        await watched.execute("SET ROLE plain_writer; INSERT INTO t VALUES (1); RESET ROLE")
    finally:
        await watched.execute("RESET ROLE; DROP OWNED BY plain_writer; DROP ROLE plain_writer")
    assert await version(watched) == before + 1
