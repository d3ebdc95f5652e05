"""Clients that were not written here draw the tiles: OpenLayers and GDAL, from addresses alone."""

import asyncio
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser
from pyogrio.raw import read
from pyproj import Transformer
from shapely import from_wkb

from tests.running_stack import RunningStack
from tests.system.visits import items

pytestmark = pytest.mark.system

COLLECTION = "hazard.hazard_eq_events"
_ZOOMS = (1, 5, 13)
_VIEWER = Path(__file__).resolve().parents[2] / "services" / "viewer"


@pytest.fixture(scope="module")
def openlayers(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The test's script with OpenLayers, as one."""
    bundle = tmp_path_factory.mktemp("openlayers") / "bundle.js"
    modules = _VIEWER / "node_modules"
    command = [str(modules / ".bin" / "esbuild"), str(Path(__file__).with_name("ogc_vector_tiles.js")), "--bundle"]
    subprocess.run(
        [*command, "--format=iife", f"--outfile={bundle}", "--log-level=error"],
        check=True,
        env={**os.environ, "NODE_PATH": str(modules)},
    )
    return bundle.read_text(encoding="utf-8")


@pytest.mark.parametrize(("tile_matrix_set", "srid"), [("WebMercatorQuad", 3857), ("WorldCRS84Quad", 4326)])
async def test_openlayers_draws_a_tileset(
    chromium: Browser, stack: RunningStack, openlayers: str, tile_matrix_set: str, srid: int
) -> None:
    quake = (await items(stack, COLLECTION, sortby="-magnitude", limit="1", f="geojson"))[0]
    place = quake["geometry"]["coordinates"][:2]
    page = await chromium.new_page()
    try:
        # a page of another origin, as any other client's
        await page.set_content("<body></body>")
        await page.add_script_tag(content=openlayers)
        address = f"{stack.base_url}/collections/{COLLECTION}/tiles/{tile_matrix_set}"
        found: list[dict[str, Any]] = [
            await page.evaluate(
                "([url, projection, center, zoom]) => window.places(url, projection, center, zoom)",
                [address, f"EPSG:{srid}", place, zoom],
            )
            for zoom in _ZOOMS
        ]
    finally:
        await page.close()
    expected = Transformer.from_crs(4326, srid, always_xy=True).transform(*place)
    for zoom, features in zip(_ZOOMS, found, strict=True):
        drawn = features[str(quake["id"])]
        unit = (360 if srid == 4326 else 40_075_017) / 2**zoom / 4096
        assert max(abs(a - b) for a, b in zip(drawn, expected, strict=True)) <= 2 * unit, zoom


async def test_openlayers_draws_a_style_in_its_colours(chromium: Browser, stack: RunningStack, openlayers: str) -> None:
    page = await chromium.new_page()
    try:
        await page.set_content("<body></body>")
        await page.add_script_tag(content=openlayers)
        address = f"{stack.base_url}/collections/hazard.hazard_ts_tracks/tiles/WebMercatorQuad/style.json"
        found: dict[str, int] = await page.evaluate(
            "([style, center, zoom]) => window.colours(style, center, zoom)", [address, [0, 0], 1]
        )
    finally:
        await page.close()
    # the classes of wind, and the land below them
    for color in ("#daba17", "#db9d01", "#de7e00", "#de540d", "#d02b2a", "#a9004f", "#591877", "#f7f6f2"):
        drawn = [number for name, number in found.items() if _are_near(name, color)]
        assert sum(drawn) > 20, (color, sorted(found.items(), key=lambda one: -one[1])[:30])


def _are_near(one: str, other: str) -> bool:
    return all(abs(int(one[at : at + 2], 16) - int(other[at : at + 2], 16)) < 16 for at in (1, 3, 5))


@pytest.mark.parametrize("zoom", [0, 3])
async def test_gdal_reads_a_zoom_by_its_address(stack: RunningStack, zoom: int) -> None:
    address = f"{stack.base_url}/collections/{COLLECTION}/tiles/WebMercatorQuad/{zoom}"
    features = await asyncio.to_thread(_read_by_gdal, f"MVT:{address}")
    wanted = {item["id"]: item for item in await items(stack, COLLECTION, limit="2000", f="geojson")}
    assert {feature["properties"]["mvt_id"] for feature in features} == set(wanted)
    for feature in features:
        exact = wanted[feature["properties"]["mvt_id"]]
        for drawn, place in zip(feature["geometry"]["coordinates"], exact["geometry"]["coordinates"][:2], strict=True):
            assert abs(drawn - place) <= 360 / 2**zoom / 4096
        for name in ("magnitude", "event_date", "place", "tsunami", "significance"):
            assert feature["properties"][name] == exact["properties"][name]


async def test_gdal_asks_for_the_tiles_of_an_area_alone(stack: RunningStack) -> None:
    address = f"{stack.base_url}/collections/hazard.hazard_fl_events/tiles/WebMercatorQuad/5"
    area = (70.0, 10.0, 90.0, 25.0)
    features = await asyncio.to_thread(
        _read_by_gdal, f"MVT:{address}", "-spat_srs", "EPSG:4326", "-spat", *map(str, area)
    )
    bbox = ",".join(map(str, area))
    floods = await items(stack, "hazard.hazard_fl_events", limit="2000", bbox=bbox, f="geojson")
    assert floods
    assert {flood["properties"]["event_id"] for flood in floods} <= {
        feature["properties"]["event_id"] for feature in features
    }


async def test_gdal_reads_a_filtered_tile_by_its_address(stack: RunningStack) -> None:
    address = f"{stack.base_url}/collections/{COLLECTION}/tiles/WebMercatorQuad/2/3/1?filter=magnitude%3E5"
    options = [part for option in ("X=3", "Y=1", "Z=2") for part in ("-oo", option)]
    features = await asyncio.to_thread(_read_by_gdal, f"MVT:{address}", *options)
    wanted = await items(stack, COLLECTION, filter="magnitude > 5", bbox="90,0,180,66.5", limit="2000", f="geojson")
    assert {feature["properties"]["event_id"] for feature in features} == {
        item["properties"]["event_id"] for item in wanted
    }


# GDAL takes the collection's extent for one in the CRS of the tiles, unless it is given that one
_WORLD = {"MINX": -20037508.34, "MINY": -20037508.34, "MAXX": 20037508.34, "MAXY": 20037508.34}


@pytest.mark.parametrize(
    ("tile_matrix_set", "zoom", "options"),
    [
        ("WorldCRS84Quad", 1, {}),
        ("WGS1984Quad", 0, {}),
        ("GNOSISGlobalGrid", 1, {}),
        ("WebMercatorQuad", 2, _WORLD),
        ("WorldMercatorWGS84Quad", 1, _WORLD),
    ],
)
async def test_gdal_reads_a_tileset_by_its_collection(
    stack: RunningStack,
    monkeypatch: pytest.MonkeyPatch,
    tile_matrix_set: str,
    zoom: int,
    options: dict[str, float],
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    # the GDAL of the tests' environment: Debian 12's knows tile matrix sets only as a draft of the standard had them
    meta, _, geometries, values = await asyncio.to_thread(
        read,
        f"OGCAPI:{stack.base_url}/collections/{COLLECTION}",
        layer=f"Zoom level {zoom}",
        API="TILES",
        TILEMATRIXSET=tile_matrix_set,
        **options,
    )
    drawn = dict(zip(values[list(meta["fields"]).index("event_id")], from_wkb(geometries), strict=True))
    wanted = await items(stack, COLLECTION, limit="2000", f="geojson")
    assert drawn.keys() == {item["properties"]["event_id"] for item in wanted}
    back = Transformer.from_crs(meta["crs"], 4326, always_xy=True)
    for item in wanted:
        place = back.transform(*drawn[item["properties"]["event_id"]].coords[0])
        for number, exact in zip(place, item["geometry"]["coordinates"][:2], strict=True):
            assert abs(number - exact) <= 360 / 2**zoom / 4096


def _read_by_gdal(*source: str) -> list[dict[str, Any]]:
    command = ["ogr2ogr", "-f", "GeoJSON", "-t_srs", "EPSG:4326", "/vsistdout/", *source]
    # addresses of the stack are local, even if the machine has a proxy
    environment = {**os.environ, "no_proxy": "127.0.0.1"}
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert result.returncode == 0, result.stderr
    assert "ERROR" not in result.stderr, result.stderr
    features: list[dict[str, Any]] = json.loads(result.stdout)["features"]
    return features
