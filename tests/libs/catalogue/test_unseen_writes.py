"""Writes that fire no trigger of a watched table change its version all the same."""

# ruff: noqa: S608 - all names are the test's own
from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from deploy.database.apply import apply_schema
from libs.catalogue.database_state import DatabaseStates
from libs.pg.pool import Database, PoolSettings
from tests.deploy.database.private_cluster import private_cluster
from tests.eventually import eventually

pytestmark = pytest.mark.faults

WITHOUT_TRIGGERS = "ALTER TABLE t DISABLE TRIGGER ALL; {}; ALTER TABLE t ENABLE TRIGGER ALL"
"""What `pg_restore --disable-triggers` does. It leaves triggers that replicas do not fire."""

UNSEEN = {
    "insert": WITHOUT_TRIGGERS.format("INSERT INTO t VALUES (3, 3)"),
    "update": WITHOUT_TRIGGERS.format("UPDATE t SET a = 9"),
    "delete": WITHOUT_TRIGGERS.format("DELETE FROM t WHERE id = 1"),
    "truncate": WITHOUT_TRIGGERS.format("TRUNCATE t"),
    "merge": WITHOUT_TRIGGERS.format("MERGE INTO t USING (SELECT 1) s ON t.id = 1 WHEN MATCHED THEN UPDATE SET a = 9"),
    "on conflict": WITHOUT_TRIGGERS.format("INSERT INTO t VALUES (1, 9) ON CONFLICT (id) DO UPDATE SET a = 9"),
    "in a transaction": f"BEGIN; {WITHOUT_TRIGGERS.format('UPDATE t SET a = 9')}; COMMIT",
    "as a replica": (
        "ALTER TABLE t DISABLE TRIGGER ALL; ALTER TABLE t ENABLE TRIGGER ALL;"
        "SET session_replication_role = replica; UPDATE t SET a = 9; RESET session_replication_role"
    ),
    "disabled for good": "ALTER TABLE t DISABLE TRIGGER USER; UPDATE t SET a = 9",
    "dropped trigger": "DROP TRIGGER dams_record_change ON t; UPDATE t SET a = 9",
    "dropped and made again": (
        "DROP TRIGGER dams_record_change ON t; UPDATE t SET a = 9;"
        "CREATE TRIGGER dams_record_change AFTER INSERT ON t EXECUTE FUNCTION dams.record_change()"
    ),
    "rewrite": "ALTER TABLE t ALTER a TYPE bigint USING a * 2",
    "unlogged": "ALTER TABLE t SET UNLOGGED",
    "cluster": "CLUSTER t USING t_pkey",
    "rule to another table": (
        "ALTER TABLE t DISABLE TRIGGER ALL; CREATE TABLE way (a int);"
        "CREATE RULE r AS ON INSERT TO way DO INSTEAD UPDATE t SET a = NEW.a;"
        "INSERT INTO way VALUES (9); ALTER TABLE t ENABLE TRIGGER ALL"
    ),
    "foreign key": (
        "CREATE TABLE up (id int PRIMARY KEY); INSERT INTO up VALUES (1), (2);"
        "ALTER TABLE t ADD FOREIGN KEY (id) REFERENCES up ON DELETE CASCADE; ALTER TABLE t DISABLE TRIGGER USER;"
        "DELETE FROM up; ALTER TABLE t ENABLE TRIGGER USER"
    ),
    "prepared transaction": (
        "ALTER TABLE t DISABLE TRIGGER ALL; BEGIN; UPDATE t SET a = 9; PREPARE TRANSACTION 'p';"
        "COMMIT PREPARED 'p'; ALTER TABLE t ENABLE TRIGGER ALL"
    ),
}


@pytest.fixture
async def owner(database_url: str) -> AsyncIterator[asyncpg.Connection]:
    """The owner's connection to a database with a watched table `t`."""
    connection = await asyncpg.connect(database_url)
    await _make_table(connection)
    yield connection
    await connection.close()


async def _make_table(connection: asyncpg.Connection) -> None:
    await apply_schema(connection)
    await connection.execute(
        "CREATE TABLE t (id integer PRIMARY KEY, a integer); SELECT dams.watch('t');INSERT INTO t VALUES (1, 1), (2, 2)"
    )


@pytest.fixture
async def states(database_url: str) -> AsyncIterator[DatabaseStates]:
    async with Database(PoolSettings(database_url, "unseen-test", size=1)) as database:
        yield DatabaseStates(database)


async def version(owner: asyncpg.Connection, states: DatabaseStates, name: str = "t") -> str | None:
    oid = await owner.fetchval("SELECT $1::text::regclass::oid::bigint", name)
    return (await states.read()).relations[oid]


async def assert_changes(
    owner: asyncpg.Connection, states: DatabaseStates, before: str | None, name: str = "t"
) -> None:
    async def has_changed() -> bool:
        now = await version(owner, states, name)
        return now is not None and now != before

    await eventually(has_changed)


@pytest.mark.parametrize("way", UNSEEN)
async def test_unseen_write_changes_version(owner: asyncpg.Connection, states: DatabaseStates, way: str) -> None:
    before = await version(owner, states)
    if way == "prepared transaction" and await owner.fetchval("SHOW max_prepared_transactions") == "0":
        pytest.skip("the server allows no prepared transactions")
    for statement in UNSEEN[way].split(";"):
        await owner.execute(statement)
    await assert_changes(owner, states, before)


async def test_unseen_copy_changes_version(owner: asyncpg.Connection, states: DatabaseStates) -> None:
    before = await version(owner, states)
    await owner.execute("ALTER TABLE t DISABLE TRIGGER ALL")
    await owner.copy_records_to_table("t", records=[(7, 7)])
    await owner.execute("ALTER TABLE t ENABLE TRIGGER ALL")
    await assert_changes(owner, states, before)


async def test_pg_restore_without_triggers_changes_version(
    owner: asyncpg.Connection, states: DatabaseStates, database_url: str, tmp_path: Path
) -> None:
    dump = tmp_path / "dump"
    for command in (
        ["pg_dump", "-Fc", "--data-only", "-t", "t", "-f", str(dump), "-d", database_url],
        ["pg_restore", "--data-only", "--disable-triggers", "-d", database_url, str(dump)],
    ):
        if command[0] == "pg_restore":
            await owner.execute("DELETE FROM t")
            before = await version(owner, states)
        await asyncio.to_thread(subprocess.run, command, check=True)
    assert await owner.fetchval("SELECT count(*) FROM t") == 2
    await assert_changes(owner, states, before)


async def test_partitions_that_come_and_go_change_version(owner: asyncpg.Connection, states: DatabaseStates) -> None:
    await owner.execute(
        "CREATE TABLE parted (a integer) PARTITION BY RANGE (a); SELECT dams.watch('parted');"
        "CREATE TABLE part (a integer); INSERT INTO part VALUES (1)"
    )
    for statement in (
        "ALTER TABLE parted ATTACH PARTITION part FOR VALUES FROM (0) TO (10)",
        "ALTER TABLE parted DETACH PARTITION part",
    ):
        before = await version(owner, states, "parted")
        await owner.execute(statement)
        await assert_changes(owner, states, before, "parted")


async def test_children_that_come_and_go_change_version(owner: asyncpg.Connection, states: DatabaseStates) -> None:
    await owner.execute("CREATE TABLE child (id integer NOT NULL, a integer); INSERT INTO child VALUES (5, 5)")
    for statement in ("ALTER TABLE child INHERIT t", "ALTER TABLE child NO INHERIT t"):
        before = await version(owner, states)
        await owner.execute(statement)
        await assert_changes(owner, states, before)


async def test_watching_again_enables_the_trigger_always(owner: asyncpg.Connection) -> None:
    await owner.execute("ALTER TABLE t DISABLE TRIGGER ALL; ALTER TABLE t ENABLE TRIGGER ALL; SELECT dams.watch('t')")
    enabled = "SELECT tgenabled FROM pg_trigger WHERE tgrelid = 't'::regclass AND tgname = 'dams_record_change'"
    assert await owner.fetchval(enabled) == b"A"


async def test_seen_write_is_one_version(owner: asyncpg.Connection, states: DatabaseStates, database_url: str) -> None:
    """The server counts the rows with the commit, not seconds later, which would be a second version."""
    seen = {await version(owner, states)}
    await owner.execute("UPDATE t SET a = 9")
    await owner.fetchval("SELECT 1")
    seen.add(await version(owner, states))
    # a session that ends reports all that it has counted
    await owner.close()
    other = await asyncpg.connect(database_url)
    try:
        seen.add(await version(other, states))
    finally:
        await other.close()
    assert len(seen) == 2


async def test_server_that_counts_nothing_has_no_version_of_unwatched_tables(
    owner: asyncpg.Connection, states: DatabaseStates, database_url: str
) -> None:
    await owner.execute("CREATE TABLE plain (a integer)")
    assert await version(owner, states, "plain") is not None
    name = await owner.fetchval("SELECT current_database()")
    await owner.execute(f"ALTER DATABASE {name} SET track_counts = off")
    async with Database(PoolSettings(database_url, "uncounted-test", size=1)) as database:
        assert await version(owner, DatabaseStates(database), "plain") is None


async def test_rows_of_logical_replication_change_version() -> None:
    with private_cluster() as cluster:
        admin = await asyncpg.connect(cluster.url("postgres"))
        await admin.execute("ALTER SYSTEM SET wal_level = logical")
        for name in ("source", "target"):
            await admin.execute(f"CREATE DATABASE {name}")
        await admin.close()
        cluster.restart()
        source, target = [await asyncpg.connect(cluster.url(name)) for name in ("source", "target")]
        try:
            await target.execute("CREATE EXTENSION postgis")
            await _make_table(target)
            await target.execute("DELETE FROM t")
            # in one server the slot has to be made before the subscription, or this waits for itself
            await source.execute(
                "CREATE TABLE t (id integer PRIMARY KEY, a integer); CREATE PUBLICATION p FOR TABLE t;"
            )
            await source.execute("SELECT pg_create_logical_replication_slot('s', 'pgoutput')")
            await target.execute(
                f"CREATE SUBSCRIPTION s CONNECTION 'host=127.0.0.1 port={cluster.port} user=postgres dbname=source'"
                " PUBLICATION p WITH (create_slot = false, slot_name = 's', copy_data = false)"
            )
            async with Database(PoolSettings(cluster.url("target"), "replicated-test", size=1)) as database:
                states = DatabaseStates(database)
                await source.execute("INSERT INTO t VALUES (1, 1)")
                await eventually(lambda: _holds(target, 1))
                # earlier changes have been counted by then
                before = await version(target, states)
                await source.execute("UPDATE t SET a = 2")
                await eventually(lambda: _holds(target, 2))
                await assert_changes(target, states, before)
        finally:
            await source.close()
            await target.close()


async def _holds(target: asyncpg.Connection, value: int) -> bool:
    return bool(await target.fetchval("SELECT a FROM t") == value)
