"""Tiles shared by all replicas, in Redis. Without Redis, responses are slower, but never wrong and never an error."""

import asyncio
import logging
import secrets
import time
import zlib
from collections.abc import AsyncIterator, Sequence
from typing import Any, Self

from prometheus_client import Counter
from redis.exceptions import ResponseError

from libs.cache.commands import DEADLINE, CacheAway, Commands

_LOG = logging.getLogger("dams.cache")
_LOOKUPS = Counter("dams_tile_cache_lookups_total", "Lookups in the tile cache by result", ["result"])

SECONDS_KEPT = 7 * 24 * 3600
_PREFIX = b"dams:tile:3:"
_CHECKSUM_BYTES = 4
SCANNED_AT_ONCE = 1000
_SHARE_SECONDS = 1800
_SILENT_SECONDS = 2.0
# release only this cache's claim: it may have expired, and another process may hold it now
_RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('UNLINK', KEYS[1]) end"


class TileCache:
    """Bytes under versioned keys. A key never changes its meaning, so no entry is ever stale.

    `share_bytes` limits the total of `put_some` in all replicas. If Redis does not reply within `deadline` seconds, the
    cache is off until Redis replies again.
    """

    def __init__(self, url: str | None, *, share_bytes: int = 64 * 1024 * 1024, deadline: float = DEADLINE) -> None:
        self._commands = Commands(url, deadline=deadline) if url else None
        self._share_bytes = share_bytes
        self._owner = secrets.token_hex(8).encode()
        self._complained = 0.0
        self._putting: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        if self._commands:
            await self._commands.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._putting:
            await asyncio.wait(self._putting, timeout=1)
        if self._commands:
            await self._commands.__aexit__()

    @property
    def trouble(self) -> str | None:
        """The reason why a configured cache is unavailable; None if it works."""
        return f"tile cache: {self._commands.cause}" if self._commands and self._commands.away else None

    async def get(self, *keys: str) -> list[bytes | None]:
        """Return the bytes of each key, in one round trip; None for missing or damaged ones, or without a cache."""
        values = await self._run("MGET", *map(_name, keys))
        if not isinstance(values, list) or len(values) != len(keys):
            if values is not None:
                self._complain(f"a reply to MGET of {len(keys)} keys has another shape")
            return [None] * len(keys)
        if values.count(None) == len(values):
            _LOOKUPS.labels("miss").inc()
            return values
        found = [_check_content(value) for value in values]
        for key, value, content in zip(keys, values, found, strict=True):
            if content is None and value is not None:
                _LOOKUPS.labels("damaged").inc()
                _LOG.warning("damaged value in the cache", extra={"fields": {"key": key}})
        _LOOKUPS.labels("miss" if found.count(None) == len(found) else "hit").inc()
        return found

    def put(self, key: str, value: bytes, *, seconds: int = SECONDS_KEPT) -> None:
        """Store the bytes for a week, or until memory runs short. The caller does not wait."""
        if self._commands:
            self._commands.post("SET", _name(key), _add_checksum(value), "EX", seconds)

    def replace(self, key: str, value: bytes) -> None:
        """Replace the bytes, if they are still cached, by a more complete version of the same content."""
        if self._commands:
            self._commands.post("SET", _name(key), _add_checksum(value), "XX", "KEEPTTL")

    def put_some(self, key: str, value: bytes) -> None:
        """Store the bytes for half an hour, unless entries of this kind have used their share of memory."""
        task = asyncio.create_task(self._put_some(key, value))
        self._putting.add(task)
        task.add_done_callback(self._putting.discard)

    async def _put_some(self, key: str, value: bytes) -> None:
        # an entry lives for half an hour: at any time, there are entries of at most two half hours
        account = b"%sshare:%d" % (_PREFIX, time.time() // _SHARE_SECONDS)
        content = _add_checksum(value)
        spent = await self._run("INCRBY", account, len(content) + len(key))
        if not isinstance(spent, int) or not self._commands:
            return
        self._commands.post("EXPIRE", account, 2 * _SHARE_SECONDS)
        if spent <= self._share_bytes // 2:
            self._commands.post("SET", _name(key), content, "EX", _SHARE_SECONDS)

    async def claim(self, name: str, *, seconds: float) -> bool | None:
        """Return whether this caller got the claim; None if the cache is unavailable."""
        try:
            reply = await self._send("SET", _name(name), self._owner, "NX", "PX", int(seconds * 1000))
        except CacheAway:
            return None
        # a cache that accepts no claims does not have claims of other processes either
        return None if isinstance(reply, ResponseError) else reply is not None

    def release(self, name: str) -> None:
        """Release a claim of this cache, after everything that was stored before."""
        if self._commands:
            self._commands.post("EVAL", _RELEASE, 1, _name(name), self._owner)

    async def check(self) -> None:
        """Raise CacheAway if the cache is unavailable."""
        await self._send("PING")

    async def entries(self, pattern: str) -> AsyncIterator[list[tuple[str, int]]]:
        """Yield matching keys (`*`, `?`, `[ab]`) with their sizes in bytes, in batches. Raises CacheAway."""
        cursor: Any = b"0"
        while True:
            reply = await self._send("SCAN", cursor, "MATCH", _name(pattern), "COUNT", SCANNED_AT_ONCE)
            if not isinstance(reply, list | tuple) or len(reply) != 2 or not isinstance(reply[1], list):
                raise CacheAway(f"SCAN was refused: {reply}")
            cursor, names = reply
            sizes = await asyncio.gather(*(self._send("STRLEN", name) for name in names))
            yield [
                (name.removeprefix(_PREFIX).decode(errors="replace"), max(0, size - _CHECKSUM_BYTES))
                for name, size in zip(names, sizes, strict=True)
                if isinstance(size, int)
            ]
            if cursor == b"0":
                return

    async def delete(self, keys: Sequence[str]) -> int:
        """Delete the keys and return how many existed. Raises CacheAway."""
        reply = await self._send("UNLINK", *map(_name, keys)) if keys else 0
        if not isinstance(reply, int):
            raise CacheAway(f"UNLINK was refused: {reply}")
        return reply

    async def _send(self, *command: bytes | str | int) -> Any:
        if self._commands is None:
            raise CacheAway("DAMS_REDIS_URL is not set")
        return await self._commands.run(*command)

    async def _run(self, *command: bytes | str | int) -> Any:
        if self._commands is None:
            return None
        try:
            reply = await self._commands.run(*command)
        except CacheAway as error:
            _LOOKUPS.labels("unavailable").inc()
            self._complain(str(error))
            return None
        if isinstance(reply, ResponseError):
            self._complain(f"{type(reply).__name__}: {reply}")
            return None
        return reply

    def _complain(self, cause: str) -> None:
        if time.monotonic() > self._complained + _SILENT_SECONDS:
            self._complained = time.monotonic()
            _LOG.warning("cache unavailable", extra={"fields": {"cause": cause}})


def _name(key: str) -> bytes:
    return _PREFIX + key.encode()


def _add_checksum(content: bytes) -> bytes:
    return zlib.crc32(content).to_bytes(_CHECKSUM_BYTES) + content


def _check_content(value: object) -> bytes | None:
    if not isinstance(value, bytes):
        return None
    content = value[_CHECKSUM_BYTES:]
    return content if value[:_CHECKSUM_BYTES] == zlib.crc32(content).to_bytes(_CHECKSUM_BYTES) else None
