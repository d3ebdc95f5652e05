"""Where tiles come from: the cache, else PostGIS, once for all who ask at the same time."""

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
from services.tiles.rendering.render import SEARCH_SECONDS, Rendered, render
from services.tiles.request.tile_request import TileRequest
from services.tiles.request.version import has_property
from services.tiles.store.admission import Admission
from services.tiles.store.compression import compressed
from services.tiles.store.keys import TileKey, ancestors, says_empty
from services.tiles.store.sealing import Sealing
from services.tiles.store.unrepairable import Unrepairable

_TILES = Metric("dams_tiles_total", "Tiles by the tier that answered", ["tier"])
_MAKING = Gauge("dams_tile_queue", "Tiles that are made at present, or wait for a connection")
_MOST = Gauge("dams_tile_queue_limit", "Tiles that may be made or wait for a connection")

FULL, EMPTY, CLAIM = "t:", "e:", "c:"
"""What a key in the cache holds: a tile; that no row comes near one; that somebody is making one."""

_COUNT_BYTES = 4
"""Of each of the two numbers that precede a tile in the cache."""
_MOST_COUNTED = 2**30 - 1
_EXACT = b"\1"
"""What the sign of an empty tile holds that is exact."""
_EXPENSIVE_ROWS = 5_000
"""On a tile, were they spread evenly."""
_CLAIM_SECONDS = 60
"""Longer than making a tile takes; whoever waits for one that nobody makes any more gives up earlier."""
_WAIT_SECONDS = 3.0
_LOOK_AGAIN_SECONDS = 0.04
_TOO_SLOW_SECONDS = 30
"""For which a tile is not tried again that the server was still making after the time limit."""
_MOST_TOO_SLOW = 10_000
_ABANDONED_AFTER_SECONDS = 0.5
"""How long a tile that nobody waits for any more is still made, for the cache: nearly all are ready by then."""


@dataclass(frozen=True, slots=True)
class Tile:
    """An encoded tile: gzip-compressed, or no bytes at all where it is empty."""

    gzipped: bytes
    tier: str
    """Which tier answered: `redis` or `postgis`."""
    left_out: int = 0
    """Features that are near the tile but beyond its limits."""
    estimated: bool = False
    """Whether their number is an estimate."""
    why: str = ""
    """More about the tier."""
    exact: bool = False
    """Whether no row was changed between the data's version and the tile (`services/tiles/store/sealing.py`)."""
    nothing_near: bool = False
    """Whether no row comes near it, so that those below are empty, too."""
    simplified: int = 0
    """Features that are drawn differently from how they are stored, by more than half a unit of the tile."""

    def entry(self, key: str) -> tuple[str, bytes]:
        """Name and content of the tile in the cache."""
        if self.nothing_near:
            return EMPTY + key, _EXACT if self.exact else b""
        # lowest bits: the number is an estimate, the tile is exact
        number = 4 * min(self.left_out, _MOST_COUNTED) + 2 * self.exact + self.estimated
        counts = number.to_bytes(_COUNT_BYTES) + min(self.simplified, _MOST_COUNTED).to_bytes(_COUNT_BYTES)
        return FULL + key, counts + self.gzipped

    @classmethod
    def of_entry(cls, content: bytes) -> Self:
        """The tile that has this content in the cache."""
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
        """An empty tile, as a sign with this content in the cache says."""
        return cls(b"", "redis", why=why, exact=content == _EXACT, nothing_near=True)


class TileStore:
    """Tiles of collections.

    `most_rendering` may be made at once or wait for a connection, of one collection a `share` of these. The others are
    refused at once.
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
        """What makes the bytes besides the data and the software."""
        self.build = f"{build_id('tiles')}.{self.limits}"

    async def close(self) -> None:
        """Give up the tiles that are still made."""
        await self._flights.close()
        await self._sealing.close()

    def version(self, collection: Collection) -> DataVersion | None:
        """The state of the collection's rows; None where that is not known."""
        return self._versions.version(collection)

    def token(self, collection: Collection) -> str | None:
        """That state in a few letters."""
        version = self.version(collection)
        return version.token if version else None

    def edition(self, collections: Sequence[Collection]) -> str | None:
        """What tiles of these collections have as `v`: another one whenever their bytes may be others.

        None where that is not known exactly, or where `v` is a property of one of them.
        """
        versions = [self.version(collection) for collection in collections]
        if not all(version is not None and version.exact for version in versions):
            return None
        if any(has_property(collection, "v") for collection in collections):
            return None
        return self.label(collections)

    def label(self, collections: Sequence[Collection]) -> str | None:
        """A name for the state of their rows and what makes tiles of these; None where it is not known of one."""
        states = tuple([(collection.id, self.token(collection)) for collection in collections])
        if not states or any(token is None for _, token in states):
            return None
        return _label(self.build, states)

    def described(self, collections: Sequence[Collection]) -> dict[str, str]:
        """What metadata of styles tell of that state."""
        label = self.label(collections)
        return {} if label is None else {"dams:version": label}

    def key(self, request: TileRequest) -> str | None:
        """A name for exactly these bytes; None where the data's version is not known."""
        collection, tms = request.selection.collection, request.tile_matrix_set
        token = self.token(collection)
        if token is None:
            return None
        return str(TileKey(self.build, token, tms.id, request.z, request.x, request.y, request.variant, collection.id))

    async def tile(
        self, request: TileRequest, key: str | None, turns: asyncio.Semaphore | None = None, *, lasting: bool = False
    ) -> Tile:
        """The tile; where it has to be made, in its turn. Raises Unavailable.

        `lasting` says that it is wanted for ever: where it is not known to be exact, it will be looked into.
        """
        if key is None:
            tile = await self._in_turn(request, None, turns)
        else:
            tile = await self._flights.do(key, lambda: self._find(request, key, turns))
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
                # for those below, whom that ancestor may be too far away from
                self._put(request, EMPTY + key, sign)
                return Tile.of_sign(sign, "empty parent")
        if not self._is_expensive(request):
            return await self._in_turn(request, key, turns)
        return await self._render_once(request, key, turns)

    async def _render_once(self, request: TileRequest, key: str, turns: asyncio.Semaphore | None) -> Tile:
        """Rendered by one replica for all, as far as Redis knows, and not longer than it is worth waiting."""
        until = asyncio.get_running_loop().time() + _WAIT_SECONDS
        while asyncio.get_running_loop().time() < until:
            mine = await self._cache.claim(CLAIM + key, seconds=_CLAIM_SECONDS)
            if mine is None:
                break
            try:
                if not mine:
                    await asyncio.sleep(_LOOK_AGAIN_SECONDS)
                # also with the claim: who had it before may have ended since the last look
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
            # it may not be cached, so nobody can wait for it
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
            # a longer queue would only make all wait longer than clients do
            raise Unavailable("Too many tiles are being made at the moment; try again.", retry_after=2, cause="queue")
        # of whatever version: functions, which have none, are the slowest
        place = (collection, request.tile_matrix_set.id, request.z, request.x, request.y, request.variant)
        if place in self._too_slow:
            # the server is still at the last attempt: each further one would occupy it more
            raise Unavailable(
                "This tile took too long to make a moment ago; ask for a smaller area or for less, or try again later.",
                retry_after=_TOO_SLOW_SECONDS,
                cause="slow",
            )
        self._rendering += 1
        self._rendering_of[collection] += 1
        try:
            rendered = await self._rendered(request)
        except Uninterrupted:
            self._too_slow[place] = None
            raise
        finally:
            self._rendering -= 1
            self._rendering_of[collection] -= 1
        gzipped = await compressed(rendered.encoded) if rendered.encoded else b""
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

    async def _rendered(self, request: TileRequest) -> Rendered:
        """The tile; invalid rows are not searched for where that led to nothing a moment ago."""
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
        # what will never be marked is asked for again and again: no entry is made of it each time
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
    """Whether the entry of that name and number of bytes in the cache is of an empty tile."""
    return name.startswith(EMPTY) or size <= 2 * _COUNT_BYTES
