"""Rows of few tables, whose tiles are made without a server: ids, places on the sphere, vertices that are NaN."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.pg.pool import Database, PoolSettings
from services.tiles.rendering.render import render
from services.tiles.request.plain_tile import plain_tile
from tests.conftest import MakeDatabase
from tests.services.tiles.places import Drawn, decoded


@pytest.fixture(scope="module")
async def database(make_database: MakeDatabase) -> AsyncIterator[Database]:
    url = await make_database()
    owner = await asyncpg.connect(url)
    await owner.execute(
        "CREATE TABLE around_nought AS SELECT n AS id, ST_SetSRID(ST_MakePoint(n, n), 4326) AS geom"
        " FROM generate_series(-1, 1) n;"
        # where the way along a parallel and the shorter way of a great circle are far apart
        "CREATE TABLE on_the_sphere AS SELECT n AS id, ST_SetSRID(ST_MakePoint(22.5, 41 + n / 10.0), 4326)::geography"
        " AS geom FROM generate_series(1, 255) n;"
        "CREATE TABLE corners AS SELECT n AS id, ST_SetSRID(ST_MakeLine(ARRAY[ST_MakePoint(1, 1),"
        " ST_MakePoint(CASE n WHEN 2 THEN float8 'NaN' ELSE 3 END, 50), ST_MakePoint(5, 5)]), 4326) AS geom"
        " FROM generate_series(1, 3) n"
    )
    await owner.close()
    async with Database(PoolSettings(url, "render-test", size=1)) as database:
        yield database


async def _tile(
    database: Database, column: GeometryColumn, table: str, place: str = "WebMercatorQuad/0/0/0"
) -> list[Drawn]:
    collection = Collection(
        id=table,
        schema="public",
        name=table,
        oid=1,
        kind="table",
        title="T",
        description=None,
        columns=(Column("id", "integer", "integer", not_null=True),),
        geometries=(column,),
        key="id",
        sources=(1,),
    )
    tms, z, x, y = place.split("/")
    request = plain_tile(collection, tile_matrix_set(tms), int(z), int(x), int(y), 1000)
    # with no time to search, a row that cannot be drawn is an error
    tile = await render(database, request, 1_000_000, search_seconds=0)
    return decoded(tile.encoded, table)


async def test_a_negative_number_is_no_id_and_stays_a_property(database: Database) -> None:
    found = await _tile(database, GeometryColumn("geom", "Point", 4326), "around_nought")
    assert sorted((feature.properties.get("id", feature.id), len(feature.properties)) for feature in found) == [
        (-1, 1),
        (0, 0),
        (1, 0),
    ]


async def test_what_lies_at_the_edge_of_a_wide_tile_is_found_on_the_sphere(database: Database) -> None:
    column = GeometryColumn("geom", "Point", 4326, is_geography=True)
    found = await _tile(database, column, "on_the_sphere", "WebMercatorQuad/3/4/2")
    assert {feature.id for feature in found} == set(range(1, 256))


@pytest.mark.parametrize("place", ["WebMercatorQuad/0/0/0", "UTM31WGS84Quad/1/0/0"])
async def test_corners_that_are_no_numbers_do_not_fail_a_tile(database: Database, place: str) -> None:
    found = await _tile(database, GeometryColumn("geom", "LineString", 4326), "corners", place)
    assert {feature.id for feature in found} >= {1, 3}
