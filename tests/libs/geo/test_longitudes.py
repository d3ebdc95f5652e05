"""Boxes cut areas with many vertices; no part is lost, and no part is in two places."""

from __future__ import annotations

import math

import asyncpg
import pytest
import shapely
from shapely.affinity import translate

from libs.geo.longitudes import WEB_MERCATOR, width_of_world, wrap_longitude, wrap_shape
from libs.pg.sql import bind, ident, sql
from tests.conftest import MakeDatabase

_CORNERS = 4000
_TURNS = ((1,), (-1,), (-1, 1))


@pytest.mark.parametrize("srid", [4326, WEB_MERCATOR])
async def test_an_area_of_many_corners_keeps_all_of_itself(make_database: MakeDatabase, srid: int) -> None:
    width = width_of_world(srid)
    connection = await asyncpg.connect(await make_database())
    try:
        for turns in _TURNS:
            for turn in turns:
                area = shapely.Point(turn * width / 2 + width / 100, 0).buffer(width / 20, quad_segs=_CORNERS // 4)
                shape = sql("ST_GeomFromWKB({wkb}, {srid})", wkb=bind(area.wkb, "bytea"), srid=bind(srid, "int4"))
                text, args = sql("SELECT ST_AsBinary({g})", g=wrap_shape(shape, turns, srid=srid)).render()
                found = shapely.from_wkb(await connection.fetchval(text, *args))
                world = shapely.box(-width / 2, -width, width / 2, width)
                expected = shapely.union_all([translate(area, by * width) & world for by in (-1, 0, 1)])
                assert [part.is_empty for part in found.geoms] == [False, False]
                assert shapely.symmetric_difference(found, expected).area < 1e-9 * area.area, (turns, turn)
    finally:
        await connection.close()


@pytest.mark.parametrize("srid", [4326, WEB_MERCATOR])
async def test_an_area_that_is_wider_than_the_world_does_not_lie_over_itself(
    make_database: MakeDatabase, srid: int
) -> None:
    width = width_of_world(srid)
    connection = await asyncpg.connect(await make_database())
    try:
        for west, east in ((-0.8, 0.6), (-0.6, 0.7), (-0.6, 0.3)):
            area = shapely.box(west * width, -0.1 * width, east * width, 0.1 * width)
            shape = sql("ST_GeomFromWKB({wkb}, {srid})", wkb=bind(area.wkb, "bytea"), srid=bind(srid, "int4"))
            text, args = sql("SELECT ST_AsBinary({g})", g=wrap_shape(shape, (-1, 1), srid=srid)).render()
            found = shapely.from_wkb(await connection.fetchval(text, *args))
            assert found.is_valid
            assert found.bounds[0] >= -width / 2 - 1e-6
            assert found.area == pytest.approx(min(east - west, 1) * 0.2 * width * width)
    finally:
        await connection.close()


@pytest.mark.parametrize("srid", [4326, WEB_MERCATOR])
async def test_a_place_within_one_turn_comes_back_and_one_further_out_stays(
    make_database: MakeDatabase, srid: int
) -> None:
    degree = width_of_world(srid) / 360
    connection = await asyncpg.connect(await make_database())
    try:
        for beyond, within in ((10, 10), (190, -170), (530, 170), (-190, 170), (-530, -170), (550, 550), (-550, -550)):
            shape = sql("ST_Point({x}, 0, {srid})", x=bind(beyond * degree, "float8"), srid=bind(srid, "int4"))
            text, args = sql("SELECT ST_X({g})", g=wrap_shape(shape, (-1, 1), is_point=True, srid=srid)).render()
            assert await connection.fetchval(text, *args) == pytest.approx(within * degree), beyond
    finally:
        await connection.close()


async def test_a_jagged_area_of_very_many_corners_is_cut_in_time(make_database: MakeDatabase) -> None:
    """GEOS would take minutes."""
    connection = await asyncpg.connect(await make_database(), command_timeout=30)
    try:
        cut, _ = sql("SELECT {cut} FROM jagged", cut=wrap_shape(ident("geom"), (1,))).render()
        await connection.execute(
            "CREATE TABLE jagged AS SELECT ST_MakePolygon(ST_AddPoint(line, ST_StartPoint(line))) AS geom FROM"
            " (SELECT ST_SetSRID(ST_MakeLine(ST_MakePoint(180 + r * cos(n), r * sin(n)) ORDER BY n), 4326) AS line FROM"
            " (SELECT n * 2 * pi() / 2e5 AS n, 3 + (hashint4(n) & 65535) / 65535.0 AS r"
            " FROM generate_series(0, 199999) n) AS corners) AS rings"
        )
        parts, corners = await connection.fetchrow(
            f"SELECT ST_NumGeometries(cut.g), ST_NPoints(cut.g) FROM ({cut}) AS cut(g)"  # noqa: S608
        )
        assert parts > 1
        assert corners > 200_000
    finally:
        await connection.close()


def test_a_turn_in_web_mercator_is_the_circumference_at_the_equator() -> None:
    # 2 π times the radius of the sphere of EPSG:3857
    assert width_of_world(WEB_MERCATOR) == pytest.approx(2 * math.pi * 6_378_137.0)
    assert width_of_world(4326) == width_of_world(None) == 360.0


@pytest.mark.parametrize(
    ("beyond", "within"), [(0.0, 0.0), (190.0, -170.0), (-190.0, 170.0), (180.0, -180.0), (540.5, -179.5)]
)
def test_a_longitude_is_turned_back(beyond: float, within: float) -> None:
    assert wrap_longitude(beyond) == within
