"""Assets and basemap: types, caching, compression."""

import json
from pathlib import Path

import mapbox_vector_tile
import pytest
from aiohttp.test_utils import TestClient

from libs.web.assets import asset_path
from libs.web.content_coding import takes_brotli
from libs.web.settings import SettingsError
from services.viewer.assets import Assets
from tests.libs.web.accept_encodings import TAKES_GZIP


def _hashed(dist: Path, name: str) -> str:
    names: dict[str, str] = json.loads((dist / "manifest.json").read_text("utf-8"))["assets"]
    return names[name]


async def test_asset_never_expires(client: TestClient, dist: Path) -> None:  # type: ignore[type-arg]
    response = await client.get(f"/assets/{_hashed(dist, 'map.js')}")
    assert response.status == 200
    assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert response.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert response.headers["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize("path", ["library", "tile"])
async def test_who_takes_brotli_gets_less(client: TestClient, dist: Path, path: str) -> None:  # type: ignore[type-arg]
    library = f"/assets/{_hashed(dist, 'engines/maplibre/library.js')}"
    address = {"library": library, "tile": "/basemap/WebMercatorQuad/1/0/1.mvt"}[path]
    sizes, bodies = {}, set()
    for coding in ("br", "gzip", "identity"):
        response = await client.get(address, headers={"Accept-Encoding": coding}, auto_decompress=False)
        sizes[coding] = len(await response.read())
        assert response.headers.get("Content-Encoding", "identity") == coding
        assert response.headers["Vary"] == "Accept-Encoding"
        bodies.add(await (await client.get(address, headers={"Accept-Encoding": coding})).read())
    assert sizes["br"] < sizes["gzip"] < sizes["identity"]
    assert len(bodies) == 1


@pytest.mark.parametrize("tile", ["WebMercatorQuad/2/1/3", "WorldCRS84Quad/5/11/53"])
async def test_basemap_tile(client: TestClient, tile: str) -> None:  # type: ignore[type-arg]
    response = await client.get(f"/basemap/{tile}.mvt", headers={"Accept-Encoding": "gzip"})
    assert response.status == 200
    assert response.headers["Content-Type"] == "application/vnd.mapbox-vector-tile"
    assert response.headers["Content-Encoding"] == "gzip"
    assert response.headers["Cache-Control"] == "public, max-age=3600, stale-while-revalidate=86400"
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert {"land", "coast", "towns"} <= mapbox_vector_tile.decode(await response.read()).keys()
    again = await client.get(f"/basemap/{tile}.mvt", headers={"If-None-Match": response.headers["ETag"]})
    assert again.status == 304


async def test_compression_is_for_those_who_take_it(client: TestClient) -> None:  # type: ignore[type-arg]
    for accepted, taken in TAKES_GZIP.items():
        response = await client.get("/basemap/WebMercatorQuad/1/0/1.mvt", headers={"Accept-Encoding": accepted})
        coding = "br" if takes_brotli(accepted) else "gzip" if taken else None
        assert response.headers.get("Content-Encoding") == coding, accepted
        assert "Accept-Encoding" in response.headers["Vary"]
        assert "land" in mapbox_vector_tile.decode(await response.read())


async def test_where_there_is_nothing_there_is_no_tile(client: TestClient) -> None:  # type: ignore[type-arg]
    response = await client.get("/basemap/WebMercatorQuad/6/34/9.mvt")
    assert response.status == 204
    assert response.headers["Cache-Control"] == "public, max-age=3600, stale-while-revalidate=86400"


@pytest.mark.parametrize("name", ["inter-regular", "inter-italic"])
async def test_font(client: TestClient, name: str) -> None:  # type: ignore[type-arg]
    response = await client.get(f"/basemap/fonts/{name}.woff2")
    assert response.headers["Content-Type"] == "font/woff2"
    assert (await response.read())[:4] == b"wOF2"


@pytest.mark.parametrize(
    "path",
    [
        "/assets/none.js",
        "/assets/map.js",
        "/basemap/none.geojson",
        "/basemap/None/0/0/0.mvt",
        "/basemap/WebMercatorQuad/0/0/0.pbf",
        "/basemap/../manifest.json",
        "/basemap/%2e%2e/manifest.json",
    ],
)
async def test_nothing_else_is_served(client: TestClient, path: str) -> None:  # type: ignore[type-arg]
    assert (await client.get(path)).status == 404


def test_missing_build_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="npm ci"):
        Assets(tmp_path)


async def test_a_style_sheet_of_another_release_is_ours_for_a_minute(client: TestClient) -> None:  # type: ignore[type-arg]
    ours = await client.get(f"/assets/{asset_path('site.css')}")
    other = await client.get("/assets/site-0123456789ab.css")
    assert (ours.status, other.status) == (200, 200)
    assert await other.read() == await ours.read()
    assert other.headers["Cache-Control"] == "public, max-age=60"
    for name in ("nothing-0123456789ab.css", "site-0123456789ab.html", "site-0123456789abc.css"):
        assert (await client.get(f"/assets/{name}")).status == 404
