"""Polygons whose rings cross: what a tile shows of them is what filters find."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest
from shapely.geometry import Point

from tests.eventually import eventually
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Services
from tests.services.tiles.places import EXTENT, decoded

SHAPES = [
    "POLYGON((0 0, 10 10, 10 0, 0 10, 0 0))",
    # holes across each other, and across the shell where that is not the outermost
    "POLYGON((0 0, 10 0, 10 10, 0 10, 0 0), (1 1, 5 1, 5 5, 1 5, 1 1), (3 3, 7 3, 7 7, 3 7, 3 3))",
    "POLYGON((0 0, 15 0, 15 15, 8 2, 0 15, 0 0), (5 4, 12 4, 12 6, 5 6, 5 4))",
    # round the same place twice
    "POLYGON((0 0, 10 0, 10 10, 0 10, 0 1, 9 1, 9 9, 1 9, 0 0))",
    "POLYGON((5 0, 8 9, 0 3.5, 10 3.5, 2 9, 5 0))",
    # parts on each other
    "MULTIPOLYGON(((0 0, 10 0, 10 10, 0 10, 0 0)), ((5 5, 15 5, 15 15, 5 15, 5 5)))",
    "MULTIPOLYGON(((0 0, 10 0, 10 10, 0 10, 0 0)), ((2 2, 4 2, 4 4, 2 4, 2 2)))",
]
_TILE = "WorldCRS84Quad/2/4/1"
"""Longitudes 0 to 45, latitudes 0 to 45."""


@pytest.fixture(scope="module")
async def crossing(hostile: HostileDatabase, running: Services) -> AsyncIterator[Services]:
    owner = await asyncpg.connect(hostile.owner_url)
    await owner.execute(
        "CREATE TABLE hostile.crossing (id integer PRIMARY KEY, geom geometry(Geometry, 4326));"
        "GRANT SELECT ON hostile.crossing TO hostile_reader"
    )
    await owner.executemany(
        "INSERT INTO hostile.crossing VALUES ($1, ST_GeomFromText($2, 4326))", list(enumerate(SHAPES, 1))
    )
    await eventually(lambda: running["features"].json("/collections/hostile.crossing/items"))
    await eventually(lambda: running["tiles"].json("/collections/hostile.crossing/tiles"))
    yield running
    await owner.execute("DROP TABLE hostile.crossing")
    await owner.close()


async def test_tiles_and_filters_agree(crossing: Services) -> None:
    answer = await crossing["tiles"].get(f"/collections/hostile.crossing/tiles/{_TILE}")
    drawn = decoded(answer.body, "hostile.crossing")
    assert len(drawn) == len(SHAPES)
    places = [(x + 0.55, y + 0.3) for x in range(0, 16, 2) for y in range(0, 16, 3)]
    places += [(2.5, 2.5), (5.5, 6.1), (4.2, 4.4), (0.5, 0.7), (13.3, 6.1), (8, 8)]
    found = 0
    for x, y in places:
        page = await crossing["features"].json(
            "/collections/hostile.crossing/items", filter=f"S_INTERSECTS(geom, POINT({x} {y}))"
        )
        place = Point(x / 45 * EXTENT, (45 - y) / 45 * EXTENT)
        shown = {feature.id for feature in drawn if feature.geometry.buffer(0.5).contains(place)}
        assert {feature["id"] for feature in page["features"]} == shown, (x, y)
        found += len(shown)
    assert found > len(places)
