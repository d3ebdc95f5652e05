"""Following a storm: its life as the time axis, the places in its winds, and the forecasts for it."""

import re

import aiohttp
import pytest

from tests.system.visits import NewVisit, Visit

pytestmark = [pytest.mark.system, pytest.mark.browser]

_IRMA = "hazard.hazard_ts_events/AL112017"
_ROLES = """map.getLayers().getArray().flatMap((layer) => layer.getSource()?.getFeatures?.() ?? [])
    .map((feature) => feature.get('role'))"""


async def _text(page: Visit, selector: str) -> str:
    return re.sub(r"\s+", " ", await page.page.inner_text(selector))


async def test_places_in_hurricane_force_wind_at_an_hour_in_four_steps(visit: NewVisit) -> None:
    page = await visit()
    await page.open("/map")
    storm = page.page.locator("#storm")
    # the storm by its name
    await page.page.get_by_role("combobox", name="Go to a place").fill("irma 2017")
    await page.page.get_by_role("option", name=re.compile("Irma.*2017")).click()
    await page.page.locator("#life").wait_for()
    # its hour
    hours = storm.get_by_label("At", exact=True)
    [noon] = [text for text in await hours.locator("option").all_inner_texts() if re.match("Wed,? 6 Sep.* 12:00", text)]
    await hours.select_option(label=noon)
    # the places in its winds
    await storm.get_by_role("button", name="Places within 64 kt").click()
    await storm.get_by_role("listitem").first.wait_for()
    told = await _text(page, "#storm .places [role=status]")
    number = int(told.split()[0])
    assert number > 15
    assert re.search(r"at least \d\d,\d{3} people in them", told)
    assert "Sint Maarten" in await storm.locator("ol").inner_text()
    # and as a file
    address = await storm.get_by_role("link", name="Places as CSV").get_attribute("href")
    zone = await storm.get_by_role("link", name="Zone as GeoJSON").get_attribute("href")
    assert address is not None
    assert zone is not None
    async with aiohttp.ClientSession() as session:
        async with session.get(address) as response:
            assert (await response.text()).count("\r\n") == number + 1
        async with session.get(zone) as response:
            properties = (await response.json(content_type=None))["properties"]
    assert (properties["scope"], properties["wind_speed_kt"]) == ("step", 64)
    assert properties["start_date"].startswith("2017-09-06T12:00:00")

    # the axis is the storm's, the handle stands at the hour, and the link says so
    assert await page.page.locator("#timeline").is_hidden()
    assert re.match("Wed,? 6 Sep.*12:00 UTC", await _text(page, "#life output"))
    handle = page.page.get_by_role("slider", name="Step of the storm's life")
    assert int(await handle.input_value()) == await hours.evaluate("(select) => select.selectedIndex")
    await page.until(f"location.hash.includes('follow={_IRMA}') && location.hash.includes('step=2017-09-06T12:00Z')")
    asked = len(page.requests)
    await handle.press("ArrowRight")
    await page.until("location.hash.includes('step=2017-09-06T15:00Z')")
    # no more than the places of the new hour, once it rests
    new = page.requests[asked:]
    assert [url for url in new if "/items" in url and "scope=step" not in url and "bbox=" not in url] == []
    await page.page.go_back()
    await page.until("document.querySelector('#life').hidden && !document.querySelector('#timeline').hidden")
    assert await page.page.locator("#tab-storm").is_hidden()


async def test_a_link_compares_an_advisory_with_what_happened_in_any_projection(visit: NewVisit) -> None:
    page = await visit()
    state = f"follow={_IRMA}&step=2017-09-07T12:00Z&issue=2017-09-05T15:00Z&wind=34"
    await page.open(f"/tiles/WorldCRS84Quad/map.html?collections=hazard.hazard_ts_events#{state}")
    await page.until(f"{_ROLES}.includes('expected-zone')")
    roles = await page.page.evaluate(_ROLES)
    wanted = {"track", "expected-track", "expected-step", "expected-now", "now", "zone", "landfall", "time"}
    assert wanted <= set(roles)
    assert roles.count("expected-zone") == 3
    assert re.search(
        r"45 hours ahead it expected the storm [\d.]+ km \([\d.]+ nmi\) from where it was, with \d+ kt",
        await _text(page, "#storm"),
    )
    assert await page.page.get_by_role("radio", name="34 kt").is_checked()
    await page.page.get_by_role("button", name="Next advisory").click()
    await page.until("location.hash.includes('issue=2017-09-05T21:00Z')")
    await page.page.get_by_role("button", name="Leave").click()
    await page.until(f"!location.hash.includes('follow=') && !{_ROLES}.includes('track')")
