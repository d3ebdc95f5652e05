"""POST /collections/{collectionId}/search returns the features that GET items would, for parameters of any length."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
import shapely

from tests.services.in_process import Client

_FLOODS = "/collections/hazard.hazard_fl_events"
_QUAKES = "/collections/hazard.hazard_eq_events"


async def _post(features: Client, path: str, body: object, **headers: str) -> tuple[int, Any, str]:
    data = body if isinstance(body, bytes) else orjson.dumps(body)
    sent = {"Content-Type": "application/json", **headers}
    async with features.session.post(f"{features.base}{path}/search", data=data, headers=sent) as response:
        found = await response.read()
        is_json = "json" in response.headers["Content-Type"]
        return response.status, orjson.loads(found) if is_json else found, response.headers["Cache-Control"]


async def test_a_body_selects_like_an_address(features: Client) -> None:
    body = {"bbox": [80, 20, 90, 30], "properties": ["event_id", "magnitude"], "limit": 5}
    status, found, cached = await _post(features, _QUAKES, body)
    given = await features.json(f"{_QUAKES}/items", bbox="80,20,90,30", properties="event_id,magnitude", limit="5")
    assert (status, cached) == (200, "no-store")
    assert found["features"] == given["features"]
    assert [feature["properties"]["event_id"] for feature in found["features"]] == ["Q1"]


async def test_an_area_of_100_kb_filters_as_text_and_as_json(features: Client) -> None:
    area = shapely.Point(85.3, 27.7).buffer(1, quad_segs=650)
    text = f"S_INTERSECTS(geom, {shapely.to_wkt(area, rounding_precision=15)})"
    json = {"op": "s_intersects", "args": [{"property": "geom"}, orjson.loads(shapely.to_geojson(area))]}
    assert min(len(text), len(orjson.dumps(json))) > 90_000
    for condition in (text, json):
        status, found, _ = await _post(features, _QUAKES, {"filter": condition})
        assert status == 200, found
        assert [feature["properties"]["event_id"] for feature in found["features"]] == ["Q1"]


async def test_pages_follow_by_the_body_of_the_link(features: Client) -> None:
    body: dict[str, Any] = {"filter": "magnitude > 1", "limit": 2, "sortby": ["-magnitude"]}
    found: list[str] = []
    while True:
        _, page, _ = await _post(features, _QUAKES, body)
        found += [feature["properties"]["event_id"] for feature in page["features"]]
        following = [link for link in page["links"] if link["rel"] == "next"]
        if not following:
            break
        assert (following[0]["method"], following[0]["merge"]) == ("POST", True)
        body |= following[0]["body"]
    assert found == ["Q1", "Q2", "X1"]


async def test_other_formats_are_negotiated(features: Client) -> None:
    status, found, _ = await _post(features, _FLOODS, {"properties": ["event_id"]}, Accept="text/csv")
    assert status == 200
    assert b"event_id" in found.splitlines()[0]
    assert b"FL1" in found


@pytest.mark.parametrize(
    "body", [b"{", b"[1]", {"nonsense": 1}, {"filter": {"op": "nonsense", "args": []}}, {"limit": "x"}]
)
async def test_a_wrong_body_is_refused(features: Client, body: object) -> None:
    status, found, _ = await _post(features, _QUAKES, body)
    assert status in (400, 422), found


async def test_an_unknown_collection_is_404(features: Client) -> None:
    assert (await _post(features, "/collections/absent", {}))[0] == 404
