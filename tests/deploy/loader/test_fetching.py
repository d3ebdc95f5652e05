"""The loader requests documents patiently and reports faulty answers."""

from __future__ import annotations

import gzip
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from deploy.loader.documents import fetching
from deploy.loader.documents.fetching import Fetcher, FetchError
from deploy.loader.source import DocumentError
from tests.deploy.loader.conftest import IMPATIENT, Publisher

MOST = 10_000


@pytest.fixture
async def fetcher(tmp_path: Path) -> AsyncIterator[Fetcher]:
    async with Fetcher(tmp_path, patience=IMPATIENT, most_bytes=MOST) as found:
        yield found


def status(code: int, **headers: str) -> object:
    async def answer(_request: web.Request) -> web.StreamResponse:
        return web.Response(status=code, headers={name.replace("_", "-"): value for name, value in headers.items()})

    return answer


async def fine(request: web.Request) -> web.StreamResponse:
    if request.headers.get("If-None-Match") == '"1"':
        return web.Response(status=304)
    return web.Response(text="data", headers={"ETag": '"1"', "Last-Modified": "Thu, 01 Feb 2018 00:00:00 GMT"})


async def broken(request: web.Request) -> web.StreamResponse:
    """Says more than it sends."""
    response = web.StreamResponse(headers={"Content-Length": "100"})
    await response.prepare(request)
    await response.write(b"half of it")
    assert request.transport is not None
    request.transport.close()
    return response


@pytest.mark.parametrize("fault", [429, 500, 502, 503, 504, "broken"])
async def test_what_passes_is_asked_again(publisher: Publisher, fetcher: Fetcher, fault: int | str) -> None:
    wrong = broken if fault == "broken" else status(int(fault))
    fetched = await fetcher.fetch(publisher.answer("/data", wrong, wrong, fine))  # type: ignore[arg-type]
    assert fetched.document is not None
    assert (fetched.document.path.read_text(), fetched.etag, len(publisher.asked)) == ("data", '"1"', 3)
    assert all(request.headers["User-Agent"].startswith("dams-loader/") for request in publisher.asked)


async def test_a_server_says_when_to_come_back(publisher: Publisher, fetcher: Fetcher) -> None:
    begun = time.monotonic()
    await fetcher.fetch(publisher.answer("/data", status(429, Retry_After="1"), fine))  # type: ignore[arg-type]
    assert time.monotonic() - begun >= 1


async def test_one_that_wants_us_back_tomorrow_is_not_waited_for(publisher: Publisher, fetcher: Fetcher) -> None:
    with pytest.raises(FetchError, match="503"):
        await fetcher.fetch(publisher.answer("/data", status(503, Retry_After="86400")))  # type: ignore[arg-type]
    assert len(publisher.asked) == 1


@pytest.mark.parametrize("code", [400, 401, 404, 410])
async def test_what_does_not_pass_is_asked_once(publisher: Publisher, fetcher: Fetcher, code: int) -> None:
    with pytest.raises(FetchError, match=str(code)):
        await fetcher.fetch(publisher.answer("/data", status(code)))  # type: ignore[arg-type]
    assert len(publisher.asked) == 1


async def test_patience_ends(publisher: Publisher, fetcher: Fetcher) -> None:
    with pytest.raises(FetchError):
        await fetcher.fetch(publisher.answer("/data", broken))
    assert len(publisher.asked) == IMPATIENT.attempts


async def test_what_we_have_is_not_sent_again(publisher: Publisher, fetcher: Fetcher) -> None:
    address = publisher.answer("/data", fine)
    first = await fetcher.fetch(address)
    second = await fetcher.fetch(address, etag=first.etag, last_modified=first.last_modified)
    assert second.document is None
    assert publisher.asked[1].headers["If-Modified-Since"] == "Thu, 01 Feb 2018 00:00:00 GMT"


async def test_gzip_is_unpacked_and_what_is_broken_off_is_refused(publisher: Publisher, fetcher: Fetcher) -> None:
    packed = gzip.compress(b"data" * 100)
    fetched = await fetcher.fetch(publisher.publish("/data.csv.gz", packed))
    assert fetched.document is not None
    assert fetched.document.path.read_bytes() == b"data" * 100
    for wrong in (packed[:-9], packed[:-4] + b"\0\0\0\0", packed[:12]):
        with pytest.raises(DocumentError, match="not whole"):
            await fetcher.fetch(publisher.publish("/data.csv.gz", wrong))


@pytest.mark.parametrize("content", [b"x" * (MOST + 1), gzip.compress(b"x" * (MOST + 1))], ids=["plain", "unpacked"])
async def test_there_is_an_upper_limit(publisher: Publisher, fetcher: Fetcher, content: bytes) -> None:
    with pytest.raises(DocumentError, match="larger than"):
        await fetcher.fetch(publisher.publish("/data", content))


async def test_redirects_are_followed_to_the_web_only(
    publisher: Publisher, fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    publisher.answer("/data", fine)
    address = publisher.answer("/old", status(302, Location="/data"))  # type: ignore[arg-type]
    assert (await fetcher.fetch(address)).document is not None
    for target, said in (("file:///etc/passwd", "only http"), ("/old", "redirects")):
        with pytest.raises(FetchError, match=said):
            await fetcher.fetch(publisher.answer("/old", status(302, Location=target)))  # type: ignore[arg-type]
    # this server stands for a public one
    asked = publisher.base.partition("//")[2]

    async def is_private(address: str) -> bool:
        return asked not in address

    monkeypatch.setattr(fetching, "_is_private", is_private)
    with pytest.raises(FetchError, match="no public address"):
        await fetcher.fetch(publisher.answer("/old", status(302, Location="http://127.0.0.1:1/")))  # type: ignore[arg-type]
    # an address inside a document is checked in the same way
    with pytest.raises(FetchError, match="no public address"):
        await fetcher.fetch_named("http://127.0.0.1:1/", by=f"{publisher.base}/list")
    assert (await fetcher.fetch_named(f"{publisher.base}/data", by=f"{publisher.base}/list")).path.read_text() == "data"


async def test_a_name_that_is_unknown_is_told_in_words(fetcher: Fetcher) -> None:
    with pytest.raises(FetchError, match="cannot be resolved; is there a network"):
        await fetcher.fetch("http://host.invalid/data")
