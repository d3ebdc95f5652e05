"""Get a tile from the cache, or render it once for all concurrent requests."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from typing import Self

from cachetools import TTLCache
from prometheus_client import Counter as Metric
from prometheus_client import Gauge

from libs.cache.tile_cache import TileCache
from libs.catalogue.model import Collection
from libs.catalogue.versions import DataVersion, DataVersions
from libs.concurrency.single_flight import SingleFlight
from libs.ogc.errors import StoredValueError, Unavailable
from libs.pg.errors import Uninterrupted
from libs.pg.pool import Database
from libs.web.build_id import build_id
from services.tiles.rendering.invalid_rows import Unrepairable
from services.tiles.rendering.render import SEARCH_SECONDS, Rendered, render
from services.tiles.request.tile_request import TileRequest
from services.tiles.request.version import has_property
from services.tiles.store.admission import Admission
from services.tiles.store.compression import compress_tile
from services.tiles.store.keys import TileKey, ancestors, says_empty
from services.tiles.store.sealing import Sealing

_TILES = Metric("dams_tiles_total", "Tiles by the tier that answered", ["tier"])
_MAKING = Gauge("dams_tile_queue", "Tiles that are made at present, or wait for a connection")
_MOST = Gauge("dams_tile_queue_limit", "Tiles that may be made or wait for a connection")

FULL, EMPTY, CLAIM = "t:", "e:", "c:"
"""Prefixes of cache keys: a tile; the sign that no row is near it; the claim of a process that renders it."""

_COUNT_BYTES = 4
"""Size in bytes of each of the two numbers before a tile in the cache."""
_MOST_COUNTED = 2**30 - 1
_EXACT = b"\1"
"""Content of the sign of an exact empty tile."""
_EXPENSIVE_ROWS = 5_000
"""Rows per tile, if they were spread evenly, above which rendering counts as expensive."""
_CLAIM_SECONDS = 60
"""Lifetime of a claim in seconds, longer than rendering takes; a process that waits for a lost claim gives up earlier.
"""
_WAIT_SECONDS = 3.0
_LOOK_AGAIN_SECONDS = 0.04
_TOO_SLOW_SECONDS = 30
"""Seconds during which a tile is not retried if the server was still working on it after the timeout."""
_MOST_TOO_SLOW = 10_000
_ABANDONED_AFTER_SECONDS = 0.5
"""Seconds for which to keep rendering an abandoned tile for the cache. Nearly all finish within it."""


@dataclass(frozen=True, slots=True)
class Tile:
    """An encoded tile: gzip-compressed, or empty bytes for an empty tile."""

    gzipped: bytes
    tier: str
    """Source of the tile: `redis` or `postgis`."""
    left_out: int = 0
    """Number of features that are near the tile but exceed its limits."""
    estimated: bool = False
    """Whether this number is an estimate."""
    why: str = ""
    """Details about the tier."""
    exact: bool = False
    """Whether no row changed between the data's version and the tile (`services/tiles/store/sealing.py`)."""
    nothing_near: bool = False
    """Whether no row is near it, so that the tiles below it are empty, too."""
    simplified: int = 0
    """Number of features drawn differently from their stored geometry, by more than half a unit of the tile."""

    def entry(self, key: str) -> tuple[str, bytes]:
        """Return name and content of the tile in the cache."""
        if self.nothing_near:
            return EMPTY + key, _EXACT if self.exact else b""
        # lowest bits: the number is an estimate, the tile is exact
        number = 4 * min(self.left_out, _MOST_COUNTED) + 2 * self.exact + self.estimated
        counts = number.to_bytes(_COUNT_BYTES) + min(self.simplified, _MOST_COUNTED).to_bytes(_COUNT_BYTES)
        return FULL + key, counts + self.gzipped

    @classmethod
    def of_entry(cls, content: bytes) -> Self:
        """Return the tile with this content in the cache."""
        number, simplified = (int.from_bytes(content[at : at + _COUNT_BYTES]) for at in (0, _COUNT_BYTES))
        return cls(
            content[2 * _COUNT_BYTES :],
            "redis",
            number // 4,
            estimated=bool(number & 1),
            simplified=simplified,
            exact=bool(number & 2),
        )

    @classmethod
    def of_sign(cls, content: bytes, why: str = "") -> Self:
        """Return the empty tile of a sign with this content in the cache."""
        return cls(b"", "redis", why=why, exact=content == _EXACT, nothing_near=True)


class TileStore:
    """Tiles of collections.

    At most `most_rendering` tiles are rendered or wait for a connection at once, of one collection a `share` of these.
    Further ones are refused at once.
    """

    def __init__(
        self,
        database: Database,
        cache: TileCache,
        versions: DataVersions,
        *,
        most_rendering: int,
        share: float,
        max_features: int,
        max_bytes: int,
    ) -> None:
        self._database = database
        self._cache = cache
        self._versions = versions
        self._flights: SingleFlight[Tile] = SingleFlight(abandoned_after=_ABANDONED_AFTER_SECONDS)
        self._sealing = Sealing(cache, versions)
        self._admission = Admission()
        self._unrepairable = Unrepairable()
        self._too_slow: TTLCache[tuple[object, ...], None] = TTLCache(_MOST_TOO_SLOW, _TOO_SLOW_SECONDS)
        self._most_rendering = most_rendering
        self._most_of_collection = max(1, int(share * most_rendering))
        self._rendering = 0
        _MAKING.set_function(lambda: self._rendering)
        _MOST.set(most_rendering)
        self._rendering_of: Counter[str] = Counter()
        self._max_bytes = max_bytes
        self.limits = f"{max_features}.{max_bytes}"
        """The limits that affect the bytes, besides the data and the software."""
        self.build = f"{build_id('tiles')}.{self.limits}"

    async def close(self) -> None:
        """Cancel the tiles being rendered."""
        await self._flights.close()
        await self._sealing.close()

    def version(self, collection: Collection) -> DataVersion | None:
        """Return the version of the collection's rows; None if unknown."""
        return self._versions.version(collection)

    def token(self, collection: Collection) -> str | None:
        """Return that version as a short text."""
        version = self.version(collection)
        return version.token if version else None

    def edition(self, collections: Sequence[Collection]) -> str | None:
        """Return the value of `v` for tiles of these collections: it changes whenever their bytes may.

        Returns None if the exact version is unknown, or if `v` is a property of one of the collections.
        """
        versions = [self.version(collection) for collection in collections]
        if not all(version is not None and version.exact for version in versions):
            return None
        if any(has_property(collection, "v") for collection in collections):
            return None
        return self.label(collections)

    def label(self, collections: Sequence[Collection]) -> str | None:
        """Return a name for the version of their rows and the software; None if one is unknown."""
        states = tuple([(collection.id, self.token(collection)) for collection in collections])
        if not states or any(token is None for _, token in states):
            return None
        return _label(self.build, states)

    def describe(self, collections: Sequence[Collection]) -> dict[str, str]:
        """Return the metadata of styles about that version."""
        label = self.label(collections)
        return {} if label is None else {"dams:version": label}

    def key(self, request: TileRequest) -> str | None:
        """Return the name of exactly these bytes; None if the data's version is unknown."""
        collection, tms = request.selection.collection, request.tile_matrix_set
        token = self.token(collection)
        if token is None:
            return None
        return str(TileKey(self.build, token, tms.id, request.z, request.x, request.y, request.variant, collection.id))

    async def tile(
        self, request: TileRequest, key: str | None, turns: asyncio.Semaphore | None = None, *, lasting: bool = False
    ) -> Tile:
        """Return the tile, rendered in its turn if necessary. Raises Unavailable.

        `lasting` says that the client wants to cache it forever: if it is not known to be exact, that will be checked.
        """
        if key is None:
            tile = await self._in_turn(request, None, turns)
        else:
            tile = await self._flights.do(key, lambda: self._find(request, key, turns))
            if self._versions.is_settled(request.selection.collection):
                tile = replace(tile, exact=True)
            if lasting and not tile.exact:
                self._seal(request, key, tile)
        _TILES.labels(tile.tier).inc()
        return tile

    async def _find(self, request: TileRequest, key: str, turns: asyncio.Semaphore | None) -> Tile:
        token = key.split(":", 2)[1]
        above = ancestors(request, self.build, token)
        found = await self._cache.get(FULL + key, EMPTY + key, *(EMPTY + name for name, *_ in above))
        if found[0] is not None:
            return Tile.of_entry(found[0])
        if found[1] is not None:
            return Tile.of_sign(found[1])
        for (_, z, x, y), sign in zip(above, found[2:], strict=True):
            if sign is not None and says_empty(request, z, x, y):
                # also for tiles below this one, which may be too far from that ancestor
                self._put(request, EMPTY + key, sign)
                return Tile.of_sign(sign, "empty parent")
        if not self._is_expensive(request):
            return await self._in_turn(request, key, turns)
        return await self._render_once(request, key, turns)

    async def _render_once(self, request: TileRequest, key: str, turns: asyncio.Semaphore | None) -> Tile:
        """Render in one replica for all, coordinated through Redis, and do not wait longer than is useful."""
        until = asyncio.get_running_loop().time() + _WAIT_SECONDS
        while asyncio.get_running_loop().time() < until:
            mine = await self._cache.claim(CLAIM + key, seconds=_CLAIM_SECONDS)
            if mine is None:
                break
            try:
                if not mine:
                    await asyncio.sleep(_LOOK_AGAIN_SECONDS)
                # even with the claim: its previous holder may have finished since the last check
                full, empty = await self._cache.get(FULL + key, EMPTY + key)
                if full is not None:
                    return Tile.of_entry(full)
                if empty is not None:
                    return Tile.of_sign(empty)
                if mine:
                    return await self._in_turn(request, key, turns)
            finally:
                if mine:
                    self._cache.release(CLAIM + key)
        return await self._in_turn(request, key, turns)

    @staticmethod
    def _is_expensive(request: TileRequest) -> bool:
        rows = request.selection.collection.rows
        if rows is None or request.variant:
            # the tile may not be cached, so other processes cannot wait for it
            return False
        matrix = request.tile_matrix_set.matrix(request.z)
        return rows > _EXPENSIVE_ROWS * matrix.columns * matrix.rows

    async def _in_turn(self, request: TileRequest, key: str | None, turns: asyncio.Semaphore | None) -> Tile:
        if turns is None:
            return await self._render(request, key)
        async with turns:
            return await self._render(request, key)

    async def _render(self, request: TileRequest, key: str | None) -> Tile:
        collection = request.selection.collection.id
        if self._rendering >= self._most_rendering or self._rendering_of[collection] >= self._most_of_collection:
            # in a longer queue, all would wait longer than clients do
            raise Unavailable("Too many tiles are being made at the moment; try again.", retry_after=2, cause="queue")
        # independent of the version: functions, which have none, are the slowest
        place = (collection, request.tile_matrix_set.id, request.z, request.x, request.y, request.variant)
        if place in self._too_slow:
            # the server still works on the last attempt: each further one would add load
            raise Unavailable(
                "This tile took too long to make a moment ago; ask for a smaller area or for less, or try again later.",
                retry_after=_TOO_SLOW_SECONDS,
                cause="slow",
            )
        self._rendering += 1
        self._rendering_of[collection] += 1
        try:
            rendered = await self._render_valid(request)
        except Uninterrupted:
            self._too_slow[place] = None
            raise
        finally:
            self._rendering -= 1
            self._rendering_of[collection] -= 1
        gzipped = await compress_tile(rendered.encoded) if rendered.encoded else b""
        tile = Tile(
            gzipped,
            "postgis",
            rendered.left_out,
            rendered.estimated,
            nothing_near=not rendered.rows,
            simplified=rendered.simplified,
        )
        # rows that changed while they were read belong to the next version
        if key is not None and self.key(request) == key:
            self._put(request, *tile.entry(key))
        return tile

    async def _render_valid(self, request: TileRequest) -> Rendered:
        """Return the rendered tile; skip the search for invalid rows if it failed a moment ago."""
        collection, column = request.selection.collection.id, request.geometry.name
        seconds = 0.0 if (collection, column) in self._unrepairable else SEARCH_SECONDS
        try:
            try:
                return await render(self._database.of(collection), request, self._max_bytes, search_seconds=seconds)
            except Unavailable as error:
                if not await self._database.is_lost(error):
                    raise
                return await render(self._database.of(collection), request, self._max_bytes, search_seconds=seconds)
        except StoredValueError:
            if seconds:
                self._unrepairable.add(collection, column)
            raise

    def _seal(self, request: TileRequest, key: str, tile: Tile) -> None:
        collection, token = request.selection.collection, key.split(":", 2)[1]
        # do not build an entry that will never be marked, for every request
        if self._sealing.lasts(collection, token):
            self._sealing.add(collection, token, *replace(tile, exact=True).entry(key))

    def _put(self, request: TileRequest, key: str, content: bytes) -> None:
        if request.usual or not request.variant:
            self._cache.put(key, content)
        elif self._admission.admits(key):
            self._cache.put_some(key, content)


@lru_cache(maxsize=4096)
def _label(build: str, states: tuple[tuple[str, str | None], ...]) -> str:
    return blake2b(repr((build, states)).encode(), digest_size=8).hexdigest()


def is_empty(name: str, size: int) -> bool:
    """Return whether the cache entry of that name and size in bytes is of an empty tile."""
    return name.startswith(EMPTY) or size <= 2 * _COUNT_BYTES
