"""Filtering the map by place: a drawn or typed area selects the features that are drawn, listed, counted and
downloaded.
"""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from pyproj import Geod

from tests.running_stack import RunningStack
from tests.system.visits import ARCHIVE, NewVisit, Visit, items, map_of

pytestmark = [pytest.mark.system, pytest.mark.browser]

_EARTHQUAKES = "hazard.hazard_eq_events"
_STORMS = "hazard.hazard_ts_tracks"
_MAP = map_of(_EARTHQUAKES)
_WGS84 = Geod(ellps="WGS84")


async def _taipei(stack: RunningStack) -> tuple[float, float]:
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{stack.base_url}/places", params={"q": "Taipei", "limit": "1"}) as response,
    ):
        longitude, latitude = (await response.json(content_type=None))["features"][0]["geometry"]["coordinates"]
        return longitude, latitude


async def _all(stack: RunningStack, **parameters: str) -> list[dict[str, Any]]:
    return await items(stack, _EARTHQUAKES, limit="10000", f="geojson", **parameters)


def _kilometres(feature: Mapping[str, Any], place: tuple[float, float]) -> float:
    longitude, latitude = feature["geometry"]["coordinates"][:2]
    metres: float = _WGS84.inv(longitude, latitude, *place)[2]
    return metres / 1000


async def _ids_in_view(page: Visit) -> set[int]:
    return {feature["id"] for feature in await page.drawn(_EARTHQUAKES)}


async def _area_tool(page: Visit) -> Any:
    await page.page.get_by_role("button", name="Select an area", exact=True).click()
    tool = page.page.get_by_role("region", name="Select an area")
    await tool.get_by_role("radio", name="Box").wait_for()
    return tool


async def test_strong_earthquakes_near_a_town_are_downloaded_in_six_steps(
    visit: NewVisit, stack: RunningStack, tmp_path: Path
) -> None:
    page = await visit()
    await page.open(ARCHIVE)
    # 1
    search = page.page.get_by_role("combobox", name="Go to a place")
    await search.fill("within 300 km of Taipei")
    await search.press("Enter")
    await page.page.locator(".chip", has_text="within 300 km of Taipei, Taiwan").wait_for()
    # 2, 3
    await page.page.locator("#timeline [data-act=choose]").click()
    await page.page.get_by_role("button", name="Last 30 days").click()
    # 4, 5
    await page.page.get_by_role("tab", name="Filter").click()
    text = page.page.get_by_label("As CQL2")
    await text.fill("magnitude >= 6")
    await text.press("Enter")
    await page.page.get_by_text("in the area:").wait_for()
    await page.until("/^Download (the one|all \\d) in the area/.test(document.querySelector('#download').textContent)")
    # 6
    async with page.page.expect_download() as download:
        await page.page.locator("#download a", has_text="CSV").click()
    file = tmp_path / "earthquakes.csv"
    await (await download.value).save_as(file)
    with file.open(encoding="utf-8-sig") as lines:
        found = {int(row["itemId"]) for row in csv.DictReader(lines)}
    every = await _all(stack, filter="magnitude >= 6", datetime="2018-01-08/2018-02-08")
    taipei = await _taipei(stack)
    expected = {feature["id"] for feature in every if _kilometres(feature, taipei) <= 300}
    assert expected
    assert found == expected


async def test_an_area_selects_tiles_list_counts_bars_and_downloads_and_travels(
    visit: NewVisit, stack: RunningStack
) -> None:
    inside = await _all(stack, bbox="118,21,123,26")
    every = await _all(stack)
    assert 0 < len(inside) < len(every)
    page = await visit()
    await page.open(f"{_MAP}#a=box/118,21,123,26")
    # a link without a view shows all of the area
    assert await _ids_in_view(page) == {feature["id"] for feature in inside}
    await page.until(f"document.querySelector('#facts').textContent.startsWith('{len(inside)} of ')")
    await page.until(f"document.querySelector('#tab-events span').textContent === '{len(inside)}'")
    condition = "S_INTERSECTS%28geom%2C+BBOX%28118%2C+21%2C+123%2C+26%29%29"
    await page.ready_with("/facets?", condition)
    for name in ("geojson", "csv"):
        href = await page.page.locator(f"#download a[data-format={name}]").get_attribute("href")
        assert href is not None
        assert condition in href
        assert "bbox=" not in href
    # where the map goes, the list stays with the area
    await page.page.evaluate("map.jumpTo({center: [0, 0], zoom: 3})")
    await page.ready_with("/items?", condition, "limit=30")
    assert await page.page.inner_text("#tab-events span") == str(len(inside))
    assert "a=box/118,21,123,26" in page.page.url
    await page.page.get_by_role("button", name="Clear the area").click()
    await page.until("document.querySelector('#facts').textContent.startsWith('1,707 features')")
    assert "a=" not in page.page.url.partition("#")[2].replace("map=", "")


async def test_an_area_is_drawn_with_the_mouse(visit: NewVisit, stack: RunningStack) -> None:
    page = await visit()
    await page.open(f"{_MAP}#map=3/40/-110")
    tool = await _area_tool(page)
    await page.page.mouse.click(500, 250)
    await page.page.mouse.move(700, 400)
    await page.page.mouse.click(800, 500)
    await page.page.locator(".chip", has_text="in the box").wait_for()
    west, south, east, north = [
        float(await tool.get_by_label(name).input_value()) for name in ("West", "South", "East", "North")
    ]
    corners = await page.page.evaluate("[[500, 250], [800, 500]].map((pixel) => map.unproject(pixel).toArray())")
    assert [west, north, east, south] == pytest.approx([*corners[0], *corners[1]], abs=1e-4)
    await page.ready_with("/tiles/WebMercatorQuad/", "BBOX")
    assert await page.page.locator(".card").count() == 0  # clicks draw, they do not select
    # a circle takes its place
    await tool.get_by_label("Circle").check()
    await page.page.mouse.click(600, 400)
    await page.page.mouse.click(700, 400)
    await page.page.locator(".chip", has_text="within").wait_for()
    places = await page.page.evaluate("[[600, 400], [700, 400]].map((pixel) => map.unproject(pixel).toArray())")
    kilometres = _WGS84.inv(*places[0], *places[1])[2] / 1000
    assert float(await tool.get_by_label("Kilometres").input_value()) == pytest.approx(kilometres, rel=0.01)
    await page.ready()
    middle, reach = (places[0][0], places[0][1]), float(await tool.get_by_label("Kilometres").input_value())
    expected = {feature["id"] for feature in await _all(stack) if _kilometres(feature, middle) <= reach}
    await page.until(f"document.querySelector('#tab-events span').textContent === '{len(expected):,}'")
    # and a polygon, ended by a double click
    await tool.get_by_label("Polygon").check()
    for pixel in ((500, 250), (800, 300)):
        await page.page.mouse.click(*pixel)
    await page.page.mouse.dblclick(700, 550)
    await page.page.locator(".chip", has_text="in a polygon of 3 corners").wait_for()
    assert (await tool.get_by_label("Corners").input_value()).count(",") == 2
    await page.page.keyboard.press("Escape")
    assert await tool.is_hidden()
    await page.page.locator(".chip").get_by_role("button", name="Clear the area").click()
    await page.until("!location.hash.includes('a=polygon')")


async def test_an_area_is_typed_and_drawn_by_keyboard(visit: NewVisit, stack: RunningStack) -> None:
    page = await visit()
    await page.open(f"{_MAP}#map=3/0/0")
    await page.page.get_by_role("button", name="Select an area", exact=True).focus()
    await page.page.keyboard.press("Enter")
    tool = page.page.get_by_role("region", name="Select an area")
    await page.page.wait_for_selector("#area input[value=box]:focus")
    # points at the middle of the map
    await page.page.locator(".maplibregl-canvas").focus()
    await page.page.keyboard.press("Enter")
    await page.page.evaluate("map.jumpTo({center: [20, 10]})")
    await page.page.keyboard.press("Enter")
    await page.until("location.hash.includes('a=box/0,0,20,10')")
    # a place by its name
    await tool.get_by_label("Circle").check()
    await tool.get_by_label("Around a place").fill("Taipei")
    await tool.get_by_label("Kilometres").fill("300")
    await page.page.keyboard.press("Enter")
    await page.page.locator(".chip", has_text="within 300 km of Taipei, Taiwan").wait_for()
    taipei = await _taipei(stack)
    expected = [feature for feature in await _all(stack) if _kilometres(feature, taipei) <= 300]
    await page.until(f"document.querySelector('#tab-events span').textContent === '{len(expected)}'")
    # the centre stays if the user types only another distance
    await tool.get_by_label("Kilometres").fill("100")
    await page.page.keyboard.press("Enter")
    await page.page.locator(".chip", has_text="within 100 km of Taipei, Taiwan").wait_for()
    assert f"a=circle/{taipei[0]:.4f},{taipei[1]:.4f},100/Taipei" in page.page.url
    for value, fault in (("far", "far is not a number"), ("0", "more than 0"), ("", "A number is missing")):
        await tool.get_by_label("Kilometres").fill(value)
        await page.page.keyboard.press("Enter")
        await tool.get_by_role("alert").get_by_text(fault).wait_for()
    await tool.get_by_label("Around a place").fill("Qwertzuiop")
    await tool.get_by_label("Kilometres").fill("1")
    await page.page.keyboard.press("Enter")
    await tool.get_by_role("alert").get_by_text("No place named Qwertzuiop").wait_for()
    await tool.get_by_role("button", name="Remove").click()
    await page.until("document.querySelectorAll('.chip').length === 0")


async def _drag_by_touch(page: Visit, start: tuple[float, float], end: tuple[float, float]) -> None:
    session = await page.page.context.new_cdp_session(page.page)
    steps = [
        ("touchStart", [start]),
        *(
            ("touchMove", [(start[0] + (end[0] - start[0]) * at / 5, start[1] + (end[1] - start[1]) * at / 5)])
            for at in range(6)
        ),
        ("touchEnd", []),
    ]
    for kind, points in steps:
        touches = [{"x": x, "y": y} for x, y in points]
        await session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})


async def test_an_area_is_drawn_by_touch_in_another_projection(visit: NewVisit) -> None:
    page = await visit(width=390, height=844, has_touch=True, is_mobile=True)
    await page.open(f"{map_of(_STORMS, 'UPSArcticWGS84Quad')}#map=1/70/-60")
    # the first finger on the map moves it
    before = page.page.url
    await _drag_by_touch(page, (100, 330), (220, 290))
    await page.until(f"location.href !== {before!r}")
    await page.page.get_by_role("button", name="Select an area", exact=True).tap()
    await page.page.get_by_role("region", name="Select an area").get_by_role("radio", name="Circle").tap()
    await page.page.touchscreen.tap(120, 330)
    await page.page.get_by_text("Click a point of the edge").wait_for()
    await page.page.get_by_role("button", name="Point at the middle").tap()
    await page.until("location.hash.includes('a=circle/')")
    await page.ready_with("/items?", "S_DWITHIN")
    await page.until("document.querySelector('#tab-events b').textContent === 'In the area'")


async def test_faults_of_a_link_are_told_and_the_rest_is_shown(visit: NewVisit) -> None:
    page = await visit()
    await page.open(
        f"{_MAP}#map=2/20/0&a=box/1,2,3&t=yesterday&o=weakest&s=hazard.nothing&f.{_EARTHQUAKES}=magnitude>=6"
    )
    await page.until("document.querySelector('#status').dataset.kind === 'error'")
    told = await page.page.inner_text("#status")
    for part in (
        "“a” of the link: A box has four edges",
        "“t” of the link: yesterday",
        "“o” of the link",
        "collection hazard.nothing does not exist",
    ):
        assert part in told
    assert {feature["properties"]["magnitude"] >= 6 for feature in await page.drawn(_EARTHQUAKES)} == {True}


async def test_the_order_of_the_list_is_in_the_link(visit: NewVisit, stack: RunningStack) -> None:
    page = await visit()
    await page.open(_MAP)
    await page.page.get_by_label("Sort").select_option("strongest")
    await page.until("location.hash.includes('o=strongest')")
    strongest = (await items(stack, _EARTHQUAKES, sortby="-magnitude", limit="1"))[0]["id"]
    first = "document.querySelector('#events ol button')?.dataset.id"
    await page.until(f"{first} === '{strongest}'")
    other = await visit()
    await other.open(page.page.url.removeprefix(stack.base_url))
    await other.until(f"{first} === '{strongest}'")
    assert await other.page.get_by_label("Sort").input_value() == "strongest"


async def test_the_map_of_a_page_of_features_asks_for_the_same(visit: NewVisit, stack: RunningStack) -> None:
    page = await visit()
    response = await page.page.goto(
        f"{stack.base_url}/collections/{_EARTHQUAKES}/items?f=html&bbox=118,21,123,26&sortby=-magnitude"
    )
    assert response is not None
    await page.page.get_by_role("link", name="Open the map").click()
    await page.ready()
    inside = await _all(stack, bbox="118,21,123,26")
    assert await _ids_in_view(page) == {feature["id"] for feature in inside}
    assert await page.page.get_by_label("Sort").input_value() == "strongest"
    assert await page.page.locator(".chip").count() == 1
