"""What determines the rows of a relation besides the rows of tables: views, policies, functions, the clock."""

from __future__ import annotations

import asyncpg
import pytest

from libs.catalogue.model import Collection
from libs.pg.pool import Database, PoolSettings
from services.common.introspection.introspect import Introspection

_LOWEST = "CREATE OR REPLACE FUNCTION own.lowest() RETURNS real IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN 5; END'"
_RELATIONS = f"""
CREATE TABLE own.quakes (id integer PRIMARY KEY, at timestamptz, magnitude real);
CREATE SEQUENCE own.numbers;
CREATE TABLE own.allowed (id integer);
{_LOWEST};
CREATE VIEW own.strong AS SELECT * FROM own.quakes WHERE magnitude > 5;
CREATE VIEW own.over AS SELECT id FROM own.strong;
CREATE VIEW own.called AS SELECT * FROM own.quakes WHERE magnitude > own.lowest();
CREATE TABLE own.guarded (id integer PRIMARY KEY);
ALTER TABLE own.guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY chosen ON own.guarded USING (id IN (SELECT id FROM own.allowed));
CREATE TABLE own.others (id integer);
CREATE POLICY other ON own.others USING (id IN (SELECT id FROM own.quakes WHERE at < now()));
CREATE VIEW own.of_others AS SELECT id FROM own.others;
"""  # noqa: S608 ours


@pytest.fixture
def relations() -> str:
    return _RELATIONS


async def _found(introspection: Introspection) -> dict[str, Collection]:
    return {collection.name: collection for collection in await introspection.collections()}


@pytest.mark.parametrize(
    ("change", "others"),
    [
        ("CREATE OR REPLACE VIEW own.strong AS SELECT * FROM own.quakes WHERE magnitude > 6", {"strong", "over"}),
        (_LOWEST.replace("5", "6"), {"called"}),
        ("ALTER POLICY chosen ON own.guarded USING (id > 2)", {"guarded"}),
        ("CREATE POLICY another ON own.guarded USING (id > 2)", {"guarded"}),
        ("ALTER TABLE own.guarded DISABLE ROW LEVEL SECURITY", {"guarded"}),
        ("INSERT INTO own.quakes VALUES (1); ANALYZE own.quakes", set()),
    ],
)
async def test_another_definition_is_another_shape(
    owner: asyncpg.Connection, introspection: Introspection, change: str, others: set[str]
) -> None:
    before = await _found(introspection)
    await owner.execute(change)
    after = await _found(introspection)
    assert {name for name in before if before[name].shape != after[name].shape} == others


async def test_a_definition_that_comes_back_is_not_the_same_again(
    owner: asyncpg.Connection, introspection: Introspection
) -> None:
    """Between two looks at the catalogue, answers of the second definition are kept under the first one's version."""
    shapes = set()
    for least in (5, 6, 5):
        await owner.execute(
            f"CREATE OR REPLACE VIEW own.strong AS SELECT * FROM own.quakes WHERE magnitude > {least}"  # noqa: S608
        )
        shapes.add((await _found(introspection))["strong"].shape)
    assert len(shapes) == 3


async def test_the_tables_that_a_policy_reads_are_sources(
    owner: asyncpg.Connection, introspection: Introspection
) -> None:
    found = await _found(introspection)
    assert set(found["guarded"].sources) == {found["guarded"].oid, found["allowed"].oid}
    # the clock in a policy that is not in force does not matter
    assert set(found["of_others"].sources) == {found[name].oid for name in ("of_others", "others", "quakes")}
    await owner.execute("ALTER POLICY chosen ON own.guarded USING (id > extract(hour FROM now()))")
    assert (await _found(introspection))["guarded"].sources == ()


@pytest.mark.parametrize(
    ("column", "counted"),
    [
        ("age(at)", False),
        ("now() - at", False),
        ("'today'::text::date", False),
        ("CURRENT_DATE - at::date", False),
        ("USER", False),
        ("clock_timestamp()", False),
        ("random()", False),
        ("current_setting('TimeZone')", False),
        ("to_regclass('own.quakes')", False),
        ("(SELECT count(*) FROM pg_class)", False),
        ("(SELECT last_value FROM own.numbers)", False),
        # these depend on settings, which are the same for all sessions of ours
        ("to_char(at, 'YYYY')", True),
        ("jsonb_build_object('at', at)", True),
        ("concat(id, at)", True),
        ("at::date", True),
        ("extract(year FROM at)", True),
        ("upper('x') COLLATE \"C\"", True),
    ],
)
async def test_rows_that_change_by_themselves_have_no_sources(
    owner: asyncpg.Connection, introspection: Introspection, column: str, *, counted: bool
) -> None:
    await owner.execute(f'CREATE VIEW own.made AS SELECT id, {column} AS made, 1 AS "user", 2 AS age FROM own.quakes')  # noqa: S608 ours
    found = await _found(introspection)
    assert set(found["made"].sources) == ({found["made"].oid, found["quakes"].oid} if counted else set())


_OF_THE_MOMENT = [
    *("CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP", "statement_timestamp()", "timeofday()"),
    *("'now'::text::date", "'tomorrow'::text::date", "'Yesterday'::text::date", "'TODAY'::text::date", "age(at)"),
    *("CURRENT_USER", "CURRENT_ROLE", "CURRENT_CATALOG", "CURRENT_SCHEMA", "SESSION_USER", "inet_client_addr()"),
    *("version()", "current_query()", "pg_backend_pid()", "current_database()", "gen_random_uuid()"),
    *("nextval('own.numbers')", "currval('own.numbers')", "lastval()", "mxid_age('1'::xid)"),
    *("to_regtype('text')", "has_table_privilege('own.quakes', 'SELECT')", "has_schema_privilege('own', 'USAGE')"),
    *("row_security_active('own.quakes')", "obj_description(1, 'pg_class')", "col_description(1, 1)"),
    *("shobj_description(1, 'pg_database')", "schema_to_xml('own', true, true, '')", "database_to_xml(true, true, '')"),
    *("table_to_xml('own.quakes', true, true, '')", "table_to_xml_and_xmlschema('own.quakes', true, true, '')"),
    *("(SELECT count(*) FROM information_schema.tables)", "(SELECT count(*) FROM pg_stat_activity)"),
    *("(SELECT count(*) FROM pg_attribute)", "(SELECT count(*) FROM pg_cast)", "pg_table_size('own.quakes')"),
]
_LASTING = ["'nowhere'", "'of now'", "'yesterdays'", "averaged", "date_part('day', at)"]


async def test_all_names_of_clock_session_and_catalogues_are_known(
    owner: asyncpg.Connection, introspection: Introspection
) -> None:
    columns = [*_OF_THE_MOMENT, *_LASTING]
    await owner.execute("ALTER TABLE own.quakes ADD COLUMN averaged real")
    for number, column in enumerate(columns):
        await owner.execute(f"CREATE VIEW own.made_{number} AS SELECT id, {column} AS made FROM own.quakes")  # noqa: S608 ours
    await owner.execute("CREATE VIEW own.sampled AS SELECT id FROM own.quakes TABLESAMPLE BERNOULLI (50)")
    found = await _found(introspection)
    counted = [column for number, column in enumerate(columns) if found[f"made_{number}"].sources]
    assert (counted, found["sampled"].sources) == (_LASTING, ())


async def test_whom_policies_hide_nothing_from_sees_a_table_as_it_is(
    owner: asyncpg.Connection, introspection: Introspection
) -> None:
    assert await owner.fetchval("SELECT relrowsecurity FROM pg_class WHERE oid = 'own.guarded'::regclass")
    assert (await _found(introspection))["guarded"].row_security is False


async def test_what_is_locked_is_what_it_was_unless_it_was_changed_before(
    owner: asyncpg.Connection, introspection: Introspection
) -> None:
    def told(found: Collection) -> tuple[object, ...]:
        return [column.name for column in found.columns], found.title, found.key, found.large_rows

    async def locked() -> tuple[object, ...]:
        async with owner.transaction():
            await owner.execute("LOCK TABLE own.quakes")
            # however often the catalogue is read during that time
            await introspection.collections()
            return told((await _found(introspection))["quakes"])

    before = told((await _found(introspection))["quakes"])
    assert before == (["id", "at", "magnitude"], "quakes", "id", False)
    # also how large its rows are, which cannot be looked at
    assert await locked() == before
    columns = ["id", "at", "magnitude"]
    for change, now in (
        ("COMMENT ON TABLE own.quakes IS 'Earthquakes'", (columns, "Earthquakes", "id")),
        ("ALTER TABLE own.quakes ADD COLUMN more real", ([*columns, "more"], "Earthquakes", "id")),
        # of whose columns all else stays as it was
        ("CREATE INDEX ON own.quakes (id)", ([*columns, "more"], "Earthquakes", "id")),
        ("ALTER TABLE own.quakes DROP CONSTRAINT quakes_pkey", ([*columns, "more"], "Earthquakes", None)),
    ):
        await owner.execute(change)
        assert (await locked())[:3] == now
        assert told((await _found(introspection))["quakes"])[:3] == now


async def test_nothing_that_is_locked_is_waited_for(
    owner: asyncpg.Connection, introspection: Introspection, database_url: str
) -> None:
    """Neither whether it fails, nor its key, its extent or its number of rows."""
    await owner.execute(
        "CREATE MATERIALIZED VIEW own.kept AS SELECT id, at FROM own.quakes; CREATE UNIQUE INDEX ON own.kept (id)"
    )
    before = await _found(introspection)
    assert before["kept"].key == "id"
    async with owner.transaction():
        await owner.execute("LOCK TABLE own.quakes; REFRESH MATERIALIZED VIEW own.kept")
        assert (await _found(introspection))["kept"] == before["kept"]
        # also if other things change during that time
        other = await asyncpg.connect(database_url)
        await other.execute(_LOWEST.replace("5", "7"))
        await other.close()
        assert (await _found(introspection))["called"] == before["called"]
        # nor for a relation that was not read before
        async with Database(PoolSettings(database_url, "test", size=1)) as database:
            fresh = await _found(Introspection(database, ("own",)))
    assert fresh.keys() == before.keys()
    # a lock on another relation does not matter
    assert set(fresh["guarded"].sources) == {fresh["guarded"].oid, fresh["allowed"].oid}
