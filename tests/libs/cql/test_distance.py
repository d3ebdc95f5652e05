"""S_DWITHIN beside a measurement of every row, on the ellipsoid, with pyproj."""

from __future__ import annotations

import math
import random

import asyncpg
import pytest
import shapely
from pyproj import Geod

from libs.cql import queryable
from tests.libs.cql.conftest import Table

GEOD = Geod(ellps="WGS84")
ROWS = 3000
CENTRES = [(0, 0), (179.9, -17), (-179.99, 52), (20, 89.5), (-120, -90), (139.7, 35.7), (180, 0), (0, 90), (-60, -60)]
DISTANCES = [0, 1000, 25_000, 250_000, 3_000_000, 19_000_000]
SRIDS = {"geom": 4326, "mercator": 3857, "antarctic": 3031, "turned": 4326}


@pytest.fixture(scope="session")
async def places(db: asyncpg.Connection) -> Table:
    """Points all over the world, more of them around the antimeridian and the poles, in columns of several CRSs."""
    chance = random.Random(7)  # noqa: S311
    points = [
        (round(chance.uniform(-180, 180), 6), round(math.degrees(math.asin(chance.uniform(-1, 1))), 6))
        for _ in range(ROWS)
    ]
    points += [
        (round(chance.choice((-180, 180)) * chance.uniform(0.99, 1), 6), round(chance.uniform(-90, 90), 6))
        for _ in range(500)
    ]
    points += [
        (round(chance.uniform(-180, 180), 6), round(chance.choice((-90, 90)) * chance.uniform(0.97, 1), 6))
        for _ in range(500)
    ]
    points += [(float(x), float(y)) for x, y in CENTRES]
    await db.execute(
        "CREATE TABLE places_near (id int PRIMARY KEY, x float8, y float8, geom geometry(Point, 4326),"
        " mercator geometry(Point, 3857), antarctic geometry(Point, 3031), turned geometry(Point, 4326),"
        " geog geography(Point, 4326))"
    )
    await db.executemany(
        "INSERT INTO places_near (id, x, y) VALUES ($1, $2, $3)", [(n, *p) for n, p in enumerate(points)]
    )
    await db.execute(
        "UPDATE places_near SET geom = ST_SetSRID(ST_MakePoint(x, y), 4326);"
        "UPDATE places_near SET turned = ST_ShiftLongitude(geom), geog = geom::geography,"
        " mercator = CASE WHEN abs(y) < 85 THEN ST_Transform(geom, 3857) END,"
        " antarctic = CASE WHEN y < -60 THEN ST_Transform(geom, 3031) END"
    )
    for column in (*SRIDS, "geog"):
        await db.execute(f"CREATE INDEX ON places_near USING gist ({column})")
    await db.execute("ANALYZE places_near")
    columns = {name: queryable(name, "geometry", srid=srid, geometry_type="Point") for name, srid in SRIDS.items()}
    columns["turned"] = queryable("turned", "geometry", srid=4326, geometry_type="Point", turns=(1,))
    columns["id"] = queryable("id", "integer")
    columns["geog"] = queryable("geog", "geography", srid=4326, geometry_type="Point")
    return Table(db, "places_near", columns)


@pytest.mark.parametrize("column", [*SRIDS, "geog"])
async def test_points_are_those_that_are_no_further_away(places: Table, column: str) -> None:
    rows = await places.db.fetch(f"SELECT id, x, y FROM places_near WHERE {column} IS NOT NULL ORDER BY id")  # noqa: S608
    for x, y in CENTRES:
        _, _, metres = GEOD.inv([x] * len(rows), [y] * len(rows), [r["x"] for r in rows], [r["y"] for r in rows])
        for distance in DISTANCES:
            found = set(await places.ids(f"S_DWITHIN({column}, POINT({x} {y}), {distance})"))
            near = {row["id"] for row, apart in zip(rows, metres, strict=True) if apart <= distance + 0.01}
            # coordinates of projected CRSs are rounded
            sure = {row["id"] for row, apart in zip(rows, metres, strict=True) if apart <= distance - 0.01}
            assert sure <= found <= near, (column, x, y, distance)


@pytest.mark.parametrize("column", [*SRIDS, "geog"])
@pytest.mark.parametrize("centre", ["139.7 35.7", "179.99 -17"])
async def test_the_index_is_used(places: Table, column: str, centre: str) -> None:
    if column == "antarctic":
        centre = "139.7 -75"
    plan = await places.plan(f"S_DWITHIN({column}, POINT({centre}), 50000)")
    assert "Index" in plan, plan
    assert "Seq Scan" not in plan, plan


LINES = [
    "LINESTRING(170 10, 179 20)",
    "LINESTRING(-80 50, 80 50)",
    "POLYGON((-10 -10, 10 -10, 10 10, -10 10, -10 -10))",
    "POLYGON((-180 -90, 180 -90, 180 -60, -180 -60, -180 -90))",
    "MULTIPOLYGON(((170 -10, 180 -10, 180 10, 170 10, 170 -10)), ((-180 -10, -170 -10, -170 10, -180 10, -180 -10)))",
]


@pytest.fixture(scope="session")
async def shapes(db: asyncpg.Connection) -> Table:
    await db.execute("CREATE TABLE shapes_near (id int PRIMARY KEY, geom geometry(Geometry, 4326))")
    await db.executemany("INSERT INTO shapes_near VALUES ($1, ST_GeomFromText($2, 4326))", list(enumerate(LINES)))
    await db.execute("INSERT INTO shapes_near VALUES (100, 'SRID=4326;LINESTRING(0 52, 0 95)')")
    return Table(db, "shapes_near", {"geom": queryable("geom", "geometry", srid=4326, geometry_type="Geometry")})


def _apart(shape: shapely.Geometry, x: float, y: float) -> float:
    """Metres between a shape, whose edges are straight in longitude and latitude, and a place."""
    if shapely.intersects(shape, shapely.Point(x, y)):
        return 0.0
    dense = shapely.get_coordinates(shapely.segmentize(shape, 0.02))
    _, _, metres = GEOD.inv([x] * len(dense), [y] * len(dense), dense[:, 0], dense[:, 1])
    return float(min(metres))


@pytest.mark.parametrize(
    ("x", "y"), [(-179.5, 15), (0, 52), (0, 0), (100, -89), (179.9, 0), (0, 90), (-175, 11), (11, 11)]
)
async def test_lines_and_areas_are_measured_from_their_edges(shapes: Table, x: float, y: float) -> None:
    for number, text in enumerate(LINES):
        apart = _apart(shapely.from_wkt(text), x, y)
        near, far = apart * 1.005 + 1500, apart * 0.995 - 1500
        assert number in await shapes.ids(f"S_DWITHIN(geom, POINT({x} {y}), {near})"), text
        if far >= 0:
            assert number not in await shapes.ids(f"S_DWITHIN(POINT({x} {y}), geom, {far})"), text


async def test_what_has_no_place_on_earth_is_neither_near_nor_far(shapes: Table) -> None:
    near = await shapes.ids("S_DWITHIN(geom, POINT(0 52), 5000)")
    far = await shapes.ids("NOT S_DWITHIN(geom, POINT(0 52), 5000)")
    assert sorted([*near, *far]) == list(range(len(LINES)))


async def test_a_shape_is_near_as_a_literal_too(places: Table) -> None:
    rows = await places.db.fetch("SELECT id, x, y FROM places_near")
    for text in LINES:
        shape = shapely.from_wkt(text)
        apart = {row["id"]: _apart(shape, row["x"], row["y"]) for row in rows[::40]}
        found = set(await places.ids(f"S_DWITHIN(geom, {text}, 500, 'kilometers')"))
        for row, metres in apart.items():
            if abs(metres - 500_000) > 4000:
                assert (row in found) == (metres < 500_000), (text, row, metres)


async def test_what_is_nearly_as_wide_as_the_world_has_places_near_it_all_around(places: Table) -> None:
    found = set(await places.ids("S_DWITHIN(geom, LINESTRING(-178 0, 178 0), 500, 'kilometers')"))
    rows = await places.db.fetch("SELECT id, y FROM places_near WHERE abs(y) < 10")
    # 4.5 degrees of a meridian, and 2 along the equator
    assert {row["id"] for row in rows if abs(row["y"]) < 4} <= found
    assert not {row["id"] for row in rows if abs(row["y"]) > 4.6} & found


# geography would take the smaller side of a ring as its inside
@pytest.mark.parametrize(
    "text",
    [
        "POLYGON((-180 -60, 180 -60, 180 90, -180 90, -180 -60))",
        "MULTIPOLYGON(((-180 -60, 180 -60, 180 90, -180 90, -180 -60)), ((0 -61, 1 -61, 1 -60.5, 0 -60.5, 0 -61)))",
    ],
)
async def test_places_beyond_the_edge_are_as_far_as_the_edge(places: Table, text: str) -> None:
    rows = await places.db.fetch("SELECT id, y FROM places_near WHERE y < -61.5")
    found = set(await places.ids(f"S_DWITHIN(geom, {text}, 500, 'kilometers')"))
    # 4.5 degrees of a meridian
    assert {row["id"] for row in rows if row["y"] > -64.3} <= found
    assert not {row["id"] for row in rows if row["y"] < -65.3} & found


async def test_both_languages_and_all_units_say_the_same(places: Table) -> None:
    text = await places.ids("S_DWITHIN(geom, POINT(0 0), 1852000)")
    centre = '{"type": "Point", "coordinates": [0, 0]}'
    json = f'{{"op": "s_dwithin", "args": [{{"property": "geom"}}, {centre}, 1000, "Nautical miles"]}}'
    assert text
    assert await places.ids(json, "cql2-json") == text
    assert await places.ids("s_dwithin(POINT(0 0), geom, 1852, 'km')") == text
    rest = await places.ids("NOT S_DWITHIN(geom, POINT(0 0), 1852000)")
    assert sorted([*text, *rest]) == list(range(ROWS + 1000 + len(CENTRES)))


async def test_two_literals_or_two_columns_are_compared_too(places: Table) -> None:
    square = LINES[2]
    assert len(await places.ids(f"S_DWITHIN(POINT(0 0), {square}, 5)")) == ROWS + 1000 + len(CENTRES)
    assert len(await places.ids(f"S_DWITHIN(BBOX(-1, -1, 1, 1), {square}, 5)")) == ROWS + 1000 + len(CENTRES)
    assert await places.ids(f"S_DWITHIN(POINT(0 40), {square}, 5)") == []
    # 110,574 metres, along the meridian of the ellipsoid
    assert len(await places.ids("S_DWITHIN(POINT(0 0), POINT(0 1), 110580)")) == ROWS + 1000 + len(CENTRES)
    assert await places.ids("S_DWITHIN(POINT(0 0), POINT(0 1), 110570)") == []
    projected = await places.ids("mercator IS NOT NULL")
    # rounded by less than a millimetre
    assert await places.ids("S_DWITHIN(geom, mercator, 0.01)") == projected


def test_units_have_the_names_of_ecql_and_short_ones(places: Table) -> None:
    def metres(unit: str) -> float:
        _, args = places.sql(f"S_DWITHIN(geog, POINT(0 0), 10, '{unit}')").render()
        return next(value for value in args if isinstance(value, float))

    for names, length in (
        (("m", "meter", "meters", "metre", "metres"), 10.0),
        (("km", "kilometer", "kilometers", "kilometre", "kilometres"), 10_000.0),
        (("ft", "foot", "feet"), 3.048),
        (("mi", "mile", "miles", "statute miles"), 16_093.44),
        (("nmi", "nautical mile", "nautical miles"), 18_520.0),
    ):
        assert {metres(name) for name in (*names, names[-1].upper())} == {length}
