"""Which service gets which request, and what arrives there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from aiohttp import ClientSession, HttpVersion10
from yarl import URL

from tests.gateway.harness import PARTS, Gateway, make_part, running_gateway

ROUTES = [
    ("/", "common"),
    ("/?f=html", "common"),
    ("/conformance", "common"),
    ("/collections", "common"),
    ("/collections?bbox=1,2,3,4", "common"),
    ("/collections/a.b", "common"),
    ("/collections/items", "common"),
    ("/collections/a.b/items", "features"),
    ("/collections/a.b/items?limit=1", "features"),
    ("/collections/a.b/items/7", "features"),
    ("/collections/a.b/items/tiles", "features"),
    ("/collections/a.b/queryables", "features"),
    ("/collections/a.b/queryables?f=html", "features"),
    ("/collections/a.b/schema", "features"),
    ("/collections/a.b/tiles", "tiles"),
    ("/collections/a.b/tiles?f=html", "tiles"),
    ("/collections/a.b/tiles/WebMercatorQuad", "tiles"),
    ("/collections/a.b/tiles/map.html", "tiles"),
    ("/collections/a.b/tiles/WebMercatorQuad/1/2/3?ids=1", "tiles"),
    ("/collections/a.b/tiles/WebMercatorQuad/tilejson.json", "tiles"),
    ("/collections/a.b/tiles/WebMercatorQuad/style.json", "tiles"),
    ("/tiles", "tiles"),
    ("/tiles/WebMercatorQuad/1/2/3?collections=a,b", "tiles"),
    ("/tiles/WebMercatorQuad/map.html", "viewer"),
    ("/tileMatrixSets", "tiles"),
    ("/tileMatrixSets/WebMercatorQuad", "tiles"),
    ("/collections/a.b/tiles/WebMercatorQuad/map.html", "viewer"),
    ("/collections/a.b/tiles/WebMercatorQuad/map.html?minzoom=2", "viewer"),
    ("/collections/a.b/tiles/WebMercatorQuad/1/2/3.png", "tiles"),
    ("/collections/a.b/tiles/WorldCRS84Quad/1/2/3.pbf", "tiles"),
    ("/map", "viewer"),
    ("/docs", "viewer"),
    ("/assets/maplibre.js", "viewer"),
    ("/basemap/WebMercatorQuad/0/0/0.mvt", "viewer"),
    ("/basemap/fonts/0-255.pbf", "viewer"),
]

DECLARED = [(path, service) for service in PARTS for path in make_part(service)["openapi"]["paths"]]

UNDECLARED = [
    "/something-else",
    "/collectionsx",
    "/collections/a.b/itemsx",
    "/collections/a.b/ite",
    "/collections/a.b/Items",
    "/collections//items",
    "/collections/a.b/items/7/8",
    "/collections/a/items//double//slashes",
    "/x/collections/a.b/items",
    "/collections/a.b/tiles/WebMercatorQuad/1/2",
    "/collections/a.b/tiles/WebMercatorQuad/1/2.pbf",
    "/collections/a.b/tiles/WebMercatorQuad/map.htmlx",
    "/collections/a.b/tiles/WebMercatorQuad/mapxhtml",
    "/collections/a.b/tiles/WorldCRS84Quad/metadata.json",
    "/assets",
    "/assetsx/site.css",
    "/map/x",
    "/docs.html",
]

ESCAPED = [
    "/collections/hazard.a%20b/items?filter=name%20LIKE%20%27a%25%27",
    "/collections/hazard.a%2Fitems/items/x%2Fy%3Fz",
    "/collections/hazard.a%2Fb",
    "/collections/%C3%A9moji%F0%9F%8C%8A/tiles/WebMercatorQuad/0/0/0",
    "/collections/a/items/%22quoted%22+plus%2Bplus;semi=1,2",
    "/collections/a/items/%2F%2Fdouble%2F%2Fslashes%2F",
    "/collections/a/items/x%3Fy%23z%25",
    "/collections/~!$&'()*+,;=:@/items/..;",
    "/collections/a/items/..%2F..",
    "/collections/a/items?bbox=1,2,3,4&x=%26&y=a/b?c",
]


async def reached(gateway: Gateway, session: ClientSession, path: str) -> tuple[str, str]:
    """The service that answers a path, written as it is, and the path that it sees."""
    async with session.get(URL(f"{gateway.url}/api{path}", encoded=True)) as response:
        answer = await response.json()
    return answer["service"], answer["path"]


@pytest.mark.parametrize(("template", "service"), DECLARED)
@pytest.mark.parametrize("value", ["a.b", "%C3%A9%2F%3F%20'\"$x{}", "items"])
async def test_every_path_of_a_document_reaches_its_service(
    gateway: Gateway, session: ClientSession, template: str, service: str, value: str
) -> None:
    path = re.sub(r"{\w+}", lambda _: value, template)
    for url in (path, f"{path}?f=json&x=/items"):
        assert await reached(gateway, session, url) == (service, url)


@pytest.mark.parametrize("path", UNDECLARED)
async def test_a_path_that_no_part_declares_reaches_no_service(
    gateway: Gateway, session: ClientSession, path: str
) -> None:
    for url in (path, f"{path}?x=/collections"):
        async with session.get(URL(f"{gateway.url}/api{url}", encoded=True)) as response:
            assert (response.status, response.content_type) == (404, "application/json")
            assert list(await response.json()) == ["detail"]
            assert response.headers["Cache-Control"] == "no-store"
    async with session.options(URL(f"{gateway.url}/api{path}", encoded=True)) as response:
        assert response.status == 404
    async with session.head(URL(f"{gateway.url}/api{path}", encoded=True)) as response:
        assert (response.status, await response.read()) == (404, b"")
    async with session.post(URL(f"{gateway.url}/api{path}", encoded=True)) as response:
        assert response.status == 405
    assert not any(upstream.seen for upstream in gateway.upstreams.values())


@pytest.mark.parametrize("path", ESCAPED)
async def test_escapes_arrive_as_they_were_sent(gateway: Gateway, session: ClientSession, path: str) -> None:
    async with session.get(URL(f"{gateway.url}/api{path}", encoded=True)) as response:
        assert (await response.json())["path"] == path


# letters of a word may be escaped
SPELLINGS = [
    ("/%63ollections", "common"),
    ("/%63%6F%6c%6Cections/a.b/%69tems?limit=1", "features"),
    ("/collections/a%2Fb/tiles/WebMercatorQuad/%6dap%2Ehtml", "viewer"),
    ("/collections/a.b/tiles/%57ebMercatorQuad/1/2/3", "tiles"),
    ("/%61ssets/maplibre.js", "viewer"),
]
NO_SPELLINGS = [
    "/%2563ollections",
    "/%43ollections",
    "/collections%2Fa.b",
    "/collections/a.b%2Fitems/7",
    "/%c3%a3ssets/x",
]


@pytest.mark.parametrize(("path", "service"), [*ROUTES, *SPELLINGS])
async def test_route(gateway: Gateway, session: ClientSession, path: str, service: str) -> None:
    assert await reached(gateway, session, path) == (service, path)


@pytest.mark.parametrize("path", NO_SPELLINGS)
async def test_what_is_escaped_twice_or_means_another_word_is_none_of_ours(
    gateway: Gateway, session: ClientSession, path: str
) -> None:
    async with session.get(URL(f"{gateway.url}/api{path}", encoded=True)) as response:
        assert response.status == 404
    assert not any(upstream.seen for upstream in gateway.upstreams.values())


ALIASES = [
    ("/1/2/3.pbf", "/1/2/3"),
    ("/11/2/3.mvt?ids=1,2&f=mvt", "/11/2/3?ids=1,2&f=mvt"),
    ("/metadata.json", "/tilejson.json"),
    ("/metadata.json?minzoom=1", "/tilejson.json?minzoom=1"),
]


@pytest.mark.parametrize(("alias", "path"), ALIASES)
@pytest.mark.parametrize("tileset", ["/collections/a%2Fb/tiles/WebMercatorQuad", "/tiles/WebMercatorQuad"])
async def test_a_tileset_as_a_folder_of_files(
    gateway: Gateway, session: ClientSession, tileset: str, alias: str, path: str
) -> None:
    async with session.get(URL(f"{gateway.url}/api{tileset}{alias}", encoded=True)) as response:
        answer = await response.json()
    assert (answer["service"], answer["path"]) == ("tiles", tileset + path)


SLASHES = [
    ("/collections/", "/collections"),
    ("/collections/?limit=1&x=/", "/collections?limit=1&x=/"),
    ("/collections/a%2F/items//", "/collections/a%2F/items"),
    ("/docs/", "/docs"),
    ("//evil.example/", "//evil.example"),
]


@pytest.mark.parametrize(("path", "target"), SLASHES)
async def test_a_slash_at_the_end_leads_to_the_resource(
    gateway: Gateway, session: ClientSession, path: str, target: str
) -> None:
    address = URL(f"{gateway.url}/api{path}", encoded=True)
    async with session.get(address, allow_redirects=False) as response:
        assert (response.status, response.headers["Location"]) == (308, f"/api{target}")
        # a page of another origin must be able to follow
        assert response.headers.getall("Access-Control-Allow-Origin") == ["*"]
    async with session.post(address) as response:
        assert response.status == 405
    assert not any(upstream.seen for upstream in gateway.upstreams.values())


async def test_redirects_lead_to_the_public_address(tmp_path: Path) -> None:
    """A proxy before the gateway may cut off the path of DAMS_PUBLIC_URL; the client's own address has it."""
    led = {"/": "/", "/api/collections/": "/collections", "/api/docs//?x=/": "/docs?x=/"}
    async with running_gateway(tmp_path / "gateway", DAMS_PUBLIC_URL="https://a.example/gis/api") as gateway:
        await gateway.published()
        for path, target in led.items():
            async with ClientSession() as session, session.get(gateway.url + path, allow_redirects=False) as response:
                assert response.headers["Location"] == f"https://a.example/gis/api{target}"
                assert response.content_type == "application/json"


async def test_a_preflight_allows_what_is_asked_for(gateway: Gateway, session: ClientSession) -> None:
    url = f"{gateway.url}/api/openapi.json"
    for asked, allowed in ((None, "*"), ("range, if-none-match", "range, if-none-match"), ("a;b", "*")):
        headers = {"Access-Control-Request-Headers": asked} if asked else {}
        async with session.options(url, headers=headers) as response:
            assert (response.status, response.headers["Access-Control-Allow-Headers"]) == (204, allowed)


async def test_the_document_says_once_what_it_varies_by(gateway: Gateway, session: ClientSession) -> None:
    async with session.get(f"{gateway.url}/api/openapi.json", headers={"Accept-Encoding": "gzip"}) as response:
        assert response.headers.getall("Vary") == ["Accept, Accept-Encoding"]


async def test_the_landing_page_keeps_its_slash(gateway: Gateway, session: ClientSession) -> None:
    for path in ("/", "/?f=json", "/?x=/"):
        async with session.get(f"{gateway.url}/api{path}", allow_redirects=False) as response:
            assert (response.status, (await response.json())["path"]) == (200, path)


async def test_the_landing_page_needs_no_slash(gateway: Gateway, session: ClientSession) -> None:
    for query in ("", "?f=json", "?x=/"):
        async with session.get(f"{gateway.url}/api{query}", allow_redirects=False) as response:
            assert (response.status, (await response.json())["path"]) == (200, f"/{query}")
    async with session.post(f"{gateway.url}/api") as response:
        assert response.status == 405
    async with session.get(f"{gateway.url}/apis") as response:
        assert response.status == 404


async def test_favicon(gateway: Gateway, session: ClientSession) -> None:
    async with session.get(f"{gateway.url}/favicon.ico") as response:
        assert (response.status, response.content_type) == (200, "image/svg+xml")
        assert (await response.text()).startswith("<svg")


async def test_crawlers_are_kept_from_what_is_dear(gateway: Gateway, session: ClientSession) -> None:
    async with session.get(f"{gateway.url}/robots.txt") as response:
        assert (response.status, response.content_type) == (200, "text/plain")
        rules = (await response.text()).splitlines()
    assert rules[0] == "User-agent: *"
    patterns = [rule.removeprefix("Disallow: ").replace("?", "[?]").replace("*", ".*") for rule in rules[1:]]

    def allowed(path: str) -> bool:
        return not any(re.match(pattern, path) for pattern in patterns)

    assert all(map(allowed, ("/api/", "/api/collections/a.b", "/api/collections/a.b/items", "/api/map")))
    assert allowed("/api/collections/a.b/tiles/WebMercatorQuad/map.html")
    assert allowed("/api/tiles/WebMercatorQuad/map.html")
    assert not allowed("/api/tiles/WebMercatorQuad/0/0/0")
    assert not allowed("/api/collections/a.b/items?offset=10")
    assert not allowed("/api/collections/a.b/tiles/WebMercatorQuad/0/0/0")


@pytest.mark.parametrize(
    "path",
    [
        "/api/internal",
        "/api/internal/part",
        "/api/internal/health",
        "/api/internal/health/live",
        "/api/%69nternal/part",
        "/api/%2569nternal/part",
        "/api//internal/part",
        "/api/%2Finternal/part",
        "/api/x/%2e%2e/internal/part",
        "/api/collections/../internal/part",
        "//api/internal/part",
        "/%61pi/internal/part",
        "/api/./internal/part",
    ],
)
async def test_internal_resources_stay_inside(gateway: Gateway, session: ClientSession, path: str) -> None:
    async with session.get(URL(gateway.url + path, encoded=True)) as response:
        assert response.status == 404
        assert list(await response.json()) == ["detail"]
    assert not any(upstream.seen for upstream in gateway.upstreams.values())


async def test_the_root_redirects_to_the_service(gateway: Gateway, session: ClientSession) -> None:
    async with session.get(f"{gateway.url}/", allow_redirects=False) as response:
        assert (response.status, response.headers["Location"]) == (302, "/api/")


async def test_forwarded_headers_are_the_gateways(gateway: Gateway, session: ClientSession) -> None:
    lies = {
        "Host": "data.example.org:1234",
        "Forwarded": "host=evil.example",
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Proto": "ftp",
        "X-Forwarded-Prefix": "/evil",
        "X-Forwarded-For": "1.2.3.4",
        "X-Real-IP": "1.2.3.4",
        "X-Request-Id": "chosen-by-the-client",
        "X-Original-URL": "/internal/part",
        "X-Client-Protocol": "HTTP/1.0",
        "Accept": "text/html",
    }
    async with session.get(f"{gateway.url}/api/", headers=lies) as response:
        seen = (await response.json())["headers"]
        request_id = response.headers.getall("X-Request-Id")
    assert seen["host"] == seen["x-forwarded-host"] == "data.example.org:1234"
    assert (seen["x-forwarded-proto"], seen["x-forwarded-prefix"]) == ("http", "/api")
    assert seen["x-forwarded-for"] == "127.0.0.1"
    assert seen["x-client-protocol"] == "HTTP/1.1"
    assert seen["accept"] == "text/html"
    assert not seen.keys() & {"forwarded", "x-real-ip", "x-original-url"}
    # One id: the one that the service got too.
    assert request_id == [seen["x-request-id"]]
    assert request_id != ["chosen-by-the-client"]


async def test_services_hear_what_the_client_speaks(gateway: Gateway) -> None:
    async with (
        ClientSession(version=HttpVersion10) as old,
        old.get(f"{gateway.url}/api/", headers={"X-Client-Protocol": "HTTP/1.1"}) as response,
    ):
        assert (await response.json())["headers"]["x-client-protocol"] == "HTTP/1.0"


@pytest.mark.parametrize("host", ["a b", "evil.example/path", "x';drop", "a@b", "-a", "[::1", "a:999999", "<script>"])
async def test_a_host_that_is_none(gateway: Gateway, session: ClientSession, host: str) -> None:
    async with session.get(f"{gateway.url}/api/", headers={"Host": host}) as response:
        assert response.status == 400
        assert list(await response.json()) == ["detail"]
    assert not gateway.upstreams["common"].seen


@pytest.mark.parametrize("host", ["example.org", "EXAMPLE.org:80", "192.0.2.1:8080", "[2001:db8::1]:8080"])
async def test_a_host_that_is_one(gateway: Gateway, session: ClientSession, host: str) -> None:
    async with session.get(f"{gateway.url}/api/", headers={"Host": host}) as response:
        assert (await response.json())["headers"]["x-forwarded-host"] == host


async def test_a_filter_of_16_kb_passes(gateway: Gateway, session: ClientSession) -> None:
    path = "/collections/a/items?filter=" + "magnitude%3E1%20OR%20" * 1000
    assert len(path) > 20_000
    async with session.get(URL(f"{gateway.url}/api{path}", encoded=True)) as response:
        assert (await response.json())["path"] == path
