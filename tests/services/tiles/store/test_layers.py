"""Layers of a tile are made a few at a time, and one that fails names its collection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import asyncpg
import mapbox_vector_tile
import pytest

from libs.cache.tile_cache import TileCache
from libs.catalogue.versions import DataVersions
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.ogc.errors import Unavailable
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import Sql
from services.tiles.request.plain_tile import plain_tile
from services.tiles.request.tile_request import TileRequest
from services.tiles.store.compression import decompress_tile
from services.tiles.store.layers import joined_tile
from services.tiles.store.tile_store import TileStore
from tests.conftest import MakeDatabase
from tests.services.tiles.store.points import POINTS

MANY = [f"points {number}" for number in range(12)]


class Counting(Database):
    """A database that records the largest number of its statements running at once."""

    running = most = 0

    async def fetchrow(self, statement: Sql) -> asyncpg.Record | None:
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            # every statement that may start has started by now
            await asyncio.sleep(0.01)
            return await super().fetchrow(statement)
        finally:
            self.running -= 1


@pytest.fixture(scope="module")
async def database(make_database: MakeDatabase) -> AsyncIterator[Counting]:
    url = await make_database()
    owner = await asyncpg.connect(url)
    await owner.execute(
        "CREATE TABLE points AS SELECT n AS id, ST_SetSRID(ST_MakePoint(n, n), 4326) AS geom"
        " FROM generate_series(1, 3) n"
    )
    await owner.close()
    async with Counting(PoolSettings(url, "layers-test", size=8)) as database:
        yield database


def _store(database: Database, most_rendering: int = 20) -> TileStore:
    return TileStore(
        database,
        TileCache(None),
        DataVersions(database),
        most_rendering=most_rendering,
        share=1,
        max_features=100,
        max_bytes=10**6,
    )


def _request(identifier: str, **of_collection: object) -> TileRequest:
    collection = replace(POINTS, id=identifier, **of_collection)  # type: ignore[arg-type]
    return plain_tile(collection, tile_matrix_set("WebMercatorQuad"), 0, 0, 0, 100)


async def test_no_more_than_four_are_made_at_once(database: Counting) -> None:
    database.most = 0
    tile = await joined_tile(_store(database), [_request(name) for name in MANY])
    assert database.most == 4
    assert tile.tier == "postgis"
    layers = mapbox_vector_tile.decode(await decompress_tile(tile.gzipped))
    assert [*layers] == MANY
    assert all([feature["id"] for feature in layer["features"]] == [1, 2, 3] for layer in layers.values())


async def test_who_has_turns_of_their_own_takes_these(database: Counting) -> None:
    database.most = 0
    await joined_tile(_store(database), [_request(name) for name in MANY], asyncio.Semaphore(2))
    assert database.most == 2


async def test_one_that_cannot_be_had_is_named(database: Counting) -> None:
    with pytest.raises(Unavailable, match=r"^Collection points 0: Too many tiles") as raised:
        await joined_tile(_store(database, most_rendering=0), [_request("points 0")])
    assert (raised.value.retry_after, raised.value.cause) == (2, "queue")
