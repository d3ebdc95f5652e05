"""The overview on a phone, names that tell features apart, and what screen readers say."""

import pytest

from tests.eventually import eventually
from tests.running_stack import RunningStack
from tests.system.visits import ARCHIVE, NewVisit, Visit, items, map_of

pytestmark = [pytest.mark.system, pytest.mark.browser]

_EARTHQUAKES = "hazard.hazard_eq_events"
_STORMS = "hazard.hazard_ts_events"
_SHOWN = ((_EARTHQUAKES, "earthquakes"), (_STORMS, "tropical storms"), ("hazard.hazard_fl_events", "floods"))


async def _number(page: Visit, collection: str, **parameters: str) -> int:
    query = "".join(f"&{name}={value}" for name, value in parameters.items())
    response = await page.page.request.get(f"{page.base_url}/collections/{collection}/items?limit=0{query}")
    number: int = (await response.json())["numberMatched"]
    return number


async def test_a_phone_shows_the_world_its_numbers_and_the_tabs(visit: NewVisit) -> None:
    page = await visit(width=360, height=740)
    await page.open(ARCHIVE)
    await page.until("document.querySelector('#facts').textContent.includes('floods')")
    numbers = {words: await _number(page, collection) for collection, words in _SHOWN}
    parts = ", ".join(f"{number:,} {words}" for words, number in numbers.items())
    assert await page.page.inner_text("#facts") == f"{sum(numbers.values()):,} features: {parts}"
    tabs = await page.page.locator(".tabs").bounding_box()
    sheet = await page.page.locator("#panel").bounding_box()
    drawn = await page.page.locator("#map").bounding_box()
    assert tabs
    assert sheet
    assert drawn
    # below the tabs there is room for what they lead to
    assert tabs["y"] + tabs["height"] < 740 - 120
    # the map ends behind the sheet's round corners, so its middle is seen
    assert sheet["y"] < drawn["y"] + drawn["height"] < sheet["y"] + 40
    await page.page.get_by_role("tab", name="Legend").click()
    legend = page.page.get_by_role("tabpanel", name="Legend")
    await legend.get_by_role("region", name="Legend of Flood events").wait_for()
    assert await page.page.evaluate("document.querySelector('#legend').scrollWidth <= innerWidth")
    # credits are folded, open by a press, and fold away when the map is moved
    credits_, button = page.page.locator(".maplibregl-ctrl-attrib-inner"), page.page.get_by_label("Sources of the map")
    await button.wait_for()
    assert await credits_.is_hidden()
    await button.click()
    assert "Natural Earth" in await credits_.inner_text()
    await page.page.mouse.move(180, 200)
    await page.page.mouse.down()
    await page.page.mouse.move(150, 180, steps=3)
    await page.page.mouse.up()
    await credits_.wait_for(state="hidden")
    await button.click()
    assert "Natural Earth" in await credits_.inner_text()
    # a window that is made wide shows it beside the list
    await page.page.set_viewport_size({"width": 1280, "height": 800})
    await page.until("!document.querySelector('#legend').hasAttribute('role')")
    assert await page.page.get_by_role("tab", name="Legend").count() == 0
    assert await page.page.locator("[role=tab][aria-selected=true]:visible").count() == 1
    await page.page.locator("#legend h2").first.wait_for()


async def test_nameless_storms_are_distinguished_and_found(visit: NewVisit, stack: RunningStack) -> None:
    page = await visit()
    await page.open(map_of(_STORMS))
    await page.page.wait_for_selector("#events li button")
    titles = await page.page.locator("#events li .title").all_inner_texts()
    assert len(titles) == len(set(titles)) == 30
    async with page.page.expect_response(lambda response: "season" in response.url):
        await page.page.get_by_role("searchbox", name="Search by name, basin, year or event").fill("west pacific 2016")
    await page.until("document.querySelector('#events li .title')?.textContent.startsWith('West Pacific')")
    # the map and the timeline ask for it, too
    await page.until("[...document.querySelectorAll('#events li .title')].every((e) => e.textContent.includes('2016'))")
    titles = await page.page.locator("#events li .title").all_inner_texts()
    assert all("Pacific" in title and "2016" in title for title in titles)
    # the popup and the feature's page say the same
    await page.page.locator("#events li button").first.click()
    name = await page.page.locator(".card h2").inner_text()
    assert name == titles[0]
    await page.page.get_by_role("link", name="Feature page").click()
    await page.page.locator("h1").wait_for()
    assert await page.page.inner_text("h1") == name
    assert (await page.page.title()).startswith(f"{name} · Tropical storm events")


async def test_screen_readers_announce_how_many_are_left(visit: NewVisit, stack: RunningStack) -> None:
    page = await visit()
    await page.open(map_of(_EARTHQUAKES))
    total = await _number(page, _EARTHQUAKES)
    spoken = "document.querySelector('#spoken[aria-live=polite]').textContent"
    await page.until(f"{spoken} === '{total:,} features'")
    slider = page.page.get_by_role("slider", name="To")
    await slider.focus()
    for _ in range(3):
        await page.page.keyboard.press("PageDown")
    await page.until(f"{spoken}.includes(' of {total:,} features')")

    async def spoken_of() -> tuple[int, str]:
        """How many are spoken of, once it is the number of the time in the address, which each key press changes."""
        number = int((await page.page.evaluate(spoken)).split(" ")[0].replace(",", ""))
        period = await page.page.evaluate("new URLSearchParams(location.hash.slice(1)).get('t')")
        assert number == await _number(page, _EARTHQUAKES, datetime=period)
        return number, period

    kept, time = await eventually(spoken_of)
    assert 0 < kept < total
    # the same is there to see
    assert (await page.page.inner_text("#facts")).startswith(f"{kept:,} of {total:,} features")
    assert await items(stack, _EARTHQUAKES, datetime=time, limit="1")


@pytest.mark.parametrize("matrix_set", ["WebMercatorQuad", "WorldCRS84Quad"])
async def test_what_stands_over_the_map_of_a_phone_covers_nothing(visit: NewVisit, matrix_set: str) -> None:
    page = await visit(width=390, height=844)
    await page.open(map_of(_EARTHQUAKES, matrix_set))
    time = page.page.locator("#timeline")
    await time.wait_for()
    # the time in one line
    line = await page.page.locator("#timeline output").bounding_box()
    assert line
    assert line["height"] < 20
    # the sources are behind a button that a finger can hit
    sources = page.page.locator(".maplibregl-ctrl-attrib, .ol-attribution")
    button = await sources.locator("summary, button").bounding_box()
    assert button
    assert min(button["width"], button["height"]) >= 24
    assert "Natural Earth" not in await sources.inner_text()
    await sources.locator("summary, button").click()
    assert "Natural Earth" in await sources.inner_text()
    # a box begins below the time
    await page.page.get_by_role("button", name="Share", exact=True).click()
    share, above = await page.page.locator("#share").bounding_box(), await time.bounding_box()
    assert share
    assert above
    assert above["y"] + above["height"] < share["y"] < above["y"] + above["height"] + 20


@pytest.mark.parametrize("matrix_set", ["WebMercatorQuad", "WorldCRS84Quad"])
async def test_the_keyboard_reaches_everything_and_is_seen(visit: NewVisit, matrix_set: str) -> None:
    page = await visit()
    time = "2018-02-03T00:00:00Z/2018-02-04T00:00:00Z"
    await page.open(f"{map_of(_EARTHQUAKES, matrix_set)}#t={time}")
    reached = []
    for _ in range(70):
        await page.page.keyboard.press("Tab")
        entry = await page.page.evaluate(
            """() => {
                const focused = document.activeElement;
                if (!focused || focused === document.body) return null;
                const style = getComputedStyle(focused);
                return {
                    name: focused.id || focused.ariaLabel || focused.title || focused.textContent.trim(),
                    // of a slider, the thumb has it
                    seen: style.outlineStyle === 'solid' || focused.matches('#timeline input'),
                };
            }"""
        )
        if entry is None:
            break
        reached.append(entry)
    assert [entry["name"] for entry in reached if not entry["seen"]] == []
    names = " | ".join(entry["name"] for entry in reached)
    for wanted in (
        "Zoom in",
        "measure-button",
        "theme",
        "tab-events",
        "GeoJSON",
        "Style",
        "Play",
        "From",
        "To",
        "All time",
    ):
        assert wanted in names
    # past the map, without disturbing it
    await page.page.evaluate("document.activeElement.blur()")
    await page.page.keyboard.press("Tab")
    assert "Skip" in await page.page.evaluate("document.activeElement.textContent")
    await page.page.keyboard.press("Enter")
    assert await page.page.evaluate("document.activeElement.id") == "panel"
    assert f"t={time}" in page.page.url
