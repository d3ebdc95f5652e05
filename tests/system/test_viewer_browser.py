"""The map viewer in a real Chromium: it draws data, requests nothing from other hosts, and is accessible."""

import io
import re

import aiohttp
import asyncpg
import pytest
import shapely
from PIL import Image
from playwright.async_api import async_playwright
from shapely.geometry import shape

from tests.running_stack import RunningStack
from tests.system.visits import ARCHIVE, NewVisit, Visit, browser_program, items, map_of, near

pytestmark = [pytest.mark.system, pytest.mark.browser]

_HOSTILE = "<img src=x onerror=\"document.body.dataset.hacked='1'\">"

_EARTHQUAKES = "hazard.hazard_eq_events"
_TRACKS = "hazard.hazard_ts_tracks"
_FLOODS = "hazard.hazard_fl_events"


@pytest.mark.parametrize(
    ("collection", "colour"), [(_EARTHQUAKES, "#dbb512"), (_TRACKS, "#d02b2a"), (_FLOODS, "#0984ba")]
)
async def test_map_draws_points_lines_and_areas(visit: NewVisit, collection: str, colour: str) -> None:
    page = await visit(device_scale_factor=1)
    # all tracks of the world take long to draw in software
    await page.open(map_of(collection) + ("#map=5/17/-63" if collection == _TRACKS else ""))
    features = await page.drawn(collection)
    assert len(features) > 20
    assert all(isinstance(feature["id"], int) for feature in features)
    colours = await page.colours()
    assert near(colours, colour) > 50
    # the basemap's land and sea
    assert near(colours, "#f7f6f2", 4) > 1000
    assert near(colours, "#dfe8ee", 4) > 5000
    assert await page.page.inner_text("#status") == ""
    tiles = [status for url, status in page.statuses.items() if re.search(r"/tiles/WebMercatorQuad/\d+/\d+/\d+", url)]
    assert tiles
    assert set(tiles) == {200}


# where an item is looked for, and in which collection; north of 60 degrees CDB and GNOSIS have wide tiles
_PLACES = {
    "CDB1GlobalGrid": (_EARTHQUAKES, "-170,60,-140,72"),
    "CanadianNAD83_LCC": (_EARTHQUAKES, "-150,45,-60,70"),
    "EuropeanETRS89_LAEAQuad": ("hazard.hazard_fl_glofas_gauges_forecast", "0,44,20,55"),
    "GNOSISGlobalGrid": (_EARTHQUAKES, "-170,60,-140,72"),
    "LINZAntarticaMapTilegrid": ("hazard.hazard_ts_nodes", "-180,-80,180,-55"),
    "NZTM2000Quad": ("hazard.hazard_ts_nodes", "170,-45,178,-35"),
    "UPSAntarcticWGS84Quad": ("hazard.hazard_ts_nodes", "-180,-80,180,-45"),
    "UPSArcticWGS84Quad": (_EARTHQUAKES, "-170,60,-140,72"),
    "UTM31WGS84Quad": ("hazard.hazard_fl_glofas_gauges_forecast", "0,42,10,52"),
    "WGS1984Quad": (_EARTHQUAKES, "-130,30,-110,45"),
    "WorldCRS84Quad": (_EARTHQUAKES, "-130,30,-110,45"),
    "WorldMercatorWGS84Quad": (_EARTHQUAKES, "-130,30,-110,45"),
}


@pytest.mark.parametrize("matrix_set", _PLACES)
async def test_other_matrix_sets_draw_in_their_own_projection(
    visit: NewVisit, stack: RunningStack, matrix_set: str
) -> None:
    collection, bbox = _PLACES[matrix_set]
    item = (await items(stack, collection, bbox=bbox, limit="1"))[0]
    longitude, latitude = item["geometry"]["coordinates"][:2]
    page = await visit(device_scale_factor=1)
    await page.open(f"{map_of(collection, matrix_set)}#map=7/{latitude}/{longitude}")
    # the place is computed by proj4 in the browser, the drawing there by PostGIS
    at_centre = await page.page.evaluate(
        """() => map.getFeaturesAtPixel(map.getPixelFromCoordinate(map.getView().getCenter()))
            .map((feature) => feature.getId())"""
    )
    assert item["id"] in at_centre
    image = Image.open(io.BytesIO(await page.page.locator("#map").screenshot())).convert("RGB")
    middle = image.crop((637, 397, 643, 403)).getcolors()
    assert middle is not None
    basemap = {(0xF7, 0xF6, 0xF2), (0xDF, 0xE8, 0xEE)}
    assert not {colour for _, colour in middle} <= basemap
    tiles = {status for url, status in page.statuses.items() if re.search(rf"/tiles/{matrix_set}/-?\d+/", url)}
    assert tiles == {200}


@pytest.mark.parametrize("matrix_set", ["CDB1GlobalGrid", "UPSArcticWGS84Quad", "EuropeanETRS89_LAEAQuad"])
async def test_first_view_is_not_empty(visit: NewVisit, matrix_set: str) -> None:
    page = await visit()
    await page.open(map_of("hazard.hazard_fl_glofas_gauges_forecast", matrix_set))
    seen = await page.page.evaluate(
        """() => map.getLayers().getArray().filter((layer) => layer.get("collection"))
            .flatMap((layer) => layer.getFeaturesInExtent(map.getView().calculateExtent())).length"""
    )
    assert seen > 0
    # the wheel zooms a map that was not touched before
    before = await page.page.evaluate("map.getView().getZoom()")
    await page.page.mouse.move(640, 400)
    await page.page.mouse.wheel(0, -300)
    await page.until(f"map.getView().getZoom() > {before}")


async def test_without_webgl_the_same_map_is_drawn(stack: RunningStack) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=browser_program(), args=["--no-sandbox", "--disable-3d-apis", "--no-first-run"]
        )
        made = Visit(await browser.new_page(), stack.base_url)
        await made.open(map_of(_EARTHQUAKES))
        assert "without WebGL" in await made.page.inner_text("#plain")
        assert await made.page.locator(".ol-viewport canvas").count() > 0
        assert made.problems == []
        await browser.close()


@pytest.mark.parametrize(
    ("collection", "sortby"),
    [(_EARTHQUAKES, "-magnitude"), ("hazard.hazard_ts_tracks", "-max_wind_kt"), (_FLOODS, "-area_km2")],
    ids=["point", "line", "area"],
)
async def test_feature_is_drawn_where_it_lies(
    visit: NewVisit, stack: RunningStack, collection: str, sortby: str
) -> None:
    item = (await items(stack, collection, sortby=sortby, limit="1", f="geojson"))[0]
    geometry = shape(item["geometry"])
    # a position on it: a vertex of a line, a place inside an area
    line = shapely.get_parts(geometry)[0] if "Line" in geometry.geom_type else None
    place = geometry.representative_point() if line is None else shapely.get_point(line, 5)
    page = await visit(device_scale_factor=1)
    await page.open(f"{map_of(collection)}#map=8/{place.y}/{place.x}")
    at_centre = await page.page.evaluate(
        """([lon, lat]) => map.queryRenderedFeatures(map.project([lon, lat])).map(({ id }) => id)""",
        [place.x, place.y],
    )
    assert item["id"] in at_centre
    image = Image.open(io.BytesIO(await page.page.locator("canvas.maplibregl-canvas").screenshot())).convert("RGB")
    assert image.getpixel((640, 400)) not in {(0xF7, 0xF6, 0xF2), (0xDF, 0xE8, 0xEE)}


async def test_popup_shows_the_item_and_its_links(visit: NewVisit, stack: RunningStack) -> None:
    item = (await items(stack, _EARTHQUAKES, sortby="-magnitude", limit="1"))[0]
    longitude, latitude = item["geometry"]["coordinates"][:2]
    page = await visit()
    await page.open(f"{map_of(_EARTHQUAKES)}#map=9/{latitude}/{longitude}")
    box = await page.page.locator("#map").bounding_box()
    assert box is not None
    await page.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    card = page.page.locator(".card")
    await card.wait_for()
    text = await card.inner_text()
    assert f"M {item['properties']['magnitude']:.1f}" in text
    assert " km" in text
    assert "UTC" in text
    details = await card.get_by_role("link", name="Feature page").get_attribute("href")
    assert details == f"{stack.base_url}/collections/{_EARTHQUAKES}/items/{item['id']}?f=html"
    assert f"id={_EARTHQUAKES}/{item['id']}" in page.page.url
    await page.page.keyboard.press("Escape")
    assert await card.count() == 0


async def test_hostile_values_are_text(visit: NewVisit, stack: RunningStack) -> None:
    database = await asyncpg.connect(stack.owner_url("dams"))
    try:
        identifier = await database.fetchval(
            "INSERT INTO hazard.hazard_fl_alerts (event_id, title, alert_level, issued, country, source, geom) "
            "VALUES ($1, $1, 'Red', now(), $1, 'javascript:alert(1)', "
            "ST_Multi(ST_SetSRID(ST_MakeEnvelope(-30, -40, -20, -30), 4326))) RETURNING id",
            _HOSTILE,
        )
        page = await visit()
        await page.open(f"{map_of('hazard.hazard_fl_alerts')}#id=hazard.hazard_fl_alerts/{identifier}")
        card = page.page.locator(".card")
        await card.wait_for()
        assert _HOSTILE in await card.locator("h2").inner_text()
        assert await card.locator("img").count() == 0
        assert await page.page.locator("a[href^='javascript']").count() == 0
        assert await page.page.evaluate("document.body.dataset.hacked") is None
    finally:
        await database.execute("DELETE FROM hazard.hazard_fl_alerts WHERE event_id = $1", _HOSTILE)
        await database.close()


@pytest.mark.parametrize("reduced_motion", ["reduce", "no-preference"])
@pytest.mark.parametrize("matrix_set", ["WebMercatorQuad", "WorldCRS84Quad"])
async def test_a_chosen_event_is_in_view(visit: NewVisit, matrix_set: str, reduced_motion: str) -> None:
    page = await visit(reduced_motion=reduced_motion)
    await page.open(map_of(_EARTHQUAKES, matrix_set))
    chosen = page.page.locator("#events li button").first
    identifier = await chosen.get_attribute("data-id")
    await chosen.click()
    await page.page.locator(".card").wait_for()
    # where the map comes to rest, not on its way
    await page.until(
        "!(map.getView ? map.getView().getAnimating() : map.isMoving()) &&"
        "(({ left, top, right, bottom }) => left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight)"
        "(document.querySelector('.card').getBoundingClientRect())"
    )
    await page.ready()
    # the list has what is in view
    await page.page.locator(f"#events li button[data-id='{identifier}']").wait_for()


async def test_list_works_with_the_keyboard(visit: NewVisit) -> None:
    page = await visit()
    await page.open(map_of(_EARTHQUAKES))
    first = page.page.locator("#events li button").first
    await first.focus()
    chosen = await first.get_attribute("data-id")
    await page.page.keyboard.press("Enter")
    await page.page.locator(".card").wait_for()
    await page.page.keyboard.press("Escape")
    assert await page.page.locator(".card").count() == 0
    # on the same entry, although the list has been refilled for the view that the map moved to
    assert await page.page.evaluate("document.activeElement.closest('#events li') !== null")
    assert await page.page.evaluate("document.activeElement.dataset.id") == chosen


async def test_time_slider_filters_through_the_service(visit: NewVisit) -> None:
    page = await visit()
    await page.open(map_of(_EARTHQUAKES))
    before = len(await page.drawn(_EARTHQUAKES))
    await page.page.locator("#timeline .range input").nth(0).fill("130")
    await page.ready_with("/tiles/WebMercatorQuad/", "datetime=")
    tiles = [url for url in page.requests if "/tiles/WebMercatorQuad/" in url and "datetime=" in url]
    assert tiles
    assert 0 < len(await page.drawn(_EARTHQUAKES)) < before / 2
    assert "t=20" in page.page.url


async def test_overview_shows_several_collections_and_switches_them(visit: NewVisit) -> None:
    page = await visit()
    await page.open(ARCHIVE)
    assert await page.drawn(_EARTHQUAKES)
    assert await page.drawn("hazard.hazard_ts_events")
    switch = page.page.get_by_role("switch", name="Earthquake events")
    await switch.click()
    await page.ready()
    assert await page.page.evaluate(
        "(id) => map.getStyle().layers.every((l) => l['source-layer'] !== id)", _EARTHQUAKES
    )
    assert "c=" in page.page.url
    # without any, the page ignores the pending list and offers no download
    await page.page.route(re.compile("/items[?]"), lambda _: None)
    await page.page.get_by_role("switch", name="Tropical storm events").click()
    await page.page.locator("#events[aria-busy]").wait_for(state="attached")
    await page.page.get_by_role("switch", name="Flood events").click()
    await page.page.locator("#events").get_by_text("No collection is shown.").wait_for(state="attached")
    assert await page.page.locator("#events[aria-busy]").count() == 0
    assert await page.page.get_attribute("#download", "hidden") is not None


async def test_api_explorer_tries_a_request(visit: NewVisit) -> None:
    page = await visit()
    await page.open("/docs")
    operation = page.page.locator(".opblock", has_text="/conformance").first
    await operation.locator(".opblock-summary-control").click()
    await operation.get_by_role("button", name="Execute").click()
    await operation.locator(".responses-table.live-responses-table .response-col_status", has_text="200").wait_for()


async def test_what_is_in_view_can_be_downloaded(visit: NewVisit, stack: RunningStack) -> None:
    page = await visit()
    await page.open(f"{map_of(_EARTHQUAKES)}#map=4/37/-119")
    link = page.page.locator("#download a[data-format=geojson]")
    await link.wait_for()
    href = await link.get_attribute("href")
    assert href is not None
    # all of it, however much
    assert ("/export?" in href, "limit=" in href) == (True, False)
    async with aiohttp.ClientSession() as session, session.get(href) as response:
        document = await response.json(content_type=None)
    assert f"{document['numberReturned']:,}" in await page.page.inner_text("#tab-events")
    drawn = {feature["id"] for feature in await page.drawn(_EARTHQUAKES)}
    assert drawn
    assert drawn <= {feature["id"] for feature in document["features"]}


async def test_search_finds_by_name_in_any_case(visit: NewVisit, stack: RunningStack) -> None:
    strongest = (await items(stack, _EARTHQUAKES, sortby="-magnitude", limit="1"))[0]
    name = strongest["properties"]["place"].rpartition(" ")[2]
    page = await visit()
    await page.open(map_of(_EARTHQUAKES))
    # a search applies to tiles and counts, too; only the list is sorted
    async with page.page.expect_response(lambda response: "CASEI" in response.url and "sortby=" in response.url):
        await page.page.get_by_role("searchbox").fill(name.lower())
    await page.page.wait_for_selector("#events:not([aria-busy])")
    texts = await page.page.locator("#events li .title").all_inner_texts()
    assert texts
    assert all(name.lower() in text.lower() for text in texts)
