"""Errors that nginx answers itself have the shape of all others; those of the services pass untouched."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
from aiohttp import ClientSession, web

from tests.eventually import eventually
from tests.gateway.harness import Gateway


async def raw(gateway: Gateway, request: bytes) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of the answer to bytes that no client would send."""
    reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
    writer.write(request)
    await writer.drain()
    first, *rest = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)).decode().strip().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in rest)}
    body = await reader.readexactly(int(headers["content-length"]))
    writer.close()
    await writer.wait_closed()
    return int(first.split()[1]), headers, body


HEAD = b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET /nothing" + HEAD + b"\r\n", 404),
        (b"GET /api/%00" + HEAD + b"\r\n", 400),
        (b"GET /api/collections?filter=\xe4" + HEAD + b"\r\n", 400),
        (b"GET /api/openapi.json?\xc3\xa9" + HEAD + b"\r\n", 400),
        (b"GET /api/../.." + HEAD + b"\r\n", 400),
        (b"GET /api/ HTTP/1.1\r\nConnection: close\r\n\r\n", 400),
        (b"GET /_error/503" + HEAD + b"\r\n", 404),
        (b"GET /_openapi/json" + HEAD + b"\r\n", 404),
        (b"POST /api/collections" + HEAD + b"Content-Length: 0\r\n\r\n", 405),
        (b"DELETE /api/openapi.json" + HEAD + b"\r\n", 405),
        (b"TRACE /api/" + HEAD + b"\r\n", 405),
        (b"POST /api/" + HEAD + b"Content-Length: 99999999\r\n\r\n", 413),
        (b"GET /api/?" + b"x" * 40_000 + HEAD + b"\r\n", 414),
        (b"GET /api/" + HEAD + b"X-Large: " + b"x" * 40_000 + b"\r\n\r\n", 431),
        (b"GET /api/openapi.json" + HEAD + b'If-Match: "other"\r\n\r\n', 412),
        (b"GET /api/" + HEAD + b"Transfer-Encoding: other, chunked\r\n\r\n", 501),
        (b"GET /api/ HTTP/7.0\r\nHost: localhost\r\nConnection: close\r\n\r\n", 505),
        (b"GET /" + HEAD + b"\r\n", 302),
        (b"GET /api/collections/" + HEAD + b"\r\n", 308),
    ],
)
async def test_shape(gateway: Gateway, request_bytes: bytes, status: int) -> None:
    found, headers, body = await raw(gateway, request_bytes)
    assert found == status
    assert headers["content-type"] == "application/json"
    assert list(json.loads(body)) == ["detail"]
    assert headers["access-control-allow-origin"] == "*"
    assert headers["x-content-type-options"] == "nosniff"
    assert len(headers["x-request-id"]) == 32
    assert headers["server"] == "nginx"
    assert (headers.get("allow") == "GET, HEAD, OPTIONS") == (status == 405)


BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize(
    ("accept", "query", "kind"),
    [
        (BROWSER, "", "text/html"),
        (BROWSER, "?f=html", "text/html"),
        (BROWSER, "?x=f=json&ff=json", "text/html"),
        (BROWSER, "?f=json", "application/json"),
        (BROWSER, "?x=1&f=html5", "application/json"),
        (BROWSER, "?f=", "application/json"),
        ("application/json, Text/HTML", "", "text/html"),
        ("application/json, text/html;q=0.9", "", "application/json"),
        ("text/htmlx", "", "application/json"),
        ("*/*", "", "application/json"),
        ("", "", "application/json"),
    ],
)
async def test_people_get_the_same_sentence_as_a_page(
    gateway: Gateway, session: ClientSession, accept: str, query: str, kind: str
) -> None:
    url = f"{gateway.url}/api/nowhere"
    async with session.get(url) as response:
        sentence = (await response.json())["detail"]
    async with session.get(url + query, headers={"Accept": accept}) as response:
        assert (response.status, response.content_type) == (404, kind)
        assert sentence in await response.text()
        assert response.headers.getall("Vary") == ["Accept, Accept-Encoding"]
        assert response.headers["Cache-Control"] == "no-store"
        assert len(response.headers["X-Request-Id"]) == 32
        # scripts of other sites may read it, too
        assert response.headers["Access-Control-Expose-Headers"] == "*"


async def test_every_error_that_has_a_sentence_has_a_page_that_says_it(gateway: Gateway) -> None:
    configuration = (gateway.folder / "nginx.conf").read_text(encoding="utf-8")
    sentences = dict(re.findall(r"return (\d+) '\{\"detail\": \"(.+?)\"\}'", configuration))
    pages = dict(re.findall(r"location = /_error/(\d+)\.html .*?alias (.+?);", configuration, re.DOTALL))
    # a redirect has no page: browsers go where it leads
    assert sentences.pop("200") == "The resource is at the address in the Location header."
    assert pages.keys() == sentences.keys() >= {"400", "404", "405", "413", "414", "431", "500", "503", "504"}
    for status, page in pages.items():
        assert sentences[status] in (gateway.folder / page).read_text(encoding="utf-8"), status


async def test_a_page_of_an_error_is_one_of_ours(gateway: Gateway, session: ClientSession) -> None:
    async with session.get(f"{gateway.url}/api/nowhere", headers={"Accept": BROWSER}) as response:
        page = await response.text()
        assert "default-src 'none'" in response.headers["Content-Security-Policy"]
        assert response.headers["Content-Language"] == "en"
    assert "<h1>Page not found</h1>" in page
    assert 'href="/api/?f=html"' in page
    style = re.findall(r'rel="stylesheet" href="/api(/assets/site-[0-9a-f]{12}\.css)"', page)
    async with session.get(f"{gateway.url}/api{style[0]}") as response:
        assert (await response.json())["service"] == "viewer"
    found, headers, _ = await raw(gateway, b"POST /api/" + HEAD + b"Accept: text/html\r\nContent-Length: 0\r\n\r\n")
    assert (found, headers["allow"], headers["content-type"]) == (405, "GET, HEAD, OPTIONS", "text/html; charset=utf-8")


async def test_errors_of_a_service_pass(gateway: Gateway, session: ClientSession) -> None:
    async def refuse(_: web.Request) -> web.StreamResponse:
        body = {"detail": [{"loc": ["query", "bbox"]}]}
        return web.json_response(body, status=422, headers={"Access-Control-Allow-Origin": "*"})

    gateway.upstreams["features"].answer = refuse
    async with session.get(f"{gateway.url}/api/collections/a/items?bbox=1") as response:
        assert response.status == 422
        assert await response.json() == {"detail": [{"loc": ["query", "bbox"]}]}
        assert response.headers.getall("Access-Control-Allow-Origin") == ["*"]


async def test_503_of_a_service_passes_and_is_not_tried_again(gateway: Gateway, session: ClientSession) -> None:
    async def busy(_: web.Request) -> web.StreamResponse:
        return web.json_response({"detail": "busy"}, status=503, headers={"Retry-After": "9"})

    gateway.upstreams["tiles"].answer = busy
    async with session.get(f"{gateway.url}/api/tileMatrixSets") as response:
        assert (response.status, response.headers["Retry-After"]) == (503, "9")
        assert await response.json() == {"detail": "busy"}
    assert len(gateway.upstreams["tiles"].seen) == 1


async def test_one_service_down_leaves_the_others(own_gateway: Gateway, session: ClientSession) -> None:
    await own_gateway.upstreams["tiles"].stop()
    async with session.get(f"{own_gateway.url}/api/tileMatrixSets") as response:
        assert response.status == 503
        assert response.headers["Retry-After"] == "2"
        assert response.headers["Content-Type"] == "application/json"
        assert "not available" in (await response.json())["detail"]
    for path in ("/collections", "/collections/a/items", "/docs"):
        async with session.get(f"{own_gateway.url}/api{path}") as response:
            assert response.status == 200

    async def back() -> bool:
        async with session.get(f"{own_gateway.url}/api/tileMatrixSets") as response:
            return response.status == 200

    await own_gateway.upstreams["tiles"].start()
    await eventually(back)


async def test_a_service_that_breaks_off(gateway: Gateway, session: ClientSession) -> None:
    async def break_off(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    gateway.upstreams["viewer"].answer = break_off
    async with session.get(f"{gateway.url}/api/docs") as response:
        assert response.status == 503
        assert list(await response.json()) == ["detail"]


async def test_options_reaches_the_service(gateway: Gateway, session: ClientSession) -> None:
    async with session.options(f"{gateway.url}/api/collections") as response:
        assert (await response.json())["service"] == "common"
    async with session.options(f"{gateway.url}/api/openapi.json") as response:
        assert (response.status, response.headers["Allow"]) == (204, "GET, HEAD, OPTIONS")
