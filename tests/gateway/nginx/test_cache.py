"""nginx's cache: it keeps only what a service's Cache-Control allows, only for that time, and never serves it to the
wrong client.
"""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Mapping
from uuid import uuid4

import pytest
from aiohttp import ClientSession, web

from tests.eventually import eventually
from tests.gateway.harness import Gateway


class Tile:
    """A resource with a version; answers conditional requests."""

    def __init__(self, cache_control: str, **headers: str) -> None:
        self.version = 1
        self.cache_control = cache_control
        self.headers = headers
        self.answered: list[int] = []
        self.delay = 0.0

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(self.delay)
        tag = f'W/"{self.version}"'
        headers = {"ETag": tag, "Cache-Control": self.cache_control, **self.headers}
        if request.headers.get("If-None-Match") == tag:
            self.answered.append(304)
            return web.Response(status=304, headers=headers)
        self.answered.append(200)
        kind = request.headers.get("Accept", "")
        return web.Response(text=f"version {self.version} {kind}", headers=headers)


@pytest.fixture
def url(gateway: Gateway) -> str:
    return f"{gateway.url}/api/collections/a/tiles/{uuid4().hex}/0/0/0"


async def get(session: ClientSession, url: str, headers: Mapping[str, str] | None = None) -> tuple[int, str, str]:
    async with session.get(url, headers={"Accept": "x", **(headers or {})}) as response:
        return response.status, response.headers["X-Cache"], await response.text()


async def test_what_is_asked_once_is_not_kept(gateway: Gateway, session: ClientSession, url: str) -> None:
    tile = gateway.upstreams["tiles"].answer = Tile("public, max-age=5")
    answers = [await get(session, url) for _ in range(4)]
    assert [answer[1] for answer in answers] == ["MISS", "MISS", "HIT", "HIT"]
    assert tile.answered == [200, 200]


async def test_kept_for_max_age_then_renewed_by_etag(gateway: Gateway, session: ClientSession, url: str) -> None:
    tile = gateway.upstreams["tiles"].answer = Tile("public, max-age=1")
    await get(session, url)
    assert await get(session, url) == (200, "MISS", "version 1 x")
    assert await get(session, url) == (200, "HIT", "version 1 x")
    await asyncio.sleep(2.1)
    assert await get(session, url) == (200, "REVALIDATED", "version 1 x")
    assert tile.answered == [200, 200, 304]
    await asyncio.sleep(2.1)
    tile.version = 2
    assert await get(session, url) == (200, "EXPIRED", "version 2 x")


async def test_a_request_id_is_never_somebody_elses(gateway: Gateway, session: ClientSession, url: str) -> None:
    gateway.upstreams["tiles"].answer = Tile("public, max-age=5", **{"X-Request-Id": "old"})
    ids = set()
    for _ in range(3):
        async with session.get(url) as response:
            ids.update(response.headers.getall("X-Request-Id"))
    assert len(ids) == 3
    assert "old" not in ids


@pytest.mark.parametrize("cache_control", ["public, max-age=0", "no-store", "private, max-age=5"])
async def test_not_kept(gateway: Gateway, session: ClientSession, url: str, cache_control: str) -> None:
    tile = gateway.upstreams["tiles"].answer = Tile(cache_control)
    await get(session, url)
    tile.version = 2
    assert (await get(session, url))[2] == "version 2 x"


@pytest.mark.parametrize("cache_control", ["public, max-age=0", "public, max-age=5"])
async def test_a_clients_condition(gateway: Gateway, session: ClientSession, url: str, cache_control: str) -> None:
    gateway.upstreams["tiles"].answer = Tile(cache_control)
    assert (await get(session, url, {"If-None-Match": 'W/"1"'}))[0] == 304
    # The 304 was the answer to that client only.
    assert (await get(session, url))[0] == 200
    assert (await get(session, url, {"If-None-Match": 'W/"1"'}))[0] == 304
    assert (await get(session, url, {"If-None-Match": 'W/"0"'}))[0] == 200


async def test_accept_and_host_tell_representations_apart(gateway: Gateway, session: ClientSession, url: str) -> None:
    gateway.upstreams["tiles"].answer = Tile("public, max-age=5")
    assert (await get(session, url, {"Accept": "text/html"}))[2] == "version 1 text/html"
    assert (await get(session, url, {"Accept": "application/json"}))[2] == "version 1 application/json"
    assert (await get(session, url, {"Accept": "text/html", "Host": "other.example"}))[1] == "MISS"
    # With `f` the header does not matter.
    await get(session, f"{url}?f=mvt", {"Accept": "application/json"})
    assert (await get(session, f"{url}?f=mvt", {"Accept": "text/html"}))[1] == "MISS"
    assert (await get(session, f"{url}?f=mvt", {"Accept": "application/json"}))[1] == "HIT"


async def test_a_property_that_is_called_like_f_decides_nothing(
    gateway: Gateway, session: ClientSession, url: str
) -> None:
    gateway.upstreams["tiles"].answer = Tile("public, max-age=5")
    for query in ("?F=1", "?ref=1", "?f=", "?x=f=1"):
        for _ in range(3):
            await get(session, url + query, {"Accept": "text/html"})
        assert (await get(session, url + query, {"Accept": "text/html"}))[1] == "HIT"
        assert (await get(session, url + query, {"Accept": "text/csv"}))[1] == "MISS"
    for query in ("?f=mvt", "?x=1&f=mvt"):
        for _ in range(3):
            await get(session, url + query, {"Accept": "text/html"})
        assert (await get(session, url + query, {"Accept": "text/csv"}))[1] == "HIT"


async def test_escapes_and_parameters_tell_addresses_apart(gateway: Gateway, session: ClientSession, url: str) -> None:
    gateway.upstreams["tiles"].answer = Tile("public, max-age=5")
    ends = ("?ids=1", "?ids=2", "?ids=1&", "?ids=1")
    for end in ends[:3]:
        await get(session, url + end)
    assert [(await get(session, url + end))[1] for end in ends] == ["MISS", "MISS", "MISS", "HIT"]


@pytest.mark.parametrize("vary", ["Accept-Charset", "Accept, Cookie", "*"])
async def test_what_varies_otherwise_than_the_key_is_not_kept(
    gateway: Gateway, session: ClientSession, url: str, vary: str
) -> None:
    gateway.upstreams["tiles"].answer = Tile("public, max-age=5", Vary=vary)
    assert [(await get(session, url))[1] for _ in range(4)] == ["MISS"] * 4


async def test_a_crowd_makes_one_request(gateway: Gateway, session: ClientSession, url: str) -> None:
    tile = gateway.upstreams["tiles"].answer = Tile("public, max-age=5")
    await get(session, url)
    tile.delay = 0.2
    answers = await asyncio.gather(*(get(session, url) for _ in range(20)))
    assert {answer[2] for answer in answers} == {"version 1 x"}
    assert tile.answered == [200, 200]


async def test_staleness_is_bounded(gateway: Gateway, session: ClientSession, url: str) -> None:
    control = "public, max-age=1, stale-while-revalidate=1, stale-if-error=1"
    tile = gateway.upstreams["tiles"].answer = Tile(control)
    await get(session, url)
    await get(session, url)
    tile.version = 2
    await asyncio.sleep(4.1)
    # Longer ago than allowed: the first visitor after a quiet time gets the current answer.
    assert (await get(session, url))[2] == "version 2 x"


async def test_stale_if_error(own_gateway: Gateway, session: ClientSession) -> None:
    url = f"{own_gateway.url}/api/tileMatrixSets"
    own_gateway.upstreams["tiles"].answer = Tile("public, max-age=1, stale-if-error=4")
    await get(session, url)
    await get(session, url)
    await own_gateway.upstreams["tiles"].stop()
    await asyncio.sleep(2.1)
    assert await get(session, url) == (200, "STALE", "version 1 x")

    async def gone() -> bool:
        async with session.get(url, headers={"Accept": "x"}) as response:
            return response.status == 503

    await eventually(gone)


async def test_server_timing_names_who_answered(gateway: Gateway, session: ClientSession, url: str) -> None:
    gateway.upstreams["tiles"].answer = Tile("public, max-age=5", **{"Server-Timing": "redis;dur=1"})
    for expected in ("redis;dur=1", "redis;dur=1", "gateway;desc=HIT"):
        async with session.get(url) as response:
            assert response.headers.getall("Server-Timing") == [expected]
    # the header is missing if the service sends none
    gateway.upstreams["tiles"].answer = Tile("no-store")
    async with session.get(url + "1") as response:
        assert "Server-Timing" not in response.headers


async def test_head_fills_and_uses_the_cache(gateway: Gateway, session: ClientSession, url: str) -> None:
    tile = gateway.upstreams["tiles"].answer = Tile("public, max-age=5")
    for _ in range(2):
        async with session.head(url) as response:
            assert (response.status, await response.read()) == (200, b"")
    async with session.get(url) as response:
        assert response.headers["X-Cache"] == "HIT"
    assert tile.answered == [200, 200]


@pytest.mark.parametrize(
    ("accept", "compressed"),
    [("gzip, deflate, br", True), ("br;q=1.0, gzip;q=0.5", True), ("gzip;q=0", False), ("", False), ("br", False)],
)
async def test_compression(gateway: Gateway, session: ClientSession, url: str, accept: str, compressed: bool) -> None:
    body = b'{"type": "FeatureCollection"}' * 100

    async def answer(_: web.Request) -> web.StreamResponse:
        return web.Response(body=body, content_type="application/geo+json", headers={"ETag": '"strong"'})

    gateway.upstreams["tiles"].answer = answer
    async with session.get(url, headers={"Accept-Encoding": accept}) as response:
        got = await response.read()
        assert ("Content-Encoding" in response.headers) == compressed
        assert "Accept-Encoding" in response.headers["Vary"]
    assert (gzip.decompress(got) if compressed else got) == body


@pytest.mark.parametrize("cache_control", ["public, max-age=5", "no-cache"])
@pytest.mark.parametrize("vary", ["Accept", "Accept-Encoding", "accept, accept-encoding"])
async def test_what_has_not_changed_varies_as_what_was_sent(
    gateway: Gateway, session: ClientSession, url: str, cache_control: str, vary: str
) -> None:
    """A cache replaces its headers with those of a 304 (RFC 9111, 3.2).

    Without Vary it would give gzip to clients that do not accept it.
    """

    async def answer(request: web.Request) -> web.StreamResponse:
        headers = {"ETag": 'W/"1"', "Cache-Control": cache_control, "Vary": vary}
        if request.headers.get("If-None-Match"):
            return web.Response(status=304, headers=headers)
        return web.Response(body=b"feature " * 100, content_type="application/geo+json", headers=headers)

    gateway.upstreams["tiles"].answer = answer

    async def varies(**headers: str) -> tuple[int, set[str]]:
        async with session.get(url, headers={"Accept-Encoding": "gzip", **headers}) as response:
            said = ", ".join(response.headers.getall("Vary")).lower().split(", ")
            return response.status, set(said)

    # first from the service, then from the cache
    for _ in range(3):
        status, full = await varies()
        assert (status, "accept-encoding" in full) == (200, True)
        assert await varies(**{"If-None-Match": 'W/"1"'}) == (304, full)


async def test_a_type_that_the_gateway_never_heard_of_is_compressed(
    gateway: Gateway, session: ClientSession, url: str
) -> None:
    """A service gets a new format without a word to the gateway."""

    async def answer(_: web.Request) -> web.StreamResponse:
        return web.Response(body=b"feature " * 100, content_type="application/new-format+xml")

    gateway.upstreams["tiles"].answer = answer
    async with session.get(url, headers={"Accept-Encoding": "gzip"}) as response:
        assert response.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(await response.read()) == b"feature " * 100


async def test_what_a_service_compressed_is_not_compressed_again(
    gateway: Gateway, session: ClientSession, url: str
) -> None:
    body = gzip.compress(b"tile" * 1000)

    async def answer(request: web.Request) -> web.StreamResponse:
        assert request.headers["Accept-Encoding"] == "br, gzip"
        headers = {"Content-Encoding": "gzip", "Content-Type": "application/vnd.mapbox-vector-tile"}
        return web.Response(body=body, headers=headers)

    gateway.upstreams["tiles"].answer = answer
    async with session.get(url, headers={"Accept-Encoding": "gzip, br"}) as response:
        assert response.headers.getall("Content-Encoding") == ["gzip"]
        assert await response.read() == body


async def test_any_time_since_the_last_change_will_do(gateway: Gateway, session: ClientSession, url: str) -> None:
    changed = "Fri, 01 Nov 2024 10:00:00 GMT"
    gateway.upstreams["tiles"].answer = Tile("public, max-age=60", **{"Last-Modified": changed})
    for _ in range(3):
        await get(session, url)
    for since, status in (
        (changed, 304),
        ("Fri, 01 Nov 2024 10:00:01 GMT", 304),
        ("Fri, 01 Nov 2024 09:59:59 GMT", 200),
    ):
        async with session.get(url, headers={"Accept": "x", "If-Modified-Since": since}) as response:
            assert (response.status, response.headers["X-Cache"]) == (status, "HIT"), since


@pytest.mark.parametrize(("headers", "kept"), [({}, True), ({"X-Accel-Expires": "0"}, False)])
async def test_an_answer_in_chunks_is_kept_unless_the_service_forbids_it(
    gateway: Gateway, session: ClientSession, url: str, headers: dict[str, str], kept: bool
) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Cache-Control": "public, max-age=5", **headers})
        await response.prepare(request)
        for _ in range(40):
            await response.write(b"x" * 50_000)
        await response.write_eof()
        return response

    gateway.upstreams["tiles"].answer = answer
    states = []
    for _ in range(3):
        async with session.get(url) as response:
            assert len(await response.read()) == 2_000_000
            assert "X-Accel-Expires" not in response.headers
            states.append(response.headers["X-Cache"])
    assert states == ["MISS", "MISS", "HIT" if kept else "MISS"]


@pytest.mark.parametrize("path", ["collections/a/export", "collections/a/changes", "changes"])
async def test_files_and_streams_are_the_services_own(gateway: Gateway, session: ClientSession, path: str) -> None:
    """A cache would ask for the whole file where a client goes on with a download."""
    service = gateway.upstreams["features"]
    tile = service.answer = Tile("public, max-age=60")
    url = f"{gateway.url}/api/{path}?of={uuid4().hex}"
    for _ in range(3):
        async with session.get(url, headers={"Range": "bytes=5-", "If-Range": '"1"'}) as response:
            assert (response.status, response.headers.get("X-Cache")) == (200, None)
        assert [service.seen[-1].headers.get(name) for name in ("Range", "If-Range")] == ["bytes=5-", '"1"']
    assert tile.answered == [200, 200, 200]


class _Page(Tile):
    """A page that says in which language it was wanted."""

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        self.answered.append(200)
        return web.Response(
            text=request.headers.get("Accept-Language", "none"),
            headers={"Cache-Control": self.cache_control, "Vary": "Accept, Accept-Language"},
        )


async def test_pages_are_kept_once_for_each_language(gateway: Gateway, session: ClientSession, url: str) -> None:
    page = gateway.upstreams["tiles"].answer = _Page("public, max-age=60")
    asked = [
        ({"Accept": "text/html", "Accept-Language": "fr-CA,fr;q=0.9,en;q=0.8"}, "fr"),
        ({"Accept": "text/html", "Accept-Language": "fr;q=0.5,de"}, "fr"),
        ({"Accept": "text/html", "Accept-Language": "en;q=0.1,ar;q=0.7"}, "ar"),
        ({"Accept": "text/html", "Accept-Language": "xx"}, "en"),
        ({"Accept": "text/html"}, "en"),
        ({"Accept": "application/json", "Accept-Language": "fr"}, "none"),
        ({"Accept": "*/*", "Accept-Language": "es"}, "none"),
    ]
    for headers, language in asked * 3:
        assert (await get(session, url, headers))[2] == language
    kept = len(page.answered)
    # twice for each language, as a first request is not kept, and twice for each header without a page language
    assert kept == 2 * (3 + 2)
    for query, language in (("?f=html", "es"), ("?a=1&f=html&b=2", "es"), ("?f=json", "none"), ("?f=htmlx", "none")):
        said = await get(session, f"{url}{query}", {"Accept": "text/html", "Accept-Language": "es"})
        assert said[2] == language, query
