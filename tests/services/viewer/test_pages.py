"""The pages: policy, escaping, errors."""

import json
import re

import pytest
from aiohttp.test_utils import TestClient

from tests.services.viewer.conftest import HOSTILE

_MAP = "/collections/hazard.hazard_eq_events/tiles/WebMercatorQuad/map.html"
_PAGES = (_MAP, "/map", "/docs")


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
    data = json.loads(re.search(r'<script type="application/json" id="page">(.*?)</script>', text, re.DOTALL)[1])  # type: ignore[index]
    assert data["collections"][0]["title"] == HOSTILE


async def test_parameters_reach_the_style(client: TestClient) -> None:  # type: ignore[type-arg]
    text = await (await client.get(_MAP, params={"minzoom": "2", "maxzoom": "5", "geom-column": "geom"})).text()
    assert '"styleParameters":{"minzoom":2,"maxzoom":5,"geom-column":"geom"}' in text


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
        ("/map?x=1", 422),
        ("/docs?x=1", 422),
    ],
)
async def test_errors(client: TestClient, path: str, status: int) -> None:  # type: ignore[type-arg]
    response = await client.get(path)
    assert response.status == status
    assert "detail" in await response.json()


async def test_all_13_matrix_sets_have_a_page(client: TestClient) -> None:  # type: ignore[type-arg]
    part = await (await client.get("/internal/part")).json()
    ids = part["openapi"]["components"]["parameters"]["tileMatrixSetId"]["schema"]["enum"]
    assert len(ids) == 13
    for identifier in ids:
        response = await client.get(f"/collections/hazard.hazard_eq_events/tiles/{identifier}/map.html")
        assert response.status == 200
        data = json.loads((await response.text()).partition('id="page">')[2].partition("</script>")[0])
        assert (data["tileMatrixSet"], data["farTileMatrixSet"]) == (identifier, "WorldCRS84Quad")
        assert data["engine"] == ("maplibre" if identifier == "WebMercatorQuad" else "openlayers")
