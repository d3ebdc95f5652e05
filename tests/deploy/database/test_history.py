"""The history of tables: the rows at any past time, for any order in which transactions commit."""

from __future__ import annotations

from datetime import datetime, timedelta

import asyncpg
import pytest

from deploy.database.apply import apply_schema
from tests.deploy.database.conftest import Connect


@pytest.fixture
async def kept(owner: asyncpg.Connection) -> asyncpg.Connection:
    """The owner's connection to a database with a table `t` that has two rows and a history."""
    await owner.execute(
        "CREATE TABLE t (id integer PRIMARY KEY, a text NOT NULL, j json, geom geometry(Point, 4326));"
        "INSERT INTO t VALUES (1, 'one', '{}', 'SRID=4326;POINT(1 1)'), (2, 'two', '{}', NULL);"
        "SELECT dams.keep_history('t', NULL)"
    )
    return owner


async def clock(connection: asyncpg.Connection) -> datetime:
    found: datetime = await connection.fetchval("SELECT clock_timestamp()")
    return found


async def at(connection: asyncpg.Connection, moment: datetime) -> dict[int, str]:
    rows = await connection.fetch('SELECT id, a FROM dams_history."public.t"($1)', moment)
    assert len(rows) == len({row["id"] for row in rows}), "a row twice"
    return {row["id"]: row["a"] for row in rows}


async def stored(connection: asyncpg.Connection) -> int:
    found: int = await connection.fetchval('SELECT count(*) FROM dams_history."public.t"')
    return found


async def test_each_time_has_its_rows(kept: asyncpg.Connection) -> None:
    statements = (
        "INSERT INTO t VALUES (3, 'three')",
        "UPDATE t SET a = upper(a) WHERE id < 3",
        "DELETE FROM t WHERE id = 1",
        "INSERT INTO t VALUES (1, 'again')",
        "UPDATE t SET id = 9 WHERE id = 2",
        "INSERT INTO t VALUES (3, 'III') ON CONFLICT (id) DO UPDATE SET a = excluded.a",
        "MERGE INTO t USING (VALUES (3), (4)) s (id) ON s.id = t.id WHEN MATCHED THEN UPDATE SET a = 'm' "
        "WHEN NOT MATCHED THEN INSERT VALUES (s.id, 'new')",
        "SET session_replication_role = replica; UPDATE t SET a = 'r'; RESET session_replication_role",
        "TRUNCATE t",
        "INSERT INTO t VALUES (1, 'last')",
    )
    seen = [(await clock(kept), {1: "one", 2: "two"})]
    for statement in statements:
        await kept.execute(statement)
        now = {row["id"]: row["a"] for row in await kept.fetch("SELECT id, a FROM t")}
        seen.append((await clock(kept), now))
    assert seen[-1][1] == {1: "last"}
    for moment, rows in seen:
        assert await at(kept, moment) == rows


async def test_a_transaction_is_one_moment(kept: asyncpg.Connection) -> None:
    before = await clock(kept)
    async with kept.transaction():
        await kept.execute("UPDATE t SET a = 'first' WHERE id = 1")
        between = await clock(kept)
        await kept.execute("UPDATE t SET a = 'second'; INSERT INTO t VALUES (5, 'short'); DELETE FROM t WHERE id = 5")
    assert await at(kept, before) == {1: "one", 2: "two"}
    assert await at(kept, between) == {1: "second", 2: "second"}
    assert await stored(kept) == 2


async def test_a_row_that_is_written_as_it_was_is_no_version(kept: asyncpg.Connection) -> None:
    await kept.execute("UPDATE t SET a = a")
    assert await stored(kept) == 0


async def test_the_transaction_that_commits_last_does_not_undo_the_past(
    kept: asyncpg.Connection, connect: Connect
) -> None:
    late = await connect()
    transaction = late.transaction()
    await transaction.start()
    await late.execute("INSERT INTO t VALUES (7, 'late')")
    await kept.execute("UPDATE t SET a = 'early' WHERE id = 1")
    between = await clock(kept)
    await late.execute("UPDATE t SET a = 'late' WHERE id = 1")
    await transaction.commit()
    assert await at(kept, await clock(kept)) == {1: "late", 2: "two", 7: "late"}
    assert (await at(kept, between))[1] in ("early", "late")


async def test_a_writer_shows_since_when_the_past_is_not_final(kept: asyncpg.Connection, connect: Connect) -> None:
    locks = "SELECT min(objid::bigint) + 1700000000 FROM pg_locks WHERE locktype = 'advisory' AND classid = 1145588051"
    writer, began = await connect(), await clock(kept)
    transaction = writer.transaction()
    await transaction.start()
    await writer.execute("DELETE FROM t")
    assert await kept.fetchval(locks) <= began.timestamp() + 1
    assert await kept.fetchval(locks) >= began.timestamp() - 1
    await transaction.rollback()
    assert await kept.fetchval(locks) is None
    assert await at(kept, await clock(kept)) == {1: "one", 2: "two"}


async def test_columns_may_change(kept: asyncpg.Connection) -> None:
    before = await clock(kept)
    await kept.execute("ALTER TABLE t ADD COLUMN b integer, DROP COLUMN j, ALTER COLUMN a DROP NOT NULL")
    assert await kept.fetch("SELECT * FROM dams.histories() WHERE name = 'public.t'") == []
    await kept.execute("UPDATE t SET a = NULL, b = 5")
    moment = await clock(kept)
    await kept.execute("UPDATE t SET b = 6; ALTER TABLE t RENAME TO u; UPDATE u SET a = 'x'")
    assert await at(kept, before) == {1: "one", 2: "two"}
    assert {row["b"] for row in await kept.fetch('SELECT b FROM dams_history."public.t"($1)', moment)} == {5}
    # another type cannot hold the earlier values
    await kept.execute("ALTER TABLE u ALTER COLUMN b TYPE text; UPDATE u SET b = 'text'")
    (row,) = await kept.fetch("SELECT since FROM dams.histories() WHERE name = 'public.t'")
    assert row["since"] > moment
    assert len(await at(kept, await clock(kept))) == 2
    await kept.execute("DROP TABLE u; CREATE TABLE t (id integer PRIMARY KEY); SELECT dams.keep_history('t', NULL)")
    assert await stored(kept) == 0


async def test_versions_are_kept_as_long_as_the_operator_says(kept: asyncpg.Connection) -> None:
    await kept.execute("UPDATE t SET a = 'new'")
    await kept.execute(
        "UPDATE dams.history SET since = now() - interval '9 days' WHERE name = 'public.t';"
        """UPDATE dams_history."public.t" SET dams_known_from = now() - interval '9 days', """
        "dams_known_until = now() - interval '5 days' WHERE id = 1"
    )
    assert await kept.fetchval("SELECT dams.prune_history('t')") == 0
    await kept.execute("SELECT dams.keep_history('t', interval '3 days')")
    assert await kept.fetchval("SELECT dams.prune_history('t')") == 1
    assert await stored(kept) == 1
    (row,) = await kept.fetch("SELECT since FROM dams.histories() WHERE name = 'public.t'")
    assert abs(await clock(kept) - timedelta(days=3) - row["since"]) < timedelta(minutes=1)


async def test_an_operator_switches_it_off_for_good(kept: asyncpg.Connection) -> None:
    await kept.execute("SELECT dams.forget_history('hazard.hazard_eq_events')")
    await apply_schema(kept)
    names = {row["name"] for row in await kept.fetch("SELECT name FROM dams.histories()")}
    assert {"public.t", "hazard.hazard_fl_events"} <= names
    assert "hazard.hazard_eq_events" not in names
    await kept.execute("SELECT dams.keep_history('hazard.hazard_eq_events', NULL)")
    assert "hazard.hazard_eq_events" in {row["name"] for row in await kept.fetch("SELECT name FROM dams.histories()")}


async def test_the_services_may_read_versions_of_all_hazard_tables(schema: asyncpg.Connection) -> None:
    rows = await schema.fetch(
        "SELECT h.name, has_table_privilege('dams_reader', format('dams_history.%I', h.name), 'SELECT') AS versions, "
        "has_table_privilege('dams_reader', format('dams_history.%I', h.name || ' starts'), 'SELECT') AS starts "
        "FROM dams.history h"
    )
    assert len(rows) == 18
    assert all(row["versions"] and row["starts"] for row in rows)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ("CREATE TABLE x (a integer)", "no primary key"),
        ("CREATE TABLE x (a integer PRIMARY KEY) PARTITION BY LIST (a)", "not a plain table"),
        ("CREATE TABLE x (a integer PRIMARY KEY); ALTER TABLE x ENABLE ROW LEVEL SECURITY", "not a plain table"),
        ("CREATE VIEW x AS SELECT 1 AS a", "not a plain table"),
    ],
)
async def test_other_relations_have_no_history(owner: asyncpg.Connection, table: str, reason: str) -> None:
    await owner.execute(table)
    with pytest.raises(asyncpg.PostgresError, match=reason):
        await owner.execute("SELECT dams.keep_history('x', NULL)")


async def test_both_parts_use_their_indexes(kept: asyncpg.Connection) -> None:
    await kept.execute(
        "CREATE INDEX ON t USING gist (geom);"
        "INSERT INTO t SELECT n, 'a', NULL, ST_SetSRID(ST_Point(n % 180, n % 90), 4326) "
        "FROM generate_series(10, 20000) n;"
        'UPDATE t SET a = \'b\'; ANALYZE t; ANALYZE dams_history."public.t"; ANALYZE dams_history."public.t starts"'
    )
    plan = await kept.fetch(
        "EXPLAIN SELECT * FROM dams_history.\"public.t\"(now()) WHERE geom && 'SRID=4326;POLYGON((1 1,2 1,2 2,1 1))'"
    )
    text = "\n".join(row[0] for row in plan)
    assert text.count("&&") >= 2
    assert "Function Scan" not in text
    assert "Seq Scan on t " not in text
