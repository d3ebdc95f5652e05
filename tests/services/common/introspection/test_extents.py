"""Extents of tables: from indexes and statistics, as far as they may be read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date, timedelta

import asyncpg
import pytest

from deploy.database.apply import apply_schema, ensure_reader
from libs.catalogue.model import TimeColumn
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import Sql
from services.common.introspection.extents import Extents
from services.common.introspection.introspect import Introspection
from services.common.introspection.row_counts import RowCounts
from services.common.introspection.view_extents import ViewExtents
from tests.conftest import MakeDatabase
from tests.eventually import eventually
from tests.services.common.introspection.asking import UNHURRIED
from tests.services.conftest import PASSWORD, READER, reader_url

_SCHEMA = """
CREATE SCHEMA kept;
-- larger than what is read by rows
CREATE TABLE kept.moments (id integer PRIMARY KEY, at timestamptz, padding text);
ALTER TABLE kept.moments ALTER padding SET STORAGE EXTERNAL;
INSERT INTO kept.moments SELECT n, '2020-01-01Z'::timestamptz + n * interval '1 day', repeat('x', 1000000)
FROM generate_series(0, 9) n;
ANALYZE kept.moments;
"""


@pytest.fixture
async def owner(make_database: MakeDatabase) -> AsyncIterator[tuple[asyncpg.Connection, str]]:
    """The owner's connection to a database with a table whose times no index leads to, and its reader's address."""
    url = await make_database()
    connection = await asyncpg.connect(url)
    await apply_schema(connection)
    await connection.execute(_SCHEMA)
    await ensure_reader(connection, READER, PASSWORD)
    await connection.execute(
        f"GRANT USAGE ON SCHEMA kept TO {READER}; GRANT SELECT ON ALL TABLES IN SCHEMA kept TO {READER}"
    )
    yield connection, reader_url(url)
    await connection.close()


async def _times(database: Database) -> TimeColumn:
    (collection,) = await Extents(database).fill_in(await Introspection(database, ("kept",)).collections())
    (column,) = collection.times
    return column


async def test_statistics_that_may_not_be_read_cost_no_more_than_what_they_tell(
    owner: tuple[asyncpg.Connection, str],
) -> None:
    async with Database(PoolSettings(owner[1], "test")) as database:
        known = await _times(database)
        assert (known.start, known.end) == ("2020-01-01T00:00:00Z", "2020-01-10T00:00:00Z")
        await owner[0].execute("REVOKE SELECT ON pg_catalog.pg_stats FROM PUBLIC")
        unknown = await _times(database)
        assert (unknown.name, unknown.start, unknown.end) == ("at", None, None)


async def test_statistics_count_rows_without_time_and_usable_ends(
    owner: tuple[asyncpg.Connection, str],
) -> None:
    found = []
    async with Database(PoolSettings(owner[1], "test")) as database:
        for more in ("(10, NULL)", "(11, 'infinity')", "(12, '0044-03-15 BC')"):
            await owner[0].execute(f"INSERT INTO kept.moments VALUES {more}; ANALYZE kept.moments")  # noqa: S608 ours
            known = await _times(database)
            found.append((known.start, known.end, known.nulls))
    first, last = "2020-01-01T00:00:00Z", "2020-01-10T00:00:00Z"
    # an infinite time, or one before our era, is an open end
    assert found == [(first, last, True), (first, None, True), (None, None, True)]


class Backwards(Database):
    """Returns rows without an order in another one."""

    async def fetch(self, statement: Sql) -> list[asyncpg.Record]:
        return (await super().fetch(statement))[::-1]


async def test_of_a_table_and_its_children_all_statistics_tell_in_whatever_order(
    owner: tuple[asyncpg.Connection, str],
) -> None:
    await owner[0].execute(
        "CREATE TABLE kept.later (geom geometry) INHERITS (kept.moments);"
        "INSERT INTO kept.later VALUES (10, NULL), (11, '2021-01-01Z'), (12, '2019-01-01Z'); ANALYZE kept.moments"
    )
    for of in (Database, Backwards):
        async with of(PoolSettings(owner[1], "test")) as database:
            known = await _times(database)
        assert (known.start, known.end) == ("2019-01-01T00:00:00Z", "2021-01-01T00:00:00Z")
        assert known.nulls


async def test_a_table_is_as_large_as_its_children(owner: tuple[asyncpg.Connection, str]) -> None:
    await owner[0].execute(
        "CREATE TABLE kept.parent (id integer, at timestamptz, padding text);"
        f"ALTER TABLE kept.moments INHERIT kept.parent; GRANT SELECT ON kept.parent TO {READER}"
    )
    async with Database(PoolSettings(owner[1], "test")) as database:
        collections = await Extents(database).fill_in(await Introspection(database, ("kept",)).collections())
        # no index gives the ends, there are no statistics for both columns, and reading the table would take too much
        assert [(entry.name, entry.times[0].start is None) for entry in collections] == [
            ("moments", False),
            ("parent", True),
        ]


async def test_each_column_has_an_extent_of_its_own(owner: tuple[asyncpg.Connection, str]) -> None:
    await owner[0].execute(
        "CREATE TABLE kept.empty (at date, geom geometry(Point, 4326));"
        "CREATE TABLE kept.one AS SELECT date '2020-01-01' AS at, date '2020-02-01' AS until,"
        " ST_Point(1, 2, 4326) AS geom, ST_Point(3, 4, 4326) AS place;"
        "CREATE TABLE kept.two AS SELECT date '2021-01-01' AS at, ST_Point(5, 6, 4326) AS geom;"
        f"GRANT SELECT ON kept.empty, kept.one, kept.two TO {READER}"
    )
    async with Database(PoolSettings(owner[1], "test")) as database:
        # alone: a column without one is read in other ways too
        collections = await Extents(database).fill_in(await Introspection(database, ("kept",)).collections())
    assert {entry.name: [geometry.bbox for geometry in entry.geometries] for entry in collections} == {
        "moments": [],
        "empty": [None],
        "one": [(1, 2, 1, 2), (3, 4, 3, 4)],
        "two": [(5, 6, 5, 6)],
    }
    assert {entry.name: [(time.start or "")[:7] for time in entry.times] for entry in collections} == {
        "moments": ["2020-01"],
        "empty": [""],
        "one": ["2020-01", "2020-02"],
        "two": ["2021-01"],
    }


async def test_of_many_tables_each_has_its_own_extent_and_number(database_url: str) -> None:
    """There are more than twice as many tables as one statement reads."""
    owner = await asyncpg.connect(database_url)
    await owner.execute(
        "CREATE SCHEMA kept; DO $$ BEGIN FOR n IN 1..120 LOOP EXECUTE format("
        "'CREATE TABLE kept.t%s AS SELECT ST_Point(%s, 1, 4326)::geometry(Point, 4326) AS geom,"
        " date ''2020-01-01'' + %s AS at FROM generate_series(1, %s)', n, n, n, n); END LOOP; END $$"
    )
    await owner.close()
    async with Database(PoolSettings(database_url, "test")) as database:
        found = await Introspection(database, ("kept",)).collections()
        counted = await RowCounts(database, **UNHURRIED).fill_in(found, dict.fromkeys((each.id for each in found), 1))
        # without the tables whose rows are read anyway
        assert await Extents(database).fill_in(bare := tuple(replace(each, item_count=None) for each in found)) == bare
    numbers = [int(each.name.removeprefix("t")) for each in found]
    assert sorted(numbers) == [*range(1, 121)]
    assert [each.geometries[0].bbox for each in found] == [(number, 1, number, 1) for number in numbers]
    days = [(date(2020, 1, 1) + timedelta(number)).isoformat() for number in numbers]
    assert [(each.times[0].start, each.times[0].end) for each in found] == [(f"{day}T00:00:00Z",) * 2 for day in days]
    assert [each.item_count for each in counted] == numbers


async def test_a_table_that_cannot_be_read_costs_only_its_own_extent(database_url: str) -> None:
    owner = await asyncpg.connect(database_url)
    await owner.execute(
        "INSERT INTO spatial_ref_sys VALUES (990001, 'x', 1, 'no reference system', '+proj=none'); CREATE SCHEMA kept;"
        "CREATE TABLE kept.one AS SELECT ST_Point(1, 2, 4326)::geometry(Point, 4326) AS geom;"
        "CREATE TABLE kept.odd AS SELECT ST_Point(1, 2, 990001)::geometry(Point, 990001) AS geom"
    )
    await owner.close()
    async with Database(PoolSettings(database_url, "test")) as database:
        extents = Extents(database)
        odd, one = await extents.fill_in(await Introspection(database, ("kept",)).collections())
    assert (odd.geometries[0].bbox, one.geometries[0].bbox) == (None, (1, 2, 1, 2))


async def test_small_table_is_read_before_analyse_and_after_deletion(
    database_url: str,
) -> None:
    owner = await asyncpg.connect(database_url)
    await owner.execute(
        "CREATE SCHEMA kept;"
        "CREATE TABLE kept.fresh (id int, at date, until date, geom geometry(Point, 3857), place geography);"
        "CREATE INDEX ON kept.fresh USING gist (geom); CREATE TABLE kept.parts (geom geometry(Point, 4326), n int)"
        " PARTITION BY LIST (n); CREATE TABLE kept.part PARTITION OF kept.parts DEFAULT;"
        "INSERT INTO kept.parts VALUES ('SRID=4326;POINT(1 2)', 1), ('SRID=4326;POINT(3 4)', 2);"
        "INSERT INTO kept.fresh SELECT n, '2020-01-01'::date + n, NULL,"
        " ST_Transform(ST_SetSRID(ST_MakePoint(n, n), 4326), 3857), ST_MakePoint(n, 0) FROM generate_series(1, 50) n"
    )
    async with Database(PoolSettings(database_url, "test")) as database:
        introspection = Introspection(database, ("kept",))

        async def boxes(name: str) -> list[list[float]]:
            found = {entry.name: entry for entry in await introspection.collections()}
            return [[round(edge, 3) for edge in geometry.bbox or ()] for geometry in found[name].geometries]

        assert await boxes("fresh") == [[1, 1, 50, 50], [1, 0, 50, 0]]
        assert await boxes("parts") == [[1, 2, 3, 4]]
        fresh = next(entry for entry in await introspection.collections() if entry.name == "fresh")
        assert [(time.start, time.end, time.nulls) for time in fresh.times] == [
            ("2020-01-02T00:00:00Z", "2020-02-20T00:00:00Z", False),
            (None, None, True),
        ]
        await owner.execute(
            "ANALYZE kept.fresh; DELETE FROM kept.fresh WHERE id > 7; SELECT pg_stat_force_next_flush()"
        )
        await owner.execute("SELECT 1")

        async def shrunk() -> None:
            assert await boxes("fresh") == [[1, 1, 7, 7], [1, 0, 7, 0]]

        await eventually(shrunk)
    await owner.close()


async def test_rows_of_a_larger_table_tell_where_they_are_read_in_time(owner: tuple[asyncpg.Connection, str]) -> None:
    await owner[0].execute(
        "ALTER TABLE kept.moments ADD geom geometry(Point, 4326), ADD place geography;"
        "UPDATE kept.moments SET geom = ST_SetSRID(ST_MakePoint(id, id), 4326), place = ST_MakePoint(id, 0);"
        "ANALYZE kept.moments; DELETE FROM kept.moments WHERE id > 4"
    )
    async with Database(PoolSettings(owner[1], "test")) as database:
        extents = Extents(database)
        (found,) = await Introspection(database, ("kept",)).collections()
        (estimated,) = await extents.fill_in((found,))
        assert estimated.geometries[0].bbox is not None
        assert estimated.geometries[0].bbox[2] > 8
        assert estimated.geometries[1].bbox is None
        (exact,) = await ViewExtents(database).fill_in((estimated,), extents.states)
        assert [geometry.bbox for geometry in exact.geometries] == [(0, 0, 4, 4), (0, 0, 4, 0)]
        # a column that takes too long keeps its estimate
        (kept,) = await ViewExtents(database, round_seconds=-1).fill_in((estimated,), extents.states)
        assert kept == estimated


@pytest.mark.parametrize(
    ("periods", "start", "end", "nulls"),
    [
        (["[2020-01-02Z,2020-01-03Z)", "[2020-01-01Z,2020-01-02Z)"], "2020-01-01", "2020-01-03", False),
        (["(,2020-01-05Z)", "[2020-01-02Z,2020-01-03Z)"], None, "2020-01-05", False),
        (["[2020-01-02Z,)", "[2020-01-01Z,2020-01-03Z)"], "2020-01-01", None, False),
        (["[2020-01-02Z,infinity)", "[-infinity,2020-01-03Z)"], None, None, False),
        # that one is at no time
        (["[2020-01-02Z,2020-01-03Z)", "empty"], "2020-01-02", "2020-01-03", True),
    ],
)
async def test_periods_reach_from_the_first_start_to_the_last_end(
    database_url: str, periods: list[str], start: str | None, end: str | None, nulls: bool
) -> None:
    owner = await asyncpg.connect(database_url)
    await owner.execute("CREATE SCHEMA kept; CREATE TABLE kept.periods (at tstzrange)")
    await owner.execute("INSERT INTO kept.periods SELECT unnest($1::text[])::tstzrange", periods)
    await owner.close()
    async with Database(PoolSettings(database_url, "test")) as database:
        extents = Extents(database)
        tables = await extents.fill_in(await Introspection(database, ("kept",)).collections())
        ((found,),) = [table.times for table in await ViewExtents(database).fill_in(tables, extents.states)]
    assert (found.start, found.end) == tuple(moment and f"{moment}T00:00:00Z" for moment in (start, end))
    assert found.nulls is nulls


@pytest.mark.parametrize("srid", [4326, 3857])
async def test_an_index_tells_where_the_rows_of_a_very_large_table_are(
    owner: tuple[asyncpg.Connection, str], srid: int
) -> None:
    """After a deletion, too, of which neither the index itself nor statistics tell."""
    await owner[0].execute(
        "CREATE TABLE kept.many AS SELECT n, ST_Transform(ST_SetSRID("  # noqa: S608 ours
        "ST_MakePoint(n % 170 - 85, n % 80 - 40), 4326),"
        f" {srid})::geometry(Point, {srid}) AS geom FROM generate_series(1, 3000) n;"
        f"INSERT INTO kept.many VALUES (0, NULL), (0, ST_GeomFromText('POINT EMPTY', {srid}));"
        f"CREATE INDEX ON kept.many USING gist (geom); ANALYZE kept.many; DELETE FROM kept.many WHERE n % 170 > 100;"
        f"GRANT SELECT ON kept.many TO {READER}"
    )
    async with Database(PoolSettings(owner[1], "test")) as database:
        extents = Extents(database)
        found = await extents.fill_in(await Introspection(database, ("kept",)).collections())
        (table,) = (collection for collection in found if collection.name == "many")
        far = replace(table.geometries[0], bbox=(-85.0, -40.0, 84.0, 39.0))
        large = replace(table, geometries=(far,), rows=10_000_000, row_bytes=1000)
        (exact,) = await ViewExtents(database).fill_in((large,), extents.states)
        assert exact.geometries[0].bbox == pytest.approx((-85, -40, 15, 39), abs=1e-4)
        await owner[0].execute("DROP INDEX kept.many_geom_idx")
        (kept,) = await ViewExtents(database).fill_in((large,), extents.states)
        assert kept.geometries[0].bbox == far.bbox


async def test_extents_of_rows_that_are_hidden_come_from_no_estimate(owner: tuple[asyncpg.Connection, str]) -> None:
    await owner[0].execute(
        "CREATE TABLE kept.secrets AS SELECT n, ST_SetSRID("  # noqa: S608 ours
        "ST_MakePoint(n, n), 4326)::geometry(Point, 4326) AS geom,"
        " repeat(md5(n::text), 50) AS padding FROM generate_series(1, 80) n;"
        "ALTER TABLE kept.secrets ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON kept.secrets USING (n < 3);"
        "CREATE INDEX ON kept.secrets USING gist (geom); ANALYZE kept.secrets;"
        f"GRANT SELECT ON kept.secrets TO {READER}"
    )
    async with Database(PoolSettings(owner[1], "test")) as database:
        found = await Introspection(database, ("kept",)).collections()
        table = next(collection for collection in found if collection.name == "secrets")
        assert table.row_security
        assert list(table.geometries[0].bbox or ()) == [1, 1, 2, 2]
        bare = replace(table, geometries=tuple(replace(each, bbox=None) for each in table.geometries))
        (estimated,) = await Extents(database).fill_in((bare,))
        assert not estimated.geometries[0].bbox


async def test_partitions_that_may_not_be_looked_at_leave_the_extent_unknown(
    owner: tuple[asyncpg.Connection, str],
) -> None:
    await owner[0].execute(
        "CREATE TABLE kept.parts (n integer, geom geometry(Point, 4326), padding text) PARTITION BY LIST (n);"  # noqa: S608 ours
        "ALTER TABLE kept.parts ALTER padding SET STORAGE EXTERNAL;"
        "CREATE TABLE kept.part_1 PARTITION OF kept.parts FOR VALUES IN (1);"
        "CREATE TABLE kept.part_2 PARTITION OF kept.parts FOR VALUES IN (2);"
        "INSERT INTO kept.parts SELECT 1 + n % 2, ST_SetSRID(ST_MakePoint(n, n), 4326), repeat('x', 1000000)"
        " FROM generate_series(1, 10) n; ANALYZE kept.parts; DELETE FROM kept.parts WHERE ST_X(geom) > 8;"
        f"GRANT SELECT ON kept.parts, kept.part_1, kept.part_2 TO {READER}"
    )
    async with Database(PoolSettings(owner[1], "test")) as database:

        async def box() -> tuple[float, ...] | None:
            found = await Introspection(database, ("kept",)).collections()
            bare = next(each for each in found if each.name == "parts")
            (parts,) = await Extents(database).fill_in((bare,))
            return parts.geometries[0].bbox

        # of both, from their statistics, of which a deletion takes nothing
        assert await box() == pytest.approx((1, 1, 10, 10), abs=0.2)
        await owner[0].execute(f"REVOKE SELECT ON kept.part_2 FROM {READER}")  # noqa: S608
        assert await box() is None


async def test_extents_are_read_anew_where_rows_or_statistics_may_have_changed(
    owner: tuple[asyncpg.Connection, str],
) -> None:
    class Asking(Database):
        """Counts the boxes that are read from it."""

        times = 0

        async def fetch(self, statement: Sql) -> list[asyncpg.Record]:
            self.times += "ST_XMin" in statement.render()[0]
            return await super().fetch(statement)

    # all that was written before is counted
    await owner[0].execute(
        "ALTER TABLE kept.moments ADD COLUMN geom geometry(Point, 4326); SELECT pg_stat_force_next_flush()"
    )
    async with Asking(PoolSettings(owner[1], "test")) as database:
        (found,) = await Introspection(database, ("kept",)).collections()
        bare = (replace(found, times=tuple(replace(each, start=None, end=None) for each in found.times)),)
        trusting, wary = Extents(database), Extents(database, trusted_seconds=0)

        async def asked(extents: Extents, locked: str = "") -> int:
            database.times = 0
            before = await extents.fill_in(bare, {locked})
            assert (await extents.fill_in(bare, {locked}))[0] is before[0] or extents is wary
            return database.times

        assert [await asked(trusting), await asked(trusting), await asked(wary)] == [1, 0, 2]
        # new statistics are another state, and a locked collection keeps its extent
        known, before = await trusting.fill_in(bare), wary.states
        assert known[0].times[0].start is not None
        await owner[0].execute("ANALYZE kept.moments; SELECT pg_stat_force_next_flush()")

        async def noticed() -> None:
            await wary.fill_in(bare)
            assert wary.states != before

        await eventually(noticed)
        assert await asked(trusting, locked=bare[0].id) == 0
        assert await trusting.fill_in(bare, {bare[0].id}) == known
        assert [await asked(trusting), await asked(trusting)] == [1, 0]
        # with another shape it is another collection, which stays unknown while it is locked
        unread = replace(bare[0], shape="locked")
        (locked,) = await trusting.fill_in((unread,), {unread.id})
        assert locked.times[0].start is None
        database.times = 0
        await trusting.fill_in((replace(bare[0], shape="another"),))
        assert database.times == 1
        assert await asked(Extents(database), locked=bare[0].id) == 0
