"""The look of the map at first and near its edges, in a real Chromium."""

import pytest

from tests.running_stack import RunningStack
from tests.system.visits import NewVisit, Visit, items, map_of

pytestmark = [pytest.mark.system, pytest.mark.browser]

_EARTHQUAKES = "hazard.hazard_eq_events"
_STORMS = "hazard.hazard_ts_events"
_GAUGES = "hazard.hazard_fl_glofas_gauges_forecast"


async def test_a_set_of_small_tiles_is_seen_from_afar_all_the_same(visit: NewVisit) -> None:
    page = await visit()
    await page.open(map_of(_EARTHQUAKES, "CDB1GlobalGrid"))
    west, _, east, _ = await page.page.evaluate("map.getView().calculateExtent()")
    assert east - west >= 350
    drawn = """() => map.getLayers().getArray().filter((layer) => layer.get("collection"))
        .flatMap((layer) => layer.getFeaturesInExtent(map.getView().calculateExtent())).length"""
    assert await page.page.evaluate(drawn) > 100
    note = page.page.locator("#substitute")
    assert "WorldCRS84Quad" in await note.inner_text()
    assert len([url for url in page.requests if "/tiles/" in url]) < 60
    # from near, its own tiles
    await page.open(f"{map_of(_EARTHQUAKES, 'CDB1GlobalGrid')}?#map=7/37/-118")
    await note.wait_for(state="hidden")
    assert [url for url in page.requests if "/tiles/CDB1GlobalGrid/-" in url]


async def _inside(page: Visit, outer: str, inner: str) -> None:
    """The lower links of a popup can be seen and clicked."""
    around = await page.page.locator(outer).bounding_box()
    box = await page.page.locator(inner).bounding_box()
    assert around is not None
    assert box is not None
    assert box["y"] >= around["y"]
    assert box["y"] + box["height"] <= around["y"] + around["height"]


@pytest.mark.parametrize("height", [420, 520])
async def test_popup_stays_on_a_low_screen(visit: NewVisit, stack: RunningStack, height: int) -> None:
    item = (await items(stack, _GAUGES, limit="1", f="geojson"))[0]
    longitude, latitude = item["geometry"]["coordinates"]
    page = await visit(width=1280, height=height)
    await page.open(f"{map_of(_GAUGES)}#map=6/{latitude}/{longitude}")
    # lower parts are below the timeline
    for part in (0.25, 0.5, 0.7):
        y = round(height * part)
        await page.page.evaluate(
            """([at, y]) => {
                const { x: x0, y: y0 } = map.project(at);
                map.panBy([x0 - 640, y0 - y], { animate: false });
            }""",
            [[longitude, latitude], y],
        )
        await page.ready()
        await page.page.mouse.click(640, y)
        await page.page.locator(".card .series").wait_for()
        await _inside(page, "#map", ".maplibregl-popup-content")
        await page.page.locator(".card nav a").first.scroll_into_view_if_needed()
        await _inside(page, "#map", ".card nav")
        await page.page.keyboard.press("Escape")
        await page.page.locator(".card").wait_for(state="detached")


async def test_gauge_shows_its_discharge(visit: NewVisit, stack: RunningStack) -> None:
    item = (await items(stack, _GAUGES, limit="1", f="geojson"))[0]
    values = [entry["discharge_m3s"] for entry in item["properties"]["time_series"]]
    page = await visit()
    await page.open(f"{map_of(_GAUGES)}#id={_GAUGES}/{item['id']}")
    caption = page.page.locator(".series figcaption")
    await caption.wait_for()
    said = await caption.inner_text()
    assert said.startswith(f"Discharge: {min(values):,g} to {max(values):,g} m³/s, ")
    assert "25th to 75th percentile" in said
    assert await page.page.locator(".series polygon").count() == 1
    assert await page.page.locator(".series line").count() == said.count("-year: ")


async def test_globe_fills_the_height(visit: NewVisit) -> None:
    page = await visit(width=1440, height=900)
    await page.open(map_of(_GAUGES))
    await page.page.get_by_role("button", name="Enable globe").click()
    await page.until("!map.isMoving() && map.getProjection().type === 'globe'")
    await page.ready()
    # the edge of the globe above the centre: where the sky begins, there is no position
    top = await page.page.evaluate(
        """() => {
            for (let y = 0; y < innerHeight / 2; y++) {
                const at = map.unproject([innerWidth / 2, y]);
                const back = map.project(at);
                if (Math.abs(back.y - y) < 1) return y;
            }
            return innerHeight / 2;
        }"""
    )
    assert 20 <= top <= 140
    # a closer view stays
    await page.page.get_by_role("button", name="Disable globe").click()
    await page.page.evaluate("void map.jumpTo({ zoom: 5 })")
    await page.page.get_by_role("button", name="Enable globe").click()
    await page.until("!map.isMoving() && map.getProjection().type === 'globe'")
    assert await page.page.evaluate("map.getZoom()") == pytest.approx(5, abs=0.01)


@pytest.mark.parametrize("view", ["5/23.9/121.6", "9/23.9/121.6"])
async def test_selected_feature_is_between_panel_and_card(visit: NewVisit, view: str) -> None:
    page = await visit(width=1440, height=900)
    await page.open(f"{map_of('hazard.hazard_eq_events')}#map={view}")
    zoom = await page.page.evaluate("map.getZoom()")
    await page.page.locator("#events li button").first.click()
    await page.until("/[#&]id=/.test(location.hash) && !map.isMoving()")
    await page.ready()
    assert await page.page.evaluate("map.getZoom()") >= zoom
    at = await page.page.evaluate(
        """async () => {
            const [collection, item] = new URLSearchParams(location.hash.slice(1)).get("id").split("/");
            const response = await fetch(`/api/collections/${collection}/items/${item}?f=geojson`);
            return map.project((await response.json()).geometry.coordinates);
        }"""
    )
    panel = await page.page.locator("#panel").bounding_box()
    assert panel is not None
    assert panel["x"] + panel["width"] < at["x"] < 1440 - 60
    assert 100 < at["y"] < 900 - 100


async def test_list_can_begin_with_the_strongest_and_the_legend_has_all(visit: NewVisit, stack: RunningStack) -> None:
    strongest = (await items(stack, _STORMS, sortby="-max_wind_kt,-start_date", limit="1", f="geojson"))[0]
    page = await visit()
    await page.open(map_of(_STORMS))
    await page.page.locator("#legend").get_by_text("no category").wait_for()
    await page.page.get_by_label("Sort").select_option("strongest")
    first = f"document.querySelector('#events li button')?.dataset.id === '{strongest['id']}'"
    await page.until(first)
    # without an order of importance, the list does not offer one
    await page.open(map_of("hazard.hazard_ts_buffers"))
    collections = await page.page.evaluate("JSON.parse(document.querySelector('#page').textContent).collections")
    importance = {entry["id"]: entry["importance"] for entry in collections}
    assert await page.page.locator("#sort").is_hidden() == (importance["hazard.hazard_ts_buffers"] is None)
