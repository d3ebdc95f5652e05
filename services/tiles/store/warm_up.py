"""After a change of data, render the tiles that every visitor sees first, before they are requested."""

import asyncio
import logging
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from typing import Self

from prometheus_client import Counter

from libs.cache.tile_cache import TileCache
from libs.catalogue.client import CatalogueClient
from libs.catalogue.model import Collection
from libs.concurrency.background import periodic
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.geo.tiles_of_box import tiles_in
from libs.ogc.errors import DomainError, Unavailable
from services.tiles.request.plain_tile import plain_tile, tile_of_style
from services.tiles.store.tile_store import TileStore

_LOG = logging.getLogger("dams.warm_up")
_TILES = Counter("dams_warm_up_tiles_total", "Tiles looked for by the warm-up, by the tier that had them", ["tier"])

CLAIM = "w:"
_LOOK_SECONDS = 0.5
_SETTLED_SECONDS = 1.0
"""Seconds for which data must stay unchanged before the tiles are rendered."""
_CLAIM_SECONDS = 3600.0
_REST = 10
"""Minimum pause between two rounds of a collection, as a multiple of a round's duration."""


class WarmUp:
    """Renders the tiles of some matrix sets and zooms, one at a time, in only one replica.

    Without Redis, it does nothing: there is no cache, and no coordination.
    """

    def __init__(
        self,
        store: TileStore,
        cache: TileCache,
        catalogue: CatalogueClient,
        *,
        max_features: int,
        zooms: Sequence[tuple[str, int]],
    ) -> None:
        self._store = store
        self._cache = cache
        self._catalogue = catalogue
        self._max_features = max_features
        self._zooms = zooms
        self._seen: dict[str, tuple[str, float]] = {}
        self._settled: dict[str, str] = {}
        self._rest_until: dict[str, float] = {}
        self._working = AsyncExitStack()

    async def __aenter__(self) -> Self:
        if self._zooms:
            await self._working.enter_async_context(periodic(self._look, _LOOK_SECONDS, name="warm-up"))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._working.aclose()

    async def _look(self) -> None:
        with suppress(Unavailable):
            for collection in list(self._catalogue.collections.values()):
                await self._look_at(collection)

    async def _look_at(self, collection: Collection) -> None:
        token = self._store.token(collection) if collection.geometry() else None
        now = time.monotonic()
        if token is None or self._settled.get(collection.id) == token:
            return
        seen, since = self._seen.get(collection.id, ("", 0.0))
        if seen != token:
            self._seen[collection.id] = token, now
        elif now > max(since + _SETTLED_SECONDS, self._rest_until.get(collection.id, 0.0)):
            mine = await self._cache.claim(self._name(collection, token), seconds=_CLAIM_SECONDS)
            if mine is not None:
                self._settled[collection.id] = token
            if mine:
                await self._warm(collection, token)

    async def _warm(self, collection: Collection, token: str) -> None:
        started, made = time.monotonic(), 0
        result = "failed"
        try:
            for identifier, z in self._zooms:
                tms = tile_matrix_set(identifier)
                for x, y in tiles_in(tms.matrix(z), None):
                    if self._store.token(collection) != token:
                        result = "changed again"
                        return
                    made += await self._make(collection, identifier, z, x, y)
            result = "warmed"
        except DomainError as error:
            # the next request for that tile gets the error
            result = f"given up: {error}"
        except asyncio.CancelledError:
            # let another replica continue
            self._cache.release(self._name(collection, token))
            result = "stopped"
            raise
        finally:
            seconds = time.monotonic() - started
            self._rest_until[collection.id] = time.monotonic() + _REST * seconds
            fields = {"collection": collection.id, "result": result, "made": made, "seconds": round(seconds, 2)}
            _LOG.info("warm-up", extra={"fields": fields})

    def _name(self, collection: Collection, token: str) -> str:
        return f"{CLAIM}{self._store.build}:{token}:{collection.id}"

    async def _make(self, collection: Collection, identifier: str, z: int, x: int, y: int) -> int:
        """Render the tile as our map requests it, and as other clients do."""
        made = 0
        for request_of in (tile_of_style, plain_tile):
            started = time.monotonic()
            request = request_of(collection, tile_matrix_set(identifier), z, x, y, self._max_features)
            tile = await self._store.tile(request, self._store.key(request), lasting=True)
            _TILES.labels(tile.tier).inc()
            if tile.tier == "postgis":
                made += 1
                # use at most half of one connection's time
                await asyncio.sleep(time.monotonic() - started)
        return made
