from __future__ import annotations

import asyncpg
import shapely

from libs.geo.short_ways import shift_crossing, short_way
from libs.pg.sql import bind, sql
from tests.conftest import MakeDatabase

# the stored geometry, the drawn one, the longitudes of its box
WAYS = [
    ("LINESTRING(170 10, -170 20)", "MULTILINESTRING((170 10, 180 15), (-180 15, -170 20))", (170, 190)),
    ("LINESTRING(-170 20, 170 10)", "MULTILINESTRING((-170 20, -180 15), (180 15, 170 10))", (170, 190)),
    # there and back, with heights
    (
        "LINESTRING Z(170 0 1, -170 0 3, -170 5 4, 160 5 7)",
        "MULTILINESTRING Z((170 0 1, 180 0 2), (-180 0 2, -170 0 3, -170 5 4, -180 5 5), (180 5 5, 160 5 7))",
        (160, 190),
    ),
    # around the Earth more than once
    (
        "LINESTRING(100 0, -140 0, -20 0, 100 20, -140 20, -20 20)",
        "MULTILINESTRING((100 0, 180 0), (-180 0, -140 0, -20 0, 100 20, 180 20), (-180 20, -140 20, -20 20))",
        (-180, 180),
    ),
    # ends that lie on it, told from the other side
    ("LINESTRING(170 0, -180 0)", "LINESTRING(170 0, 180 0)", (170, 180)),
    ("LINESTRING(170 0, 180 0, -170 0)", "MULTILINESTRING((170 0, 180 0), (-180 0, -170 0))", (170, 190)),
    (
        "POLYGON((178 -19, -178 -19, -178 -16, 178 -16, 178 -19))",
        "MULTIPOLYGON(((178 -19, 180 -19, 180 -16, 178 -16, 178 -19)),"
        " ((-180 -19, -178 -19, -178 -16, -180 -16, -180 -19)))",
        (178, 182),
    ),
    # a hole on both sides, another one at the end of the ring
    (
        "POLYGON((170 -20, -170 -20, -170 20, 170 20, 170 -20),"
        " (175 -10, 175 10, -175 10, -175 -10, 175 -10), (-173 12, -172 12, -172 13, -173 12))",
        "MULTIPOLYGON(((170 -20, 180 -20, 180 -10, 175 -10, 175 10, 180 10, 180 20, 170 20, 170 -20)),"
        " ((-180 -20, -170 -20, -170 20, -180 20, -180 10, -175 10, -175 -10, -180 -10, -180 -20),"
        " (-173 12, -172 12, -172 13, -173 12)))",
        (170, 190),
    ),
    # around the poles; a ring around one within
    (
        "POLYGON((0 70, 90 70, 180 70, -90 70, 0 70))",
        "POLYGON((-180 70, 180 70, 180 90, -180 90, -180 70))",
        (-180, 180),
    ),
    (
        "POLYGON((0 -70, 90 -70, 180 -70, -90 -70, 0 -70))",
        "POLYGON((-180 -90, 180 -90, 180 -70, -180 -70, -180 -90))",
        (-180, 180),
    ),
    (
        "POLYGON((0 60, 90 60, 180 60, -90 60, 0 60), (10 80, -80 80, -170 80, 100 80, 10 80))",
        "POLYGON((-180 60, 180 60, 180 80, -180 80, -180 60))",
        (-180, 180),
    ),
    (
        "GEOMETRYCOLLECTION(POINT(1 1), LINESTRING(170 10, -170 20))",
        "GEOMETRYCOLLECTION(POINT(1 1), MULTILINESTRING((170 10, 180 15), (-180 15, -170 20)))",
        (1, 190),
    ),
    # nothing crosses: wide, on both sides, half around, a seam that the author drew, nothing at all
    ("LINESTRING(-100 0, 0 0, 100 0)", None, (-100, 100)),
    ("MULTIPOLYGON(((170 0, 180 0, 180 1, 170 0)), ((-180 0, -170 0, -180 1, -180 0)))", None, (-180, 180)),
    ("LINESTRING(-90 0, 90 0)", None, (-90, 90)),
    ("POLYGON((-180 -90, 180 -90, 180 -60, -180 -60, -180 -90))", None, (-180, 180)),
    ("LINESTRING EMPTY", None, None),
]


async def test_edges_take_the_short_way(make_database: MakeDatabase) -> None:
    connection = await asyncpg.connect(await make_database())
    try:
        for stored, drawn, longitudes in WAYS:
            shape = sql("{text}::geography::geometry", text=bind(stored, "text"))
            text, args = sql(
                "SELECT ST_AsText(way), ST_SRID(way), ST_XMin(box), ST_XMax(box)"
                " FROM (SELECT {way} AS way, {box} AS box) AS ways",
                way=short_way(shape),
                box=shift_crossing(shape),
            ).render()
            found, srid, west, east = await connection.fetchrow(text, *args)
            way, expected = shapely.from_wkt(found), shapely.from_wkt(drawn or stored)
            assert srid == 4326
            assert (way.geom_type, way.has_z) == (expected.geom_type, expected.has_z), stored
            assert shapely.is_valid(way), stored
            if way.geom_type == "GeometryCollection" or drawn is None or way.has_z:
                assert shapely.equals_exact(way, expected, 1e-9), (stored, found)
            else:
                assert shapely.equals(way, expected), (stored, found)
            assert (west, east) == (longitudes or (None, None)), stored
    finally:
        await connection.close()
