"""Tell a CDN to purge the cached responses of a collection whose data changed."""

import asyncio
import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Self
from urllib.parse import quote

from aiohttp import ClientError, ClientSession, ClientTimeout
from prometheus_client import Counter

from libs.cache.tile_cache import TileCache
from libs.catalogue.client import CatalogueClient
from libs.concurrency.background import periodic
from libs.web.surrogate_keys import surrogate_key
from services.tiles.store.tile_store import TileStore

_LOG = logging.getLogger("dams.purging")
_PURGES = Counter("dams_purges_total", "Requests that tell a CDN to forget collections, by result", ["result"])

CLAIM = "p:"
_CLAIM_SECONDS = 7 * 24 * 3600.0
_LOOK_SECONDS = 0.5
_AGAIN_SECONDS = 5.0
"""Seconds until a second purge: it removes responses of processes and caches that noticed the change late."""
TIMEOUT_SECONDS = 5.0
_PAUSES = (1.0, 4.0, 16.0, 60.0)
"""Pauses in seconds after failed requests; the last one repeats."""
_KEYS_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Hook:
    """The purge address of the CDN."""

    url: str
    """With `{key}`, each key gets its own request; without it, the keys are in the header `Surrogate-Key`."""
    method: str
    headers: dict[str, str]


class Purging:
    """Sends the keys of collections with a new version: from one process of all, coordinated through Redis.

    Without Redis each process sends them; a second purge does no harm.
    """

    def __init__(self, store: TileStore, cache: TileCache, catalogue: CatalogueClient, hook: Hook) -> None:
        self._store = store
        self._cache = cache
        self._catalogue = catalogue
        self._hook = hook
        self._told: dict[str, str] = {}
        self._again: list[tuple[float, list[str]]] = []
        self._failures = 0
        self._rest_until = 0.0
        self._working = AsyncExitStack()

    async def __aenter__(self) -> Self:
        timeout = ClientTimeout(total=TIMEOUT_SECONDS)
        self._session = await self._working.enter_async_context(ClientSession(timeout=timeout))
        await self._working.enter_async_context(periodic(self._look, _LOOK_SECONDS, name="purging"))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._working.aclose()

    async def _look(self) -> None:
        now = time.monotonic()
        if now < self._rest_until:
            return
        while self._again and self._again[0][0] <= now:
            if not await self._purge(self._again[0][1]):
                return
            del self._again[0]
        await self._look_for_changes()

    async def _look_for_changes(self) -> None:
        changed = {}
        for collection in (self._catalogue.known or {}).values():
            label = self._store.label([collection])
            if label is not None and self._told.get(collection.id) != label:
                changed[collection.id] = label
        claims = [f"{CLAIM}{label}:{id_}" for id_, label in changed.items()]
        mine = await asyncio.gather(*(self._cache.claim(name, seconds=_CLAIM_SECONDS) for name in claims))
        # None: without Redis, there is no coordination
        ours = [id_ for id_, own in zip(changed, mine, strict=True) if own is not False]
        keys = [surrogate_key(id_) for id_ in ours]
        if keys and not await self._purge(keys):
            for id_ in ours:
                self._cache.release(f"{CLAIM}{changed.pop(id_)}:{id_}")
        elif keys:
            self._again.append((time.monotonic() + _AGAIN_SECONDS, keys))
        self._told |= changed

    async def _purge(self, keys: Sequence[str]) -> bool:
        try:
            for url, headers in self._requests(keys):
                async with self._session.request(self._hook.method, url, headers=headers) as response:
                    response.raise_for_status()
                _PURGES.labels("done").inc()
        except (ClientError, TimeoutError) as error:
            pause = _PAUSES[min(self._failures, len(_PAUSES) - 1)]
            self._failures += 1
            self._rest_until = time.monotonic() + pause
            _PURGES.labels("failed").inc()
            # its text may contain the address, which may contain a secret
            fields = {"cause": type(error).__name__, "status": getattr(error, "status", None), "again_in": pause}
            _LOG.warning("a CDN was not told of changes", extra={"fields": fields})
            return False
        self._failures = 0
        return True

    def _requests(self, keys: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
        if "{key}" in self._hook.url:
            for key in keys:
                yield self._hook.url.replace("{key}", quote(key, safe="")), self._hook.headers
            return
        for start in range(0, len(keys), _KEYS_AT_ONCE):
            headers = {**self._hook.headers, "Surrogate-Key": " ".join(keys[start : start + _KEYS_AT_ONCE])}
            yield self._hook.url, headers
