"""The address in links is what a trusted proxy says, as far as it is well-formed, and nothing that a client says."""

from __future__ import annotations

import pytest
from aiohttp import HttpVersion, HttpVersion10, HttpVersion11, web
from aiohttp.test_utils import TestClient, TestServer, make_mocked_request

from libs.web.base_url import SETTINGS, base_url, forwarded_request_id, takes_chunks
from libs.web.settings import WebSettings

GATEWAY = {
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "data.example.org:8443",
    "X-Forwarded-Prefix": "/api",
    "X-Request-Id": "0123456789abcdef",
}
OWN = "http://service.example"


async def answer(headers: dict[str, str], **settings: str) -> tuple[str, str | None]:
    """Base address and request id of a request with these headers."""

    async def handle(request: web.Request) -> web.Response:
        return web.json_response([base_url(request), forwarded_request_id(request)])

    app = web.Application()
    app[SETTINGS] = WebSettings.from_env({"DAMS_PORT": "1234", **settings})
    app.router.add_get("/", handle)
    async with (
        TestClient(TestServer(app)) as client,
        client.get("/", headers={"Host": "service.example", **headers}) as response,
    ):
        base, request_id = await response.json()
        return base, request_id


async def test_a_trusted_proxy_is_believed() -> None:
    assert await answer(GATEWAY) == ("https://data.example.org:8443/api", "0123456789abcdef")


async def test_nobody_else_is() -> None:
    assert await answer(GATEWAY, DAMS_TRUSTED_GATEWAYS="192.0.2.1") == (OWN, None)


async def test_a_fixed_address_counts_more_than_either() -> None:
    fixed = "https://example.org/hazards"
    assert (await answer(GATEWAY, DAMS_PUBLIC_URL=f"{fixed}/"))[0] == fixed


@pytest.mark.parametrize("prefix", ["", "/api", "/a/b.c/d-e_f~g"])
async def test_a_prefix(prefix: str) -> None:
    assert (await answer({"X-Forwarded-Prefix": prefix}))[0] == OWN + prefix


@pytest.mark.parametrize(
    "prefix",
    ["api", "/api/", "//evil.example", "/a b", '/"><script>', "/a?b", "/a#b", "/%2e", "@evil.example"],
)
async def test_a_prefix_that_is_none_gets_into_no_link(prefix: str) -> None:
    assert (await answer({"X-Forwarded-Prefix": prefix}))[0] == OWN


@pytest.mark.parametrize("scheme", ["javascript", "ftp", "HTTPS ", "https,http"])
async def test_a_scheme_that_is_none_gets_into_no_link(scheme: str) -> None:
    assert (await answer({"X-Forwarded-Proto": scheme}))[0] == OWN


@pytest.mark.parametrize("host", ["a b", "evil.example/path", "x'y", "a@b", "<script>", "h" * 256])
async def test_a_host_that_is_none_gets_into_no_link(host: str) -> None:
    assert (await answer({"X-Forwarded-Host": host}))[0] == "http://127.0.0.1:1234"


@pytest.mark.parametrize("host", ["example.org", "192.0.2.1:80", "[2001:db8::1]:8080", "h" * 255])
async def test_a_host(host: str) -> None:
    assert (await answer({"X-Forwarded-Host": host}))[0] == f"http://{host}"


@pytest.mark.parametrize("request_id", ["short", "x" * 65, "0123 456789", "0123456789<"])
async def test_a_request_id_that_is_none_is_not_taken_over(request_id: str) -> None:
    assert (await answer({"X-Request-Id": request_id}))[1] is None


@pytest.mark.parametrize("request_id", ["x" * 8, "A-z" * 21 + "0"])
async def test_a_request_id_is_taken_over(request_id: str) -> None:
    assert (await answer({"X-Request-Id": request_id}))[1] == request_id


@pytest.mark.parametrize(
    ("version", "gateway_says", "proxies", "takes"),
    [
        (HttpVersion11, None, "127.0.0.1", True),
        (HttpVersion10, None, "127.0.0.1", False),
        # a gateway that is believed speaks for its client
        (HttpVersion11, "HTTP/1.0", "127.0.0.1", False),
        (HttpVersion11, "HTTP/0.9", "127.0.0.1", False),
        (HttpVersion10, "HTTP/2.0", "127.0.0.1", True),
        (HttpVersion11, "HTTP/1.0", "192.0.2.1", True),
    ],
)
def test_who_can_tell_an_answer_of_unknown_length_from_its_beginning(
    version: HttpVersion, gateway_says: str | None, proxies: str, takes: bool
) -> None:
    app = web.Application()
    app[SETTINGS] = WebSettings.from_env({"DAMS_PORT": "1", "DAMS_TRUSTED_GATEWAYS": proxies})
    headers = {"X-Client-Protocol": gateway_says} if gateway_says else {}
    request = make_mocked_request("GET", "/", headers, version=version, app=app).clone(remote="127.0.0.1")
    assert takes_chunks(request) is takes
