"""Tiles are compressed once, stored so, and sent so: read again, and joined."""

import asyncio
from collections.abc import Sequence

import deflate

from libs.web.compression import decompress

_LEVEL = 5
"""As small as with zlib's level 6, in a fourth of its time (190 kB) to two thirds (8 kB)."""
_LARGE = 256 * 1024
"""Bytes that take some 2 ms."""
_LARGE_COMPRESSED = 100 * 1024


async def compressed(encoded: bytes) -> bytes:
    """The encoded tile as gzip. A large one is compressed in a thread, so that no other request waits."""
    if len(encoded) > _LARGE:
        return await asyncio.to_thread(_compress, encoded)
    return _compress(encoded)


def _compress(encoded: bytes) -> bytes:
    return bytes(deflate.gzip_compress(encoded, _LEVEL))


async def decompressed(gzipped: bytes) -> bytes:
    """The encoded tile again, for clients that do not take gzip."""
    if len(gzipped) > _LARGE_COMPRESSED:
        return await asyncio.to_thread(decompress, gzipped)
    return decompress(gzipped)


async def merged(gzipped: Sequence[bytes]) -> bytes:
    """One tile with the layers of all, as one gzip stream: of several in a row, browsers read the first alone.

    The layers of a vector tile are a repeated field, so that tiles in a row are a tile.
    """
    if len(gzipped) < 2:
        return gzipped[0] if gzipped else b""
    if sum(map(len, gzipped)) > _LARGE_COMPRESSED:
        return await asyncio.to_thread(_merge, gzipped)
    return _merge(gzipped)


def _merge(gzipped: Sequence[bytes]) -> bytes:
    return _compress(b"".join(map(decompress, gzipped)))
