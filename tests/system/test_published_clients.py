"""QGIS and MapLibre read published files from a plain server of files, without this service."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pyogrio
import pytest
from aiohttp import web
from playwright.async_api import Browser

from deploy.local.settings import REPOSITORY
from tests.client_programs import command
from tests.running_stack import RunningStack

pytestmark = pytest.mark.system

_QUAKES = "hazard.hazard_eq_events"
_MODULES = REPOSITORY / "services/viewer/node_modules"
_PAGE = """<!doctype html><html><body style="margin:0"><div id="map" style="width:400px;height:400px"></div>
<script src="modules/pmtiles/dist/pmtiles.js"></script>
<script type="module">
import * as maplibre from "./modules/maplibre-gl/dist/maplibre-gl.mjs";
maplibre.addProtocol("pmtiles", new pmtiles.Protocol().tile);
const map = new maplibre.Map({container: "map", center: [0, 0], zoom: 0, style: {version: 8, sources: {
    quakes: {type: "vector", url: "pmtiles://" + new URL(PATH, location.href).href}},
  layers: [{id: "quakes", type: "circle", source: "quakes", "source-layer": LAYER}]}});
map.on("error", (event) => { window.problem = String(event.error); });
map.on("idle", () => { window.drawn = map.queryRenderedFeatures({layers: ["quakes"]}).length; });
</script></body></html>"""
_QGIS = """
import json, sys
from qgis.core import QgsApplication, QgsVectorLayer
application = QgsApplication([], False)
application.initQgis()
layer = QgsVectorLayer(sys.argv[1], "quakes", "ogr")
print(json.dumps({"valid": layer.isValid(), "count": layer.featureCount(), "crs": layer.crs().authid(),
                  "magnitudes": sum(feature["magnitude"] is not None for feature in layer.getFeatures())}))
"""


@pytest.fixture(scope="module")
async def published(stack: RunningStack, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the earthquakes."""
    target = tmp_path_factory.mktemp("published")
    arguments = ["all", str(target), "--service", stack.base_url, "--collection", _QUAKES, "--zoom", "0-2"]
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "deploy.publish", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "DAMS_STATE_DIR": str(stack.state_dir)},
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return target


@pytest.fixture(scope="module")
async def address(published: Path) -> AsyncIterator[str]:
    """A server of these files that knows nothing but `Range`."""
    app = web.Application()
    app.router.add_static("/published", published)
    app.router.add_static("/modules", _MODULES)
    entry = _entry(published)
    page = _PAGE.replace("PATH", json.dumps(f"published/{entry['tiles']['path']}")).replace(
        "LAYER", json.dumps(_QUAKES)
    )

    async def map_(_: web.Request) -> web.Response:
        return web.Response(text=page, content_type="text/html")

    app.router.add_get("/map", map_)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


def _entry(folder: Path) -> Any:
    version = json.loads((folder / "catalog.json").read_text())["dams:version"]
    manifest = json.loads((folder / f"versions/{version}/manifest.json").read_text())
    return manifest["collections"][_QUAKES]


async def test_maplibre_draws_published_tiles(address: str, chromium: Browser) -> None:
    context = await chromium.new_context(viewport={"width": 400, "height": 400})
    page = await context.new_page()
    await page.goto(f"{address}/map")
    await page.wait_for_function("window.problem || window.drawn > 0", timeout=60_000)
    assert await page.evaluate("window.problem") is None
    assert await page.evaluate("window.drawn") > 100
    await context.close()


async def test_gdal_reads_published_features_and_tiles(address: str, published: Path) -> None:
    entry = _entry(published)
    rows = sum(int(part["rows"]) for part in entry["parts"])
    features = f"/vsicurl/{address}/published/{entry['flatgeobuf']['path']}"
    assert (await asyncio.to_thread(pyogrio.read_info, features))["features"] == rows
    tiles = f"/vsicurl/{address}/published/{entry['tiles']['path']}"
    assert _QUAKES in [name for name, _ in await asyncio.to_thread(pyogrio.list_layers, tiles)]


@pytest.mark.slow
@pytest.mark.clients
async def test_qgis_reads_published_features(address: str, published: Path) -> None:
    entry = _entry(published)
    features = f"/vsicurl/{address}/published/{entry['flatgeobuf']['path']}"
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "no_proxy": "127.0.0.1"}
    done = await asyncio.to_thread(
        subprocess.run,
        command("/usr/bin/python3", "-", features),
        input=_QGIS,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    rows = sum(int(part["rows"]) for part in entry["parts"])
    assert found == {"valid": True, "count": rows, "crs": found["crs"], "magnitudes": found["magnitudes"]}
    assert found["crs"] in ("EPSG:4326", "OGC:CRS84")
    assert found["magnitudes"] > 1000
