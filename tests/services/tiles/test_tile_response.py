"""An encoded tile as an answer: what its headers tell, and in which coding its bytes travel."""

from __future__ import annotations

import gzip
import random

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from libs.web.compression import LEAST
from services.tiles.store.tile_store import Tile
from services.tiles.tile_response import tile_response
from tests.libs.web.accept_encodings import DECODED

ENCODED = b"a tile" * 100
FULL = Tile(gzip.compress(ENCODED), "redis")


async def _response(tile: Tile, encoding: str = "gzip") -> web.Response:
    request = make_mocked_request("GET", "/", {"Accept-Encoding": encoding})
    found = await tile_response(request, tile, {"ETag": '"a"'}, 0.01234)
    assert isinstance(found, web.Response)
    return found


@pytest.mark.parametrize(
    ("tile", "omitted", "timing"),
    [
        (FULL, "0", "redis;dur=12.3"),
        (Tile(b"", "postgis", 7), "7", "postgis;dur=12.3"),
        (Tile(b"", "postgis", 7, estimated=True), "7;estimate", "postgis;dur=12.3"),
        (Tile(b"", "redis", why="empty parent"), "0", 'redis;desc="empty parent";dur=12.3'),
    ],
)
async def test_headers_tell_what_is_left_out_and_who_had_it(tile: Tile, omitted: str, timing: str) -> None:
    found = await _response(tile)
    assert found.status == 200
    assert found.headers["ETag"] == '"a"'
    assert found.headers["Content-Type"] == "application/vnd.mapbox-vector-tile"
    assert found.headers["DAMS-Features-Omitted"] == omitted
    assert found.headers["Server-Timing"] == timing


@pytest.mark.parametrize(("size", "coding"), [(LEAST - 1, "gzip"), (LEAST, "br")])
async def test_from_so_many_bytes_on_the_best_coding_is_worth_its_time(size: int, coding: str) -> None:
    contents = (random.Random(number).randbytes(number) for number in range(size))  # noqa: S311 - bytes, not secrets
    stored = next(body for content in contents if len(body := gzip.compress(content)) == size)
    found = await _response(Tile(stored, "redis"), "br, gzip;q=0.5")
    assert found.headers["Content-Encoding"] == coding
    assert isinstance(found.body, bytes)
    assert DECODED[coding](found.body) == gzip.decompress(stored)


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
async def test_bytes_are_compressed_for_those_who_take_it(encoding: str) -> None:
    found = await _response(FULL, encoding)
    assert found.headers.get("Content-Encoding") == ("gzip" if encoding == "gzip" else None)
    assert found.body == (FULL.gzipped if encoding == "gzip" else ENCODED)
    empty = await _response(Tile(b"", "redis"), encoding)
    assert (empty.body, "Content-Encoding" in empty.headers) == (b"", False)
