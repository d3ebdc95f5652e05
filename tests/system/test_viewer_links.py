"""Links to a map: the map shows the state in the hash, and the hash has the state of the map."""

import pytest

from tests.running_stack import RunningStack
from tests.system.visits import NewVisit, Visit, items, map_of, near

pytestmark = [pytest.mark.system, pytest.mark.browser]

_EARTHQUAKES = "hazard.hazard_eq_events"
_STORMS = "hazard.hazard_ts_events"


async def test_link_restores_view_theme_and_layers(visit: NewVisit) -> None:
    page = await visit(device_scale_factor=1)
    await page.open("/map#map=3.00/10.00/-60.00&c=hazard.hazard_fl_events&theme=dark")
    assert await page.drawn("hazard.hazard_fl_events")
    assert await page.page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert await page.page.evaluate("map.getZoom()") == pytest.approx(3, abs=0.01)
    assert near(await page.colours(), "#10171e", 6) > 5000


async def test_globe_is_drawn_and_remembered(visit: NewVisit, stack: RunningStack) -> None:
    strongest = (await items(stack, _EARTHQUAKES, sortby="-magnitude", limit="1"))[0]
    longitude, latitude = strongest["geometry"]["coordinates"][:2]
    page = await visit()
    await page.open(f"{map_of(_EARTHQUAKES)}#map=1.50/{latitude}/{longitude}&p=globe")
    assert await page.page.evaluate("map.getProjection().type") == "globe"
    at_centre = await page.page.evaluate(
        """([lon, lat]) => map.queryRenderedFeatures(map.project([lon, lat])).map(({ id }) => id)""",
        [longitude, latitude],
    )
    assert strongest["id"] in at_centre
    drawn = {feature["id"] for feature in await page.drawn(_EARTHQUAKES)}
    # the far side is hidden: some are not seen, though the world would fit
    assert 0 < len(drawn) < 1707
    colours = await page.colours()
    assert near(colours, "#f7f6f2", 4) > 100
    # there is no sea around the globe
    assert near(colours, "#f2f5f8", 2) > 1000
    await page.page.get_by_role("button", name="Disable globe").click()
    await page.until("!location.hash.includes('p=globe')")
    await page.page.get_by_role("button", name="Enable globe").click()
    await page.until("location.hash.includes('p=globe')")


async def _event_ids(page: Visit, collection: str) -> set[str]:
    return {feature["properties"]["event_id"] for feature in await page.known(collection)}


async def test_only_this_event_shows_its_track_nodes_and_buffers(visit: NewVisit, stack: RunningStack) -> None:
    storm = (await items(stack, _STORMS, sortby="-max_wind_kt", limit="1"))[0]
    event = storm["properties"]["event_id"]
    page = await visit()
    await page.open(f"{map_of(_STORMS)}#id={_STORMS}/{storm['id']}")
    await page.page.get_by_role("button", name="Only this event").click()
    chip = page.page.locator(".chip")
    await chip.wait_for()
    await page.until("location.hash.includes('hazard_ts_nodes')")
    for name in ("events", "nodes", "tracks"):
        await page.ready_with(f"/hazard.hazard_ts_{name}/tiles/", f"event_id={event}")
    for name in ("events", "nodes", "tracks"):
        assert await _event_ids(page, f"hazard.hazard_ts_{name}") == {event}
    # in words, not by its identifier
    name = f"{storm['properties']['name']}, 20–24 Oct 2015, {storm['properties']['max_wind_kt']} kt"
    await chip.get_by_text(name).wait_for()
    # the link shows the same, with the storm still selected
    other = await visit()
    await other.open(page.page.url.removeprefix(stack.base_url))
    assert await _event_ids(other, "hazard.hazard_ts_nodes") == {event}
    assert await _event_ids(other, "hazard.hazard_ts_tracks") == {event}
    assert await other.page.locator(".card h2").inner_text() == name
    await other.page.locator(".chip").get_by_role("button", name="Show all").click()
    await other.until("!location.hash.includes('&e=')")


async def test_link_restores_time_search_subject_and_can_be_pasted(visit: NewVisit) -> None:
    page = await visit()
    time = "2018-02-03T00:00:00Z/2018-02-04T00:00:00Z"
    await page.open(f"/map#t={time}&c={_EARTHQUAKES},{_STORMS}&q=alaska")
    drawn = await page.known(_EARTHQUAKES)
    assert drawn
    assert all("2018-02-03" <= feature["properties"]["event_date"][:10] <= "2018-02-04" for feature in drawn)
    assert f"t={time}" in page.page.url
    assert await page.page.get_by_role("searchbox", include_hidden=True).input_value() == "alaska"
    # another link, pasted over this one
    await page.page.evaluate(f"location.hash = '#map=4/15/-60&c={_EARTHQUAKES},{_STORMS}&s={_STORMS}&theme=dark'")
    await page.until("!location.hash.includes('t=2018')")
    await page.page.wait_for_selector(f"#subject option[value='{_STORMS}']:checked", state="attached")
    await page.ready()
    assert await page.drawn(_STORMS)
    assert await page.page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert await page.page.evaluate("map.getZoom()") == pytest.approx(4, abs=0.01)
    assert await page.page.get_by_role("searchbox", include_hidden=True).input_value() == ""
    assert "s=" in page.page.url


async def test_selecting_a_feature_never_zooms_out(visit: NewVisit, stack: RunningStack) -> None:
    event = (await items(stack, _EARTHQUAKES, sortby="-magnitude", limit="1"))[0]
    longitude, latitude = event["geometry"]["coordinates"][:2]
    page = await visit()
    await page.open(f"{map_of(_EARTHQUAKES)}#map=9.00/{latitude}/{longitude}")
    await page.page.locator("#events li button").first.click()
    await page.page.locator(".card").wait_for()
    await page.ready()
    assert await page.page.evaluate("map.getZoom()") == pytest.approx(9, abs=0.01)
