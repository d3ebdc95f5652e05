"""The search of items: each parameter, pages, GET and POST, and what is refused."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
import shapely
from yarl import URL

from tests.services.in_process import Client

EVENTS = {"collections": "dams-events"}


async def _found(features: Client, **parameters: str) -> set[str]:
    answer = await features.json("/stac/search", limit="100", **parameters)
    return {f"{item['collection'].removeprefix('dams-')} {item['id']}" for item in answer["features"]}


async def _post(features: Client, body: object) -> tuple[int, Any]:
    address = URL(f"{features.base}/stac/search")
    data = body if isinstance(body, bytes) else orjson.dumps(body)
    async with features.session.post(address, data=data, headers={"Content-Type": "application/json"}) as response:
        return response.status, orjson.loads(await response.read())


@pytest.mark.parametrize(
    ("parameters", "found"),
    [
        ({**EVENTS, "bbox": "85,27,86,28"}, {"events Q1"}),
        ({**EVENTS, "bbox": "170,0,-170,20"}, {"events Q2"}),
        ({**EVENTS, "bbox": "-3.5,40.5,-3.4,40.6"}, {"events FL1"}),
        ({**EVENTS, "datetime": "2020-03-05T00:00:00Z"}, {"events FL1", "events WP2", "events WP9"}),
        ({**EVENTS, "datetime": "../2020-01-01T12:00:00Z"}, {"events Q1", "events WP/1"}),
        ({"ids": "Q1"}, {"events Q1", "hazards Q1"}),
        ({"ids": "Q1,FL1--dead"}, {"events Q1", "hazards Q1", "impacts FL1--dead"}),
        ({"ids": "FL1--absent"}, set()),
        ({"ids": "--"}, set()),
        ({"collections": "absent"}, set()),
        ({**EVENTS, "intersects": '{"type":"Point","coordinates":[-3.5,40.5]}'}, {"events FL1"}),
        ({"collections": "dams-impacts", "bbox": "-4,40,-3,41"}, {"impacts FL1--dead", "impacts FL1--displaced"}),
    ],
)
async def test_parameters_select_items(features: Client, parameters: dict[str, str], found: set[str]) -> None:
    assert await _found(features, **parameters) == found


@pytest.mark.parametrize("limit", [1, 2, 5])
async def test_pages_have_every_item_once(features: Client, limit: int) -> None:
    whole = (await features.json("/stac/search", limit="100"))["features"]
    assert len(whole) == 18
    address, found = f"/stac/search?limit={limit}", []
    while address:
        answer = (await features.get(address)).json()
        assert len(answer["features"]) <= limit
        found += answer["features"]
        address = next((link["href"] for link in answer["links"] if link["rel"] == "next"), "")
    assert found == whole


async def test_post_searches_like_get_and_pages(features: Client) -> None:
    body = {"collections": ["dams-events"], "bbox": [-180, -90, 180, 90], "limit": 4}
    status, first = await _post(features, body)
    assert (status, first["numberReturned"]) == (200, 4)
    (link,) = [link for link in first["links"] if link["rel"] == "next"]
    assert (link["method"], link["merge"]) == ("POST", True)
    _, second = await _post(features, body | link["body"])
    assert [item["id"] for item in first["features"] + second["features"]] == [
        item["id"] for item in (await features.json("/stac/search", collections="dams-events", limit="100"))["features"]
    ]


async def test_a_long_area_is_searched_by_post(features: Client) -> None:
    # a circle of 3,000 corners around the earthquake, 50 kB and more
    area = orjson.loads(shapely.to_geojson(shapely.Point(85.3, 27.7).buffer(1, quad_segs=700)))
    assert len(orjson.dumps(area)) > 50_000
    status, answer = await _post(features, {"intersects": area, "collections": ["dams-events"]})
    assert (status, [item["id"] for item in answer["features"]]) == (200, ["Q1"])


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("bbox=1,2,3", "bbox"),
        ("bbox=1,2,3,4,5,x", "bbox"),
        ("bbox=0,50,10,40", "bbox"),
        ("datetime=yesterday", "datetime"),
        ("limit=0", "limit"),
        ("limit=1001", "limit"),
        ("token=x", "token"),
        ("token=0.0.AAAA", "token"),
        ("intersects=x", "intersects"),
        ("intersects=%7B%22type%22%3A%22Point%22%7D", "intersects"),
        ("bbox=0,0,1,1&intersects=%7B%22type%22%3A%22Point%22%2C%22coordinates%22%3A%5B0%2C0%5D%7D", "intersects"),
        ("nonsense=1", "nonsense"),
    ],
)
async def test_invalid_parameters_have_the_status_of_the_service(features: Client, query: str, name: str) -> None:
    answer = await features.get(f"/stac/search?{query}")
    assert answer.status == 422, answer.body
    assert name in [fault["loc"][-1] for fault in answer.json()["detail"]]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[]", 400),
        (b'{"ids": ["a,b"]}', 400),
        (b'{"limit": "x"}', 422),
        (b'{"bbox": [1, 2]}', 422),
        (b'{"intersects": {"type": "x"}}', 422),
    ],
)
async def test_an_invalid_body_is_refused(features: Client, body: bytes, status: int) -> None:
    assert (await _post(features, body))[0] == status


async def test_a_body_that_is_too_large_is_refused(features: Client) -> None:
    status, _ = await _post(features, {"datetime": "x" * 300_000})
    assert status == 413


@pytest.mark.parametrize(
    "path",
    [
        "/stac/collections/absent",
        "/stac/collections/absent/items",
        "/stac/collections/dams-events/items/absent",
        "/stac/collections/dams-events/items/%00",
    ],
)
async def test_unknown_resources_are_404(features: Client, path: str) -> None:
    assert (await features.get(path)).status == 404


async def test_pages_are_revalidated(features: Client) -> None:
    first = await features.get("/stac/search?limit=2")
    assert "max-age" in first.headers["Cache-Control"]
    again = await features.get("/stac/search?limit=2", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status == 304


async def test_preflight_allows_what_the_resource_has(features: Client) -> None:
    for path, allowed in (("/stac/search", "GET, HEAD, POST, OPTIONS"), ("/stac", "GET, HEAD, OPTIONS")):
        answer = await features.get(path, method="OPTIONS")
        assert answer.headers["Access-Control-Allow-Methods"] == allowed
