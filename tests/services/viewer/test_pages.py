"""The pages: policy, escaping, errors."""

import html
import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from aiohttp.test_utils import TestClient

from libs.catalogue.model import Collection, TimeColumn
from services.viewer.overview_map import present_of
from services.viewer.pages.map_page import first_style
from tests.services.viewer.conftest import HOSTILE, collection

_MAP = "/collections/hazard.hazard_eq_events/tiles/WebMercatorQuad/map.html"
_PAGES = (_MAP, "/map", "/docs")


def _data(text: str) -> Any:
    """Return the data that a page gives to its script."""
    return json.loads(text.partition('<script type="application/json" id="page">')[2].partition("</script>")[0])


@pytest.mark.parametrize("path", _PAGES)
async def test_page_has_a_strict_policy_and_nothing_inline(client: TestClient, path: str) -> None:  # type: ignore[type-arg]
    response = await client.get(path, headers={"Accept": "text/html"})
    assert response.status == 200
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    text = await response.text()
    assert not re.search(r"\s(style|on[a-z]+)=", text)
    assert not re.search(r"<style|<script(?![^>]*(src=|application/json))", text)


@pytest.mark.parametrize("path", _PAGES)
async def test_page_answers_any_accept(client: TestClient, path: str) -> None:  # type: ignore[type-arg]
    assert (await client.get(path, headers={"Accept": "*/*"})).status == 200


async def test_titles_from_the_database_are_text(client: TestClient) -> None:  # type: ignore[type-arg]
    text = await (await client.get(_MAP)).text()
    assert "<script>alert" not in text
    assert _data(text)["collections"][0]["title"] == HOSTILE


async def test_parameters_reach_the_style(client: TestClient) -> None:  # type: ignore[type-arg]
    text = await (await client.get(_MAP, params={"minzoom": "2", "maxzoom": "5", "geom-column": "geom"})).text()
    assert '"styleParameters":{"minzoom":2,"maxzoom":5,"geom-column":"geom"}' in text


def _preloaded(text: str) -> list[str]:
    return [html.unescape(href) for href in re.findall(r'<link rel="preload" as="fetch" href="([^"]*)"', text)]


async def test_the_first_style_is_fetched_beside_the_scripts(client: TestClient) -> None:  # type: ignore[type-arg]
    base = f"http://{client.host}:{client.port}"
    style = f"{base}/collections/hazard.hazard_eq_events/tiles/WebMercatorQuad/style.json"
    assert _preloaded(await (await client.get(_MAP)).text()) == [style]
    text = await (await client.get(_MAP, params={"minzoom": "2", "geom-column": "geom"})).text()
    assert _preloaded(text) == [f"{style}?minzoom=2&geom-column=geom"]


def test_the_first_style_is_spelled_as_the_script_spells_it() -> None:
    names = ("a.b", "c-d", "e_f", "odd name")
    collections = [{"id": name, "geometryType": "Point"} for name in names] + [{"id": "table", "geometryType": None}]

    def address(*shown: str, **others: object) -> str | None:
        return first_style(
            "/b", {"tileMatrixSet": "M", "collections": collections, "shown": shown, "styleParameters": {}} | others
        )

    assert address("a.b", "table", "c-d", "e_f") == "/b/tiles/M/style.json?collections=a.b%2Cc-d%2Ce_f"
    assert address("a.b", "table") == "/b/collections/a.b/tiles/M/style.json"
    assert address("table") is None
    assert address("a.b", "odd name") is None
    # the event tells the script what to show
    assert address("a.b", events=["irma"]) is None


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/collections/hazard.none/tiles/WebMercatorQuad/map.html", 404),
        ("/collections/hazard.hazard_eq_events/tiles/Nowhere/map.html", 404),
        ("/collections/hazard.no_geometry/tiles/WebMercatorQuad/map.html", 404),
        (f"{_MAP}?minzoom=x", 422),
        (f"{_MAP}?minzoom=5&maxzoom=2", 422),
        (f"{_MAP}?minzoom=-1", 422),
        (f"{_MAP}?maxzoom=25", 422),
        (f"{_MAP}?geom-column=none", 422),
        (f"{_MAP}?colour=red", 422),
        ("/tiles/Nowhere/map.html", 404),
        ("/tiles/WebMercatorQuad/map.html?collections=other.rivers,other.none", 422),
        ("/tiles/WebMercatorQuad/map.html?collections=hazard.no_geometry", 422),
        ("/map?x=1", 422),
        ("/docs?x=1", 422),
    ],
)
async def test_errors(client: TestClient, path: str, status: int) -> None:  # type: ignore[type-arg]
    response = await client.get(path)
    assert response.status == status
    assert "detail" in await response.json()


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/tiles/WebMercatorQuad/map.html?collections=other.rivers", ["other.rivers"]),
        (
            "/tiles/WorldCRS84Quad/map.html?collections=other.rivers,hazard.hazard_eq_events",
            ["other.rivers", "hazard.hazard_eq_events"],
        ),
        # where none is named, the first of those that have a geometry
        ("/tiles/WorldCRS84Quad/map.html", ["hazard.hazard_eq_events"]),
        ("/map", ["hazard.hazard_eq_events"]),
        ("/map?event=irma,maria", ["hazard.hazard_eq_events"]),
    ],
)
async def test_a_map_of_the_dataset_shows_the_collections_that_are_named(
    client: TestClient,  # type: ignore[type-arg]
    path: str,
    shown: list[str],
) -> None:
    data = _data(await (await client.get(path)).text())
    matrix_set = "WorldCRS84Quad" if "CRS84" in path else "WebMercatorQuad"
    events = ["irma", "maria"] if "irma" in path else []
    assert (data["tileMatrixSet"], data["collection"], data["events"]) == (matrix_set, None, events)
    assert data["shown"] == shown
    assert {each["id"] for each in data["collections"] if each["geometryType"]} == {
        "hazard.hazard_eq_events",
        "other.rivers",
    }


def _collection(name: str, newest: str) -> Collection:
    return collection(f"hazard.{name}", times=(TimeColumn("at", "timestamptz", "2018-01-01T00:00:00Z", newest),))


def test_the_map_opens_on_collections_with_data_of_30_days() -> None:
    now = datetime(2026, 11, 28, 12, tzinfo=UTC)
    quakes = _collection("hazard_eq_events", "2026-11-20T00:00:00Z")
    storms = _collection("hazard_ts_events", "2024-12-21")
    assert present_of([storms, quakes], now) == {
        "shown": ["hazard.hazard_eq_events"],
        "datetime": "2026-10-29/..",
        "filters": {"hazard.hazard_eq_events": "magnitude >= 4.5"},
        "ended": ["hazard.hazard_ts_events"],
    }
    # other data are not known to be events
    assert present_of([collection("own.quakes")], now) is None


async def test_all_13_matrix_sets_have_a_page(client: TestClient) -> None:  # type: ignore[type-arg]
    part = await (await client.get("/internal/part")).json()
    ids = part["openapi"]["components"]["parameters"]["tileMatrixSetId"]["schema"]["enum"]
    assert len(ids) == 13
    for identifier in ids:
        response = await client.get(f"/collections/hazard.hazard_eq_events/tiles/{identifier}/map.html")
        assert response.status == 200
        data = _data(await response.text())
        assert (data["tileMatrixSet"], data["farTileMatrixSet"]) == (identifier, "WorldCRS84Quad")
        assert data["engine"] == ("maplibre" if identifier == "WebMercatorQuad" else "openlayers")
