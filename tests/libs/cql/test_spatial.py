"""S_ functions and boxes on columns of every reference system."""

from __future__ import annotations

from collections import Counter

import asyncpg
import pytest

from libs.cql import bbox_predicate, queryable
from libs.geo.crs import crs_of
from libs.ogc.bbox import BBox
from libs.ogc.crs import crs_uri
from tests.libs.cql.conftest import Table, make_table

# Points, a line, a polygon, one on each side of the antimeridian, the poles, an empty one and none.
SHAPES = [
    "POINT(12 48)",
    "POINT(13 49)",
    "LINESTRING(10 47, 14 50)",
    "POLYGON((11 47, 13 47, 13 49, 11 49, 11 47))",
    "POINT(179.5 -17)",
    "POINT(-179.5 -17)",
    "POINT(0 90)",
    "POINT(0 -90)",
    "GEOMETRYCOLLECTION(POINT(12 48), LINESTRING(0 0, 1 1))",
    "POLYGON EMPTY",
    None,
    "POLYGON((0 0, 2 2, 2 0, 0 2, 0 0))",
]
WITHOUT = [SHAPES.index(None) + 1]
SYSTEMS = {"wgs84": 4326, "nad83": 4269, "mercator": 3857}


@pytest.fixture(scope="session")
async def shapes(db: asyncpg.Connection) -> Table:
    await db.execute("CREATE TABLE shapes (id int PRIMARY KEY, wgs84 geometry(Geometry, 4326))")
    for index, shape in enumerate(SHAPES, start=1):
        await db.execute("INSERT INTO shapes VALUES ($1, ST_SetSRID($2::text::geometry, 4326))", index, shape)
    await db.execute(
        "ALTER TABLE shapes ADD nad83 geometry(Geometry, 4269), ADD mercator geometry(Geometry, 3857),"
        " ADD plain geometry, ADD mixed geometry, ADD geog geography(Geometry, 4326);"
        "UPDATE shapes SET nad83 = ST_Transform(wgs84, 4269), mercator = ST_Transform(wgs84, 3857),"
        " plain = ST_SetSRID(wgs84, 0), geog = wgs84::geography,"
        " mixed = CASE id % 3 WHEN 0 THEN wgs84 WHEN 1 THEN ST_SetSRID(wgs84, 0) ELSE ST_Transform(wgs84, 3857) END"
    )
    queryables = {name: queryable(name, "geometry", srid=srid) for name, srid in SYSTEMS.items()}
    queryables["plain"] = queryable("plain", "geometry", srid=0)
    queryables["mixed"] = queryable("mixed", "geometry", srid=None)
    queryables["geog"] = queryable("geog", "geography(Geometry,4326)", srid=4326)
    return Table(db, "shapes", queryables)


@pytest.mark.parametrize("column", ["wgs84", "nad83", "mercator", "plain", "mixed", "geog"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("S_INTERSECTS({}, BBOX(11.5, 47.5, 12.5, 48.5))", [1, 3, 4, 9]),
        ("S_INTERSECTS({}, BBOX(179, -18, -179, -16))", [5, 6]),
        ("S_INTERSECTS({}, BBOX(-180, -90, 180, 90))", [1, 2, 3, 4, 5, 6, 7, 8, 9, 12]),
        ("S_INTERSECTS({}, BBOX(12, 48, 12, 48))", [1, 4, 9]),
        ("S_INTERSECTS({}, BBOX(11, 48.5, 14, 48.5))", [3, 4]),
        ("S_DISJOINT({}, BBOX(-170, -80, 170, 80))", [5, 6, 7, 8, 10]),
        ("S_INTERSECTS({}, BBOX(13, 47.5, 13, 49.5))", [2, 3, 4]),
        ("S_WITHIN({}, BBOX(10, 46, 15, 51))", [1, 2, 3, 4]),
        ("S_WITHIN({}, BBOX(179, -18, -179, -16))", [5, 6]),
        ("S_CONTAINS(BBOX(10, 46, 15, 51), {})", [1, 2, 3, 4]),
        ("S_CONTAINS({}, POINT(12 48))", [1, 4, 9]),
        ("S_TOUCHES({}, POINT(14 50))", [3]),
        ("S_CROSSES({}, POLYGON((11 46, 12 46, 12 51, 11 51, 11 46)))", [3]),
        ("S_OVERLAPS({}, BBOX(12, 48, 14, 50))", [4]),
        ("S_EQUALS({}, POLYGON((13 49, 11 49, 11 47, 13 47, 13 49)))", [4]),
        (
            "S_INTERSECTS({}, GEOMETRYCOLLECTION(POINT(13 49), POLYGON((178 -18, 180 -18, 180 -16, 178 -18))))",
            [2, 4, 5],
        ),
        ("{} IS NULL", [11]),
        ("NOT S_INTERSECTS({}, BBOX(-170, -80, 170, 80))", [5, 6, 7, 8, 10]),
    ],
)
async def test_same_answer_in_every_system(shapes: Table, column: str, text: str, expected: list[int]) -> None:
    if column == "mercator":
        # Mercator's own poles are not where the literal's are.
        expected = [index for index in expected if index not in (7, 8) or "-170" in text]
    assert await shapes.ids(text.format(column)) == expected


@pytest.mark.parametrize("left", ["wgs84", "mercator", "plain", "mixed", "geog"])
@pytest.mark.parametrize("right", ["wgs84", "mercator", "plain", "mixed", "geog"])
async def test_property_with_property(shapes: Table, left: str, right: str) -> None:
    found = await shapes.ids(f"S_INTERSECTS({left}, {right}) AND NOT S_DISJOINT({right}, {left})")
    # Points and lines may miss themselves by a rounding.
    assert {4, 12} <= set(found) <= {1, 2, 3, 4, 5, 6, 7, 8, 9, 12}


INVALID = [
    "POLYGON((0 0, 2 2, 2 0, 0 2, 0 0))",
    "POLYGON((0 0, 10 0, 10 10, 0 10, 0 0), (1 1, 20 1, 20 2, 1 1))",
    "MULTIPOLYGON(((0 0, 5 0, 5 5, 0 5, 0 0)), ((1 1, 6 1, 6 6, 1 6, 1 1)))",
]
RELATIONS = ["S_INTERSECTS", "S_DISJOINT", "S_CONTAINS", "S_WITHIN", "S_TOUCHES", "S_CROSSES", "S_OVERLAPS", "S_EQUALS"]


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("srid", [4326, 3857, 32632])
async def test_rows_that_are_not_valid_raise_no_error(db: asyncpg.Connection, relation: str, srid: int) -> None:
    name = f"invalid_{srid}"
    if not await db.fetchval("SELECT to_regclass($1)", name):
        await db.execute(f"CREATE TABLE {name} (id int PRIMARY KEY, geom geometry(Geometry, {srid}))")
        for index, shape in enumerate(INVALID, start=1):
            await db.execute(
                f"INSERT INTO {name} VALUES ($1, ST_Transform(ST_GeomFromText($2::text, 4326), {srid}))",  # noqa: S608
                index,
                shape,
            )
    columns = {"geom": queryable("geom", "geometry", srid=srid), "id": queryable("id", "integer")}
    table = Table(db, name, columns)
    for literal in (
        "POLYGON((0.5 0.5, 3 0.7, 3 3, 0.5 0.5))",
        "LINESTRING(0 0, 3 1)",
        "BBOX(0.5, 0.5, 3, 3)",
        "BBOX(3, 0, -3, 10)",
        "POINT(1 1)",
        "geom",
    ):
        for index in range(1, len(INVALID) + 1):
            # One row at a time: GEOS prepares a geometry only when it meets it again.
            await table.ids(f"id = {index} AND {relation}(geom, {literal})")
    assert await table.ids("S_INTERSECTS(geom, POLYGON((0.2 0.1, 0.9 0.3, 0.9 0.1, 0.2 0.1)))") == [2, 3]


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        (BBox(11.5, 47.5, 12.5, 48.5), [1, 3, 4, 9]),
        (BBox(179, -18, -179, -16), [5, 6]),
        (BBox(180, -90, -180, 90), []),
        (BBox(-180, -90, 180, 90), [1, 2, 3, 4, 5, 6, 7, 8, 9, 12]),
    ],
)
async def test_bbox_parameter(shapes: Table, box: BBox, expected: list[int]) -> None:
    wgs84 = shapes.queryables["wgs84"]
    assert await shapes.ids(bbox_predicate(wgs84, box, not_null=True)) == expected
    # rows without a geometry match, unless there are said to be none
    assert await shapes.ids(bbox_predicate(wgs84, box)) == sorted(expected + WITHOUT)


# Places inside and around the areas of use of national and polar systems.
PROJECTED: dict[int, list[tuple[float, float]]] = {
    32633: [(15, 10), (12.1, 60), (18.5, 1), (15, 80), (21, 50)],
    3035: [(10, 50), (-9, 38), (30, 60), (25, 35)],
    2193: [(175, -41), (167, -46), (178, -38), (-176.5, -44)],
    5070: [(-100, 40), (-75, 45), (-120, 35)],
    3031: [(0, -75), (120, -80), (-90, -65), (0, -90)],
    5041: [(0, 85), (170, 75), (0, 90)],
    2056: [(8, 47), (7, 46.5)],
}


def _box(lon: float, lat: float, width: float, height: float) -> str:
    west, east = max(lon - width, -180), min(lon + width, 180)
    return f"BBOX({west},{max(lat - height, -90)},{east},{min(lat + height, 90)})"


@pytest.mark.parametrize("srid", PROJECTED)
async def test_projected_systems_agree_with_longitude_and_latitude(db: asyncpg.Connection, srid: int) -> None:
    name = f"projected_{srid}"
    rows: list[tuple[object, ...]] = [(f"SRID=4326;POINT({lon} {lat})",) for lon, lat in PROJECTED[srid]]
    table = await make_table(db, name, {"crs84": "geometry(Point,4326)"}, rows)
    await db.execute(f"ALTER TABLE {name} ADD geom geometry(Point, {srid})")
    await db.execute(f"UPDATE {name} SET geom = ST_Transform(crs84, {srid})")  # noqa: S608
    table.queryables["geom"] = queryable("geom", "geometry", srid=srid)
    boxes = ["BBOX(-180,-90,180,90)", "BBOX(-180,0,180,90)", "BBOX(-180,-90,180,0)", "BBOX(170,-60,-170,60)"]
    for lon, lat in PROJECTED[srid]:
        boxes += [_box(lon, lat, 0.01, 0.01), _box(lon, lat, 40, 0.02)]
        south, north = max(lat - 3, -90), min(lat + 1, 90)
        boxes.append(f"POLYGON(({lon - 3} {south},{lon + 1} {lat},{lon - 2} {north},{lon - 3} {south}))")
    for box in boxes:
        for function in ("S_INTERSECTS", "S_WITHIN", "S_DISJOINT"):
            expected = await table.ids(f"{function}(crs84, {box})")
            found = await table.ids(f"{function}(geom, {box})")
            # Boxes whose edges go through a point may fall either way after rounding.
            poles = {index for index, place in enumerate(PROJECTED[srid], start=1) if abs(place[1]) == 90}
            assert set(found) - poles == set(expected) - poles, (function, box)
    assert await table.ids("S_CONTAINS(geom, BBOX(-180,-90,180,90))") == []
    assert await table.ids("NOT S_EQUALS(geom, BBOX(-180,-90,180,90))") == list(range(1, len(rows) + 1))


async def test_nothing_contains_what_lies_beyond_its_crs(db: asyncpg.Connection) -> None:
    rows: list[tuple[object, ...]] = [("SRID=4326;POLYGON((1 0, 29 0, 29 30, 1 30, 1 0))",), (None,)]
    table = await make_table(db, "wide", {"crs84": "geometry(Polygon,4326)"}, rows)
    await db.execute(
        "ALTER TABLE wide ADD geom geometry(Polygon, 32633);"
        "UPDATE wide SET geom = ST_Transform(ST_Segmentize(crs84, 0.5), 32633)"
    )
    table.queryables["geom"] = queryable("geom", "geometry(Polygon,32633)", srid=32633)
    assert await table.ids("S_CONTAINS(geom, BBOX(10, 10, 20, 20))") == [1]
    assert await table.ids("S_CONTAINS(geom, BBOX(10, 10, 100, 20))") == []
    assert await table.ids("NOT S_CONTAINS(geom, BBOX(10, 10, 100, 20))") == [1]


async def _calls(table: Table, text: str) -> Counter[str]:
    """How often PostgreSQL calls each function while it applies a filter to the table."""
    counts = "SELECT funcname, calls FROM pg_stat_xact_user_functions"
    async with table.db.transaction():
        # PostgreSQL also reports calls of earlier transactions that it has not written to its statistics
        before = Counter(dict(await table.db.fetch(counts)))
        await table.db.execute("SET LOCAL track_functions = 'all'")
        await table.ids(text)
        return Counter(dict(await table.db.fetch(counts))) - before


@pytest.mark.parametrize(
    ("sql_type", "geometry_type", "stored", "may_be_invalid"),
    [
        ("geometry(Point,4326)", None, "POINT(.5 .2)", False),
        ("geometry(MultiPointZ,4326)", None, "MULTIPOINT Z ((.5 .2 1))", False),
        ("geometry(MultiLineStringZM,4326)", None, "MULTILINESTRING ZM ((.5 .2 1 1,.6 .3 1 1))", False),
        ("geometry(LINESTRINGM,4326)", None, "LINESTRING M (.5 .2 1,.6 .3 1)", False),
        ("geometry(Polygon,4326)", None, "POLYGON((.5 .2,.6 .3,.6 .2,.5 .2))", True),
        ("geometry(GeometryCollection,4326)", None, "GEOMETRYCOLLECTION(POINT(.5 .2))", True),
        ("geometry(Geometry,4326)", "Point", "POINT(.5 .2)", False),
        ("geometry", "MultiPolygon", "MULTIPOLYGON(((.5 .2,.6 .3,.6 .2,.5 .2)))", True),
        ("geometry", None, "POLYGON((.5 .2,.6 .3,.6 .2,.5 .2))", True),
    ],
)
async def test_only_what_may_have_polygons_is_repaired(
    shapes: Table, sql_type: str, geometry_type: str | None, stored: str, may_be_invalid: bool
) -> None:
    created = f"CREATE TEMP TABLE repaired AS SELECT 1 AS id, 'SRID=4326;{stored}'::geometry AS geom"
    await shapes.db.execute(f"DROP TABLE IF EXISTS repaired; {created}")
    column = queryable("geom", sql_type, srid=4326, geometry_type=geometry_type)
    table, text = Table(shapes.db, "repaired", {"geom": column}), "S_WITHIN(geom, POLYGON((0 0,1 0,1 1,0 0)))"
    assert await table.ids(text) == [1]
    assert ((await _calls(table, text))["st_isvalid"] > 0) is may_be_invalid


async def test_the_literal_is_brought_to_rows_beyond_the_antimeridian(shapes: Table) -> None:
    await shapes.db.execute("CREATE TEMP TABLE beyond AS SELECT 1 AS id, ST_Point(21150703, 0, 3857) AS geom")
    column = queryable("geom", "geometry", srid=3857, geometry_type="Point", turns=(1,))
    beyond, mercator = Table(shapes.db, "beyond", {"geom": column}), crs_of(crs_uri(3857) or "")
    assert mercator
    for west, found in ((-19e6, [1]), (19e6, [])):
        assert await beyond.ids(bbox_predicate(column, BBox(west, -1e3, west + 2e5, 1e3), mercator)) == found
    for west, found in ((-171, [1]), (169, [])):
        assert await beyond.ids(f"S_INTERSECTS(geom, BBOX({west}, -1, {west + 2}, 1))") == found


@pytest.mark.parametrize("srid", [4326, None])
@pytest.mark.parametrize(("turns", "longitude"), [((1,), 190), ((-1,), -190), ((-1, 1), -190)])
async def test_rows_beyond_the_antimeridian_and_within_are_found_alike(
    shapes: Table, srid: int | None, turns: tuple[int, ...], longitude: int
) -> None:
    await shapes.db.execute(
        "DROP TABLE IF EXISTS around; CREATE TEMP TABLE around AS"
        f" SELECT 1 AS id, ST_Point({longitude}, 0, 4326) AS geom UNION SELECT 2, ST_Point(10, 0, 4326)"
    )
    kind = "Point" if srid else "Geometry"
    around = Table(
        shapes.db, "around", {"geom": queryable("geom", "geometry", srid=srid, geometry_type=kind, turns=turns)}
    )
    back = longitude % 360 - 360 if longitude > 0 else longitude % 360
    for x, found in ((back, [1]), (-back, []), (10, [2])):
        assert await around.ids(f"S_INTERSECTS(geom, BBOX({x - 1}, -1, {x + 1}, 1))") == found
        assert await around.ids(f"S_WITHIN(geom, BBOX({x - 1}, -1, {x + 1}, 1))") == found
        assert await around.ids(f"S_DWITHIN(geom, POINT({x} 0), 1000)") == found


async def test_edges_of_a_geography_cross_the_antimeridian_the_short_way(shapes: Table) -> None:
    await shapes.db.execute(
        "CREATE TEMP TABLE short AS SELECT n AS id, g::geography AS geog"
        " FROM (VALUES (1, 'LINESTRING(170 0, -170 0)'), (2, 'LINESTRING(-10 0, 10 0)')) AS rows(n, g)"
    )
    column = queryable("geog", "geography", srid=4326, geometry_type="LineString", crosses=True)
    short = Table(shapes.db, "short", {"geog": column})
    for box, found in (
        ("178, -1, 179, 1", [1]),
        ("179, -1, -179, 1", [1]),
        ("-1, -1, 1, 1", [2]),
        ("90, -1, 91, 1", []),
    ):
        assert await short.ids(f"S_INTERSECTS(geog, BBOX({box}))") == found
        assert await short.ids(f"NOT S_DISJOINT(geog, BBOX({box}))") == found
    assert await short.ids("S_CROSSES(geog, LINESTRING(175 -1, 175 1))") == [1]


@pytest.mark.parametrize("srid", [None, 4326])
@pytest.mark.parametrize("relation", RELATIONS)
async def test_where_a_row_is_is_worked_out_once(shapes: Table, relation: str, srid: int | None) -> None:
    width = 1 if srid else 111_000
    shape = f"ST_Translate(ST_MakeEnvelope(0, 0, {width}, {width}, {srid or 3857}), {360 * width}, 0)"
    created = f"CREATE TEMP TABLE once AS SELECT 1 AS id, {shape} AS one, {shape} AS two"
    await shapes.db.execute(f"DROP TABLE IF EXISTS once; {created}")
    columns = {name: queryable(name, "geometry", srid=srid, turns=(-1, 1)) for name in ("one", "two")}
    table = Table(shapes.db, "once", columns)
    for columns_read, other in ((1, "POLYGON((0 0,1 0,1 1,0 0))"), (2, "two")):
        calls = await _calls(table, f"{relation}(one, {other})")
        assert calls["st_transform"] == (columns_read if srid is None else 0)
        # west and east
        assert calls["st_wrapx"] <= 2 * columns_read
    calls = await _calls(table, "S_DWITHIN(one, POINT(0 0), 1000)")
    # to be within, and to be near
    assert calls["st_transform"] <= (2 if srid is None else 0)
    assert calls["st_wrapx"] <= 2


@pytest.mark.parametrize("relation", RELATIONS)
async def test_where_an_area_crosses_is_worked_out_once(shapes: Table, relation: str) -> None:
    area = "POLYGON((179 0,-179 0,-179 1,179 0))"
    created = f"CREATE TEMP TABLE crossing AS SELECT 1 AS id, '{area}'::geography AS geog"
    await shapes.db.execute(f"DROP TABLE IF EXISTS crossing; {created}")
    table = Table(shapes.db, "crossing", {"geog": queryable("geog", "geography", srid=4326, crosses=True)})
    assert (await _calls(table, f"{relation}(geog, POLYGON((170 0,180 0,180 1,170 0)))"))["st_dumprings"] == 1


async def test_no_srid_means_no_bounds(shapes: Table) -> None:
    assert await shapes.ids("S_INTERSECTS(plain, LINESTRING(-1000 0, 1000 0))") == [9, 12]


async def test_heights_are_read_over(shapes: Table) -> None:
    box = "BBOX(11.5, 47.5, -100, 12.5, 48.5, 100)"
    assert await shapes.ids(f"S_INTERSECTS(wgs84, {box})") == [1, 3, 4, 9]
    assert await shapes.ids("S_INTERSECTS(wgs84, BBOX(11.5, 47.5, 7, 12.5, 48.5, 7))") == [1, 3, 4, 9]
    assert await shapes.ids("S_INTERSECTS(wgs84, POINT Z (12 48 1000))") == [1, 4, 9]


ODD = {
    "PolyhedralSurface": "POLYHEDRALSURFACE(((0 0 0, 0 4 0, 4 4 0, 4 0 0, 0 0 0)), ((0 0 0, 4 0 0, 4 0 3, 0 0 0)))",
    "Tin": "TIN(((0 0 0, 0 4 0, 4 0 0, 0 0 0)))",
    "Triangle": "TRIANGLE((0 0, 0 4, 4 0, 0 0))",
    "CurvePolygon": "CURVEPOLYGON((0 0, 5 5, 5 0, 0 5, 0 0))",
    "MultiSurface": "MULTISURFACE(CURVEPOLYGON((0 0, 5 5, 5 0, 0 5, 0 0)))",
    "GeometryCollection": "GEOMETRYCOLLECTION(POLYGON((0 0, 1 0, 1 1, 0 0)), POLYGON((0.5 0, 2 0, 2 1, 0.5 0)))",
}
NOWHERE = """
INSERT INTO odd_geometry
SELECT 7 + n, ST_SetSRID(CASE WHEN n > 2 THEN ST_MakePolygon(line) ELSE line END, 4326)
FROM generate_series(1, 4) n, LATERAL (
    SELECT ST_MakeLine(ARRAY[ST_MakePoint(0, 0), ST_MakePoint(x, 1), ST_MakePoint(4, 4), ST_MakePoint(0, 0)]) AS line
    FROM (SELECT (CASE WHEN n % 2 = 0 THEN 'Infinity' ELSE 'NaN' END)::float8 AS x) AS end_of_it
) AS made
"""


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("declared", ["Geometry", *ODD])
async def test_rows_that_geos_does_not_know_raise_no_error(
    db: asyncpg.Connection, relation: str, declared: str
) -> None:
    """Surfaces count as their polygons, curves as lines. A non-finite geometry is not related to any other."""
    name = f"odd_{declared.lower()}"
    if not await db.fetchval("SELECT to_regclass($1)", name):
        await db.execute(f"CREATE TABLE {name} (id int PRIMARY KEY, geom geometry)")
        shapes = [*ODD.values(), "POLYGON((0 0, 4 0, 4 4, 0 0))"] if declared == "Geometry" else [ODD[declared]]
        for index, shape in enumerate(shapes, start=1):
            await db.execute(f"INSERT INTO {name} VALUES ($1, ST_SetSRID($2::text::geometry, 4326))", index, shape)  # noqa: S608
        if declared == "Geometry":
            await db.execute(NOWHERE)
    kind = "geometry" if declared == "Geometry" else f"geometry({declared}Z,4326)"
    columns = {"geom": queryable("geom", kind, srid=4326), "id": queryable("id", "integer")}
    table = Table(db, name, columns)
    known = list(range(1, 8)) if declared == "Geometry" else [1]
    for literal in ("POLYGON((-1 -1, 9 -1, 9 9.5, -1 9, -1 -1))", "BBOX(-1, -1, 9, 9)"):
        found = await table.ids(f"{relation}(geom, {literal})")
        assert set(found) >= {"S_INTERSECTS": set(known), "S_WITHIN": set(known)}.get(relation, set())
        assert relation in ("S_INTERSECTS", "S_WITHIN") or not set(found) & set(known)
        there = [*found, *await table.ids(f"NOT {relation}(geom, {literal})")]
        # unknown is neither
        assert set(known) <= set(there)
        assert len(there) == len(set(there))
    for literal in ("LINESTRING(-1 -1, 2 2, 9 -1)", "POINT(0.5 0.25)", "geom"):
        await table.ids(f"{relation}(geom, {literal})")


@pytest.mark.parametrize("relation", RELATIONS)
async def test_rows_of_unknown_crs_and_open_rings_raise_no_error(db: asyncpg.Connection, relation: str) -> None:
    """For rows without a place every relation is unknown; an open ring counts as closed."""
    if not await db.fetchval("SELECT to_regclass('placeless')"):
        # POLYGON((0 0, 0 4, 4 4, 4 0)), as older versions let it in
        ring = "0000000000000000000000000000000000000000000000000000000000001040"
        ring += "0000000000001040000000000000104000000000000010400000000000000000"
        await db.execute("CREATE TABLE placeless (id int PRIMARY KEY, geom geometry)")
        await db.execute("INSERT INTO placeless VALUES (1, $1::text::geometry)", f"01030000000100000004000000{ring}")
        await db.execute("INSERT INTO placeless VALUES (2, 'SRID=12;POINT(1 1)'), (3, 'SRID=4326;POINT(1 1)')")
    table = Table(db, "placeless", {"geom": queryable("geom", "geometry", srid=None)})
    for literal in ("POLYGON((-1 -1, 9 -1, 9 9.5, -1 9, -1 -1))", "BBOX(-1, -1, 9, 9)"):
        found = await table.ids(f"{relation}(geom, {literal})")
        assert found == ([1, 3] if relation in ("S_INTERSECTS", "S_WITHIN") else [])


async def test_geographies_of_other_crss_are_compared(db: asyncpg.Connection) -> None:
    table = await make_table(db, "of_nad83", {"geog": "geography(Point, 4269)"}, [("SRID=4269;POINT(10 50)",)])
    for condition in ("S_INTERSECTS(geog, BBOX(9, 49, 11, 51))", "S_WITHIN(geog, POLYGON((9 49, 11 49, 10 52, 9 49)))"):
        assert await table.ids(condition) == [1]
