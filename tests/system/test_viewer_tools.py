"""Measuring and the scale bar in a real Chromium, in several projections."""

import re

import pytest
from pyproj import Geod, Transformer

from tests.system.visits import NewVisit, Visit, map_of

pytestmark = [pytest.mark.system, pytest.mark.browser]

_EARTHQUAKES = "hazard.hazard_eq_events"
_WGS84 = Geod(ellps="WGS84")


def _map(matrix_set: str) -> str:
    return map_of(_EARTHQUAKES, matrix_set)


async def _positions(page: Visit, *pixels: tuple[int, int]) -> list[tuple[float, float]]:
    """Longitude and latitude under pixels; for OpenLayers computed by PROJ from the map's coordinates."""
    code, places = await page.page.evaluate(
        """(pixels) => map.unproject
            ? ["OGC:CRS84", pixels.map((pixel) => map.unproject(pixel).toArray())]
            : [map.getView().getProjection().getCode(), pixels.map((pixel) => map.getCoordinateFromPixel(pixel))]""",
        [list(pixel) for pixel in pixels],
    )
    transformer = Transformer.from_crs("OGC:CRS84" if code == "CRS:84" else code, "OGC:CRS84", always_xy=True)
    return [transformer.transform(x, y) for x, y in places]


def _number(text: str) -> float:
    found = re.search(r"([\d,.]+)\sk?m", text)
    assert found, text
    return float(found[1].replace(",", "")) * (1000 if "km" in found[0] else 1)


@pytest.mark.parametrize("matrix_set", ["WebMercatorQuad", "UPSArcticWGS84Quad"])
async def test_distance_and_area_are_geodesic(visit: NewVisit, matrix_set: str) -> None:
    page = await visit()
    await page.open(f"{_map(matrix_set)}#map=2.5/70/-40")
    await page.page.get_by_role("button", name="Measure", exact=True).click()
    output = page.page.locator("#measure output")
    pixels = [(500, 300), (900, 320), (880, 560)]
    for pixel in pixels:
        await page.page.mouse.click(*pixel)
    places = await _positions(page, *pixels)
    longitudes, latitudes = zip(*places, strict=True)
    await page.until("document.querySelector('#measure output').textContent.startsWith('Distance')")
    length = _WGS84.line_length(longitudes, latitudes)
    assert _number(await output.inner_text()) == pytest.approx(length, rel=2e-3)
    assert await page.page.locator(".card").count() == 0  # clicks measure, they do not select
    await page.page.get_by_label("Area", exact=True).check()
    area, _ = _WGS84.polygon_area_perimeter(longitudes, latitudes)
    found = re.search(r"Area ([\d,.]+) km²", await output.inner_text())
    assert found
    assert float(found[1].replace(",", "")) * 1e6 == pytest.approx(abs(area), rel=2e-3)


async def test_measuring_works_by_keyboard(visit: NewVisit) -> None:
    page = await visit()
    await page.open(f"{_map('WebMercatorQuad')}#map=3/0/0")
    await page.page.get_by_role("button", name="Measure", exact=True).focus()
    await page.page.keyboard.press("Enter")
    output = page.page.locator("#measure output")
    await page.until("document.querySelector('#measure output').textContent.includes('2 more')")
    await page.page.locator(".maplibregl-canvas").focus()
    await page.page.keyboard.press("Enter")
    await page.page.keyboard.press("ArrowRight")
    await page.until("!map.isMoving() && map.getCenter().lng > 5")
    await page.page.keyboard.press("Enter")
    longitude = await page.page.evaluate("map.getCenter().lng")
    assert _number(await output.inner_text()) == pytest.approx(_WGS84.line_length([0, longitude], [0, 0]), rel=2e-3)
    await page.page.keyboard.press("Backspace")
    assert "1 more point" in await output.inner_text()
    await page.page.get_by_role("button", name="Clear").click()
    assert "2 more points" in await output.inner_text()
    await page.page.keyboard.press("Escape")
    assert await page.page.locator("#measure").is_hidden()
    assert await page.page.evaluate("document.activeElement.id") == "measure-button"


@pytest.mark.parametrize(
    ("matrix_set", "view"),
    [
        ("WebMercatorQuad", "4/60/10"),
        ("UPSArcticWGS84Quad", "4/88/10"),
        ("UPSAntarcticWGS84Quad", "4/-70/100"),
        ("WorldCRS84Quad", "4/0/10"),
        ("EuropeanETRS89_LAEAQuad", "5/50/10"),
    ],
)
async def test_scale_bar_is_right_at_the_middle_of_the_map(visit: NewVisit, matrix_set: str, view: str) -> None:
    page = await visit()
    await page.open(f"{_map(matrix_set)}#map={view}")
    bar = page.page.locator(".maplibregl-ctrl-scale, .ol-scale-line-inner")
    await bar.wait_for()
    box = await bar.bounding_box()
    assert box is not None
    (west, south), (east, north) = await _positions(page, (540, 400), (740, 400))
    _, _, metres = _WGS84.inv(west, south, east, north)
    shown = _number(await bar.inner_text())
    # the bar's border is not part of its length in every library
    assert shown / box["width"] == pytest.approx(metres / 200, rel=0.04)
