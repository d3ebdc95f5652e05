from __future__ import annotations

from typing import Any

import asyncpg
import pytest

from services.features.rows.rings import (
    is_nothing_else,
    may_have_short_rings,
    remove_short_rings,
    remove_short_rings_of_wkt,
)
from tests.eventually import eventually
from tests.services.in_process import Services
from tests.services.tiles.places import decoded

RING = [[0, 0], [4, 0], [4, 4], [0, 0]]
SHORT = [[1, 1], [2, 2], [1, 1]]


@pytest.mark.parametrize(
    ("geometry", "expected"),
    [
        ({"type": "Polygon", "coordinates": [RING, SHORT]}, {"type": "Polygon", "coordinates": [RING]}),
        ({"type": "Polygon", "coordinates": [SHORT, RING]}, None),
        (
            {"type": "MultiPolygon", "coordinates": [[SHORT], [RING, [[1, 1], [1, 1]], RING]]},
            {"type": "MultiPolygon", "coordinates": [[RING, RING]]},
        ),
        ({"type": "MultiPolygon", "coordinates": [[SHORT]]}, None),
        (
            {
                "type": "GeometryCollection",
                "geometries": [
                    {"type": "Polygon", "coordinates": [SHORT]},
                    {"type": "LineString", "coordinates": SHORT},
                ],
            },
            {"type": "GeometryCollection", "geometries": [{"type": "LineString", "coordinates": SHORT}]},
        ),
    ],
)
def test_short_rings_are_left_out(geometry: dict[str, Any], expected: dict[str, Any] | None) -> None:
    assert remove_short_rings(geometry) == expected


def test_only_polygons_are_looked_at() -> None:
    assert may_have_short_rings('{"type":"Polygon","coordinates":[[[0,0],[1,1],[0,0]]]}')
    assert not may_have_short_rings('{"type":"Polygon","coordinates":[[[0,0],[1,1],[2,0],[0,0]]]}')
    assert not may_have_short_rings('{"type":"LineString","coordinates":[[0,0],[1,1]]}')


@pytest.mark.parametrize(
    ("text", "short", "nothing"),
    [
        ('{"type":"Polygon","coordinates":[[[0,0],[1,1],[0,0]]]}', True, True),
        ('{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,0]],[[1,1],[2,2],[1,1]]]}', True, False),
        ('{"type":"Polygon","coordinates":[[[0,0]]]}', True, True),
        ('{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,0]]]}', False, False),
        ('{"type":"LineString","coordinates":[[0,0],[1,1]]}', False, False),
        ("POLYGON((0 0,1 1,0 0))", True, True),
        ("POLYGON((0 0,4 0,4 4,0 0),(1 1,2 2,1 1))", True, False),
        ("POLYGON((0 0))", True, True),
        ("POLYGON((0 0,4 0,4 4,0 0))", False, False),
        ("LINESTRING(0 0,1 1)", False, False),
        # a collection of geometries does not say so
        ("GEOMETRYCOLLECTION(POLYGON((0 0,1 1,0 0)),LINESTRING(0 0,1 1))", True, False),
    ],
)
def test_a_geometry_of_short_rings_alone_is_lost(text: str, short: bool, nothing: bool) -> None:
    assert (may_have_short_rings(text), is_nothing_else(text)) == (short, nothing)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("GEOMETRYCOLLECTION(POLYGON((1 1,2 2,1 1)))", "GEOMETRYCOLLECTION(POLYGON((1 1,2 2,1 1)))"),
        ("POLYGON((0 0,4 0,4 4,0 0),(1 1,2 2,1 1))", "POLYGON((0 0,4 0,4 4,0 0))"),
        ("POLYGON((1 1,2 2,1 1))", None),
        ("POLYGON((0 0,4 0,4 4,0 0),(1 1),(1 1,2 2))", "POLYGON((0 0,4 0,4 4,0 0))"),
        ("POLYGON((0 0,4 0,4 4,0 0),(1 1,2 1,2 2,1 1))", "POLYGON((0 0,4 0,4 4,0 0),(1 1,2 1,2 2,1 1))"),
        ("MULTIPOLYGON(((0 0,4 0,4 4,0 0),(1 1,1 1)),((0 0,4 0,4 4,0 0)))", None),
        ("LINESTRING(0 0,1 1)", "LINESTRING(0 0,1 1)"),
        ("POINT(1 2)", "POINT(1 2)"),
    ],
)
def test_wkt(text: str, expected: str | None) -> None:
    if "1 1,1 1" in text:
        expected = "MULTIPOLYGON(((0 0,4 0,4 4,0 0)),((0 0,4 0,4 4,0 0)))"
    assert remove_short_rings_of_wkt(text) == expected


async def test_none_leaves_the_service(running: Services, owner: asyncpg.Connection) -> None:
    # ST_GeomFromGeoJSON takes what WKT does not
    rings = [[[[0, 0], [1, 1], [0, 0]]], [RING, [[1, 1], [2, 1], [1, 1]]], [[[0, 0], [0, 0]]]]
    await owner.execute(
        "CREATE TABLE hostile.rings (id serial PRIMARY KEY, geom geometry(Polygon, 4326));"
        "GRANT SELECT ON hostile.rings TO hostile_reader"
    )
    try:
        for coordinates in rings:
            text = f'{{"type":"Polygon","coordinates":{coordinates}}}'
            await owner.execute("INSERT INTO hostile.rings (geom) SELECT ST_GeomFromGeoJSON($1)", text)
        path = "/collections/hostile.rings"
        await eventually(lambda: running["features"].json(f"{path}/items"))
        page = await running["features"].json(f"{path}/items")
        found = {feature["id"]: feature["geometry"] for feature in page["features"]}
        assert found[2]["coordinates"] == [RING]
        assert [found[number] for number in (1, 3)] == [None, None]
        table = (await running["features"].get(f"{path}/items", {"f": "csv"})).body.decode()
        assert [line.count("POLYGON") for line in table.splitlines()] == [0, 0, 1, 0]
        assert "1 1" not in table
        await eventually(lambda: running["tiles"].json(f"{path}/tiles"))
        for place in ("0/0/0", "6/32/31"):
            answer = await running["tiles"].get(f"{path}/tiles/WebMercatorQuad/{place}")
            assert answer.status == 200, answer.body
            for feature in decoded(answer.body, "hostile.rings"):
                polygons = getattr(feature.geometry, "geoms", [feature.geometry])
                assert all(len(polygon.exterior.coords) >= 4 for polygon in polygons), place
    finally:
        await owner.execute("DROP TABLE hostile.rings")
