"""The map's property filter in a real Chromium: it writes CQL2, the service judges it, everything shown obeys it."""

import re
from typing import Any

import aiohttp
import pytest

from tests.running_stack import RunningStack
from tests.system.visits import NewVisit, Visit, map_of

pytestmark = [pytest.mark.system, pytest.mark.browser]

_EARTHQUAKES = "hazard.hazard_eq_events"
_MAP = map_of(_EARTHQUAKES)


_FLOODS = "hazard.hazard_fl_events"
_FLOODS_MAP = map_of(_FLOODS)


async def _matched(stack: RunningStack, text: str, collection: str = _EARTHQUAKES) -> int:
    url = f"{stack.base_url}/collections/{collection}/items"
    parameters = {"filter": text, "limit": "0", "f": "geojson"}
    async with aiohttp.ClientSession() as session, session.get(url, params=parameters) as response:
        number: int = (await response.json(content_type=None))["numberMatched"]
        return number


async def _open_filter(page: Visit) -> Any:
    await page.page.get_by_role("tab", name="Filter").click()
    form = page.page.locator("#filter form")
    await form.get_by_label("Property").first.wait_for()
    return form


async def test_conditions_become_cql2_that_map_list_and_download_obey(visit: NewVisit, stack: RunningStack) -> None:
    page = await visit()
    await page.open(_MAP)
    form = await _open_filter(page)
    await form.get_by_label("Property").select_option(label="Magnitude")
    assert re.fullmatch(r"-0.8 to \d(\.\d)?", await form.locator(".hint").inner_text())
    await form.get_by_label("Value of Magnitude").fill("5")
    await form.get_by_role("button", name="Add a condition").click()
    second = form.get_by_role("listitem").nth(1)
    await second.get_by_label("Property").select_option(label="Magnitude type")
    # the values that the schema lists, to choose from
    offered = await second.get_by_label("Value of Magnitude type").locator("option").all_inner_texts()
    assert {"mb", "mww"} <= set(offered)
    await second.get_by_label("Value of Magnitude type").select_option("mww")
    text = "magnitude >= 5 AND magnitude_type = 'mww'"
    assert await form.get_by_label("As CQL2").input_value() == text
    await form.get_by_role("button", name="Apply").click()
    expected = await _matched(stack, text)
    await form.get_by_text(f"{expected} features match.").wait_for()
    await page.until("/^[0-9]{1,2}$/.test(document.querySelector('#tab-events span').textContent)")
    await page.ready()
    drawn = await page.known(_EARTHQUAKES)
    assert drawn
    assert all(feature["properties"]["magnitude"] >= 5 for feature in drawn)
    assert {feature["properties"]["magnitude_type"] for feature in drawn} == {"mww"}
    tiles = [url for url in page.requests if "/tiles/WebMercatorQuad/" in url and "filter=magnitude" in url]
    assert tiles
    for name in ("geojson", "csv"):
        href = await page.page.locator(f"#download a[data-format={name}]").get_attribute("href")
        assert href is not None
        assert "filter=%28magnitude+%3E%3D+5+AND+magnitude_type+%3D+%27mww%27%29" in href
    assert await page.page.inner_text("#facts") == f"{expected} of 1,707 features · as of 7 Feb 2018"
    # the link shows the same to others
    other = await visit()
    await other.open(page.page.url.removeprefix(stack.base_url))
    assert {feature["id"] for feature in await other.drawn(_EARTHQUAKES)} == {feature["id"] for feature in drawn}
    await other.page.get_by_role("tab", name="Filter").click()
    await other.page.get_by_label("Value of Magnitude type").wait_for()
    assert await other.page.get_by_label("Value of Magnitude type").input_value() == "mww"
    # and the filter can be cleared where it is not looked for
    await other.page.get_by_role("button", name="Clear the filter of Earthquake events").click()
    await other.until("document.querySelector('#facts').textContent.startsWith('1,707 features')")
    assert "f.hazard" not in other.page.url


async def test_conditions_of_several_values_become_cql2(visit: NewVisit, stack: RunningStack) -> None:
    page = await visit()
    await page.open(_MAP)
    form = await _open_filter(page)
    await form.get_by_label("Property").select_option(label="Magnitude")
    await form.get_by_label("Comparison").select_option("between")
    await form.get_by_label("Value of Magnitude, from").fill("5")
    # half a condition is none
    assert await form.get_by_label("As CQL2").input_value() == ""
    await form.get_by_label("Value of Magnitude, to").fill("5.4")
    await form.get_by_role("button", name="Add a condition").click()
    second = form.get_by_role("listitem").nth(1)
    await second.get_by_label("Property").select_option(label="Magnitude type")
    await second.get_by_label("Comparison").select_option("in")
    await second.get_by_label("mww", exact=True).check()
    await second.get_by_label("mwr", exact=True).check()
    await form.get_by_role("button", name="Add a condition").click()
    third = form.get_by_role("listitem").nth(2)
    await third.get_by_label("Property").select_option("event_date")
    await third.get_by_label("Comparison").select_option("between")
    await third.get_by_label(", from").fill("2018-02-01T00:00")
    await third.get_by_label(", to").fill("2018-02-07T00:00")
    text = await form.get_by_label("As CQL2").input_value()
    times = "T_INTERSECTS(event_date, INTERVAL('2018-02-01T00:00:00Z', '2018-02-07T00:00:00Z'))"
    parts = re.fullmatch(r"magnitude BETWEEN 5 AND 5.4 AND magnitude_type IN \((.*)\) AND (T_.*)", text)
    assert parts
    assert {"mww", "mwr"} <= set(re.findall(r"'(\w+)'", parts[1]))
    assert parts[2] == times
    await form.get_by_role("button", name="Apply").click()
    expected = await _matched(stack, text)
    assert expected > 0
    await form.get_by_text(f"{expected} feature").wait_for()
    # the text is read again as the same conditions
    await form.get_by_label("As CQL2").fill(f"magnitude BETWEEN 4 AND 5 AND {times}")
    await form.get_by_label("As CQL2").press("Enter")
    await page.until("document.querySelectorAll('#filter li').length === 2")
    assert await form.get_by_label("Value of Magnitude, to").input_value() == "5"
    assert await form.get_by_role("listitem").nth(1).get_by_label(", to").input_value() == "2018-02-07T00:00"


async def test_the_services_objection_stands_at_the_form(visit: NewVisit) -> None:
    page = await visit()
    await page.open(_MAP)
    before = len([url for url in page.requests if "/tiles/WebMercatorQuad/" in url])
    await _open_filter(page)
    text = page.page.get_by_label("As CQL2")
    await text.fill("magnitud >= 5")
    await text.press("Enter")
    alert = page.page.locator("#filter [role=alert]")
    await alert.wait_for()
    assert "magnitud" in await alert.inner_text()
    assert await text.get_attribute("aria-invalid") == "true"
    assert await text.get_attribute("aria-describedby") == await alert.get_attribute("id")
    # a refused filter is requested once, and not for tiles
    assert len([url for url in page.requests if "/tiles/WebMercatorQuad/" in url]) == before
    assert "f.hazard" not in page.page.url
    assert all("422" in problem for problem in page.problems)
    page.problems.clear()
    await text.fill("NOT magnitude < 6")
    await text.press("Enter")
    await page.page.get_by_text("features match").wait_for()
    assert await alert.is_hidden()
    assert await page.page.get_by_text("Custom filter").is_visible()


async def _press(page: Visit, name: str) -> None:
    """Press and let go as a hand does: the mouse rests for a moment in between."""
    box = await page.page.locator("#filter").get_by_role("button", name=name).bounding_box()
    assert box is not None
    await page.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, delay=150)


async def test_a_text_that_was_typed_is_applied_by_one_click(visit: NewVisit, stack: RunningStack) -> None:
    page = await visit()
    await page.open(_FLOODS_MAP)
    form = await _open_filter(page)
    # of the collection's own columns
    placeholder = await form.get_by_label("As CQL2").get_attribute("placeholder")
    assert await _matched(stack, placeholder, _FLOODS) is not None
    await form.get_by_label("As CQL2").click()
    text = "severity >= 2 AND ended IS NULL"
    await page.page.keyboard.type(text)
    await _press(page, "Apply")
    number = await _matched(stack, text, _FLOODS)
    await form.get_by_text(re.compile(rf"^{number} features? match")).wait_for()
    # the conditions follow the text
    await form.get_by_label("Property").nth(1).wait_for()
    await form.get_by_label("As CQL2").click()
    await page.page.keyboard.press("Control+A")
    await page.page.keyboard.type("severitie >= 2")
    await _press(page, "Apply")
    await page.page.locator("#filter [role=alert]").wait_for()
    assert "severitie" in await page.page.locator("#filter [role=alert]").inner_text()
    page.problems.clear()


async def test_filter_works_by_keyboard_on_a_phone(visit: NewVisit, stack: RunningStack) -> None:
    page = await visit(width=390, height=844, has_touch=True, is_mobile=True)
    await page.open(_MAP)
    keyboard = page.page.keyboard
    await page.page.locator("#tab-events").focus()
    await keyboard.press("ArrowRight")
    await page.page.get_by_label("Property").wait_for()
    await keyboard.press("Tab")
    await page.page.wait_for_selector("#filter li select:focus")
    await keyboard.type("Tsunami")
    await keyboard.press("Tab")
    await keyboard.press("Tab")
    await keyboard.press("Tab")
    assert await page.page.evaluate("document.activeElement.getAttribute('aria-label')") == "Value of Tsunami"
    assert await page.page.get_by_label("As CQL2").input_value() == "tsunami = TRUE"
    for _ in range(3):
        await keyboard.press("Tab")
    assert await page.page.evaluate("document.activeElement.textContent") == "Apply"
    await keyboard.press("Enter")
    await page.page.get_by_text(f"{await _matched(stack, 'tsunami = TRUE')} features match.").wait_for()
    assert await page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_a_link_with_a_bad_filter_shows_the_map_and_says_so(visit: NewVisit) -> None:
    page = await visit()
    await page.open(f"{_MAP}#f.{_EARTHQUAKES}=nothing%20%3D%201")
    status = await page.page.inner_text("#status")
    assert status.startswith("Filter of Earthquake events:")
    assert "nothing" in status
    assert await page.drawn(_EARTHQUAKES)
    page.problems.clear()


async def test_clear_empties_the_form_and_shows_all_again(visit: NewVisit) -> None:
    page = await visit()
    await page.open(f"{_MAP}#f.{_EARTHQUAKES}=magnitude%20%3E%3D%205")
    form = await _open_filter(page)
    assert await form.get_by_label("Value of Magnitude").input_value() == "5"
    await form.get_by_role("button", name="Clear", exact=True).click()
    await page.until("document.querySelector('#facts').textContent.startsWith('1,707 features')")
    assert "f.hazard" not in page.page.url
    assert await form.get_by_label("As CQL2").input_value() == ""
    assert await form.get_by_label("Property").input_value() == ""
