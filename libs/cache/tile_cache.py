"""Tiles shared by all replicas, in Redis. Without Redis answers come slower, never wrong, never as an error."""

import logging
import time
import zlib
from typing import Self

from prometheus_client import Counter
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

_LOG = logging.getLogger("dams.cache")
_LOOKUPS = Counter("dams_tile_cache_lookups_total", "Lookups in the tile cache by result", ["result"])

_TIMEOUT = 0.25
_PAUSE = 2.0
_SECONDS_KEPT = 7 * 24 * 3600
_PREFIX = b"dams:tile:2:"
_CHECKSUM_BYTES = 4


class TileCache:
    """Bytes under versioned keys. A key is never written twice with different bytes, so nothing is ever stale."""

    def __init__(self, url: str | None) -> None:
        self._redis: Redis | None = None
        if url:
            self._redis = Redis.from_url(
                url,
                socket_timeout=_TIMEOUT,
                socket_connect_timeout=_TIMEOUT,
                retry=Retry(NoBackoff(), 0),
                health_check_interval=0,
            )
        self._paused_until = 0.0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._redis:
            await self._redis.aclose()

    async def get(self, key: str) -> bytes | None:
        """The bytes, or None where there are none, where they are damaged, or where the cache is away."""
        if self._redis is None or time.monotonic() < self._paused_until:
            return None
        try:
            value = await self._redis.get(_PREFIX + key.encode())
        except (RedisError, OSError, TimeoutError) as error:
            self._pause(error)
            return None
        content = _opened(value) if isinstance(value, bytes) else None
        if content is None and value is not None:
            _LOOKUPS.labels("damaged").inc()
            _LOG.warning("damaged value in the cache", extra={"fields": {"key": key}})
            return None
        _LOOKUPS.labels("miss" if content is None else "hit").inc()
        return content

    async def put(self, key: str, value: bytes) -> None:
        """Keep the bytes for a week, or until memory runs short."""
        if self._redis is None or time.monotonic() < self._paused_until:
            return
        try:
            await self._redis.set(_PREFIX + key.encode(), _sealed(value), ex=_SECONDS_KEPT)
        except (RedisError, OSError, TimeoutError) as error:
            self._pause(error)

    def _pause(self, error: Exception) -> None:
        # a cache that is away must not cost each request its time limit
        self._paused_until = time.monotonic() + _PAUSE
        _LOOKUPS.labels("unavailable").inc()
        _LOG.warning("cache unavailable", extra={"fields": {"cause": f"{type(error).__name__}: {error}"}})


def _sealed(content: bytes) -> bytes:
    return zlib.crc32(content).to_bytes(_CHECKSUM_BYTES) + content


def _opened(value: bytes) -> bytes | None:
    content = value[_CHECKSUM_BYTES:]
    return content if value == _sealed(content) else None
