"""Clients that were not written here draw the tiles: OpenLayers from the tileset's address, GDAL from a tile's."""

import asyncio
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from playwright.async_api import Browser
from pyproj import Transformer

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


@pytest.mark.parametrize(("z", "x", "y"), [(0, 0, 0), (3, 1, 2)])
async def test_gdal_puts_a_tile_where_it_belongs(stack: RunningStack, tmp_path: Path, z: int, x: int, y: int) -> None:
    # from a file: by itself GDAL asks for addresses that end in .pbf
    file = tmp_path / "tile.mvt"
    address = f"{stack.base_url}/collections/{COLLECTION}/tiles/WebMercatorQuad/{z}/{x}/{y}"
    async with aiohttp.ClientSession() as session, session.get(address) as response:
        file.write_bytes(await response.read())
    options = [part for name, value in (("X", x), ("Y", y), ("Z", z)) for part in ("-oo", f"{name}={value}")]
    features = await asyncio.to_thread(_read_by_gdal, f"MVT:{file}", *options)
    told = await items(stack, COLLECTION, limit="2000", f="geojson")
    by_event = {item["properties"]["event_id"]: item for item in told}
    assert features
    for feature in features:
        exact = by_event[feature["properties"]["event_id"]]
        for drawn, place in zip(feature["geometry"]["coordinates"], exact["geometry"]["coordinates"][:2], strict=True):
            assert abs(drawn - place) <= 360 / 2**z / 4096
        for name in ("magnitude", "event_date", "place"):
            assert feature["properties"][name] == exact["properties"][name]
    if z == 0:
        assert len(features) == len(told)


def _read_by_gdal(*source: str) -> list[dict[str, Any]]:
    command = ["ogr2ogr", "-f", "GeoJSON", "-t_srs", "EPSG:4326", "/vsistdout/", *source]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    features: list[dict[str, Any]] = json.loads(result.stdout)["features"]
    return features
