"""Stored geometries in longitude and latitude, and as simple features, by PostGIS."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from libs.geo.shape_sql import SIMPLE, in_lonlat, simple_shape
from libs.pg.sql import Sql, bind, ident, sql
from tests.conftest import MakeDatabase

_ROWS = """
CREATE TABLE places (id integer, geom geometry);
INSERT INTO places VALUES
    (1, 'SRID=4326;POINT(10 50)'), (2, 'POINT(10 50)'),
    (3, ST_Transform('SRID=4326;POINT(10 50)'::geometry, 32632)),
    (4, ST_Transform('SRID=4326;POINT(10 50)'::geometry, 3857)), (5, 'SRID=990001;POINT(10 50)');
"""


@pytest.fixture(scope="module")
async def database(make_database: MakeDatabase) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(await make_database())
    await connection.execute(_ROWS)
    yield connection
    await connection.close()


@pytest.mark.parametrize(
    ("srid", "rows"), [(4326, [1]), (0, [2]), (32632, [3]), (3857, [4]), (None, [1, 2, 3, 4])], ids=str
)
async def test_all_rows_come_to_the_same_place(database: asyncpg.Connection, srid: int | None, rows: list[int]) -> None:
    places = [in_lonlat(ident("geom"), srid), in_lonlat(sql("ST_PointOnSurface(geom)"), srid, stored=ident("geom"))]
    for place in places:
        text, args = sql(
            "SELECT ST_AsEWKT({place}, 6) FROM places WHERE id = ANY({rows})", place=place, rows=bind(rows, "int[]")
        ).render()
        assert [row[0] for row in await database.fetch(text, *args)] == ["SRID=4326;POINT(10 50)"] * len(rows)


async def test_a_row_of_an_unknown_crs_has_no_place(database: asyncpg.Connection) -> None:
    text, _ = in_lonlat(ident("geom"), None).render()
    assert await database.fetch(f"SELECT id FROM places WHERE ({text}) IS NULL") == [(5,)]  # noqa: S608


def test_column_in_longitude_and_latitude_is_unchanged() -> None:
    assert in_lonlat(ident("geom"), 4326) == ident("geom")


@pytest.mark.parametrize(
    ("stored", "simple"),
    [
        ("POINT(1 2)", "POINT(1 2)"),
        ("POLYGON EMPTY", "POLYGON EMPTY"),
        ("MULTIPOLYGON(((0 0,1 0,1 1,0 0)))", "MULTIPOLYGON(((0 0,1 0,1 1,0 0)))"),
        ("COMPOUNDCURVE((0 0,1 0),(1 0,2 0))", "LINESTRING(0 0,1 0,2 0)"),
        ("CURVEPOLYGON((0 0,1 0,1 1,0 0))", "POLYGON((0 0,1 0,1 1,0 0))"),
        ("TRIANGLE((0 0,0 4,4 0,0 0))", "MULTIPOLYGON(((0 0,0 4,4 0,0 0)))"),
        ("TIN Z (((0 0 1,0 4 2,4 0 3,0 0 1)))", "MULTIPOLYGON Z (((0 0 1,0 4 2,4 0 3,0 0 1)))"),
        ("POLYHEDRALSURFACE(((0 0,0 4,4 0,0 0)))", "MULTIPOLYGON(((0 0,0 4,4 0,0 0)))"),
        (
            "GEOMETRYCOLLECTION(POINT(1 2),POINT EMPTY,"
            "GEOMETRYCOLLECTION(COMPOUNDCURVE((0 0,1 0)),TRIANGLE((0 0,0 4,4 0,0 0))))",
            "GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(0 0,1 0),POLYGON((0 0,0 4,4 0,0 0)))",
        ),
    ],
)
async def test_curves_become_lines_and_surfaces_polygons(
    database: asyncpg.Connection, stored: str, simple: str
) -> None:
    shape: Sql = simple_shape(sql("({stored})", stored=bind(stored, "text", cast="geometry")))
    text, args = sql("SELECT ST_AsText({shape})", shape=shape).render()
    assert await database.fetchval(text, *args) == simple


async def test_columns_of_simple_types_keep_their_shapes(database: asyncpg.Connection) -> None:
    """So no SQL is needed for them."""
    text, _ = simple_shape(ident("geom")).render()
    for kind in SIMPLE:
        stored = "SELECT ST_GeomFromText($1) AS geom"
        assert await database.fetchval(f"SELECT ST_AsText({text}) FROM ({stored}) AS s", f"{kind} EMPTY") == (  # noqa: S608
            f"{kind.upper()} EMPTY"
        )
