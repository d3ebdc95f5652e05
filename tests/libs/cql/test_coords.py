"""The predicate of `coords` beside a measurement of every row with pyproj and shapely."""

from __future__ import annotations

import random

import asyncpg
import numpy as np
import pytest
import shapely
from pyproj import Geod

from libs.cql import CqlError, coords_predicate, metres_of, queryable
from tests.libs.cql.conftest import Table

GEOD = Geod(ellps="WGS84")
POINTS = ("Point", "MultiPoint")
LINES = ("LineString", "MultiLineString")
AREAS = ("Polygon", "MultiPolygon")
GEOM = queryable("geom", "geometry", srid=4326, geometry_type="Point")


@pytest.fixture(scope="session")
async def rows(db: asyncpg.Connection) -> Table:
    """Points all over the world, more of them at the antimeridian and around the poles."""
    chance = random.Random(11)  # noqa: S311
    points = [(chance.uniform(-180, 180), chance.uniform(-90, 90)) for _ in range(1500)]
    points += [(chance.choice((-1, 1)) * chance.uniform(170, 180), chance.uniform(-30, 30)) for _ in range(1500)]
    points += [(chance.uniform(-180, 180), chance.choice((-1, 1)) * chance.uniform(85, 90)) for _ in range(500)]
    await db.execute("CREATE TABLE coords_rows (id int PRIMARY KEY, x float8, y float8, geom geometry(Point, 4326))")
    await db.executemany(
        "INSERT INTO coords_rows VALUES ($1, $2, $3, ST_SetSRID(ST_MakePoint($2::float8, $3::float8), 4326))",
        [(n, round(x, 6), round(y, 6)) for n, (x, y) in enumerate(points)],
    )
    return Table(db, "coords_rows", {"geom": GEOM})


async def matching(rows: Table, wkt: str, types: tuple[str, ...], metres: float | None = None) -> set[int]:
    text, binds = coords_predicate(GEOM, wkt, types, metres=metres).render()
    return {row["id"] for row in await rows.db.fetch(f"SELECT id FROM coords_rows WHERE {text}", *binds)}  # noqa: S608


async def measured(rows: Table, wkt: str, *, each: int = 1) -> dict[int, float]:
    """Metres of every `each`-th row from a point, or from the nearest of many positions of a line."""
    dense = shapely.get_coordinates(shapely.segmentize(shapely.from_wkt(wkt), 0.05))
    found = await rows.db.fetch("SELECT id, x, y FROM coords_rows WHERE id % $1 = 0", each)
    size = len(dense)
    x, y = (np.repeat([row[name] for row in found], size) for name in ("x", "y"))
    _, _, apart = GEOD.inv(x, y, np.tile(dense[:, 0], len(found)), np.tile(dense[:, 1], len(found)))
    nearest = apart.reshape(len(found), size).min(axis=1)
    return {row["id"]: float(metres) for row, metres in zip(found, nearest, strict=True)}


@pytest.mark.parametrize("centre", ["179.5 -17", "-179.9 12", "20 89.5", "-120 -90", "180.5 -17", "-190 3"])
@pytest.mark.parametrize("kilometres", [50, 400, 2500])
async def test_radius_finds_what_is_no_further_away(rows: Table, centre: str, kilometres: int) -> None:
    apart = await measured(rows, f"POINT({centre})")
    found = await matching(rows, f"POINT({centre})", POINTS, kilometres * 1000.0)
    assert found == {id_ for id_, metres in apart.items() if metres <= kilometres * 1000}


@pytest.mark.parametrize(
    "line", ["LINESTRING(172 -20, 176 -10, 188 5)", "LINESTRING(-170 10, -185 12)", "LINESTRING(20 86, 60 88, 100 87)"]
)
async def test_corridor_finds_what_lies_beside_the_line(rows: Table, line: str) -> None:
    apart = await measured(rows, line, each=4)
    for metres in (50_000.0, 300_000.0):
        found = await matching(rows, line, LINES, metres) & apart.keys()
        # a row this near to the edge may lie on either side: the measured positions are apart from each other
        near = {id_ for id_, distance in apart.items() if distance <= metres * 1.005 + 600}
        sure = {id_ for id_, distance in apart.items() if distance <= metres * 0.995 - 600}
        assert sure
        assert sure <= found <= near


async def test_area_across_the_antimeridian_has_both_sides(rows: Table) -> None:
    wide = await matching(rows, "POLYGON((170 -20, 190 -20, 190 20, 170 20, 170 -20))", AREAS)
    west = await matching(rows, "POLYGON((170 -20, 180 -20, 180 20, 170 20, 170 -20))", AREAS)
    east = await matching(rows, "POLYGON((-180 -20, -170 -20, -170 20, -180 20, -180 -20))", AREAS)
    assert wide == west | east
    assert min(len(west), len(east)) > 100


async def test_area_beyond_the_antimeridian_is_the_same_area(rows: Table) -> None:
    here = await matching(rows, "POLYGON((-175 -20, -170 -20, -170 20, -175 20, -175 -20))", AREAS)
    assert here == await matching(rows, "POLYGON((185 -20, 190 -20, 190 20, 185 20, 185 -20))", AREAS)
    assert here


async def test_area_that_touches_the_antimeridian_leaves_out_the_other_side(rows: Table) -> None:
    beside = await matching(rows, "POLYGON((180 -20, 185 -20, 185 20, 180 20, 180 -20))", AREAS)
    other = {row["id"] for row in await rows.db.fetch("SELECT id FROM coords_rows WHERE x > 0 AND x < 180")}
    assert beside
    assert not beside & other


@pytest.mark.parametrize(
    ("wkt", "sentence"),
    [
        ("", "expected a type of geometry"),
        ("POINT()", "expected a coordinate"),
        ("POINT EMPTY", "expected '('"),
        ("POINT(1 2) OR TRUE", "expected the end"),
        ("POINT(1 2), POINT(3 4)", "expected the end"),
        ("POINT(1 91)", "outside latitude -90 to 90"),
        ("POINT(541 1)", "outside longitude -540 to 540"),
        ("LINESTRING(1 2, 3 4)", "must be a POINT or MULTIPOINT, found LINESTRING"),
        ("POINTM(1 2 3)", "measures (M)"),
        ("POINT ZM (1 2 3 4)", "measures (M)"),
        ("POINT(1e400 2)", ""),
        ("GEOMETRYCOLLECTION(POINT(1 2))", "must be a POINT"),
    ],
)
def test_other_texts_are_refused(wkt: str, sentence: str) -> None:
    with pytest.raises(CqlError) as error:
        coords_predicate(GEOM, wkt, POINTS)
    assert sentence in str(error.value)


def test_an_area_that_crosses_itself_is_refused() -> None:
    with pytest.raises(CqlError, match="not valid"):
        coords_predicate(GEOM, "POLYGON((170 0, 190 10, 190 0, 170 10, 170 0))", AREAS)


def test_units_have_a_length_in_any_case() -> None:
    assert [metres_of(unit) for unit in ("m", "KM", "nmi", "Mi", "ft", "furlong")] == [
        1,
        1000,
        1852,
        1609.344,
        0.3048,
        None,
    ]


def test_columns_in_another_crs_and_geographies_have_the_predicate() -> None:
    for column in (
        queryable("g", "geography", srid=4326, geometry_type="Point"),
        queryable("g", "geometry", srid=3857, geometry_type="Polygon"),
    ):
        assert "ST_DWithin" in coords_predicate(column, "POINT(179 -17)", POINTS, metres=1.0).render()[0]
