"""Boxes of geometries that lie on both sides of the antimeridian (RFC 7946 sections 5.2 and 3.1.9)."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from itertools import pairwise

import asyncpg
import pytest
from shapely import get_parts, unary_union
from shapely.geometry import MultiPolygon, Polygon, box, shape

from tests.eventually import eventually
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Client, Services

Box = tuple[float, float, float, float]
SHAPES = {
    1: MultiPolygon([box(170, -10, 180, 10), box(-180, -20, -175, 5)]),
    # Russia, more or less, whose western part is far from the antimeridian
    2: MultiPolygon([box(27, 42, 180, 77), box(-180, 65, -169, 71), box(20, 54, 22, 55)]),
    # the parts leave no gap: as wide as the world
    3: MultiPolygon([box(-180, 0, 0, 10), box(-5, 20, 180, 30)]),
    4: MultiPolygon([box(-180, -90, 180, -60)]),
    # near, but not at it
    5: MultiPolygon([box(170, 0, 179, 10), box(-179, 0, -170, 10)]),
    6: MultiPolygon([box(170, 0, 180, 10), box(0, 0, 1, 1)]),
}


def _expected(parts: MultiPolygon) -> list[Box]:
    """The boxes: two that leave out the widest gap where both sides are touched, else one."""
    west, south, east, north = parts.bounds
    spans = sorted((part.bounds[0], part.bounds[2]) for part in parts.geoms)
    reach = [max(end for _, end in spans[: place + 1]) for place in range(len(spans))]
    gaps = [(start - end, end, start) for end, (_, (start, _)) in zip(reach, pairwise(spans), strict=False)]
    # of equals the first from the west
    widest = max(gaps, key=lambda gap: (gap[0], -gap[1]), default=(0, 0, 0))
    if (west, east) != (-180, 180) or widest[0] <= 0:
        return [(west, south, east, north)]
    return [(widest[2], south, 180, north), (-180, south, widest[1], north)]


def _random(seed: int) -> MultiPolygon:
    numbers = random.Random(seed)  # noqa: S311
    parts = [box(180 - numbers.randint(1, 150), -5, 180, 5), box(-180, 0, -180 + numbers.randint(1, 150), 10)]
    for _ in range(numbers.randint(0, 5)):
        west = numbers.randint(-180, 175)
        parts.append(box(west, -60, west + numbers.randint(1, min(60, 180 - west)), numbers.randint(-50, 60)))
    # parts that overlap are one
    return MultiPolygon(list(get_parts(unary_union(parts))))


@pytest.fixture(scope="module")
async def both_sides(running: Services, hostile: HostileDatabase) -> AsyncIterator[dict[int, MultiPolygon]]:
    shapes = SHAPES | {100 + seed: _random(seed) for seed in range(60)}
    owner = await asyncpg.connect(hostile.owner_url)
    await owner.execute(
        "CREATE TABLE hostile.both_sides (id integer PRIMARY KEY, geom geometry(MultiPolygon, 4326),"
        " mercator geometry(MultiPolygon, 3857), earth geography(MultiPolygon), anything geometry);"
        "GRANT SELECT ON hostile.both_sides TO hostile_reader"
    )
    await owner.executemany(
        "INSERT INTO hostile.both_sides SELECT $1, g,"
        " ST_Multi(ST_Transform(ST_Intersection(g, ST_MakeEnvelope(-180, -85, 180, 85, 4326)), 3857)),"
        # an edge that spans half the Earth has no unique course
        " ST_Segmentize(g, 90), g FROM ST_GeomFromText($2, 4326) AS g",
        [(number, parts.wkt) for number, parts in shapes.items()],
    )
    await eventually(lambda: running["features"].json("/collections/hostile.both_sides/items"))
    yield shapes
    await owner.execute("DROP TABLE hostile.both_sides")
    await owner.close()


@pytest.mark.parametrize("column", ["geom", "earth", "anything"])
@pytest.mark.parametrize("simplify", [None, "0.0001"])
async def test_the_box_leaves_out_the_widest_gap(
    features: Client, both_sides: dict[int, MultiPolygon], column: str, simplify: str | None
) -> None:
    parameters = {"limit": "100", "bbox-only": "true", "geom-column": column}
    if simplify:
        parameters["simplify"] = simplify
    page = await features.json("/collections/hostile.both_sides/items", **parameters)
    assert len(page["features"]) == len(both_sides)
    for feature in page["features"]:
        expected = _expected(both_sides[feature["id"]])
        found = feature["geometry"]
        assert found["type"] == ("Polygon" if len(expected) == 1 else "MultiPolygon"), feature["id"]
        polygons = list(get_parts(shape(found)))
        assert [polygon.bounds for polygon in polygons] == expected, feature["id"]
        # counterclockwise, as RFC 7946 wants its rings
        assert all(isinstance(polygon, Polygon) and polygon.exterior.is_ccw for polygon in polygons)


async def test_another_crs(features: Client, both_sides: dict[int, MultiPolygon]) -> None:
    page = await features.json(
        "/collections/hostile.both_sides/items", ids="1,2,6", **{"bbox-only": "true", "geom-column": "mercator"}
    )
    first, second, third = (feature["geometry"] for feature in page["features"])
    assert [polygon.bounds for polygon in get_parts(shape(first))] == [
        pytest.approx((170, -20, 180, 10)),
        pytest.approx((-180, -20, -175, 10)),
    ]
    assert get_parts(shape(second))[1].bounds == pytest.approx((-180, 42, -169, 77))
    assert third["type"] == "Polygon"


async def test_points_and_lines(features: Client, running: Services, owner: asyncpg.Connection) -> None:
    await owner.execute(
        "CREATE TABLE hostile.thin (id integer PRIMARY KEY, geom geometry(Geometry, 4326));"
        "INSERT INTO hostile.thin VALUES (1, 'SRID=4326;MULTIPOINT(180 1, -180 1)'),"
        " (2, 'SRID=4326;MULTILINESTRING((180 1, 179 1), (-180 1, -179 1))'),"
        " (3, 'SRID=4326;MULTILINESTRING((180 1, 179 2), (-180 1, -180 2))'),"
        " (4, 'SRID=4326;POINT(180 1)'), (5, 'SRID=4326;LINESTRING(180 -80, 180 80)');"
        "GRANT SELECT ON hostile.thin TO hostile_reader"
    )
    try:
        await eventually(lambda: features.json("/collections/hostile.thin/items"))
        page = await features.json("/collections/hostile.thin/items", **{"bbox-only": "true"})
        kinds = [feature["geometry"]["type"] for feature in page["features"]]
        assert kinds == ["MultiPoint", "MultiLineString", "GeometryCollection", "Point", "LineString"]
        html = await features.get("/collections/hostile.thin/items", {"f": "html"})
        assert html.status == 200
    finally:
        await owner.execute("DROP TABLE hostile.thin")
