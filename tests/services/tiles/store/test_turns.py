"""The number of tiles made at once, of one collection and of all, and tiles that are not retried for a while."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import asyncpg
import pytest

from libs.cache.tile_cache import TileCache
from libs.catalogue.versions import DataVersions
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.ogc.errors import Unavailable
from libs.pg.errors import Uninterrupted
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import Sql
from services.tiles.request.plain_tile import tile_of
from services.tiles.request.tile_request import TileRequest
from services.tiles.store.tile_store import Tile, TileStore
from tests.conftest import MakeDatabase
from tests.eventually import eventually
from tests.services.tiles.store.points import POINTS


class Held(Database):
    """Its statements wait for the gate, and meet the errors that a test wants."""

    def __init__(self, settings: PoolSettings) -> None:
        super().__init__(settings)
        self.gate = asyncio.Event()
        self.gate.set()
        self.errors: list[Exception] = []
        self.asked = 0
        self.lost = False

    async def fetchrow(self, statement: Sql) -> asyncpg.Record | None:
        self.asked += 1
        await self.gate.wait()
        if self.errors:
            raise self.errors.pop(0)
        return await super().fetchrow(statement)

    async def is_lost(self, _: Unavailable) -> bool:
        return self.lost


@pytest.fixture
async def database(make_database: MakeDatabase) -> AsyncIterator[Held]:
    async with Held(PoolSettings(await make_database(with_points), "turns-test", size=4)) as database:
        yield database


async def with_points(owner: asyncpg.Connection) -> None:
    await owner.execute(
        "CREATE TABLE points AS SELECT n AS id, ST_SetSRID(ST_MakePoint(n, n), 4326) AS geom"
        " FROM generate_series(1, 3) n"
    )


def _store(database: Database, most_rendering: int, share: float) -> TileStore:
    return TileStore(
        database,
        TileCache(None),
        DataVersions(database),
        most_rendering=most_rendering,
        share=share,
        max_features=100,
        max_bytes=10**6,
    )


def _request(identifier: str, place: str = "WebMercatorQuad/1/1/0", **parameters: str) -> TileRequest:
    tms, z, x, y = place.split("/")
    collection = replace(POINTS, id=identifier)
    return tile_of(collection, tile_matrix_set(tms), int(z), int(x), int(y), 100, parameters.items())


async def _refused(store: TileStore, request: TileRequest, cause: str) -> Unavailable:
    with pytest.raises(Unavailable) as raised:
        await store.tile(request, None)
    assert raised.value.cause == cause
    return raised.value


async def test_one_collection_leaves_turns_to_the_others(database: Held) -> None:
    store = _store(database, most_rendering=4, share=0.5)
    database.gate.clear()
    under_way: list[asyncio.Task[Tile]] = []

    async def begins(name: str) -> None:
        before = database.asked
        under_way.append(asyncio.create_task(store.tile(_request(name), None)))

        async def asked() -> None:
            assert database.asked == before + 1

        await eventually(asked)

    await begins("a")
    await begins("a")
    assert (await _refused(store, _request("a"), "queue")).retry_after == 2
    await begins("b")
    await begins("b")
    # the largest number of all
    await _refused(store, _request("c"), "queue")
    database.gate.set()
    assert {tile.tier for tile in await asyncio.gather(*under_way)} == {"postgis"}
    # a later request finds all turns free, also after an error
    database.errors = [Unavailable("away", retry_after=1, cause="x")]
    await _refused(store, _request("a"), "x")
    database.gate.clear()
    for name in ("a", "a", "b", "b"):
        await begins(name)
    await _refused(store, _request("c"), "queue")
    database.gate.set()
    await asyncio.gather(*under_way)


async def test_each_collection_has_a_turn_however_small_its_share(database: Held) -> None:
    assert (await _store(database, most_rendering=4, share=0.01).tile(_request("a"), None)).gzipped


async def test_what_the_server_does_not_stop_making_is_not_tried_again(database: Held) -> None:
    store = _store(database, most_rendering=4, share=1)
    database.errors = [Uninterrupted()]
    with pytest.raises(Uninterrupted):
        await store.tile(_request("a"), None)
    asked = database.asked
    assert (await _refused(store, _request("a"), "slow")).retry_after == 30
    assert database.asked == asked
    for other in (
        _request("b"),
        _request("a", "WorldMercatorWGS84Quad/1/1/0"),
        _request("a", "WebMercatorQuad/2/1/0"),
        _request("a", "WebMercatorQuad/1/0/0"),
        _request("a", "WebMercatorQuad/1/1/1"),
        _request("a", filter="id < 3"),
    ):
        assert (await store.tile(other, None)).tier == "postgis"


async def test_where_a_replica_is_lost_the_tile_is_made_once_more(database: Held) -> None:
    store = _store(database, most_rendering=4, share=1)
    database.lost = True
    database.errors = [Unavailable("away", retry_after=1, cause="x")]
    assert (await store.tile(_request("a"), None)).gzipped
    # once, and only there
    database.errors = [Unavailable("away", retry_after=1, cause="x") for _ in range(2)]
    await _refused(store, _request("a"), "x")
    database.lost = False
    database.errors = [Unavailable("away", retry_after=1, cause="x")]
    await _refused(store, _request("a"), "x")
