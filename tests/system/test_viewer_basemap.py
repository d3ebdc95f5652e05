"""The basemap in a real Chromium: finer from near, and an operator's own."""

import io
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from PIL import Image

from services.tiles.app import make as make_tiles
from services.viewer.app import make as make_viewer
from tests.eventually import eventually
from tests.running_stack import RunningStack
from tests.system.visits import MOST_SECONDS, NewVisit, counted_colours, map_of, near

pytestmark = [pytest.mark.system, pytest.mark.browser]

_EARTHQUAKES = "hazard.hazard_eq_events"
_SEA, _LAND = (0xDF, 0xE8, 0xEE), (0xF7, 0xF6, 0xF2)


def _map(matrix_set: str) -> str:
    return map_of(_EARTHQUAKES, matrix_set)


@pytest.mark.parametrize("matrix_set", ["WebMercatorQuad", "EuropeanETRS89_LAEAQuad"])
async def test_fjords_are_seen_from_near(visit: NewVisit, matrix_set: str) -> None:
    page = await visit(device_scale_factor=1)
    # water in the Sognefjord that the 1:50m atlas takes for land, and land beside it
    await page.open(f"{_map(matrix_set)}#map=9/61.07/6.4")

    async def drawn() -> Image.Image:
        image = await page.picture()
        assert image.getpixel((640, 400)) == _SEA
        return image

    image = await eventually(drawn, seconds=MOST_SECONDS)
    counted = image.crop((360, 100, 1200, 640)).getcolors(1 << 20)
    assert counted is not None
    assert {colour: number for number, colour in counted}[_LAND] > 50_000
    tiles = [url for url in page.requests if "/basemap/W" in url]
    # the last zoom, of which nearer views are made
    fine = {url for url in tiles if "/WebMercatorQuad/6/" in url or "/WorldCRS84Quad/5/" in url}
    assert fine
    # requests for tiles of a view that the user has left are cancelled
    assert {page.statuses.get(url, 200) for url in tiles} <= {200, 204}
    # tiles far away are not requested
    assert len(fine) <= 8
    text = await page.page.inner_text("#map")
    assert "Natural Earth" in text
    assert "GeoNames" in text


@pytest.fixture
async def tile_server() -> AsyncIterator[TestServer]:
    """A stranger's raster tiles: all magenta."""
    picture = io.BytesIO()
    Image.new("RGB", (256, 256), "#ff00ff").save(picture, "PNG")

    async def tile(request: web.Request) -> web.Response:
        return web.Response(
            body=picture.getvalue(), content_type="image/png", headers={"Access-Control-Allow-Origin": "*"}
        )

    app = web.Application()
    app.router.add_get("/{z}/{x}/{y}.png", tile)
    server = TestServer(app)
    async with server:
        yield server


@pytest.fixture
async def pages(stack: RunningStack, tile_server: TestServer, tmp_path: Path) -> AsyncIterator[str]:
    """Viewer and tiles with that basemap, beside the rest of the stack; their base address."""
    settings = {
        "DAMS_CATALOGUE_URL": stack.service_urls["common"],
        "DAMS_DATABASE_URL": stack.reader_url("dams"),
        "DAMS_TILE_WARM_UP": "none",
        "DAMS_STATE_DIR": str(tmp_path),
        "DAMS_BASEMAP_TILES": f"http://127.0.0.1:{tile_server.port}/{{z}}/{{x}}/{{y}}.png",
        "DAMS_BASEMAP_ATTRIBUTION": "Magenta <maps>",
    }
    outer = web.Application()

    async def elsewhere(request: web.Request) -> web.Response:
        address = f"{stack.base_url}{request.path_qs.removeprefix('/api')}"
        async with aiohttp.ClientSession() as session, session.get(address) as response:
            text = await response.read()
            return web.Response(
                body=text.replace(stack.base_url.encode(), f"http://127.0.0.1:{front.port}/api".encode()),
                status=response.status,
                headers={"Content-Type": response.headers["Content-Type"]},
            )

    async with TestServer(make_viewer(settings)) as viewer, TestServer(make_tiles(settings)) as tiles:

        async def ours(request: web.Request) -> web.Response:
            behind = tiles if request.path.endswith("/style.json") else viewer
            address = behind.make_url(request.path_qs.removeprefix("/api"))
            headers = {"X-Forwarded-Host": f"127.0.0.1:{front.port}", "X-Forwarded-Proto": "http"}
            headers["X-Forwarded-Prefix"] = "/api"
            async with aiohttp.ClientSession() as session, session.get(address, headers=headers) as response:
                kept = {
                    name: response.headers[name]
                    for name in ("Content-Type", "Content-Security-Policy")
                    if name in response.headers
                }
                return web.Response(body=await response.read(), status=response.status, headers=kept)

        for path in (
            "/api/assets/{rest:.*}",
            "/api/basemap/{rest:.*}",
            "/api/{rest:.*}/map.html",
            "/api/{rest:.*}/style.json",
        ):
            outer.router.add_get(path, ours)
        outer.router.add_get("/api/{rest:.*}", elsewhere)
        front = TestServer(outer)
        async with front:
            yield f"http://127.0.0.1:{front.port}/api"


@pytest.mark.parametrize("matrix_set", ["WebMercatorQuad", "UPSArcticWGS84Quad"])
async def test_an_operators_basemap_is_drawn(
    visit: NewVisit, pages: str, matrix_set: str, tile_server: TestServer
) -> None:
    page = await visit(device_scale_factor=1)
    page.base_url = pages
    await page.open(f"{_map(matrix_set)}#map=3/65/-150")
    await page.page.get_by_text("Magenta <maps>").wait_for()

    async def drawn() -> None:
        colours = counted_colours((await page.picture()).crop((360, 60, 1200, 640)))
        assert near(colours, "#ff00ff", 4) > 200_000
        # data above it
        assert near(colours, "#dbb512") > 10

    await eventually(drawn, seconds=MOST_SECONDS)
    # and nothing of our own
    assert not any("/basemap/W" in url for url in page.requests)
    assert {urlsplit(url).netloc for url in page.elsewhere()} == {f"127.0.0.1:{tile_server.port}"}
    # before its servers end
    await page.page.goto("about:blank")
    page.requests.clear()
