"""The code that makes texts compresses them once, for clients that accept gzip; other content stays as it is."""

from __future__ import annotations

import asyncio
import gzip
import io
from collections.abc import AsyncIterator, Callable

import aiohttp
import brotli
import pytest
from aiohttp import web
from aiohttp.compression_utils import ZLibBackend
from aiohttp.test_utils import TestServer
from aiohttp.typedefs import Handler
from isal import isal_zlib

from libs.web.compression import (
    compress,
    compress_body,
    compress_response,
    compress_stream,
    decompress,
    use_fast_compression,
)
from libs.web.content_coding import RULES, Coding
from tests.libs.web.accept_encodings import DECODED

TEXT = b'{"magnitude": 6.1}' * 100
GZIP, PLAIN = {"Accept-Encoding": "deflate, gzip"}, {"Accept-Encoding": "identity"}


@web.middleware
async def compressing(request: web.Request, handler: Handler) -> web.StreamResponse:
    response = await handler(request)
    await compress_response(request, response)
    return response


async def answer(request: web.Request) -> web.Response:
    """As its parameters have it."""
    query = request.query
    headers = {name: query[name] for name in ("Content-Type", "Content-Encoding", "Vary") if name in query}
    return web.Response(
        status=int(query.get("status", 200)), body=TEXT[: int(query.get("bytes", len(TEXT)))], headers=headers
    )


async def file(_: web.Request) -> web.Response:
    return web.Response(body=io.BytesIO(TEXT), content_type="text/csv")


async def stream(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": request.query["Content-Type"], "Vary": "Accept"})
    compress_stream(request, response)
    await response.prepare(request)
    for start in range(0, len(TEXT), 500):
        await response.write(TEXT[start : start + 500])
    return response


@pytest.fixture
async def client() -> AsyncIterator[aiohttp.ClientSession]:
    app = web.Application(middlewares=[compressing])
    app.router.add_get("/", answer)
    app.router.add_get("/stream", stream)
    app.router.add_get("/file", file)
    use_fast_compression()
    async with TestServer(app) as server, aiohttp.ClientSession(server.make_url("/"), auto_decompress=False) as session:
        yield session


TYPES = ("application/json", "application/geo+json; charset=utf-8", "application/geo+json-seq", "application/x-ndjson")
OTHER_TEXTS = (
    "text/csv; charset=utf-8",
    "Text/CSV; Charset=UTF-8",
    "application/vnd.ours.json",
    "application/xml ;a=b",
    "text/html; charset=utf-8",
    "application/atom+xml",
    "image/svg+xml",
)


@pytest.mark.parametrize("path", ["/", "/stream"])
@pytest.mark.parametrize("content_type", [*TYPES, *OTHER_TEXTS])
async def test_texts_are_compressed_for_who_takes_it(
    client: aiohttp.ClientSession, path: str, content_type: str
) -> None:
    asked = {"Content-Type": content_type, "Vary": "Accept"}
    async with client.get(path, params=asked, headers=GZIP) as small:
        assert gzip.decompress(await small.read()) == TEXT
        assert small.headers["Content-Encoding"] == "gzip"
        assert small.headers["Vary"] == "Accept, Accept-Encoding"
    async with client.get(path, params=asked, headers=PLAIN) as whole:
        assert await whole.read() == TEXT
        assert "Content-Encoding" not in whole.headers
        # a cache that has this one must not give it to others, or the other way round
        assert whole.headers["Vary"] == "Accept, Accept-Encoding"


@pytest.mark.parametrize("path", ["/", "/stream"])
@pytest.mark.parametrize(
    "content_type",
    [
        *("application/vnd.apache.parquet", "font/woff2", "application/geopackage+sqlite3"),
        *("application/jsonp", "application/x", "x/text/csv"),
    ],
)
async def test_what_is_no_text_stays_as_it_is(client: aiohttp.ClientSession, path: str, content_type: str) -> None:
    async with client.get(path, params={"Content-Type": content_type}, headers=GZIP) as response:
        assert await response.read() == TEXT
        assert "Content-Encoding" not in response.headers
        assert "Accept-Encoding" not in response.headers.get("Vary", "")


async def test_the_length_is_that_of_what_is_sent(client: aiohttp.ClientSession) -> None:
    async with client.get("/", params={"Content-Type": "text/csv"}, headers=GZIP) as response:
        assert response.content_length == len(await response.read()) < len(TEXT)


async def test_little_is_not_compressed_and_a_little_more_is(client: aiohttp.ClientSession) -> None:
    for size, coding in ((511, None), (512, "gzip")):
        asked = {"Content-Type": "text/csv", "bytes": str(size)}
        async with client.get("/", params=asked, headers=GZIP) as response:
            assert response.headers.get("Content-Encoding") == coding


async def test_what_is_compressed_already_is_not_compressed_again(client: aiohttp.ClientSession) -> None:
    asked = {"Content-Type": "text/csv", "Content-Encoding": "br", "Vary": "Accept-Encoding"}
    async with client.get("/", params=asked, headers=GZIP) as response:
        assert response.headers["Content-Encoding"] == "br"
        assert response.headers["Vary"] == "Accept-Encoding"


async def test_what_is_no_text_in_memory_is_sent_as_it_is(client: aiohttp.ClientSession) -> None:
    async with client.get("/file", headers=GZIP) as response:
        assert (response.status, await response.read()) == (200, TEXT)
        assert (response.headers["Vary"], response.headers.get("Content-Encoding")) == ("Accept-Encoding", None)
    async with client.get("/", params={"status": "204"}, headers=GZIP) as empty:
        assert "Vary" not in empty.headers


async def test_304_varies_as_the_whole_answer(client: aiohttp.ClientSession) -> None:
    for said, varies in (("Accept", "Accept, Accept-Encoding"), ("Accept-Encoding", "Accept-Encoding")):
        async with client.get("/", params={"status": "304", "Vary": said}, headers=GZIP) as response:
            assert response.headers["Vary"] == varies


async def test_texts_are_compressed_if_the_client_accepts_it(
    client: aiohttp.ClientSession,
) -> None:
    coding = "br"
    async with client.get(
        "/", params={"Content-Type": "text/csv"}, headers={"Accept-Encoding": f"{coding}, gzip"}
    ) as small:
        body = await small.read()
        assert small.headers["Content-Encoding"] == coding
        assert small.headers["Vary"] == "Accept-Encoding"
        assert (DECODED[coding](body), small.content_length) == (TEXT, len(body))
    # streams know gzip alone
    async with client.get(
        "/stream", params={"Content-Type": "text/csv"}, headers={"Accept-Encoding": f"{coding}, gzip"}
    ) as streamed:
        assert streamed.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(await streamed.read()) == TEXT


@pytest.mark.parametrize("coding", ["br", "gzip"])
async def test_a_large_text_comes_back_whole(coding: Coding) -> None:
    assert DECODED[coding](await compress_body(TEXT * 1000, coding)) == TEXT * 1000


@pytest.mark.parametrize(("coding", "most"), [("gzip", 1024 * 1024), ("br", 128 * 1024)])
async def test_what_takes_long_is_compressed_beside_other_requests(
    monkeypatch: pytest.MonkeyPatch, coding: Coding, most: int
) -> None:
    beside = []
    to_thread = asyncio.to_thread

    async def noted(compress: Callable[[bytes, Coding], bytes], body: bytes, coding: Coding) -> bytes:
        beside.append(len(body))
        return await to_thread(compress, body, coding)

    monkeypatch.setattr(asyncio, "to_thread", noted)
    for size in (most, most + 1):
        assert DECODED[coding](await compress_body(b"x" * size, coding)) == b"x" * size
    assert beside == [most + 1]


def test_each_coding_takes_the_pains_that_pay() -> None:
    """As they were measured on pages of features."""
    body = "".join(f'{{"id": {number}, "magnitude": {number % 97 / 10}}},' for number in range(3000)).encode()
    assert {coding: compress(body, coding) for coding in RULES} == {
        "gzip": isal_zlib.compress(body, 2, 31),
        "br": brotli.compress(body, quality=5),
    }
    assert decompress(compress(body)) == body


@pytest.mark.usefixtures("client")
def test_streams_are_compressed_by_the_same_library() -> None:
    assert ZLibBackend.name == "isal.isal_zlib"
