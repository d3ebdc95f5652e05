"""Mark cached tiles that exactly match their version: the data did not change while they were rendered.

The version is read once a second, before the rows. A tile rendered in the second before a change is noticed may have
newer rows than its version says. It is stored under a version that is about to end, and does no harm unless a client
caches it for long. If the next poll still finds the same version, nothing changed in between: the tile is marked.
"""

import asyncio
from contextlib import suppress

from libs.cache.tile_cache import TileCache
from libs.catalogue.model import Collection
from libs.catalogue.versions import DataVersions

_MOST_BYTES = 32 * 1024 * 1024


class Sealing:
    """Marks tiles in the cache after the next poll of the data's versions, about a second later."""

    def __init__(self, cache: TileCache, versions: DataVersions) -> None:
        self._cache = cache
        self._versions = versions
        self._waiting: dict[str, tuple[Collection, str, bytes]] = {}
        self._bytes = 0
        self._working: asyncio.Task[None] | None = None

    async def close(self) -> None:
        """Cancel pending marks; the next reader of the tile tries again."""
        if self._working is not None:
            self._working.cancel()
            with suppress(asyncio.CancelledError):
                await self._working

    def add(self, collection: Collection, token: str, name: str, marked: bytes) -> None:
        """Replace the entry `name`, if it still exists, by `marked`, unless the version of `token` has ended."""
        if name in self._waiting or self._bytes + len(marked) > _MOST_BYTES:
            return
        self._waiting[name] = (collection, token, marked)
        self._bytes += len(marked)
        if self._working is None or self._working.done():
            self._working = asyncio.create_task(self._work())

    def lasts(self, collection: Collection, token: str) -> bool:
        """Return whether `token` is still the collection's version, and the version is one whose tiles can be exact."""
        version = self._versions.version(collection)
        return version is not None and version.exact and version.token == token

    async def _work(self) -> None:
        while self._waiting:
            batch, self._waiting, self._bytes = self._waiting, {}, 0
            if not await self._versions.look_again():
                continue
            for name, (collection, token, marked) in batch.items():
                if self.lasts(collection, token):
                    self._cache.replace(name, marked)
