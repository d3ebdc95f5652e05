"""Areas of very many corners: their tiles come in time, and show them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest
import shapely

from tests.eventually import eventually
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Client
from tests.services.tiles.places import decoded

# A ring of spikes, valid, the edges of which lie close to each other; and a smooth one, twice as wide.
_AREAS = """
CREATE TABLE hostile.jagged (id integer PRIMARY KEY, geom geometry(Polygon, {srid}));
INSERT INTO hostile.jagged
SELECT id, ST_Transform(ST_MakePolygon(ST_AddPoint(line, ST_StartPoint(line))), {srid})
FROM (SELECT id, ST_SetSRID(ST_MakeLine(ST_MakePoint(20 + r * cos(angle), r * sin(angle)) ORDER BY angle), 4326) AS line
    FROM (SELECT id, n * 2 * pi() / 60000 AS angle,
        CASE id WHEN 3 THEN 8 ELSE 3 + id * (hashint4(n) & 65535) / 65535.0 END AS r
        FROM generate_series(1, 3) id, generate_series(0, 59999) n) AS corners GROUP BY id) AS rings;
ANALYZE hostile.jagged;
GRANT SELECT ON hostile.jagged TO hostile_reader
"""

# Twelve smooth areas, which have 720,000 corners together, and a mask of 10,000 pixels apart from each other.
_MANY = """
CREATE TABLE hostile.lakes (id integer PRIMARY KEY, geom geometry(MultiPolygon, 4326));
INSERT INTO hostile.lakes
SELECT id, ST_Multi(ST_MakePolygon(ST_AddPoint(line, ST_StartPoint(line)))) FROM (SELECT id, ST_SetSRID(ST_MakeLine(
        ST_MakePoint(5 + 10 * (id % 4) + r * cos(angle), 5 + 10 * (id / 4) + r * sin(angle)) ORDER BY angle), 4326)
    AS line
    FROM (SELECT id, n * 2 * pi() / 60000 AS angle, 3 + 0.3 * sin(n * 2 * pi() / 60000 * 40) AS r
        FROM generate_series(0, 11) id, generate_series(0, 59999) n) AS corners GROUP BY id) AS rings;
INSERT INTO hostile.lakes SELECT 12, ST_Collect(ST_MakeEnvelope(x, y, x + 0.02, y + 0.02, 4326))
FROM (SELECT 20 + i * 0.03 AS x, 32 + j * 0.03 AS y FROM generate_series(0, 99) i, generate_series(0, 99) j) AS pixels;
ANALYZE hostile.lakes;
GRANT SELECT ON hostile.lakes TO hostile_reader
"""


@pytest.fixture(scope="module", params=[4326, 3857])
async def heavy(hostile: HostileDatabase, tiles: Client, request: pytest.FixtureRequest) -> AsyncIterator[Client]:
    owner = await asyncpg.connect(hostile.owner_url)
    await owner.execute(_AREAS.format(srid=request.param))
    await eventually(lambda: tiles.json("/collections/hostile.jagged/tiles"))
    yield tiles
    await owner.execute("DROP TABLE hostile.jagged")
    await owner.close()
    await eventually(lambda: _gone(tiles))


async def _gone(tiles: Client, name: str = "jagged") -> bool:
    return (await tiles.get(f"/collections/hostile.{name}/tiles")).status == 404


@pytest.mark.parametrize("tile", ["WebMercatorQuad/3/4/3", "WorldCRS84Quad/3/8/3", "WebMercatorQuad/5/18/15"])
async def test_tiles_show_them(heavy: Client, tile: str) -> None:
    answer = await heavy.get(f"/collections/hostile.jagged/tiles/{tile}")
    assert answer.status == 200, answer.body
    assert answer.headers["DAMS-Features-Omitted"] == "0"
    drawn = {feature.id: feature.geometry for feature in decoded(answer.body, "hostile.jagged")}
    assert drawn.keys() == {1, 2, 3}
    # what is drawn of the spiky ones lies within the smooth one, and is about as large as they are on average
    within = drawn[3].area
    for number, least, most in ((1, 3.0, 4.0), (2, 3.0, 5.0)):
        if tile.startswith(("WebMercatorQuad/3", "WorldCRS84Quad/3")):
            assert (least / 8) ** 2 < drawn[number].area / within < ((most + 0.5) / 8) ** 2
    assert shapely.get_num_coordinates(drawn[3]) > 100


async def test_a_tile_of_too_many_corners_is_drawn_coarsely_and_says_so(
    hostile: HostileDatabase, tiles: Client
) -> None:
    owner = await asyncpg.connect(hostile.owner_url)
    await owner.execute(_MANY)
    try:
        await eventually(lambda: tiles.json("/collections/hostile.lakes/tiles"))
        stored = {
            row["id"]: row["area"] for row in await owner.fetch("SELECT id, ST_Area(geom) AS area FROM hostile.lakes")
        }
        answer = await tiles.get("/collections/hostile.lakes/tiles/WorldCRS84Quad/2/4/1")
        assert answer.status == 200, answer.body
        assert answer.headers["DAMS-Features-Omitted"] == "0"
        assert answer.headers["DAMS-Features-Simplified"] == "13"
        square_units = (4096 / 45) ** 2
        for feature in decoded(answer.body, "hostile.lakes"):
            assert feature.geometry.area / square_units == pytest.approx(stored.pop(feature.id), rel=0.1)
        assert not stored
    finally:
        await owner.execute("DROP TABLE hostile.lakes")
        await owner.close()
        await eventually(lambda: _gone(tiles, "lakes"))
