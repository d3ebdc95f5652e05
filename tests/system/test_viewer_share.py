"""Sharing a view: its link, its picture, its PDF, the map within another page; where one is; other projections."""

import io
import re
from pathlib import Path

import pytest
from PIL import Image
from playwright.async_api import Download

from tests.system.visits import NewVisit, Visit, map_of

pytestmark = [pytest.mark.system, pytest.mark.browser]

_EARTHQUAKES = "hazard.hazard_eq_events"


async def _share(page: Visit) -> None:
    await page.page.get_by_role("button", name="Share", exact=True).click()


async def _downloaded(page: Visit, name: str, folder: Path) -> tuple[Download, bytes]:
    async with page.page.expect_download() as started:
        await page.page.locator("#share").get_by_role("button", name=name, exact=True).click()
    download = await started.value
    await download.save_as(folder / "file")
    return download, (folder / "file").read_bytes()


async def test_a_link_shows_the_same_in_a_fresh_browser(visit: NewVisit) -> None:
    page = await visit()
    await page.open(f"{map_of(_EARTHQUAKES)}#t=2018-02-01T00:00:00Z/2018-02-04T00:00:00Z")
    await page.page.evaluate("map.jumpTo({center: [121.5, 24], zoom: 6.5})")
    await _share(page)
    link = await page.page.get_by_label("Link").input_value()
    shown = "[map.getZoom(), ...map.getCenter().toArray(), document.querySelector('#facts').textContent]"
    await page.until("document.querySelector('#facts').textContent.includes(' of ')")
    expected = await page.page.evaluate(shown)
    other = await visit()
    await other.open(link.removeprefix(other.base_url))
    await other.until("document.querySelector('#facts').textContent.includes(' of ')")
    zoom, longitude, latitude, facts = await other.page.evaluate(shown)
    assert [zoom, longitude, latitude] == pytest.approx(expected[:3], abs=0.01)
    assert facts == expected[3]


@pytest.mark.parametrize(("matrix_set", "view"), [("WebMercatorQuad", "4/24/121"), ("UPSArcticWGS84Quad", "3/80/0")])
async def test_a_picture_has_the_map_and_what_is_said_of_it(
    visit: NewVisit, tmp_path: Path, matrix_set: str, view: str
) -> None:
    page = await visit()
    await page.open(f"{map_of(_EARTHQUAKES, matrix_set)}#map={view}")
    await _share(page)
    download, content = await _downloaded(page, "PNG", tmp_path)
    assert download.suggested_filename == "map.png"
    picture = Image.open(io.BytesIO(content)).convert("RGB")
    width, height = await page.page.evaluate("[innerWidth, innerHeight].map((side) => side * devicePixelRatio)")
    assert picture.width == width
    # the map, and above and below it the texts
    assert picture.height > height * 1.2
    middle = picture.crop((int(width * 0.4), int(height * 0.3), int(width * 0.9), int(height * 0.9)))
    assert len(middle.getcolors(maxcolors=1 << 24) or []) > 50
    below = picture.crop((0, int(height * 1.1), int(width * 0.3), picture.height))
    legend = await page.page.evaluate(
        "getComputedStyle(document.querySelector('#legend .legend-sizes span:last-child i')).backgroundColor"
    )
    red, green, blue = (int(part) for part in re.findall(r"\d+", legend)[:3])
    assert (red, green, blue) in {colour for _, colour in below.getcolors(maxcolors=1 << 24) or []}


async def test_a_picture_of_a_storm_is_about_the_storm(visit: NewVisit, tmp_path: Path) -> None:
    page = await visit()
    await page.open("/map?event=AL112017")
    swatches = page.page.locator("#storm fieldset label i")
    await swatches.first.wait_for()
    await page.until(
        "getComputedStyle(document.querySelector('#storm fieldset label i')).backgroundColor != 'rgba(0, 0, 0, 0)'"
    )
    await _share(page)
    _, content = await _downloaded(page, "PNG", tmp_path)
    picture = Image.open(io.BytesIO(content)).convert("RGB")
    below = picture.crop((0, int(picture.height * 0.8), int(picture.width * 0.3), picture.height))
    colours = {colour for _, colour in below.getcolors(maxcolors=1 << 24) or []}
    zones = await swatches.evaluate_all("(all) => all.map((one) => getComputedStyle(one).backgroundColor)")
    assert len(zones) == 3
    assert {tuple(map(int, re.findall(r"\d+", zone)[:3])) for zone in zones} <= colours
    assert "event=AL112017" in page.page.url


async def test_a_pdf_holds_the_same_picture(visit: NewVisit, tmp_path: Path) -> None:
    page = await visit()
    await page.open(f"{map_of(_EARTHQUAKES)}#map=4/24/121")
    await _share(page)
    download, content = await _downloaded(page, "PDF", tmp_path)
    assert download.suggested_filename == "map.pdf"
    assert content.startswith(b"%PDF-1.4\n")
    found = re.search(rb"/Width (\d+) /Height (\d+) .*?/Length (\d+) >>\nstream\n", content, re.DOTALL)
    assert found
    picture = Image.open(io.BytesIO(content[found.end() : found.end() + int(found[3])]))
    assert (picture.format, picture.size) == ("JPEG", (int(found[1]), int(found[2])))


async def test_one_box_beside_the_map_is_open_at_a_time(visit: NewVisit) -> None:
    page = await visit()
    await page.open(f"{map_of(_EARTHQUAKES)}#map=4/24/121")
    await page.page.get_by_role("button", name="Measure", exact=True).click()
    await _share(page)
    assert await page.page.locator("#measure").is_hidden()
    assert await page.page.evaluate("document.body.classList.contains('measuring')") is False
    await page.page.keyboard.press("Escape")
    assert await page.page.locator("#share").is_hidden()
    assert await page.page.evaluate("document.activeElement.id") == "share-button"


async def test_a_link_that_cannot_be_copied_is_marked(visit: NewVisit) -> None:
    page = await visit()
    await page.without_clipboard()
    await page.open(f"{map_of(_EARTHQUAKES)}#map=4/24/121")
    await _share(page)
    await page.page.locator("#share").get_by_role("button", name="Copy", exact=True).first.click()
    await page.page.locator("#share").get_by_text("Marked", exact=True).wait_for()
    assert await page.page.evaluate("getSelection().toString()") == await page.page.get_by_label("Link").input_value()


async def test_the_map_goes_to_where_its_reader_is(visit: NewVisit) -> None:
    page = await visit(permissions=["geolocation"])
    await page.page.context.set_geolocation({"longitude": 121.6, "latitude": 23.98, "accuracy": 40})
    await page.open(f"{map_of(_EARTHQUAKES)}#map=2/0/0")
    await page.page.get_by_role("button", name="My location").click()
    await page.until("Math.abs(map.getCenter().lng - 121.6) < 0.01 && map.getZoom() >= 9")
    await page.until("document.querySelector('#spoken').textContent.includes('within 40 m')")


async def test_a_reader_who_does_not_tell_is_told(visit: NewVisit) -> None:
    page = await visit(permissions=[])
    await page.open(f"{map_of(_EARTHQUAKES)}#map=2/0/0")
    await page.page.get_by_role("button", name="My location").click()
    await page.until("document.querySelector('#status').textContent.includes('Location access is blocked')")


async def test_other_projections_show_the_same(visit: NewVisit) -> None:
    page = await visit()
    await page.open(f"{map_of(_EARTHQUAKES)}#map=4/70/20&t=2018-02-01T00:00:00Z/2018-02-04T00:00:00Z")
    await page.page.locator("#projections summary").click()
    assert await page.page.locator("#projections a").count() == 13
    assert await page.page.locator("#projections [aria-current=page]").inner_text() == "WebMercatorQuad"
    await page.page.locator("#projections").get_by_role("link", name="UPSArcticWGS84Quad").click()
    await page.until("location.pathname.includes('UPSArcticWGS84Quad') && document.body.dataset.ready")
    await page.until("document.querySelector('#facts').textContent.includes(' of ')")
    assert "t=2018-02-01T00:00:00Z/2018-02-04T00:00:00Z" in page.page.url
