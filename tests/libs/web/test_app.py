"""A small service: what its requests are checked against, what every answer says, and how long one may wait."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientResponse, web
from aiohttp.test_utils import TestClient, TestServer

from libs.ogc.errors import Unavailable
from libs.ogc.service_part import ServicePart
from libs.web.app import Call, make_app
from libs.web.base_url import base_url
from libs.web.conditional import CATALOGUE_CACHE, DATA_CACHE
from libs.web.html import page_response
from libs.web.openapi import load_document
from libs.web.respond import json_response
from libs.web.settings import WebSettings

DOCUMENT = """
paths:
  /collections/{collectionId}/things/{number}:
    parameters:
      - {name: collectionId, in: path, required: true, schema: {type: string}}
      - {name: number, in: path, required: true, schema: {type: integer}}
    get:
      operationId: getThing
      parameters:
        - {name: f, in: query, schema: {type: string, enum: [json, html]}}
        - {name: limit, in: query, schema: {type: integer, minimum: 1, maximum: 10}}
        - {name: properties, in: query, explode: false, schema: {type: array, items: {type: string}}}
        - {name: bbox, in: query, explode: false, schema: {type: array, items: {type: number}}}
      responses:
        "200": {content: {application/json: {}, text/html: {}}}
  /pages:
    get:
      operationId: getPage
      responses:
        "200": {content: {text/html: {}}}
  /rows:
    get:
      operationId: getRows
      parameters: [{name: propertyQueries, in: query, schema: {type: object}}]
      responses:
        "200": {content: {application/json: {}}}
  /plain:
    get:
      operationId: getPlain
      parameters: [{name: a, in: query, schema: {type: string}}]
      responses:
        "200": {content: {application/json: {}}}
"""
OPERATIONS = {"getThing", "getPlain", "getPage", "getRows"}
THING = "/collections/a%2Fb/things/7"

Ask = Callable[..., Awaitable[ClientResponse]]
Handler = Callable[[Call], Awaitable[web.StreamResponse]]


async def _tell(call: Call) -> web.StreamResponse:
    """Answer with the arguments of the handler."""
    call.query.check()
    told = {
        "path": dict(call.path),
        "values": {name: value for name, value in call.query.values.items() if value is not None},
        "given": dict(call.given),
        "media_type": call.media_type,
        "base": base_url(call.request),
    }
    return json_response(told, media_type="application/json")


@asynccontextmanager
async def _serving(
    tmp_path: Path, handler: Handler = _tell, *, templates: Path | None = None, **env: str
) -> AsyncIterator[Ask]:
    file = tmp_path / "openapi.yaml"
    file.write_text(DOCUMENT)
    part = ServicePart("common", load_document(file), ())
    settings = WebSettings.from_env({"DAMS_PORT": "1", **env})
    handlers = dict.fromkeys(OPERATIONS, handler)
    app = make_app(settings, part, handlers, templates=templates)
    async with TestClient(TestServer(app)) as client:

        async def ask(path: str = THING, method: str = "GET", **headers: str) -> ClientResponse:
            plain = {name.replace("_", "-"): value for name, value in headers.items()}
            return await client.request(method, path, headers=plain)

        yield ask


async def _values(ask: Ask, query: str, **headers: str) -> Any:
    response = await ask(f"{THING}?{query}", **headers)
    assert response.status == 200, await response.text()
    return (await response.json())["values"]


async def _faults(response: ClientResponse) -> list[tuple[list[str], str]]:
    return [(fault["loc"], fault["msg"]) for fault in (await response.json())["detail"]]


async def test_paths_and_parameters_are_what_is_declared(tmp_path: Path) -> None:
    async with _serving(tmp_path) as ask:
        told = await (await ask(f"{THING}?limit=3")).json()
        assert told["path"] == {"collectionId": "a/b", "number": 7}
        assert (told["values"], told["given"], told["media_type"]) == ({"limit": 3}, {"limit": "3"}, "application/json")
        response = await ask("/collections/a/things/seven?limit=11&size=3")
        assert response.status == 422
        assert [loc for loc, _ in await _faults(response)] == [
            ["query", "limit"],
            ["query", "size"],
            ["path", "number"],
        ]
        # escapes of no text
        for path in ("/collections/%ff/things/7", f"{THING}?properties=%ff"):
            response = await ask(path)
            assert (response.status, "not UTF-8" in (await _faults(response))[0][1]) == (422, True)
        assert (await ask("/collections/a/b/things/7")).status == 404
        response = await ask("/collections/a/things/seven")
        assert [fault["type"] for fault in (await response.json())["detail"]] == ["int_parsing"]
        assert await _faults(response) == [(["path", "number"], "number must be a whole number")]
        # whole numbers that PostgreSQL can hold, in digits of ASCII
        for number in ("-7", "9" * 18):
            assert (await (await ask(f"/collections/a/things/{number}")).json())["path"]["number"] == int(number)
        for number in ("9" * 19, "7.0", "%EF%BC%97", "+7"):
            assert (await ask(f"/collections/a/things/{number}")).status == 422
        # the service reads all that a gateway lets through
        assert (await ask(f"{THING}?properties={'a' * 40_000}", X_Long="b" * 40_000)).status == 200
        assert (await ask(THING, "POST")).status == 405


async def test_a_path_that_is_no_text_leads_to_no_handler(tmp_path: Path) -> None:
    async def answer(call: Call) -> web.StreamResponse:
        return web.Response(text="found")

    async with _serving(tmp_path, answer) as ask:
        assert [(await ask(f"/collections/{name}/things/7")).status for name in ("%ff", "%C3%A9")] == [422, 200]


@pytest.mark.parametrize(
    ("operations", "assets"),
    [
        ({"getThing", "getPage"}, {"/assets/{file}"}),
        ({*OPERATIONS, "getMore"}, {"/assets/{file}"}),
        (OPERATIONS, set()),
        (OPERATIONS, {"/assets/{file}", "/fonts/{file}"}),
    ],
)
def test_what_is_served_is_what_is_declared(tmp_path: Path, operations: set[str], assets: set[str]) -> None:
    file = tmp_path / "openapi.yaml"
    file.write_text(DOCUMENT)
    part = ServicePart("common", load_document(file), (), assets=("/assets/",))

    async def asset(_: web.Request) -> web.StreamResponse:
        return web.Response()

    with pytest.raises(ValueError, match="differ"):
        make_app(
            WebSettings.from_env({"DAMS_PORT": "1"}),
            part,
            dict.fromkeys(operations, _tell),
            assets=dict.fromkeys(assets, asset),
        )


async def test_members_of_a_list_may_be_given_one_by_one(tmp_path: Path) -> None:
    async with _serving(tmp_path) as ask:
        found = await (await ask(f"{THING}?bbox=1&bbox=2&limit=3&bbox=4")).json()
        assert found["values"] == {"bbox": [1, 2, 4], "limit": 3}
        assert found["given"] == {"limit": "3", "bbox": "1,2,4"}
        for query in ("bbox=1,2&bbox=3", "limit=1&limit=2"):
            response = await ask(f"{THING}?{query}")
            assert "more than once" in (await _faults(response))[0][1]


async def test_a_form_sends_fields_that_nobody_filled_in(tmp_path: Path) -> None:
    async with _serving(tmp_path) as ask:
        assert await _values(ask, "f=html&limit=&bbox=") == {"f": "html"}
        # none of the properties is a choice, too
        assert await _values(ask, "f=html&limit=&properties=") == {"f": "html", "properties": [""]}
        assert (await ask(f"{THING}?f=json&limit=")).status == 422


async def test_a_page_passes_over_what_trackers_add_to_its_link(tmp_path: Path) -> None:
    async with _serving(tmp_path) as ask:
        shared = "limit=2&utm_source=mail&fbclid=1"
        assert await _values(ask, f"f=html&{shared}") == {"f": "html", "limit": 2}
        assert await _values(ask, shared, Accept="text/html") == {"limit": 2}
        for query, accept in ((f"f=json&{shared}", "text/html"), (shared, "*/*"), (f"f=html&{shared}&size=1", "*/*")):
            assert (await ask(f"{THING}?{query}", Accept=accept)).status == 422
        assert (await ask("/plain?utm_source=mail", Accept="text/html")).status == 422
        # there is nothing but a page
        assert (await ask("/pages?utm_source=mail", Accept="application/json")).status == 200


async def test_the_language_is_of_pages_and_no_parameter_that_links_carry_on(tmp_path: Path) -> None:
    async with _serving(tmp_path) as ask:
        response = await ask(f"{THING}?lang=es&limit=3")
        assert (await response.json())["given"] == {"limit": "3"}
        assert response.headers["Content-Language"] == "en"
        response = await ask(f"{THING}?lang=es&bbox=1&bbox=2")
        assert (await response.json())["given"] == {"bbox": "1,2"}
        assert (await ask("/plain?lang=es")).status == 422
        # a resource without pages may have a property of that name
        assert (await (await ask("/rows?lang=es")).json())["given"] == {"lang": "es"}


@pytest.mark.parametrize(("status", "of_more", "of_less"), [("422", 422, 422), ("400", 200, 400)])
async def test_what_is_wrong_has_the_status_that_is_wanted(
    tmp_path: Path, status: str, of_more: int, of_less: int
) -> None:
    async with _serving(tmp_path, DAMS_INVALID_PARAMETER_STATUS=status) as ask:
        # the standard has more than the maximum mean the maximum
        assert (await ask(f"{THING}?limit=11")).status == of_more
        assert (await ask(f"{THING}?limit=0")).status == of_less


async def test_every_answer_may_be_read_by_any_page_and_says_who_it_is(tmp_path: Path) -> None:
    async with _serving(tmp_path, DAMS_TRUSTED_GATEWAYS="127.0.0.1") as ask:
        for response in (await ask(), await ask("/nothing"), await ask(f"{THING}?limit=0")):
            assert response.headers["Access-Control-Allow-Origin"] == "*"
            assert response.headers["Access-Control-Expose-Headers"] == "*"
            assert len(response.headers["X-Request-Id"]) == 32
        assert (await ask(X_Request_Id="chosen-by-gateway")).headers["X-Request-Id"] == "chosen-by-gateway"
        assert (await ask(X_Request_Id="no good")).headers["X-Request-Id"] != "no good"
        preflight = await ask(THING, "OPTIONS", Access_Control_Request_Headers="If-None-Match")
        assert (preflight.status, preflight.headers["Allow"]) == (204, "GET, HEAD, OPTIONS")
        assert preflight.headers["Access-Control-Allow-Headers"] == "If-None-Match"
        assert preflight.headers["Access-Control-Max-Age"] == "86400"
        assert (await ask("/nothing", "OPTIONS")).status == 404
        # if the answer may be a page or JSON, it depends on the Accept header
        assert (await ask()).headers["Vary"] == "Accept, Accept-Encoding"
        plain = await ask("/plain", Accept="image/png")
        # where there is nothing to choose, what there is is better than nothing
        assert (plain.status, plain.headers["Vary"]) == (200, "Accept-Encoding")
        assert (await ask(Accept="image/png")).status == 406
    async with _serving(tmp_path, DAMS_TRUSTED_GATEWAYS="10.0.0.1") as ask:
        assert (await ask(X_Request_Id="chosen-by-gateway")).headers["X-Request-Id"] != "chosen-by-gateway"


@pytest.mark.parametrize(
    ("cache_control", "seconds", "said"),
    [
        (DATA_CACHE, "", DATA_CACHE.removeprefix("public, ")),
        (DATA_CACHE, "600", "max-age=600, stale-if-error=60"),
        (CATALOGUE_CACHE, "600", CATALOGUE_CACHE.removeprefix("public, ")),
        ("no-cache", "600", None),
    ],
)
async def test_a_cdn_is_told_how_long_and_by_which_name(
    tmp_path: Path, cache_control: str, seconds: str, said: str | None
) -> None:
    async def answer(call: Call) -> web.StreamResponse:
        return web.Response(text="x", headers={"Cache-Control": cache_control})

    async with _serving(tmp_path, answer, DAMS_CDN_MAX_AGE_SECONDS=seconds) as ask:
        headers = (await ask()).headers
        assert (headers.get("CDN-Cache-Control"), headers.get("Surrogate-Key")) == (said, said and "a%2Fb")
        # of no collection, nothing says when it changes
        plain = (await ask("/plain")).headers
        assert (plain.get("CDN-Cache-Control"), "Surrogate-Key" in plain) == (
            said and cache_control.removeprefix("public, "),
            False,
        )


async def test_a_request_waits_no_longer_than_since_the_gateway_first_had_it(tmp_path: Path) -> None:
    async def wait(call: Call) -> web.StreamResponse:
        await asyncio.sleep(0.4)
        return web.Response(text="done")

    async with _serving(tmp_path, wait, DAMS_REQUEST_TIMEOUT_SECONDS="5") as ask:
        # the last three by clocks of other machines, or no clock at all
        starts = [f"{time.time() - ago:.3f}" for ago in (5.2, 0.5, -5.0, 60.0)] + ["t=now"]
        answers = await asyncio.gather(ask(), *(ask(X_Request_Start=start) for start in starts))
        assert [answer.status for answer in answers] == [200, 503, 200, 200, 200, 200]
        assert answers[1].headers["Retry-After"] == "5"

    async def answer(call: Call) -> web.StreamResponse:
        for _ in range(5):
            await asyncio.sleep(0)
        return web.Response(text="done")

    async with _serving(tmp_path, answer, DAMS_REQUEST_TIMEOUT_SECONDS="5") as ask:
        # a request that can be answered at once is
        assert (await ask(X_Request_Start=f"{time.time() - 8:.3f}")).status == 200


async def test_a_page_keeps_the_language_of_its_address_in_links_to_pages(tmp_path: Path) -> None:
    base = "http://a.example/api"
    links = ["/map#x", "/x?a=1&amp;f=html", "/x?f=html#y", "/x?f=json", "/x", "/docs?lang=fr", "/tiles/map.html?a=1"]
    (tmp_path / "page.html").write_text(
        "".join(f'<a href="{{{{ base }}}}{link}">' for link in links)
        + '<a href="http://b.example/map"><form><input type="hidden" name="f" value="html"></form>'
        + "{% for each in languages %}<a hreflang={{ each.language.tag }} href={{ each.href }}>{% endfor %}"
    )

    async def page(call: Call) -> web.StreamResponse:
        return page_response(call.request, "page.html", {})

    async with _serving(tmp_path, page, templates=tmp_path, DAMS_PUBLIC_URL=base) as ask:
        plain = await (await ask(f"{THING}?f=html")).text()
        assert all(f'href="{base}{link}"' in plain for link in links)
        assert 'name="lang"' not in plain
        response = await ask(f"{THING}?f=html&lang=es&utm_source=mail")
        text = await response.text()
        found = [address.removeprefix(base) for address in re.findall(r'href="([^"]*)"', text)]
        assert found == [
            "/map?lang=es#x",
            "/x?a=1&amp;f=html&amp;lang=es",
            "/x?f=html&amp;lang=es#y",
            "/x?f=json",
            "/x",
            "/docs?lang=fr",
            "/tiles/map.html?a=1&amp;lang=es",
            "http://b.example/map",
        ]
        assert '<input type="hidden" name="lang" value="es">' in text
        assert response.headers["Content-Language"] == "es"
        assert response.headers["Content-Security-Policy"] == (
            "default-src 'none'; script-src 'self' http://a.example; style-src 'self' http://a.example;"
            " img-src 'self' data: http://a.example; connect-src 'self' http://a.example;"
            " worker-src 'self' http://a.example; font-src 'self' http://a.example; form-action 'self' http://a.example;"
            " frame-ancestors 'none'; base-uri 'none'"
        )
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["Referrer-Policy"] == "strict-origin-when-cross-origin"
        assert response.headers["Vary"] == "Accept, Accept-Language, Accept-Encoding"
        assert f"hreflang=fr href={base}{THING}?f=html&amp;lang=fr" in text


async def test_what_has_begun_has_no_deadline_and_what_fails_then_is_broken_off(tmp_path: Path) -> None:
    async def stream(call: Call) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(call.request)
        await response.write(b"begun ")
        await asyncio.sleep(0.4)
        if call.query.values.get("limit"):
            raise Unavailable("no more")
        await response.write(b"done")
        return response

    async with _serving(tmp_path, stream, DAMS_REQUEST_TIMEOUT_SECONDS="0.3") as ask:
        assert await (await ask()).text() == "begun done"
        with pytest.raises(Exception, match="payload"):
            await (await ask(f"{THING}?limit=1")).text()

    async def own(call: Call) -> web.StreamResponse:
        raise TimeoutError

    async with _serving(tmp_path, own) as ask:
        # a timeout of something else is a mistake of ours
        assert (await ask()).status == 500


async def test_requests_are_logged_and_counted_by_route(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logged: list[dict[str, Any]] = []
    monkeypatch.setattr("libs.web.middleware.log_request", logged.append)
    async with _serving(tmp_path) as ask:
        await ask(f"{THING}?limit=3")
        await ask("/internal/metrics")
        assert [(entry["method"], entry["path"], entry["status"]) for entry in logged] == [
            ("GET", f"{THING}?limit=3", 200)
        ]
        assert 0 < logged[0]["ms"] < 60_000
        metrics = await (await ask("/internal/metrics")).text()
        assert 'dams_request_seconds_count{route="/collections/{collectionId}/things/{number}",status="200"}' in metrics


async def test_what_is_no_http_is_told_in_json_and_is_no_error_of_ours(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "openapi.yaml"
    file.write_text(DOCUMENT)
    part = ServicePart("common", load_document(file), ())
    handlers = dict.fromkeys(OPERATIONS, _tell)
    app = make_app(WebSettings.from_env({"DAMS_PORT": "1"}), part, handlers)
    async with TestServer(app) as server:
        for sent in (b"GET /plain HTTP/1.1\r\nHost: a\r\nIf-Range: \x7f\r\n\r\n", b"\x16\x03\x01 nonsense\r\n\r\n"):
            reader, writer = await asyncio.open_connection(server.host, server.port)
            writer.write(sent)
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
            writer.close()
            assert head.split()[1] == b"400"
            assert b"application/json" in head
            assert json.loads(body)["detail"].startswith("The request is no HTTP")
    assert not [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")]
