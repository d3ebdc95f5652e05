"""Tiles are compressed once, stored so, and sent so."""

import asyncio
from collections.abc import Sequence

from isal import isal_zlib

_GZIP = 31
"""As zlib numbers its formats."""
_LARGE = 1024 * 1024
_LARGE_COMPRESSED = 100 * 1024


async def compressed(encoded: bytes) -> bytes:
    """An encoded tile as gzip. A large one is compressed in a thread, so that no other request waits."""
    if len(encoded) > _LARGE:
        return await asyncio.to_thread(_compress, encoded)
    return _compress(encoded)


async def decompressed(gzipped: bytes) -> bytes:
    """The encoded tile again, for clients that do not take gzip."""
    if len(gzipped) > _LARGE_COMPRESSED:
        return await asyncio.to_thread(_decompress, gzipped)
    return _decompress(gzipped)


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
    return _compress(b"".join(map(_decompress, gzipped)))


def _decompress(gzipped: bytes) -> bytes:
    return isal_zlib.decompress(gzipped, _GZIP)


def _compress(encoded: bytes) -> bytes:
    # measured against zlib's level 6: 6 to 16 % larger, in a third (13 kB) to an eighteenth (400 kB) of the time
    return isal_zlib.compress(encoded, 2, _GZIP)
