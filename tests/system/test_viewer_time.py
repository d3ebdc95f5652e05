"""The timeline of the map: its text matches the shown time, and the user can choose any time."""

import re
from datetime import UTC, datetime
from urllib.parse import quote

import pytest

from tests.system.visits import NewVisit, Visit, map_of

pytestmark = [pytest.mark.system, pytest.mark.browser]

_EARTHQUAKES = "hazard.hazard_eq_events"
_STORMS = "hazard.hazard_ts_events"
_CHOOSE = "#timeline [data-act=choose]"


async def _said(page: Visit) -> str:
    # spaces that do not break differ from one version of the language data to another
    return re.sub(r"\s+", " ", await page.page.inner_text("#timeline output"))


async def _ends(page: Visit) -> list[int]:
    ends: list[int] = await page.page.evaluate(
        "[...document.querySelectorAll('#timeline .range input')].map(({ value, max }) => [Number(value), max]).flat()"
    )
    return [int(end) for end in ends]


async def _time_in_address(page: Visit, pattern: str) -> None:
    await page.until(f"new RegExp({pattern!r}).test(decodeURIComponent(location.hash))")


async def test_a_time_of_a_link_is_said_to_the_day_and_can_be_seen(visit: NewVisit) -> None:
    page = await visit()
    await page.open(map_of(_STORMS) + "#t=2017-09-06/2017-09-07")
    assert re.fullmatch("6 ?– ?7 Sept 2017", await _said(page))
    # forty years would have both ends at one place: the axis is of some days, by hours
    assert await _ends(page) == [48, 144, 96, 144]
    await page.page.click("#timeline [data-act=whole]")
    assert re.fullmatch("6 ?– ?7 Sept 2017", await _said(page))
    [first, most, last, _] = await _ends(page)
    assert (last - first, most > 16_000) == (2, True)
    # the next day by one key
    await page.page.locator("#timeline .range input").nth(1).press("ArrowRight")
    await _time_in_address(page, "t=2017-09-06/2017-09-08")
    assert re.fullmatch("6 ?– ?8 Sept 2017", await _said(page))
    await page.page.click("#timeline [data-act=all]")
    await page.until("!location.hash.includes('t=')")


async def test_a_time_is_typed_in_a_zone_or_chosen_by_name(visit: NewVisit) -> None:
    page = await visit(timezone_id="Asia/Tokyo")
    await page.open(map_of(_EARTHQUAKES))
    await page.page.click(_CHOOSE)
    form = page.page.locator("#time-choice")
    await form.locator("[name=from]").fill("2018-02-06T01:00")
    await form.locator("[name=to]").fill("2018-02-05T01:00")
    await form.get_by_role("button", name="Show").click()
    assert await form.get_by_role("alert").inner_text() == "The start is after the end."
    await form.locator("[name=zone]").select_option(label="Asia/Tokyo")
    # no time was chosen yet, so the other zone leaves no features to show
    await form.locator("[name=from]").fill("2018-02-05T01:00")
    await form.get_by_role("button", name="Show").click()
    await page.ready_with("/tiles/WebMercatorQuad/", "datetime=2018-02-04T16%3A00%3A00Z%2F..")
    assert await _said(page) == "since 4 Feb 2018, 16:00 UTC"
    assert await page.page.get_attribute(_CHOOSE, "aria-expanded") == "false"
    await page.page.click(_CHOOSE)
    assert await form.locator("[name=from]").input_value() == "2018-02-05T01:00"
    await form.get_by_role("button", name="Last 24 hours of the data").click()
    await _time_in_address(page, "t=2018-02-06T01:00:00Z/2018-02-07T02:00:00Z")


async def test_a_time_is_drawn_over_the_bars_which_say_their_numbers(visit: NewVisit) -> None:
    page = await visit()
    await page.open(map_of(_STORMS))
    await page.until("document.querySelectorAll('#timeline rect').length === 45")
    box = await page.page.locator("#timeline svg[role=img]").bounding_box()
    assert box is not None
    place = {share: (box["x"] + share * box["width"], box["y"] + 20) for share in (0.25, 0.5, 0.75)}
    await page.page.mouse.move(*place[0.5])
    # half of 1980 to 2024, of which the service counts 1,105 in the first ten years
    assert re.fullmatch(
        r"1 Jan ?– ?31 Dec 2002: \d\d+", re.sub(r"\s+", " ", await page.page.inner_text("#timeline .tip"))
    )
    await page.page.mouse.move(*place[0.25])
    await page.page.mouse.down()
    await page.page.mouse.move(*place[0.75], steps=4)
    await page.page.mouse.up()
    await _time_in_address(page, "t=199[01]-[0-9]+-[0-9]+/201[34]-[0-9]+-[0-9]+$")
    inside = await page.page.locator("#timeline rect.inside").count()
    assert 22 <= inside <= 25
    # a click takes the year
    await page.page.mouse.click(*place[0.5])
    await _time_in_address(page, "t=2002-01-01/2002-12-31")
    await page.page.click("#timeline [data-act=zoom]")
    assert [await page.page.locator("#timeline [data-act=whole]").is_visible(), (await _ends(page))[1] < 1_200] == [
        True,
        True,
    ]


async def test_what_a_time_empties_is_said(visit: NewVisit) -> None:
    page = await visit()
    await page.open(f"/map#c={_EARTHQUAKES},{_STORMS}&t=2018-02-01/2018-02-03")
    assert await page.page.inner_text("#timeline .absent") == ""
    await page.page.goto(f"{page.base_url}/map#c={_EARTHQUAKES},{_STORMS}&t=2017-09-06/2017-09-07")
    await page.page.get_by_text("No data at this time: Earthquake events").wait_for()


async def test_the_state_at_a_past_time_is_shown_and_left(visit: NewVisit) -> None:
    page = await visit()
    await page.open(map_of(_EARTHQUAKES))
    await page.page.click(_CHOOSE)
    form = page.page.locator("#time-choice")
    moment = datetime.now(UTC).replace(microsecond=0)
    await form.locator("[name=known]").fill(f"{moment:%FT%T}")
    await form.get_by_role("button", name="Show").click()
    past = f"asOf={quote(f'{moment:%FT%T}Z', safe='')}"
    await page.ready_with("/tiles/WebMercatorQuad/", past)
    await page.ready_with("/items?", past)
    await page.ready_with("/facets?", past)
    chip = page.page.locator("#chips .chip")
    assert "As known on" in await chip.inner_text()
    assert re.search(r"\b1,707 features", await page.page.inner_text("#facts"))
    # a link shows the same
    await page.page.reload()
    await page.page.get_by_role("button", name="Show the newest state").click()
    await page.until("!location.hash.includes('asOf')")
    assert await chip.count() == 0


async def test_playing_goes_from_bar_to_bar(visit: NewVisit) -> None:
    page = await visit()
    await page.open(map_of(_STORMS))
    await page.page.click("#timeline [data-act=play]")
    await _time_in_address(page, "t=1982-01-01/1982-12-31")
    await page.page.click("#timeline [data-act=play]")
    assert await page.page.get_attribute("#timeline [data-act=play]", "aria-label") == "Play"
