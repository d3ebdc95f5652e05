"""Tiles are compressed once, stored so, and sent so: read again, and joined."""

import asyncio
from collections.abc import Sequence

from libs.web.compression import compress, decompress

_LARGE_COMPRESSED = 100 * 1024


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
    return compress(b"".join(map(decompress, gzipped)))
