"""Rows with longitudes beyond ±180: every request gets the same answers as for the same places within ±180."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import asyncpg
import numpy as np
import pytest
import shapely
from shapely.affinity import translate
from shapely.geometry import GeometryCollection, LineString, MultiPoint, MultiPolygon, Point, Polygon, box, shape
from shapely.geometry.base import BaseGeometry

from tests.eventually import eventually
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Services, services
from tests.services.tiles.places import decoded

STORED: dict[int, BaseGeometry] = {
    1: Point(200, 10),
    2: Point(-190, 5),
    3: LineString([(170, 0), (190, 10)]),
    4: box(170, -10, 200, 10),
    5: box(-190, 20, 190, 30),
    6: MultiPolygon([box(0, 40, 10, 50), box(350, 40, 359, 50)]),
    7: Point(10, 10),
    8: MultiPoint([(190, -20), (-190, -21)]),
    9: GeometryCollection([Point(190, 1), LineString([(170, 2), (190, 2)])]),
    10: Polygon(box(170, -40, 200, -20).exterior, [box(175, -35, 185, -25).exterior.coords]),
    11: LineString([(300, -50), (310, -60), (320, -50)]),
    12: Polygon([(195, -60), (205, -60), (200, -50)]),
    13: LineString([(-200, 60), (-170, 62), (-150, 61)]),
}
ON_EARTH = (-180, -90, 180, 90)


def within(stored: BaseGeometry) -> BaseGeometry:
    """The same places with longitudes within ±180."""
    pieces = []
    for member in shapely.get_parts(stored):
        for turn in (-1, 0, 1):
            moved = translate(member, -360 * turn)
            cut = shapely.intersection(moved, box(*ON_EARTH))
            is_touch = shapely.get_dimensions(cut) < shapely.get_dimensions(member) or (
                turn and isinstance(member, Point) and abs(member.x) == 180
            )
            if not cut.is_empty and not is_touch:
                pieces += shapely.get_parts(cut).tolist()
    if len({piece.geom_type for piece in pieces}) > 1:
        return GeometryCollection(pieces)
    return shapely.union_all(pieces)


METRES = 20_037_508.342789244 / 180
"""Of Web Mercator, of one degree of longitude."""


def in_mercator(geometry: BaseGeometry) -> BaseGeometry:
    """Northings as long as degrees of longitude are."""
    return shapely.transform(
        geometry,
        lambda places: np.column_stack((places[:, 0], np.degrees(np.arctanh(np.sin(np.radians(places[:, 1])))))),
    )


def from_mercator(geometry: BaseGeometry) -> BaseGeometry:
    return shapely.transform(
        geometry,
        lambda places: np.column_stack((places[:, 0], np.degrees(np.arcsin(np.tanh(np.radians(places[:, 1])))))),
    )


def in_metres(geometry: BaseGeometry) -> BaseGeometry:
    return shapely.transform(geometry, lambda places: places * METRES)


@pytest.fixture(scope="module")
async def around(hostile: HostileDatabase, running: Services) -> AsyncIterator[Services]:
    """Tables of the same places: `beyond` as stored, `within` on Earth, each with an index; and `unknown`, a view."""
    owner = await asyncpg.connect(hostile.owner_url)
    mercator = {number: in_mercator(geometry) for number, geometry in STORED.items()}
    on_earth: list[dict[int, BaseGeometry]] = [
        {number: within(g) for number, g in rows.items()} for rows in (STORED, mercator)
    ]
    for name, rows, in_web in (("beyond", STORED, mercator), ("within", on_earth[0], on_earth[1])):
        await owner.execute(
            f"CREATE TABLE hostile.{name} (id integer PRIMARY KEY, geom geometry(Geometry, 4326), bare geometry,"
            " web geometry(Geometry, 3857),"
            f" earth {'geography' if name == 'beyond' else 'geometry'}(Geometry, 4326))"
        )
        await owner.executemany(
            f"INSERT INTO hostile.{name} SELECT $1, ST_GeomFromText($2, 4326), ST_GeomFromText($2),"
            " ST_SetSRID(ST_GeomFromWKB($3), 3857),"
            # a geography has longitudes within ±180, and each edge is the short way
            " ST_GeomFromText($4, 4326)",
            [
                (number, geometry.wkt, in_metres(in_web[number]).wkb, shapely.segmentize(geometry, 90).wkt)
                for number, geometry in rows.items()
            ],
        )
        await owner.execute(f"CREATE INDEX ON hostile.{name} USING gist (geom); ANALYZE hostile.{name}")
    await owner.execute("CREATE TABLE hostile.web_pacific (id integer PRIMARY KEY, geom geometry(LineString, 3857))")
    across = in_metres(LineString([(150, 0), (290, 0)])).wkt
    await owner.execute("INSERT INTO hostile.web_pacific VALUES (1, ST_GeomFromText($1, 3857)), (2, NULL)", across)
    await owner.execute(
        "CREATE TABLE hostile.pacific (id integer PRIMARY KEY, geom geometry(Point, 4326));"
        "INSERT INTO hostile.pacific VALUES (1, 'SRID=4326;POINT(150 -10)'), (2, 'SRID=4326;POINT(290 20)');"
        "CREATE INDEX ON hostile.pacific USING gist (geom); ANALYZE hostile.pacific;"
        "CREATE TABLE hostile.far (id integer PRIMARY KEY, geom geometry(Geometry, 4326));"
        "INSERT INTO hostile.far VALUES (1, 'SRID=4326;POINT(900 10)'), (2, 'SRID=4326;LINESTRING(10 80, 10 95)'),"
        " (3, 'SRID=4326;POINT(200 10)'), (4, NULL), (5, 'SRID=4326;POINT EMPTY');"
        "CREATE INDEX ON hostile.far USING gist (geom); ANALYZE hostile.far;"
        "CREATE VIEW hostile.unknown AS SELECT id, geom, earth FROM hostile.beyond WHERE pg_sleep(0.03) IS NOT NULL;"
        "GRANT SELECT ON hostile.beyond, hostile.within, hostile.pacific, hostile.far TO hostile_reader;"
        "CREATE TABLE hostile.fiji (id integer PRIMARY KEY, earth geography(Polygon));"
        "INSERT INTO hostile.fiji VALUES (1, 'POLYGON((178 -19, -178 -19, -178 -16, 178 -16, 178 -19))');"
        "GRANT SELECT ON hostile.web_pacific, hostile.unknown, hostile.fiji TO hostile_reader"
    )
    for name in ("beyond", "within", "pacific", "web_pacific", "far", "unknown", "fiji"):
        for service in ("features", "tiles"):
            path = "items" if service == "features" else "tiles"
            await eventually(partial(running[service].json, f"/collections/hostile.{name}/{path}"))
    yield running
    await owner.execute(
        "DROP VIEW hostile.unknown; DROP TABLE hostile.beyond, hostile.within, hostile.pacific, hostile.far,"
        " hostile.web_pacific, hostile.fiji"
    )
    await owner.close()


def _same(found: BaseGeometry, expected: BaseGeometry) -> bool:
    if found.geom_type == "GeometryCollection" or expected.geom_type == "GeometryCollection":
        parts = zip(_by_type(found).items(), _by_type(expected).items(), strict=True)
        return all(one[0] == other[0] and _same(one[1], other[1]) for one, other in parts)
    return bool(shapely.hausdorff_distance(found, expected) < 1e-6 and abs(found.area - expected.area) < 1e-6)


def _by_type(collection: BaseGeometry) -> dict[int, BaseGeometry]:
    parts = [part for member in shapely.get_parts(collection) for part in shapely.get_parts(member)]
    kinds = sorted({shapely.get_dimensions(part) for part in parts})
    return {kind: shapely.union_all([p for p in parts if shapely.get_dimensions(p) == kind]) for kind in kinds}


async def _items(around: Services, name: str, **parameters: str) -> dict[int, Any]:
    page = await around["features"].json(f"/collections/hostile.{name}/items", limit="100", **parameters)
    return {feature["properties"]["id"]: feature["geometry"] for feature in page["features"]}


@pytest.mark.parametrize("column", ["geom", "bare", "earth"])
async def test_features_are_where_they_are_on_earth(around: Services, column: str) -> None:
    found = await _items(around, "beyond", **{"geom-column": column})
    assert found.keys() == STORED.keys()
    for number, geometry in found.items():
        assert geometry is not None, number
        west, _, east, _ = shape(geometry).bounds
        assert -180 <= west <= east <= 180, number
        assert _same(shape(geometry), within(STORED[number])), (number, geometry)
    assert found[3]["type"] == "MultiLineString"
    assert found[4]["type"] == "MultiPolygon"
    assert found[12]["type"] == "Polygon"


@pytest.mark.parametrize("in_crs", [None, "http://www.opengis.net/def/crs/EPSG/0/3857"])
async def test_those_in_web_mercator_too(around: Services, in_crs: str | None) -> None:
    found = await _items(around, "beyond", **{"geom-column": "web"}, **({"crs": in_crs} if in_crs else {}))
    for number, geometry in found.items():
        expected = within(in_mercator(STORED[number]))
        if in_crs:
            assert _same(shapely.transform(shape(geometry), lambda places: places / METRES), expected), number
        else:
            assert _same(shape(geometry), from_mercator(expected)), (number, geometry)
    for bbox in ("-175,-5,-165,5", "175,-15,-165,15", "168,55,172,65", "-65,-60,-40,-40", "20,-10,30,10"):
        boxed = {"bbox": bbox, "geom-column": "web"}
        assert (await _items(around, "beyond", **boxed)).keys() == (await _items(around, "within", **boxed)).keys()


WEB_LITERALS = ["BBOX(-175, -5, -165, 5)", "BBOX(175, -15, -165, 15)", "BBOX(-165, 5, -155, 15)", "POINT(-162 1)"]


@pytest.mark.parametrize("relation", ["INTERSECTS", "DISJOINT", "WITHIN", "CONTAINS", "OVERLAPS"])
async def test_filters_find_those_in_web_mercator_too(around: Services, relation: str) -> None:
    found = 0
    for literal in WEB_LITERALS:
        text = f"S_{relation}(web, {literal})"
        beyond, on_earth = [(await _items(around, name, filter=text)).keys() for name in ("beyond", "within")]
        assert beyond == on_earth, text
        found += len(beyond)
    assert found
    in_metres_too = f"S_{relation}(web, {in_metres(in_mercator(box(-175, -5, -165, 5))).wkt})"
    crs = "http://www.opengis.net/def/crs/EPSG/0/3857"
    beyond, on_earth = [
        (await _items(around, name, filter=in_metres_too, **{"filter-crs": crs})).keys()
        for name in ("beyond", "within")
    ]
    assert beyond == on_earth


@pytest.mark.parametrize("column", ["geom", "earth"])
@pytest.mark.parametrize("parameters", [{"bbox-only": "true"}, {"simplify": "0.001"}, {"f": "csv"}, {"f": "html"}])
async def test_other_representations_hold_no_longitude_beyond(
    around: Services, parameters: dict[str, str], column: str
) -> None:
    asked = {"limit": "100", "geom-column": column, **parameters}
    answer = await around["features"].get("/collections/hostile.beyond/items", asked)
    assert answer.status == 200
    if "f" not in parameters:
        features = answer.json()["features"]
        bounds = {feature["id"]: shape(feature["geometry"]).bounds for feature in features}
        assert all(-180 <= west <= east <= 180 for west, _, east, _ in bounds.values())
        # two boxes, at the antimeridian
        assert list(bounds[4]) == [-180, -10, 180, 10]
        assert next(feature["geometry"]["type"] for feature in features if feature["id"] == 4) == "MultiPolygon"


LITERALS = [
    "BBOX(-175, -5, -165, 5)",
    "BBOX(175, -15, -165, 15)",
    "BBOX(-180, -90, 180, 90)",
    "POLYGON((-165 5, -155 5, -155 15, -165 15, -165 5))",
    "POLYGON((172 -8, 178 -8, 178 8, 172 8, 172 -8))",
    "LINESTRING(-170 0, -150 0)",
    "POINT(-160 10)",
    "MULTIPOLYGON(((165 -20, 180 -20, 180 20, 165 20, 165 -20)), ((-180 -20, -150 -20, -150 20, -180 20, -180 -20)))",
    "LINESTRING(-60 -50, -50 -60, -40 -50)",
]
RELATIONS = ["INTERSECTS", "DISJOINT", "WITHIN", "CONTAINS", "TOUCHES", "CROSSES", "OVERLAPS", "EQUALS"]


@pytest.mark.parametrize("column", ["geom", "bare", "earth"])
@pytest.mark.parametrize("relation", RELATIONS)
async def test_filters_find_them_there(around: Services, relation: str, column: str) -> None:
    found = 0
    for literal in LITERALS:
        text = f"S_{relation}({column}, {literal})"
        beyond, on_earth = [(await _items(around, name, filter=text)).keys() for name in ("beyond", "within")]
        assert beyond == on_earth, text
        found += len(beyond)
    assert found


async def test_boxes_find_them_there_in_views_of_unknown_extent_too(around: Services) -> None:
    for bbox in ("-175,-5,-165,5", "175,-15,-165,15", "168,55,172,65", "-65,-60,-40,-40", "20,-10,30,10"):
        expected = (await _items(around, "within", bbox=bbox)).keys()
        assert (await _items(around, "beyond", bbox=bbox)).keys() == expected, bbox
        assert (await _items(around, "unknown", bbox=bbox)).keys() == expected, bbox
        for name in ("beyond", "unknown"):
            assert (await _items(around, name, bbox=bbox, **{"geom-column": "earth"})).keys() == expected, (bbox, name)
    assert None not in (await _items(around, "unknown")).values()
    assert _same(shape((await _items(around, "unknown", **{"geom-column": "earth"}))[4]), within(STORED[4]))


@pytest.mark.parametrize(
    "tile",
    [
        *(f"WebMercatorQuad/{place}" for place in ("0/0/0", "3/0/3", "3/7/4", "4/1/7")),
        *(f"WorldCRS84Quad/{place}" for place in ("0/0/0", "3/0/3", "0/1/0")),
        "UPSArcticWGS84Quad/1/1/0",
    ],
)
@pytest.mark.parametrize("column", ["geom", "bare", "web", "earth"])
async def test_tiles_show_them_there(around: Services, tile: str, column: str) -> None:
    drawn = []
    for name in ("beyond", "within"):
        path = f"/collections/hostile.{name}/tiles/{tile}"
        answer = await around["tiles"].get(path, {"geom-column": column})
        assert answer.status == 200
        assert answer.headers["DAMS-Features-Omitted"] == "0"
        features = decoded(answer.body, f"hostile.{name}")
        drawn.append({feature.id: feature.geometry for feature in features})
    beyond, on_earth = drawn
    assert beyond.keys() == on_earth.keys()
    assert beyond
    for number, geometry in beyond.items():
        # corners along an arc are elsewhere where lines were cut elsewhere
        most = 3 if column == "earth" else 2
        assert shapely.hausdorff_distance(geometry, on_earth[number]) <= most, number


@pytest.mark.parametrize("tile", ["8/255/140", "8/0/140"])
async def test_tiles_within_an_area_that_crosses_are_full(around: Services, tile: str) -> None:
    answer = await around["tiles"].get(f"/collections/hostile.fiji/tiles/WebMercatorQuad/{tile}")
    (feature,) = decoded(answer.body, "hostile.fiji")
    assert feature.geometry.area >= 4096**2


async def test_extents_are_on_earth(around: Services) -> None:
    async def of(name: str) -> list[float]:
        document = await around["common"].json(f"/collections/hostile.{name}")
        extent: list[float] = document["extent"]["spatial"]["bbox"][0]
        return extent

    assert await of("beyond") == [-180, -60, 180, 62]
    assert await of("pacific") == [150, -10, -70, 20]
    assert await of("fiji") == [178, -19, -178, -16]
    assert await of("web_pacific") == [150, 0, -70, 0]
    listed = [
        [entry["id"] for entry in (await around["common"].json("/collections", bbox=bbox, limit="1000"))["collections"]]
        for bbox in ("-80,0,-70,30", "0,0,20,20")
    ]
    assert ["hostile.pacific" in names for names in listed] == [True, False]
    tilejson = await around["tiles"].json("/collections/hostile.pacific/tiles/WebMercatorQuad/tilejson.json")
    assert tilejson["bounds"] == [-180, -10.00001, 180, 20.00001]
    tileset = await around["tiles"].json("/collections/hostile.pacific/tiles/WebMercatorQuad")
    assert tileset["tileMatrixSetLimits"][2]["minTileCol"] == 0
    assert tileset["tileMatrixSetLimits"][2]["maxTileCol"] == 3
    for service, path in (("common", "/collections/hostile.pacific"), ("common", "/collections")):
        assert (await around[service].get(path, {"f": "html"})).status == 200


@pytest.mark.parametrize("limit", ["10", "5000"])
async def test_what_has_no_place_on_earth_is_counted(around: Services, limit: str) -> None:
    path = "/collections/hostile.far/items"
    page = (await around["features"].get(path, {"limit": limit})).json()
    assert [feature["geometry"] is None for feature in page["features"]] == [True, True, False, True, True]
    assert page["geometriesOmitted"] == 2
    schema = await around["features"].json("/collections/hostile.far/schema")
    assert schema["properties"]["geom"]["description"] == "Outside longitude and latitude, hence null: 2"


async def test_the_header_counts_those_of_a_page(around: Services) -> None:
    path = "/collections/hostile.far/items"
    for parameters in ({}, {"f": "csv"}, {"f": "ndjson"}, {"f": "html"}, {"bbox-only": "true"}, {"simplify": "1"}):
        headers = (await around["features"].get(path, parameters)).headers
        assert headers["DAMS-Geometries-Omitted"] == "2", parameters
    none = await around["features"].get(path, {"ids": "3,4,5"})
    assert "DAMS-Geometries-Omitted" not in none.headers
    assert "geometriesOmitted" not in none.json()


async def test_stored_numbers_for_those_who_want_them(
    hostile: HostileDatabase, around: Services, tmp_path: Path
) -> None:
    said = tmp_path / "collections.yaml"
    stored = "{longitudes: stored}"
    said.write_text(f"collections:\n  hostile.beyond: {stored}\n  hostile.far: {stored}\n", encoding="utf-8")
    async with services() as others:
        await others.start("common", hostile.env(DAMS_COLLECTIONS_CONFIG=str(said)))
        await others.start("features", hostile.env())
        found = await _items(others, "beyond")
        assert all(_same(shape(geometry), STORED[number]) for number, geometry in found.items())
        # of those, only latitudes can be none
        schema = await others["features"].json("/collections/hostile.far/schema")
        assert schema["properties"]["geom"]["description"] == "Outside longitude and latitude, hence null: 1"
        # they are where they are on Earth all the same
        assert (await _items(others, "beyond", bbox="-165,-5,-161,5")).keys() == {4}
