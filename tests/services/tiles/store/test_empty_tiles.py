"""Empty tiles are remembered, and tiles below an empty one are known to be empty."""

from __future__ import annotations

import random
from dataclasses import replace

import asyncpg
import pytest

from libs.geo.boxes import Box
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.geo.zooms import IDS
from services.tiles.request.plain_tile import plain_tile
from services.tiles.resources import CATALOGUE
from services.tiles.store.keys import ancestors, says_empty
from tests.eventually import eventually
from tests.services.in_process import Services, services
from tests.services.tiles.cache import OwnRedis, keys, metric, only_key, tier
from tests.services.tiles.conftest import Placed
from tests.services.tiles.places import decoded

LINES = "/collections/placed.lines/tiles/WebMercatorQuad"
POINTS = "/collections/placed.points/tiles/WebMercatorQuad"


async def test_empty_tiles_are_remembered(cached: Services, own_redis: OwnRedis) -> None:
    first, second = await cached["tiles"].get(f"{LINES}/20/5/5"), await cached["tiles"].get(f"{LINES}/20/5/5")
    assert (tier(first), tier(second)) == ("postgis", "redis")
    assert first.body == second.body == b""
    assert {answer.headers["DAMS-Features-Omitted"] for answer in (first, second)} == {"0"}
    assert (await only_key(own_redis.url)).startswith(b"dams:tile:3:e:")


async def test_what_lies_in_an_empty_tile_needs_no_query(cached: Services) -> None:
    tiles = cached["tiles"]
    queries = await metric(tiles, 'dams_tiles_total{tier="postgis"}')
    assert tier(await tiles.get(f"{LINES}/12/5/5")) == "postgis"
    # its own four corners, far below too, one step after the other
    for z, x, y in ((13, 10, 10), (14, 23, 20), (16, 95, 95), (20, 1535, 1535)):
        answer = await tiles.get(f"{LINES}/{z}/{x}/{y}")
        assert answer.headers["Server-Timing"].startswith('redis;desc="empty parent";'), (z, x, y)
        assert answer.body == b""
    assert await metric(tiles, 'dams_tiles_total{tier="postgis"}') == queries + 1
    # a neighbour of the parent is another matter
    assert tier(await tiles.get(f"{LINES}/13/12/10")) == "postgis"


async def test_a_tile_that_only_looks_empty_says_nothing_of_those_below(cached: Services, placed: Placed) -> None:
    """A line whose box meets a tile that the line does not."""
    owner = await asyncpg.connect(placed.owner_url)
    await owner.execute(
        "CREATE TABLE placed.tiny (id integer PRIMARY KEY, geom geometry(LineString, 4326));"
        " INSERT INTO placed.tiny VALUES (1, ST_GeomFromText('LINESTRING(-44 -20, -20 -44)', 4326));"
        " GRANT SELECT ON placed.tiny TO hostile_reader; SELECT dams.watch('placed.tiny')"
    )
    try:
        tiles = cached["tiles"]
        path = "/collections/placed.tiny/tiles/WorldCRS84Quad"

        async def there() -> None:
            assert (await tiles.get(f"{path}/0/0/0")).status == 200

        await eventually(there)
        for place in ("3/7/4", "4/14/9"):
            answer = await tiles.get(f"{path}/{place}")
            assert (tier(answer), answer.body) == ("postgis", b""), place
        assert (await tiles.get(f"{path}/3/6/5")).body != b""
    finally:
        await owner.execute("DROP TABLE placed.tiny")
        await owner.close()


async def test_a_filter_is_part_of_what_is_empty(cached: Services, own_redis: OwnRedis) -> None:
    tiles = cached["tiles"]
    nothing = {"filter": "id < 0"}
    for _ in range(2):
        assert tier(await tiles.get(f"{POINTS}/0/0/0", nothing)) == "postgis"

    async def is_cached() -> None:
        # no answer waits for the cache
        assert any(name.startswith(b"dams:tile:3:e:") for name in await keys(own_redis.url))

    await eventually(is_cached)
    answer = await tiles.get(f"{POINTS}/1/1/0", nothing)
    assert tier(answer) == "redis"
    assert tier(await tiles.get(f"{POINTS}/1/1/0", {"filter": "id > 0"})) == "postgis"
    assert (await tiles.get(f"{POINTS}/1/1/0")).body != b""


def holds(box: Box, place: tuple[float, float]) -> bool:
    return box[0] <= place[0] <= box[2] and box[1] <= place[1] <= box[3]


@pytest.mark.parametrize("identifier", IDS)
async def test_whatever_the_tile_would_show_an_ancestor_would_have_met(cached: Services, identifier: str) -> None:
    collection = cached.apps["tiles"][CATALOGUE].collection("placed.lines")
    tms = tile_matrix_set(identifier)
    chance = random.Random(identifier)  # noqa: S311 - places, not secrets
    useful = tried = 0
    for z, matrix in tms.matrices.items():
        for _ in range(6):
            x, y = chance.randrange(matrix.columns), chance.randrange(matrix.rows)
            request = plain_tile(collection, tms, z, x, y, 100)
            above = ancestors(request, "build", "token")
            assert [level for _, level, _, _ in above] == [level for level in sorted(tms.matrices) if level < z][:-5:-1]
            for name, level, column, row in above:
                other = plain_tile(collection, tms, level, column, row, 100)
                assert (other.x, other.y) == (column, row)
                assert name == f"build:token:{identifier}:{level}:{column}:{row}::placed.lines"
                tried += 1
                if says_empty(request, level, column, row):
                    useful += 1
                    for west, south, east, north in request.region.near:
                        place = chance.uniform(west, east), chance.uniform(south, north)
                        assert any(holds(box, place) for box in other.region.near), (name, place)
    assert useful > 0.5 * tried


@pytest.mark.parametrize("identifier", ["CDB1GlobalGrid", "GNOSISGlobalGrid", "UPSArcticWGS84Quad"])
async def test_nothing_is_lost_below_empty_tiles(cached: Services, placed: Placed, identifier: str) -> None:
    """Coarse levels first, then finer ones: every tile is what it is without a cache."""
    tms = tile_matrix_set(identifier)
    async with services() as bare:
        for name in ("common", "tiles"):
            await bare.start(name, {**placed.env, "DAMS_REDIS_URL": ""})
        queries = 0
        for z in sorted(tms.matrices)[:5]:
            matrix = tms.matrices[z]
            for y in range(0, matrix.rows, max(1, matrix.rows // 6)):
                for x in range(0, matrix.columns, max(1, matrix.columns // 6)):
                    path = f"/collections/placed.polygons/tiles/{identifier}/{z}/{x}/{y}"
                    answer = await cached["tiles"].get(path)
                    # which comes first is up to the plan that the database makes, and to when it looked at the table
                    expected = await bare["tiles"].get(path)
                    assert _drawn(answer.body) == _drawn(expected.body), path
                    queries += answer.headers["Server-Timing"].startswith('redis;desc="empty parent"')
        assert queries > 0


def _drawn(tile: bytes) -> list[tuple[object, ...]]:
    return sorted((drawn.id, drawn.geometry.wkb, str(drawn.properties)) for drawn in decoded(tile, "placed.polygons"))


async def test_geographies_are_looked_for_anew(cached: Services) -> None:
    collection = cached.apps["tiles"][CATALOGUE].collection("placed.lines")
    request = plain_tile(collection, tile_matrix_set("WebMercatorQuad"), 5, 3, 3, 100)
    assert ancestors(request, "build", "token")
    assert ancestors(replace(request, geometry=replace(request.geometry, is_geography=True)), "build", "token") == []
