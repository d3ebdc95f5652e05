"""Which cached tiles are exactly those of their version: the data were the same before and after they were made.

A version is read before the rows, once a second. A tile that is made in the second before a change is noticed may have
newer rows than its version says; it is found under a version that is about to end, and does no harm as long as nobody
keeps it. Where the next look finds the version still the same, nothing was changed meanwhile: the tile is marked.
"""

import asyncio
from contextlib import suppress

from libs.cache.tile_cache import TileCache
from libs.catalogue.model import Collection
from libs.catalogue.versions import DataVersions

_MOST_BYTES = 32 * 1024 * 1024


class Sealing:
    """Marks tiles in the cache after the next look at the data's versions, which takes a second or so."""

    def __init__(self, cache: TileCache, versions: DataVersions) -> None:
        self._cache = cache
        self._versions = versions
        self._waiting: dict[str, tuple[Collection, str, bytes]] = {}
        self._bytes = 0
        self._working: asyncio.Task[None] | None = None

    async def close(self) -> None:
        """Give up what is not marked yet; who reads it next tries again."""
        if self._working is not None:
            self._working.cancel()
            with suppress(asyncio.CancelledError):
                await self._working

    def add(self, collection: Collection, token: str, name: str, marked: bytes) -> None:
        """Put `marked` in the place of the entry `name`, if it is there, unless the version of `token` has ended."""
        if name in self._waiting or self._bytes + len(marked) > _MOST_BYTES:
            return
        self._waiting[name] = (collection, token, marked)
        self._bytes += len(marked)
        if self._working is None or self._working.done():
            self._working = asyncio.create_task(self._work())

    def lasts(self, collection: Collection, token: str) -> bool:
        """Whether the version of `token` is the collection's still, and such that its tiles can be exact."""
        version = self._versions.version(collection)
        return version is not None and version.exact and version.token == token

    async def _work(self) -> None:
        while self._waiting:
            batch, self._waiting, self._bytes = self._waiting, {}, 0
            if not await self._versions.looked_again():
                continue
            for name, (collection, token, marked) in batch.items():
                if self.lasts(collection, token):
                    self._cache.replace(name, marked)
