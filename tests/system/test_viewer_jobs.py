"""Seven jobs of users, each with the most clicks that it may take. Typing into a focused field is no click."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from playwright.async_api import Locator

from tests.system.visits import NewVisit, Visit, map_of

pytestmark = [pytest.mark.system, pytest.mark.browser]

_EARTHQUAKES = "hazard.hazard_eq_events"


class _Clicks:
    """Counts the clicks of a job."""

    def __init__(self, visit: Visit, most: int) -> None:
        self.visit, self.most, self.number = visit, most, 0

    async def click(self, target: Locator) -> None:
        self.number += 1
        await target.click()

    async def choose(self, target: Locator, label: str | re.Pattern[str]) -> None:
        """Choose an option of a list."""
        texts = await target.locator("option").all_inner_texts()
        wanted = next(text for text in texts if re.search(label, text))
        self.number += 1
        await target.select_option(label=wanted)

    async def go_to(self, text: str, option: re.Pattern[str]) -> None:
        await self.visit.page.get_by_role("combobox", name="Go to a place").fill(text)
        await self.click(self.visit.page.get_by_role("option", name=option).first)

    async def download(self, link: Locator, folder: Path) -> str:
        async with self.visit.page.expect_download() as started:
            await self.click(link)
        await (await started.value).save_as(folder / "file")
        return (folder / "file").read_text(encoding="utf-8-sig")

    def check(self) -> None:
        assert self.number <= self.most, f"{self.number} clicks"


async def test_current_events_are_seen_without_a_click(visit: NewVisit) -> None:
    page = await visit()
    await page.page.goto(f"{page.base_url}/?f=html")
    topics = page.page.locator(".topics section")
    headings = await topics.get_by_role("heading").all_inner_texts()
    assert any("earthquakes" in text for text in headings)
    for topic in await topics.all():
        assert await topic.get_by_role("listitem").count() > 0
        # active now, or until when the data say that there is nothing
        assert re.search(r"Active now|In the last|end on|Data up to|is unknown", await topic.inner_text())


async def test_places_in_hurricane_winds_are_downloaded(visit: NewVisit, tmp_path: Path) -> None:
    page = await visit()
    await page.open("/map")
    job = _Clicks(page, 4)
    await job.go_to("irma 2017", re.compile(r"Irma.*2017"))
    storm = page.page.locator("#storm")
    await page.page.locator("#life").wait_for()
    await job.choose(storm.get_by_label("At", exact=True), r"^Wed,? 6 Sep.* 12:00")
    await job.click(storm.get_by_role("button", name="Places within 64 kt"))
    text = await job.download(storm.get_by_role("link", name="Places as CSV"), tmp_path)
    assert len(list(csv.reader(io.StringIO(text)))) > 15
    job.check()


async def test_two_storms_are_compared(visit: NewVisit) -> None:
    page = await visit()
    await page.open("/map")
    job = _Clicks(page, 4)
    await job.go_to("irma 2017", re.compile(r"Irma.*2017"))
    choice = page.page.get_by_label("Compare with another storm")
    await choice.locator("option").nth(5).wait_for(state="attached")
    await job.choose(choice, r"(?i)^jose\b.*2017")
    table = page.page.locator("#storm .storms table")
    await table.wait_for()
    heads = [text.lower() for text in await table.locator("thead th").all_inner_texts()]
    assert heads == ["irma", "jose"]
    assert "155 kt" in await table.inner_text() or "160 kt" in await table.inner_text()
    await page.until("/[#&]with=AL122017/.test(location.hash)")
    job.check()
    # the link shows the same
    link = page.page.url
    other = await visit()
    await other.open(link.removeprefix(other.base_url))
    await other.page.locator("#storm .storms table").wait_for()


async def test_two_events_in_one_link_are_shown_alone(visit: NewVisit) -> None:
    page = await visit()
    await page.open("/map?event=AL112017,AL122017")
    await page.page.locator("#storm .storms table").wait_for()
    await page.until("/AL112017.*AL122017/.test(decodeURIComponent(location.hash))")
    assert await page.page.locator("#chips .chip").count() == 1


async def test_strong_earthquakes_near_a_place_are_downloaded(visit: NewVisit, tmp_path: Path) -> None:
    page = await visit()
    await page.open(map_of(_EARTHQUAKES))
    job = _Clicks(page, 5)
    await job.go_to("within 300 km of Taipei", re.compile("within 300 km of Taipei"))
    await job.click(page.page.locator("#search input"))
    await page.page.locator("#search input").fill("M6+")
    await job.click(page.page.locator("[data-act=choose]"))
    await job.click(page.page.get_by_role("button", name=re.compile("^Last 30 days")))
    await page.until(
        "/filter=.*magnitude/.test(decodeURIComponent(document.querySelector('#download a[data-format=csv]').href))"
    )
    await page.until("/datetime=/.test(document.querySelector('#download a[data-format=csv]').href)")
    text = await job.download(page.page.locator("#download a[data-format=csv]"), tmp_path)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert rows
    assert all(float(row["magnitude"]) >= 6 for row in rows)
    job.check()


async def test_a_view_is_shared_with_one_click_and_embedded_with_two(visit: NewVisit) -> None:
    page = await visit(permissions=["clipboard-read", "clipboard-write"])
    await page.open(f"{map_of(_EARTHQUAKES)}#map=4/24/121")
    job = _Clicks(page, 2)
    await job.click(page.page.get_by_role("button", name="Share", exact=True))
    assert "#map=4" in await page.page.get_by_label("Link").input_value()
    assert job.number == 1
    # the code of the same view is there as well, and a second click copies it
    code = await page.page.get_by_label("Embed code").input_value()
    assert "<iframe" in code
    await job.click(page.page.locator("#share [data-act=code]"))
    assert await page.page.evaluate("navigator.clipboard.readText()") == code
    feed = await page.page.locator("#share [data-act=feed]").get_attribute("href")
    assert feed is not None
    answer = await page.page.request.get(feed)
    assert (answer.status, "<feed" in await answer.text()) == (200, True)
    job.check()
