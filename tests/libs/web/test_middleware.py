"""What is around every request, seen from outside: who left, what broke off, what pages of others may read."""

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
from libs.web.settings import WebSettings

CONTENT: dict[str, Any] = {"application/json": {}, "text/csv": {}, "application/schema+json": {}}
DOCUMENT: dict[str, Any] = {
    "info": {},
    "paths": {"/things": {"get": {"operationId": "getThings", "responses": {"200": {"content": CONTENT}}}}},
}
TRACE = "0af7651916cd43dd8448eb211c80319c"

Client = TestClient[web.Request, web.Application]


async def things(call: Call) -> web.StreamResponse:
    if call.request.headers.get("X-Fails") == "gone":
        raise ConnectionResetError
    if call.request.headers.get("X-Fails") == "late":
        response = web.StreamResponse()
        await response.prepare(call.request)
        await response.write(b"begun")
        raise RuntimeError
    if call.request.headers.get("X-Fails") == "at its deadline":
        # what it waits for comes at the very moment
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(60)
        response = web.StreamResponse()
        await response.prepare(call.request)
        await response.write(b"whole")
        return response
    return web.Response(body=b"{}", content_type=call.request.headers.get("X-Type", call.media_type))


async def file(_: web.Request) -> web.StreamResponse:
    return web.Response(text="of a file")


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    part = ServicePart("common", DOCUMENT, (), assets=("/files/",))
    settings = WebSettings.from_env({"PORT": "1"})
    app = make_app(settings, part, {"getThings": things}, assets={"/files/{name}": file})
    async with TestClient(TestServer(app)) as found:
        yield found


async def count(client: Client, metric: str, labels: str = 'route="/things"') -> float:
    lines = (await (await client.get("/internal/metrics")).text()).splitlines()
    return next((float(line.split()[-1]) for line in lines if line.startswith(f"{metric}{{{labels}}}")), 0.0)


async def test_files_are_served_beside_the_operations(client: Client) -> None:
    assert await (await client.get("/files/a.css")).text() == "of a file"


async def test_who_left_is_counted_and_no_mistake_of_ours(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    before = await count(client, "dams_cancelled_requests_total")
    assert (await client.get("/things", headers={"X-Fails": "gone"})).status == 499
    assert await count(client, "dams_cancelled_requests_total") == before + 1
    assert not [record for record in caplog.records if record.name == "dams.error"]


async def test_what_breaks_off_is_counted_and_logged_by_its_request(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    before = await count(client, "dams_broken_answers_total")
    response = await client.get("/things", headers={"X-Fails": "late"})
    with pytest.raises(ClientError):
        await response.read()
    assert await count(client, "dams_broken_answers_total") == before + 1
    [record] = [record for record in caplog.records if record.name == "dams.error"]
    assert vars(record)["fields"] == {"request_id": response.headers["X-Request-Id"], "cause": "RuntimeError: "}


async def test_what_begins_at_its_very_deadline_is_whole(client: Client) -> None:
    # all but its last moment is over
    asked = {"X-Fails": "at its deadline", "X-Request-Start": f"{time.time() - 9:.3f}"}
    response = await client.get("/things", headers=asked)
    assert (response.status, await response.text()) == (200, "whole")


async def test_pages_of_others_may_read_all_that_answers_say(client: Client) -> None:
    preflight = await client.options("/things")
    assert {name: preflight.headers[f"Access-Control-{name}"] for name in ("Allow-Methods", "Allow-Headers")} == {
        "Allow-Methods": "GET, HEAD, OPTIONS",
        "Allow-Headers": "Accept",
    }
    assert set(preflight.headers["Access-Control-Expose-Headers"].split(", ")) == {
        *("Content-Crs", "DAMS-Collections-Omitted", "DAMS-Features-Omitted", "DAMS-Geometries-Omitted"),
        *("DAMS-Paging", "DAMS-Rows-Written", "DAMS-Version", "Link", "ETag", "OGC-NumberMatched"),
        *("OGC-NumberReturned", "Server-Timing", "X-Request-Id"),
    }
    # what is there answers OPTIONS, and nothing else that is not GET
    assert (await client.options("/nothing")).status == 404
    assert (await client.delete("/things")).status == 405


@pytest.mark.parametrize(
    ("media_type", "language"),
    [("application/json", "en"), ("application/schema+json", "en"), ("text/html", "en"), ("text/csv", None)],
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
    # what is asked every second is neither logged nor compressed
    metrics = await client.get("/internal/metrics", headers={"Accept-Encoding": "gzip"})
    assert (len(logged), metrics.headers.get("Content-Encoding")) == (2, None)
