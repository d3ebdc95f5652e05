"""A tile is marked as exact only where its version is still the same at a look that begins after it was made."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import asyncpg
import pytest

from libs.cache.tile_cache import TileCache
from libs.catalogue.model import Collection
from libs.catalogue.versions import DataVersions
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.pg.pool import Database, PoolSettings
from services.tiles.request.plain_tile import plain_tile
from services.tiles.resources import CATALOGUE
from services.tiles.store.sealing import Sealing
from services.tiles.store.tile_store import TileStore
from tests.eventually import eventually
from tests.services.in_process import Services
from tests.services.tiles.cache import OwnRedis
from tests.services.tiles.conftest import Placed


@asynccontextmanager
async def sealed(
    placed: Placed, own_redis: OwnRedis, *, poll_seconds: float
) -> AsyncIterator[tuple[Sealing, DataVersions, TileCache]]:
    """Mark tiles of a cache by versions that are read at this interval."""
    async with (
        Database(PoolSettings(placed.env["DAMS_DATABASE_URL"], "sealing", size=1)) as database,
        DataVersions(database, poll_seconds=poll_seconds) as versions,
        TileCache(own_redis.url) as cache,
    ):
        sealing = Sealing(cache, versions)
        try:
            yield sealing, versions, cache
        finally:
            await sealing.close()


async def test_what_is_made_while_rows_change_is_not_marked(
    placed: Placed, placed_services: Services, own_redis: OwnRedis
) -> None:
    lines = placed_services.apps["tiles"][CATALOGUE].collection("placed.lines")
    owner = await asyncpg.connect(placed.owner_url)
    async with sealed(placed, own_redis, poll_seconds=1.5) as (sealing, versions, cache):
        first = versions.version(lines)
        assert first is not None
        assert first.exact

        async def both_there() -> None:
            assert await cache.get("t:old", "t:new") == [b"made", b"made"]

        for name in ("t:old", "t:new"):
            cache.put(name, b"made")
        await eventually(both_there)
        # the next look is more than a second away
        assert await versions.look_again()
        sealing.add(lines, first.token, "t:old", b"marked")
        await owner.execute("INSERT INTO placed.lines VALUES (6000, 'new', 'SRID=4326;LINESTRING(0 0, 1 1)')")
        try:
            assert await versions.look_again()
            second = versions.version(lines)
            assert second is not None
            assert second.token != first.token
            sealing.add(lines, second.token, "t:new", b"marked")
            sealing.add(lines, second.token, "t:gone", b"marked")

            async def marked() -> None:
                assert await cache.get("t:old", "t:new", "t:gone") == [b"made", b"marked", None]

            await eventually(marked)
        finally:
            await owner.execute("DELETE FROM placed.lines WHERE id = 6000")
            await owner.close()


async def test_what_waits_for_the_next_look_is_bounded(
    placed: Placed, placed_services: Services, own_redis: OwnRedis
) -> None:
    lines = placed_services.apps["tiles"][CATALOGUE].collection("placed.lines")
    async with sealed(placed, own_redis, poll_seconds=0.5) as (sealing, versions, cache):
        present = versions.version(lines)
        assert present is not None

        async def looked() -> list[bytes | None]:
            for _ in range(2):
                assert await versions.look_again()
            return await cache.get("t:more")

        cache.put("t:more", b"made")
        # together all that may wait; of a version that has ended, so that the cache need not take them
        for name in ("t:half", "t:other half"):
            sealing.add(lines, "ended", name, bytes(16 * 1024 * 1024))
        sealing.add(lines, present.token, "t:more", b"marked")
        assert await looked() == [b"made"]
        # the waiting tile is dropped
        sealing.add(lines, present.token, "t:more", b"marked")
        assert await looked() == [b"marked"]


async def test_what_may_change_without_a_change_of_its_version_is_not_marked(
    placed: Placed, placed_services: Services, own_redis: OwnRedis
) -> None:
    """Such as a view whose definition the catalogue follows later, and a collection without a version."""
    lines = placed_services.apps["tiles"][CATALOGUE].collection("placed.lines")
    view, unknown = replace(lines, id="placed.view", kind="view"), replace(lines, id="placed.made", sources=())
    async with sealed(placed, own_redis, poll_seconds=0.5) as (sealing, versions, cache):
        known = versions.version(view)
        present = versions.version(lines)
        assert known is not None
        assert present is not None
        assert not known.exact
        for name in ("t:view", "t:unknown", "t:lines"):
            cache.put(name, b"made")
        sealing.add(view, known.token, "t:view", b"marked")
        sealing.add(unknown, known.token, "t:unknown", b"marked")
        sealing.add(lines, present.token, "t:lines", b"marked")

        async def marked() -> None:
            assert await cache.get("t:lines") == [b"marked"]

        await eventually(marked)
        assert await cache.get("t:view", "t:unknown") == [b"made", b"made"]


async def test_of_what_can_never_be_marked_no_entry_is_made(
    placed: Placed, placed_services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    added: list[str] = []

    class Noting(Sealing):
        def add(self, collection: Collection, token: str, name: str, marked: bytes) -> None:
            added.append(collection.id)

    monkeypatch.setattr("services.tiles.store.tile_store.Sealing", Noting)
    lines = placed_services.apps["tiles"][CATALOGUE].collection("placed.lines")
    async with (
        Database(PoolSettings(placed.env["DAMS_DATABASE_URL"], "sealing", size=1)) as database,
        DataVersions(database) as versions,
    ):
        limits = {"most_rendering": 4, "share": 1, "max_features": 100, "max_bytes": 10**6}
        store = TileStore(database, TileCache(None), versions, **limits)
        view = replace(lines, id="placed.view", kind="view")
        for collection, lasting in ((lines, True), (view, True), (lines, False)):
            request = plain_tile(collection, tile_matrix_set("WebMercatorQuad"), 0, 0, 0, 100)
            await store.tile(request, store.key(request), lasting=lasting)
        await store.close()
    assert added == ["placed.lines"]
