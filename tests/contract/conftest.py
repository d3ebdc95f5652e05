"""The published document, and functions to request what it describes."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.eventually import eventually_true
from tests.running_stack import RunningStack

COLLECTION = "hazard.hazard_eq_events"


STREAM = "text/event-stream"
RASTER = "/events/{eventId}/intensity.tif"
ALERTS = "/collections/{collectionId}/items/{itemId}/cap"
_ELSEWHERE = {
    ALERTS: {"collectionId": "hazard.hazard_fl_alerts", "itemId": "1"},
    **{
        f"/collections/{{collectionId}}/instances{rest}": {
            "collectionId": "hazard.hazard_ts_advisory_tracks",
            "instanceId": "AL112017~20170830T150000Z",
        }
        for rest in (
            "",
            "/{instanceId}",
            *(f"/{{instanceId}}/{kind}" for kind in ("position", "radius", "area", "corridor")),
        )
    },
}
"""Path parameters of operations that only some collections have."""


@dataclass(frozen=True)
class Response:
    """A whole response."""

    status: int
    headers: Message
    body: bytes
    url: str

    @property
    def type(self) -> str:
        """The Content-Type as sent."""
        return self.headers.get("Content-Type", "")

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


@dataclass(frozen=True)
class Operation:
    """A documented operation, with parameters and responses resolved."""

    path: str
    id: str
    parameters: tuple[dict[str, Any], ...]
    responses: dict[str, Any]

    @property
    def in_path(self) -> list[str]:
        """Names of its path parameters."""
        return [parameter["name"] for parameter in self.parameters if parameter["in"] == "path"]

    def content(self, status: str = "200") -> dict[str, Any]:
        """Return media type to its declaration."""
        return dict(self.responses[status].get("content", {}))

    def negotiated(self) -> list[str]:
        """Return the media types of a 200 that `Accept` chooses from."""
        return [name for name, entry in self.content().items() if not entry.get("x-only-with-f")]


@dataclass(frozen=True)
class Api:
    """The running service and its document."""

    base: str
    document: dict[str, Any]
    places: dict[str, str]
    """A value for each path parameter."""

    def get(self, path: str, parameters: dict[str, str] | None = None, **headers: str) -> Response:
        """Request a path of the document, or an absolute address; again if a busy machine answers with Retry-After."""
        for _ in range(5):
            answer = self._get(path, parameters, headers)
            if answer.status != 503:
                break
            time.sleep(float(answer.headers["Retry-After"]))
        return answer

    def _get(self, path: str, parameters: dict[str, str] | None, headers: dict[str, str]) -> Response:
        url = path if path.startswith("http") else self.base + path
        url += ("&" if "?" in url else "?") + urlencode(parameters) if parameters else ""
        request = urllib.request.Request(url, headers=headers)  # noqa: S310 - the stack's own address
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
                return Response(answer.status, answer.headers, answer.read(), url)
        except urllib.error.HTTPError as error:
            with error:
                return Response(error.code, error.headers, error.read(), url)

    def resolved(self, node: dict[str, Any]) -> dict[str, Any]:
        """Return the target of a local reference."""
        while "$ref" in node:
            target: Any = self.document
            for step in node["$ref"].removeprefix("#/").split("/"):
                target = target[step]
            node = target
        return node

    def operations(self) -> Iterator[Operation]:
        """All operations."""
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                if method != "get":
                    # a search by POST has the same answers as the GET beside it
                    continue
                if STREAM in operation["responses"]["200"].get("content", {}):
                    # a stream has no end; tests/services/features/streaming tests it
                    continue
                if path == RASTER:
                    # no worker renders it in this stack; tests/services/features/impacts tests it
                    continue
                yield Operation(
                    path,
                    operation["operationId"],
                    tuple(self.resolved(parameter) for parameter in operation.get("parameters", [])),
                    {status: self.resolved(response) for status, response in operation["responses"].items()},
                )

    def address(self, path: str, **places: str) -> str:
        """Return a path of the document with its parameters filled in; required query parameters have their example."""
        filled = path.format(**{**self.places, **_ELSEWHERE.get(path, {}), **places})
        declared = [self.resolved(entry) for entry in self.document["paths"][path]["get"].get("parameters", [])]
        required = [entry for entry in declared if entry["in"] == "query" and entry.get("required")]
        examples = {entry["name"]: entry["example"] for entry in required}
        given = {
            name: ",".join(map(str, value)) if isinstance(value, list) else value for name, value in examples.items()
        }
        return f"{filled}?{urlencode(given)}" if given else filled


def _gathered(api: Api) -> bool:
    if len(api.get("/openapi.json").json().get("tags", [])) < 4:
        return False
    declared = str(api.get("/conformance", Accept="application/json").json()["conformsTo"])
    return (
        "ogcapi-features-1" in declared
        and "ogcapi-tiles-1" in declared
        and "service-doc" in str(api.get("/", Accept="application/json").json()["links"])
    )


@pytest.fixture(scope="session")
def api(stack: RunningStack) -> Api:
    """Return the whole service with its merged document."""
    probe = Api(stack.base_url, {}, {})
    # parts are collected in the background, a moment after their services have started
    eventually_true(lambda: _gathered(probe))
    document = probe.get("/openapi.json").json()
    items = probe.get(f"/collections/{COLLECTION}/items?limit=1", Accept="application/geo+json").json()
    places = {
        "eventId": "AL112017",
        "stacCollectionId": "dams-events",
        "stacItemId": "AL112017",
        "collectionId": COLLECTION,
        "itemId": str(items["features"][0]["id"]),
        "tileMatrixSetId": "WebMercatorQuad",
        "z": "0",
        "x": "0",
        "y": "0",
    }
    return Api(stack.base_url, document, places)
