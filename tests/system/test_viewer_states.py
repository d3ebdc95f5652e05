"""The map's messages when data change, are missing or fail; its accessibility; its weight."""

import re
from typing import Any

import aiohttp
import asyncpg
import pytest

from libs.web.catalogues import catalogue
from tests.running_stack import RunningStack
from tests.system.accessibility import faults
from tests.system.visits import NewVisit, map_of

pytestmark = [pytest.mark.system, pytest.mark.browser]

_EARTHQUAKES = "hazard.hazard_eq_events"
_ALERTS = "hazard.hazard_fl_alerts"
_HELD = "kept while data change"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
async def test_axe_finds_nothing(visit: NewVisit, theme: str, width: int) -> None:
    # the two engines in turn, so that each is seen at each width and in each theme once
    matrix_set = "WebMercatorQuad" if (theme == "light") == (width == 390) else "WorldCRS84Quad"
    page = await visit(width=width, height=844, color_scheme=theme)
    await page.open(map_of(_EARTHQUAKES, matrix_set))
    await page.page.locator("#events li button").first.click()
    await page.page.locator(".card").wait_for()
    # in view, however the map got there
    await page.until("document.querySelector('.card').getBoundingClientRect().top >= 0")
    assert await faults(page.page) == ""
    await page.page.keyboard.press("Escape")
    await page.page.get_by_text("Get this data").click()
    await page.page.locator("#programs button").wait_for()
    assert await faults(page.page) == ""
    await page.page.get_by_role("tab", name="Filter").click()
    await page.page.get_by_label("Property").wait_for()
    await page.page.get_by_label("As CQL2").fill("magnitud = 1")
    await page.page.get_by_label("As CQL2").press("Enter")
    await page.page.locator("#filter [role=alert]").wait_for()
    await page.page.get_by_role("button", name="Measure", exact=True).click()
    assert await faults(page.page) == ""
    assert await page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.problems.clear()  # the refused filter


@pytest.mark.parametrize(
    ("theme", "width", "tag"), [("light", 390, "en"), ("dark", 1440, "en"), ("dark", 390, "ar"), ("light", 1440, "ar")]
)
async def test_axe_finds_nothing_on_what_opens(visit: NewVisit, theme: str, width: int, tag: str) -> None:
    words = {str(message.id): str(message.string) for message in catalogue(tag)} if tag != "en" else {}
    page = await visit(width=width, height=844, color_scheme=theme, locale=tag)

    def said(text: str) -> str:
        return words.get(text, text)

    await page.open("/map")
    assert await faults(page.page) == ""
    await page.page.get_by_role("button", name=said("Choose a time")).click()
    times = page.page.get_by_role("form", name=said("Choose a time"))
    await times.wait_for()
    assert await faults(page.page) == ""
    await times.get_by_role("button", name=said("Close")).click()
    await page.page.get_by_role("tab", name=said("Layers")).click()
    assert await faults(page.page) == ""
    search = page.page.locator("#go input")
    await search.fill("irma 2017")
    found = page.page.get_by_role("option", name=re.compile("Irma.*2017"))
    await found.wait_for()
    assert await faults(page.page) == ""
    await found.click()
    await page.page.locator("#life").wait_for()
    assert await faults(page.page) == ""
    other = page.page.get_by_label(said("Compare with another storm"))
    await other.locator("option").nth(1).wait_for(state="attached")
    await other.select_option(index=1)
    await page.page.locator("#storm .storms tbody tr").first.wait_for()
    assert await faults(page.page) == ""
    await page.page.get_by_role("button", name=said("Share"), exact=True).click()
    assert await faults(page.page) == ""
    assert await page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_an_outage_is_said_and_ends(visit: NewVisit) -> None:
    page = await visit()
    await page.open(f"{map_of(_ALERTS)}#map=2/20/80")
    before = len(await page.drawn(_ALERTS))
    assert before
    # coming back to the page looks at once
    look = "document.dispatchEvent(new Event('visibilitychange'))"
    await page.page.context.set_offline(True)
    await page.page.evaluate(look)
    await page.until("document.querySelector('#status').textContent.includes('does not answer')")
    assert await page.page.get_attribute("#status", "data-kind") == "error"
    # the shown features stay
    assert len(await page.drawn(_ALERTS)) == before
    await page.page.context.set_offline(False)
    await page.until(f"{look}, !document.querySelector('#status').textContent")
    assert all("INTERNET_DISCONNECTED" in problem for problem in page.problems), page.problems
    page.problems.clear()


async def test_an_outage_of_a_part_is_said_where_it_is_missed(visit: NewVisit, stack: RunningStack) -> None:
    page = await visit()
    await page.open(f"{map_of(_ALERTS)}#map=2/20/80")
    # asked for what no cache has
    stack.stop("features")
    try:
        await page.page.get_by_role("searchbox").fill("Alert")
        await page.page.locator("#events li.fault").wait_for()
    finally:
        stack.start("features")
    await page.page.locator("#events li button").first.wait_for()
    assert all("50" in problem for problem in page.problems), page.problems
    page.problems.clear()


async def test_a_missing_style_is_said(visit: NewVisit, stack: RunningStack) -> None:
    page = await visit()
    await page.page.route("**/style.json*", lambda route: route.abort())
    await page.page.goto(f"{stack.base_url}{map_of(_EARTHQUAKES)}")
    await page.ready()
    assert await page.page.inner_text("#status") == "The service cannot be reached."
    page.problems.clear()


async def test_nothing_in_view_is_said(visit: NewVisit) -> None:
    page = await visit()
    await page.open(f"{map_of(_ALERTS)}#map=5/-60/-140")
    await page.page.get_by_text("Nothing in this view; zoom out or move the map.").wait_for()


async def test_new_data_appear_without_a_word(visit: NewVisit, stack: RunningStack) -> None:
    page = await visit()
    await page.open(f"{map_of(_ALERTS)}#map=5/-35/-25")
    assert await page.drawn(_ALERTS) == []
    await page.page.get_by_role("searchbox").fill(_HELD)
    database = await asyncpg.connect(stack.owner_url("dams"))
    try:
        await database.execute(
            "INSERT INTO hazard.hazard_fl_alerts (event_id, title, alert_level, issued, country, source, geom) "
            "VALUES ($1, $1, 'Red', now(), 'Nowhere', 'simulated', "
            "ST_Multi(ST_SetSRID(ST_MakeEnvelope(-30, -40, -20, -30), 4326)))",
            _HELD,
        )
        # the page looks every 15 seconds by itself
        await page.until("map.queryRenderedFeatures().some(({ source }) => source === 'hazard.hazard_fl_alerts')")
        await page.until("document.querySelector('#events li .title')?.textContent === 'kept while data change'")
        today = await page.page.evaluate(
            "new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date())"
        )
        await page.until(f"document.querySelector('#facts').textContent.endsWith('as of {today}')")
    finally:
        await database.execute("DELETE FROM hazard.hazard_fl_alerts WHERE event_id = $1", _HELD)
        await database.close()
    assert await page.page.get_by_role("searchbox").input_value() == _HELD
    assert "map=5" in page.page.url


async def test_first_paint_is_small_and_assets_never_expire(visit: NewVisit) -> None:
    page = await visit()
    finished: list[Any] = []
    page.page.on("requestfinished", lambda request: finished.append(request))  # noqa: PLW0108 - a built-in will not do
    await page.open(map_of(_EARTHQUAKES))
    at_first = list(finished)
    sizes = {request.url: (await request.sizes())["responseBodySize"] for request in at_first}
    kept = {request.url: (await request.response()).headers.get("cache-control", "") for request in at_first}
    ours = {url: size for url, size in sizes.items() if "/map.html" in url or re.search(r"/assets/(?!library)", url)}
    assert len(ours) >= 4
    assert sum(ours.values()) < 150_000
    # all that comes before the map library has done its work, library included
    assert sum(size for url, size in sizes.items() if "/assets/" in url) < 400_000
    for url, rule in kept.items():
        if "/assets/" in url:
            assert re.search(r"-[A-Za-z0-9]{8,}\.(js|mjs|css|woff2|svg)$", url), url
            assert "immutable" in rule
    # not asked for until it is needed
    assert not any("/WorldCRS84Quad/" in url or "geodesic" in url or "openlayers" in url for url in sizes)
    basemap = {url: size for url, size in sizes.items() if "/basemap/WebMercatorQuad/" in url}
    assert basemap
    assert sum(basemap.values()) < 250_000


async def test_old_assets_are_not_there(stack: RunningStack) -> None:
    async with aiohttp.ClientSession() as session, session.get(f"{stack.base_url}/assets/map-00000000.js") as response:
        assert response.status == 404
