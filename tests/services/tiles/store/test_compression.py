"""Tiles of any size are unchanged after compression and decompression, and several of them as one."""

from __future__ import annotations

import asyncio
import gzip
from random import Random

import deflate
import pytest

from services.tiles.store.compression import compress_tile, decompress_tile, merge_tiles

SIZES = {"in the loop": 1_000, "compressed in the loop, read in a thread": 200_000, "in threads": 300_000}


def encoded(size: int) -> bytes:
    """Return bytes that compression does not make smaller."""
    return Random(size).randbytes(size)  # noqa: S311 - the same each time


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
async def test_a_tile_is_gzip_and_comes_back_as_it_was(size: int) -> None:
    gzipped = await compress_tile(encoded(size))
    assert gzip.decompress(gzipped) == encoded(size)
    assert await decompress_tile(gzipped) == encoded(size)


async def test_other_requests_go_on_while_a_large_tile_is_worked_on() -> None:
    small, large = gzip.compress(b"small"), gzip.compress(encoded(1_200_000))
    others: list[str] = []
    for name, work in {
        "compressed": compress_tile(encoded(200_000)),
        "large compressed": compress_tile(encoded(300_000)),
        "read": decompress_tile(small),
        "large read": decompress_tile(large),
        "merged": merge_tiles([small, small]),
        "large merged": merge_tiles([small, large]),
    }.items():
        # the loop comes to it only while it waits for a thread
        other = asyncio.get_running_loop().call_soon(others.append, name)
        await work
        other.cancel()
    assert others == ["large compressed", "large read", "large merged"]


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
async def test_several_tiles_become_one_stream_in_their_order(size: int) -> None:
    first, second = await compress_tile(encoded(size)), await compress_tile(encoded(size + 1))
    one = await merge_tiles([first, second])
    # one stream: what a reader leaves behind the first would be lost on it
    assert await decompress_tile(one) == encoded(size) + encoded(size + 1)
    assert one.count(b"\x1f\x8b\x08\x00\x00\x00\x00\x00") == 1


async def test_nothing_and_a_single_tile_are_given_as_they_are() -> None:
    assert await merge_tiles([]) == b""
    assert await merge_tiles([b"as it is"]) == b"as it is"


async def test_tiles_are_as_small_as_their_time_is_worth() -> None:
    words = b"".join(b"%d hazards, %d of them near; " % (n, n % 7) for n in range(2000))
    levels = [bytes(deflate.gzip_compress(words, level)) for level in range(1, 13)]
    assert await compress_tile(words) == levels[4]
    assert len({*levels[3:6]}) == 3
