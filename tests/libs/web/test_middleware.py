"""What the middleware adds to every request, seen from outside: clients that left, failed requests, access from pages
of other sites.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest
from aiohttp import ClientError, web
from aiohttp.test_utils import TestClient, TestServer

from libs.ogc.service_part import ServicePart
from libs.web.app import Call, make_app
from libs.web.conditional import DATA_CACHE
from libs.web.languages import current
from libs.web.settings import WebSettings
from libs.web.surrogate_keys import surrogate_key
from tests.eventually import eventually

CONTENT: dict[str, Any] = {"application/json": {}, "text/csv": {}, "application/schema+json": {}}
DOCUMENT: dict[str, Any] = {
    "info": {},
    "paths": {
        path: {"get": {"operationId": operation, "responses": {"200": {"content": CONTENT}}}}
        for path, operation in (("/things", "getThings"), ("/collections/{collectionId}/things", "getKept"))
    },
}
TRACE = "0af7651916cd43dd8448eb211c80319c"

Client = TestClient[web.Request, web.Application]


async def things(call: Call) -> web.StreamResponse:
    if call.request.headers.get("X-Fails") == "gone":
        raise ConnectionResetError
    if call.request.headers.get("X-Fails") == "never":
        await asyncio.sleep(60)
    if call.request.headers.get("X-Fails") == "to be english":
        return web.Response(text=current().tag)
    if call.request.headers.get("X-Fails") == "late":
        response = web.StreamResponse()
        await response.prepare(call.request)
        await response.write(b"begun")
        raise RuntimeError
    if call.request.headers.get("X-Fails") == "at its deadline":
        # the awaited result arrives at this very moment
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(60)
        response = web.StreamResponse()
        await response.prepare(call.request)
        await response.write(b"whole")
        return response
    return web.Response(body=b"{}", headers={"Content-Type": call.request.headers.get("X-Type", call.media_type)})


async def kept(call: Call) -> web.StreamResponse:
    """For a while, by the names that the client says."""
    own = {name: text for name, text in call.request.headers.items() if name == "Surrogate-Key"}
    return web.Response(body=b"{}", headers={"Cache-Control": DATA_CACHE, **own})


async def file(_: web.Request) -> web.StreamResponse:
    return web.Response(text="of a file")


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    part = ServicePart("common", DOCUMENT, (), assets=("/files/",))
    settings = WebSettings.from_env({"DAMS_PORT": "1"})
    app = make_app(settings, part, {"getThings": things, "getKept": kept}, assets={"/files/{name}": file})
    async with TestClient(TestServer(app)) as found:
        yield found


async def count(client: Client, metric: str, labels: str = 'route="/things"') -> float:
    lines = (await (await client.get("/internal/metrics")).text()).splitlines()
    return next((float(line.split()[-1]) for line in lines if line.startswith(f"{metric}{{{labels}}}")), 0.0)


async def test_what_has_a_name_of_its_own_for_cdns_keeps_it(client: Client) -> None:
    found = []
    for own in ({}, {"Surrogate-Key": "a b"}):
        response = await client.get("/collections/a%2Fb/things", headers=own)
        assert response.headers["CDN-Cache-Control"] == DATA_CACHE.removeprefix("public, ")
        found.append(response.headers["Surrogate-Key"])
    assert found == [surrogate_key("a/b"), "a b"]


async def test_files_are_served_beside_the_operations(client: Client) -> None:
    assert await (await client.get("/files/a.css")).text() == "of a file"


async def test_who_left_is_counted(client: Client) -> None:
    before = await count(client, "dams_cancelled_requests_total")
    assert (await client.get("/things", headers={"X-Fails": "gone"})).status == 499
    assert await count(client, "dams_cancelled_requests_total") == before + 1


async def test_who_left_while_it_was_worked_out_is_counted_too(client: Client) -> None:
    before = await count(client, "dams_cancelled_requests_total")
    with suppress(TimeoutError):
        async with asyncio.timeout(0.1):
            await client.get("/things", headers={"X-Fails": "never"})

    async def counted() -> bool:
        return await count(client, "dams_cancelled_requests_total") == before + 1

    await eventually(counted)


async def test_an_answer_is_not_in_the_language_of_the_one_before(client: Client) -> None:
    in_spanish = {"Accept": "text/html", "Accept-Language": "es"}
    page = await client.get("/nothing", headers=in_spanish)
    assert (page.headers["Content-Language"], "</html>" in await page.text()) == ("es", True)
    # from the same connection, each of whose requests has a separate task
    answer = await client.get("/things", headers={"X-Fails": "to be english", **in_spanish, "Accept": "*/*"})
    assert await answer.text() == "en"


async def test_how_long_answers_take_is_counted_by_route_and_status(client: Client) -> None:
    before = [
        await count(client, "dams_request_seconds_count", f'route="{route}",status="{status}"')
        for route, status in (("/things", 200), ("none", 405), ("none", 404))
    ]
    for _ in range(2):
        await client.get("/things")
    await client.post("/things")
    await client.get("/nothing")
    text = await (await client.get("/internal/metrics")).text()
    after = [
        await count(client, "dams_request_seconds_count", f'route="{route}",status="{status}"')
        for route, status in (("/things", 200), ("none", 405), ("none", 404))
    ]
    assert [now - then for now, then in zip(after, before, strict=True)] == [2, 1, 1]
    assert "# HELP dams_request_seconds Time until the response is ready, by route\n" in text
    of_things = [
        line for line in text.splitlines() if 'seconds_bucket{le="' in line and '"/things",status="200"' in line
    ]
    bounds = ["0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1.0", "2.5", "5.0", "10.0"]
    assert [line.partition('le="')[2].partition('"')[0] for line in of_things] == [*bounds, "+Inf"]


async def test_a_request_has_the_time_that_is_left_of_what_it_may_take(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, given, timeout = time.time(), [], asyncio.timeout

    def noted(seconds: float) -> asyncio.Timeout:
        given.append(seconds)
        return timeout(seconds)

    monkeypatch.setattr("libs.web.middleware.asyncio.timeout", noted)
    monkeypatch.setattr("libs.web.middleware.time.time", lambda: now)
    # a time long ago or in the future is from another clock
    ages = {None: 8.7, 1.5: 7.2, 8.2: 0.5, 8.45: 0.25, 8.6: 0.25, 17.3: 0.25, 17.5: 8.7, -0.1: 8.7, -60: 8.7}
    for age, left in ages.items():
        given.clear()
        await client.get("/things", headers={} if age is None else {"X-Request-Start": f"{now - age:.6f}"})
        assert left in [seconds and round(seconds, 3) for seconds in given], age
    given.clear()
    await client.get("/things", headers={"X-Request-Start": "t=now"})
    assert 8.7 in given


async def test_what_takes_too_long_says_so_and_is_counted(client: Client) -> None:
    before = await count(client, "dams_unavailable_total", 'cause="deadline"')
    asked = {"X-Fails": "never", "X-Request-Start": f"{time.time() - 9:.3f}"}
    response = await client.get("/things", headers=asked)
    said = {"detail": "The answer took too long; ask for less, or try again."}
    assert (response.status, await response.json(), response.headers["Retry-After"]) == (503, said, "5")
    assert await count(client, "dams_unavailable_total", 'cause="deadline"') == before + 1


async def test_what_breaks_off_is_counted(client: Client) -> None:
    before = await count(client, "dams_broken_answers_total")
    response = await client.get("/things", headers={"X-Fails": "late"})
    with pytest.raises(ClientError):
        await response.read()
    assert await count(client, "dams_broken_answers_total") == before + 1


async def test_what_begins_at_its_very_deadline_is_whole(client: Client) -> None:
    # all but its last moment is over
    asked = {"X-Fails": "at its deadline", "X-Request-Start": f"{time.time() - 9:.3f}"}
    response = await client.get("/things", headers=asked)
    assert (response.status, await response.text()) == (200, "whole")


async def test_pages_of_others_may_read_all_that_answers_say(client: Client) -> None:
    preflight = await client.options("/things")
    assert {name: preflight.headers[f"Access-Control-{name}"] for name in ("Allow-Methods", "Allow-Headers")} == {
        "Allow-Methods": "GET, HEAD, OPTIONS",
        "Allow-Headers": "*",
    }
    assert preflight.headers["Access-Control-Expose-Headers"] == "*"
    # existing resources answer OPTIONS, and no other method than GET
    assert (await client.options("/nothing")).status == 404
    assert (await client.delete("/things")).status == 405


@pytest.mark.parametrize(
    ("media_type", "language"),
    [
        *(("application/json", "en"), ("application/schema+json", "en"), ("text/html", "en"), ("text/csv", None)),
        *(("text/html; charset=utf-8", "en"), ("text/csv; charset=utf-8", None)),
    ],
)
async def test_words_of_ours_are_english_and_data_of_no_language(
    client: Client, media_type: str, language: str | None
) -> None:
    response = await client.get("/things", headers={"X-Type": media_type})
    assert response.headers.get("Content-Language") == language


async def test_a_log_line_names_the_request_and_its_trace(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    logged: list[dict[str, Any]] = []
    monkeypatch.setattr("libs.web.middleware.log_request", logged.append)
    response = await client.get("/things?x=1", headers={"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"})
    assert (logged[0]["trace_id"], logged[0]["status"]) == (TRACE, 200)
    assert logged[0]["request_id"] == response.headers["X-Request-Id"]
    await client.get("/things")
    assert "trace_id" not in logged[1]
    # requests that come every second are neither logged nor compressed
    metrics = await client.get("/internal/metrics", headers={"Accept-Encoding": "gzip"})
    assert (len(logged), metrics.headers.get("Content-Encoding")) == (2, None)
