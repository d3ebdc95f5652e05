"""Maps continue beyond the antimeridian: places are drawn there once, and areas without an outline."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import shapely

from tests.services.in_process import Client
from tests.services.tiles.conftest import TilesOn
from tests.services.tiles.places import EXTENT, decoded

_TABLES = """
CREATE TABLE hazard.at_180 (id int PRIMARY KEY, geom geometry(Point, 4326));
INSERT INTO hazard.at_180 VALUES
    (1, 'SRID=4326;POINT(180 7)'), (2, 'SRID=4326;POINT(-180 -7)'), (3, 'SRID=4326;POINT(179.9999999 20)'),
    (4, 'SRID=4326;POINT(0 10)');
CREATE TABLE hazard.across (id int PRIMARY KEY, geom geometry(MultiPolygon, 4326));
INSERT INTO hazard.across VALUES
    (1, 'SRID=4326;MULTIPOLYGON(((170 0, 180 0, 180 10, 170 10, 170 0)),
        ((-180 0, -175 0, -175 10, -180 10, -180 0)))');
"""


@pytest.fixture(scope="module")
async def tiles(tiles_on: TilesOn) -> AsyncIterator[Client]:
    async with tiles_on(_TABLES, "collections: {}") as running:
        yield running["tiles"]


@pytest.mark.parametrize(
    ("identifier", "west", "east"),
    [("WebMercatorQuad", "3/0/{y}", "3/7/{y}"), ("WorldCRS84Quad", "2/0/{y}", "2/7/{y}")],
)
async def test_a_client_finds_each_place_at_180_in_one_tile(
    tiles: Client, identifier: str, west: str, east: str
) -> None:
    found: list[int | None] = []
    for place in (west, east):
        for y in (1, 2, 3, 4):
            answer = await tiles.get(f"/collections/hazard.at_180/tiles/{identifier}/{place.format(y=y)}")
            if answer.status != 200:
                continue
            # as MapLibre takes points: the edges on the right and at the bottom belong to the neighbours
            found += [
                feature.id
                for feature in decoded(answer.body, "hazard.at_180")
                if 0 <= feature.x < EXTENT and 0 <= feature.y < EXTENT
            ]
    assert sorted(map(int, filter(None, found))) == [1, 2, 3]


async def test_maps_request_the_tile_beyond_a_place_at_the_edge_of_the_bounds(tiles: Client) -> None:
    west, south, east, north = (await tiles.json("/collections/hazard.at_180/tiles/WebMercatorQuad/tilejson.json"))[
        "bounds"
    ]
    assert (west, east) == (-180, 180)
    assert south < -7
    assert north > 20


@pytest.mark.parametrize(("place", "seam"), [("WebMercatorQuad/3/7/3", EXTENT), ("WebMercatorQuad/3/0/3", 0)])
async def test_an_area_has_no_outline_along_the_antimeridian(tiles: Client, place: str, seam: int) -> None:
    answer = await tiles.get(f"/collections/hazard.across/tiles/{place}")
    (feature,) = decoded(answer.body, "hazard.across")
    along = feature.geometry.boundary.intersection(shapely.LineString([(seam, -9999), (seam, 9999)]))
    assert along.length == 0
    # and reaches as far beyond it as a stroke is wide
    left, _, right, _ = feature.geometry.bounds
    assert (right if seam else -left) >= seam + 32
    assert feature.geometry.is_valid
