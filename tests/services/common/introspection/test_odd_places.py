"""Extents of tables and views with rows whose geometry is not finite or not usable."""

from __future__ import annotations

from dataclasses import replace

import asyncpg
import pytest

from libs.pg.pool import Database, PoolSettings
from services.common.introspection.extents import Extents
from services.common.introspection.introspect import Introspection
from services.common.introspection.view_extents import ViewExtents
from tests.services.common.introspection.asking import UNHURRIED

_NAN = "ST_SetSRID(ST_MakePoint('NaN', 'NaN'), 4326)"


@pytest.mark.parametrize("index", ["", "CREATE INDEX ON own.odd USING gist (geom);"])
@pytest.mark.parametrize("kind", ["TABLE", "VIEW"])
@pytest.mark.parametrize("odd", ["NaN", "Infinity", "-Infinity", "1e12"])
async def test_coordinates_that_are_no_place_cost_no_extent(database_url: str, odd: str, kind: str, index: str) -> None:
    owner = await asyncpg.connect(database_url)
    await owner.execute(
        "CREATE SCHEMA own; CREATE SCHEMA shown; CREATE TABLE own.odd (geom geometry(Point, 4326));"  # noqa: S608 ours
        "INSERT INTO own.odd SELECT ST_SetSRID(ST_Point(n, n), 4326) FROM generate_series(1, 10) n;"
        f"INSERT INTO own.odd VALUES (ST_SetSRID(ST_Point('{odd}', '{odd}'), 4326)), ('SRID=4326;POINT(12 12)');"
        f"{index} ANALYZE own.odd; CREATE VIEW shown.odd AS SELECT geom FROM own.odd"
    )
    await owner.close()
    async with Database(PoolSettings(database_url, "test")) as database:
        schema = "own" if kind == "TABLE" else "shown"
        (found,) = await Introspection(database, (schema,)).collections()
        # it is counted among the geometries that are left out
        assert (found.geometries[0].bbox, found.geometries[0].partial) == ((1, 1, 12, 12), True)


@pytest.mark.parametrize(
    ("far", "srid"), [(1e12, 5070), (3e7, 5070), (1.7e7, 5070), (1e8, 32633), (1e12, 3857), (5e8, 3035)]
)
async def test_a_far_point_of_a_projected_crs_costs_no_extent(database_url: str, far: float, srid: int) -> None:
    place = {5070: (-100, 40), 32633: (15, 50), 3857: (15, 50), 3035: (10, 50)}[srid]
    owner = await asyncpg.connect(database_url)
    await owner.execute(
        f"CREATE SCHEMA own; CREATE TABLE own.far (geom geometry(Point, {srid}));"  # noqa: S608 ours
        f"INSERT INTO own.far SELECT ST_Transform(ST_SetSRID(ST_Point({place[0]} + n, {place[1]} + n), 4326), {srid})"
        f" FROM generate_series(0, 5) n; INSERT INTO own.far VALUES ('SRID={srid};POINT({far} {far})');"
        "CREATE VIEW own.seen AS SELECT geom FROM own.far"
    )
    await owner.close()
    async with Database(PoolSettings(database_url, "test")) as database:
        found = await Introspection(database, ("own",)).collections()
        for each in found:
            box = each.geometries[0].bbox
            assert box is not None, each.id
            west, south, east, north = box
            assert west <= place[0] <= place[0] + 5 <= east, each.id
            assert south <= place[1] <= place[1] + 5 <= north, each.id
            # what is given bounds it, as far as edges are bent
            assert east - west < 8, each.id
            assert north - south < 8, each.id


async def test_an_index_tells_the_extent_of_many_rows_beside_no_place(database_url: str) -> None:
    owner = await asyncpg.connect(database_url)
    await owner.execute(
        "CREATE SCHEMA kept;"  # noqa: S608 ours
        "CREATE TABLE kept.many AS SELECT n, ST_SetSRID(ST_MakePoint(n % 170 - 85, n % 80 - 40), 4326)"
        f"::geometry(Point, 4326) AS geom FROM generate_series(1, 3000) n; INSERT INTO kept.many VALUES (0, {_NAN});"
        "CREATE INDEX ON kept.many USING gist (geom); ANALYZE kept.many"
    )
    version = await owner.fetchval("SELECT string_to_array(postgis_lib_version(), '.')::int[]")
    await owner.close()
    async with Database(PoolSettings(database_url, "test")) as database:
        extents = Extents(database)
        found = await extents.fill_in(await Introspection(database, ("kept",)).collections())
        (table,) = (collection for collection in found if collection.name == "many")
        bare = replace(table.geometries[0], bbox=None)
        large = replace(table, geometries=(bare,), rows=10_000_000, row_bytes=1000)
        (exact,) = await ViewExtents(database, **UNHURRIED).fill_in((large,), extents.states)
        # PostGIS 3.5 finds places that are not numbers in every box
        assert (exact.geometries[0].bbox, exact.geometries[0].partial) == ((-85, -40, 84, 39), version < [3, 5])
