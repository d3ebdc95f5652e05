"""Errors become responses: a status, and a page only if the user did not request another format."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from prometheus_client import REGISTRY

from libs.ogc.errors import (
    DomainError,
    Fault,
    InvalidParameters,
    NotFound,
    TooSlow,
    Unavailable,
    Uncomputable,
    UnknownFunction,
)
from libs.ogc.service_part import ServicePart
from libs.web.app import Call, make_app
from libs.web.settings import WebSettings

BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8"
PARAMETERS = [
    {"name": name, "in": "query", "schema": {"type": "string"}} for name in ("error", "f", "limit", "offset", "filter")
]
DOCUMENT: dict[str, Any] = {
    "paths": {
        "/fails": {
            "get": {
                "operationId": "fail",
                "parameters": PARAMETERS,
                "responses": {"200": {"content": {"text/html": {}, "application/json": {}}}},
            }
        }
    }
}
ERRORS: dict[str, Exception] = {
    "uncomputable": Uncomputable([Fault(("query",), "cannot be computed")]),
    "no function": UnknownFunction([Fault(("query", "filter"), "there is none")]),
    "quoting": InvalidParameters(
        [
            *(Fault(("query", "filter"), "no value", given) for given in (None, 0, "mine")),
            Fault(("query", "absent"), "not sent"),
            Fault(("path", "limit"), "of the path"),
            Fault(("query",), "of all"),
        ]
    ),
    "missing": NotFound("There is no such thing."),
    "busy": Unavailable("Too many.", retry_after=7),
    "slow": TooSlow(),
    "unknown": DomainError("odd"),
    "mistake": ZeroDivisionError("a secret of ours"),
}


async def fail(call: Call) -> web.StreamResponse:
    if call.request.headers["X-Error"] == "too many":
        raise web.HTTPTooManyRequests(headers={"Retry-After": "9", "X-Ours": "alone"})
    if call.request.headers["X-Error"] == "too large":
        raise web.HTTPRequestEntityTooLarge(max_size=1, actual_size=2)
    raise ERRORS[call.request.headers["X-Error"]]


@pytest.fixture(scope="module")
async def client() -> AsyncIterator[TestClient[web.Request, web.Application]]:
    app = make_app(WebSettings.from_env({"DAMS_PORT": "1"}), ServicePart("common", DOCUMENT, ()), {"fail": fail})
    async with TestClient(TestServer(app)) as found:
        yield found


@pytest.mark.parametrize(
    ("error", "query", "status"),
    [
        ("uncomputable", "?filter=x", 422),
        ("uncomputable", "?limit=3&filter=x", 422),
        # the request holds no value that could be at fault: a stored one is
        ("uncomputable", "", 503),
        ("uncomputable", "?limit=3&offset=1&f=json", 503),
        ("uncomputable", "?sortby=-x&properties=a,b&geom-column=none&datetime-column=at&bbox-only=true", 503),
        ("uncomputable", "?cursor=a&filter-lang=cql2-text&filter-crs=a", 503),
        ("uncomputable", "?sortby=-x&simplify=1e300", 422),
        ("no function", "?filter=x", 422),
        # the function of the collection itself was dropped
        ("no function", "", 503),
        ("no function", "?bbox=1,2,3,4&x=1", 503),
        ("missing", "", 404),
        ("busy", "", 503),
        ("mistake", "", 500),
        # which none of the table is of
        ("unknown", "", 500),
    ],
)
async def test_status(client: TestClient[web.Request, web.Application], error: str, query: str, status: int) -> None:
    async with client.get(f"/fails{query}", headers={"X-Error": error}) as response:
        assert (response.status, response.content_type) == (status, "application/json")
        assert response.headers["Cache-Control"] == "no-store"
        assert "secret" not in await response.text()
    if error == "busy":
        assert response.headers["Retry-After"] == "7"


async def test_a_fault_that_quotes_nothing_has_what_was_sent(client: TestClient[web.Request, web.Application]) -> None:
    async with client.get(f"/fails?filter={'x' * 501}&limit=3", headers={"X-Error": "quoting"}) as response:
        faults = (await response.json())["detail"]
    assert [(fault["loc"], fault["input"]) for fault in faults] == [
        (["query", "filter"], "x" * 500),
        (["query", "filter"], 0),
        (["query", "filter"], "mine"),
        (["query", "absent"], None),
        (["path", "limit"], None),
        (["query"], None),
    ]


async def test_of_an_error_of_the_library_it_is_told_when_to_come_back(
    client: TestClient[web.Request, web.Application],
) -> None:
    async with client.get("/fails", headers={"X-Error": "too many"}) as response:
        assert (response.status, await response.json()) == (429, {"detail": "Too Many Requests"})
        assert (response.headers["Retry-After"], "X-Ours" in response.headers) == ("9", False)


_SLOW = "The database took too long to find what filter asks for; a bbox, a datetime or another condition of the filter"


@pytest.mark.parametrize(
    ("asked", "said", "again"),
    [
        (("uncomputable", ""), "The collection holds a value that the database cannot compute with.", "60"),
        (("no function", ""), "The collection is changing; try again in a moment.", "2"),
        (
            ("slow", "?filter=x"),
            f"{_SLOW} leaves fewer rows to it, and LIKE is quicker without % at the start of its pattern.",
            "5",
        ),
        (("slow", ""), "The database took too long to answer; ask for less, or try again.", "5"),
        (("busy", ""), "Too many.", "7"),
        (("unknown", ""), "odd", None),
        (("missing", ""), "There is no such thing.", None),
        (("too large", ""), "The request has a body larger than this service reads.", None),
    ],
)
async def test_what_is_said_and_when_to_come_back(
    client: TestClient[web.Request, web.Application],
    asked: tuple[str, str],
    said: str,
    again: str | None,
) -> None:
    async with client.get(f"/fails{asked[1]}", headers={"X-Error": asked[0]}) as response:
        assert (await response.json(), response.headers.get("Retry-After")) == ({"detail": said}, again)


async def test_a_slow_filter_is_named(client: TestClient[web.Request, web.Application]) -> None:
    for query, is_named in (("?filter=x", True), ("?limit=3", False)):
        async with client.get(f"/fails{query}", headers={"X-Error": "slow"}) as response:
            assert (response.status, response.headers["Retry-After"]) == (503, "5")
            assert ("filter" in (await response.json())["detail"]) is is_named


@pytest.mark.parametrize(
    ("accept", "query", "kind"),
    [
        (BROWSER, "", "text/html"),
        (BROWSER, "?f=html", "text/html"),
        (BROWSER, "?f=json", "application/json"),
        ("application/json", "?f=html", "application/json"),
        ("*/*", "", "application/json"),
    ],
)
async def test_a_page_or_json(
    client: TestClient[web.Request, web.Application], accept: str, query: str, kind: str
) -> None:
    async with client.get(f"/fails{query}", headers={"X-Error": "missing", "Accept": accept}) as response:
        assert (response.status, response.content_type) == (404, kind)
        text = await response.text()
        assert "There is no such thing." in text
        # on a page the number and its usual words, too
        assert (">Error 404</li>" in text, "Status 404 Not Found</p>" in text) == (kind == "text/html",) * 2


async def test_who_names_no_format_by_an_empty_name_gets_no_page(
    client: TestClient[web.Request, web.Application],
) -> None:
    async with client.get("/fails?f=", headers={"X-Error": "missing", "Accept": BROWSER}) as response:
        assert (response.status, await response.json()) == (406, {"detail": "f= is not offered here"})


async def test_what_is_not_there_or_not_allowed_is_told_in_our_words(
    client: TestClient[web.Request, web.Application],
) -> None:
    async with client.get("/nothing") as response:
        assert (response.status, await response.json()) == (404, {"detail": "There is no resource at /nothing."})
        assert response.headers["Vary"] == "Accept, Accept-Encoding"
    async with client.post("/fails") as response:
        assert (response.status, response.headers["Allow"]) == (405, "GET,HEAD")
        said = "POST is not allowed here; this service only answers GET, HEAD and OPTIONS."
        assert await response.json() == {"detail": said}
    async with client.get("/nothing", headers={"Accept": BROWSER, "Accept-Language": "es"}) as response:
        assert (response.content_type, response.headers["Content-Language"]) == ("text/html", "es")
        assert response.headers["Cache-Control"] == "no-store"


async def test_unavailable_is_counted_by_cause_and_mistakes_logged(
    client: TestClient[web.Request, web.Application], caplog: pytest.LogCaptureFixture
) -> None:
    def counted() -> list[float]:
        causes = ("slow", "value", "other")
        return [REGISTRY.get_sample_value("dams_unavailable_total", {"cause": cause}) or 0 for cause in causes]

    before = counted()
    for error in ("slow", "uncomputable", "busy", "missing"):
        await client.get("/fails", headers={"X-Error": error})
    assert [now - then for now, then in zip(counted(), before, strict=True)] == [1, 1, 1]
    async with client.get("/fails", headers={"X-Error": "uncomputable"}) as response:
        # until the value is corrected
        assert response.headers["Retry-After"] == "60"
    caplog.clear()
    async with client.get("/fails", headers={"X-Error": "mistake"}) as response:
        request_id = response.headers["X-Request-Id"]
        assert request_id in (await response.json())["detail"]
    [record] = [record for record in caplog.records if record.name == "dams.error"]
    assert vars(record)["fields"] == {"request_id": request_id, "path": "/fails"}
    assert record.exc_info is not None
