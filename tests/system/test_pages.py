"""Every page that people may see, in Chromium: accessible, fitting, and leading to the data."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import aiohttp
import pytest

from tests.eventually import eventually
from tests.running_stack import RunningStack
from tests.system.accessibility import faults
from tests.system.visits import NewVisit, Visit

pytestmark = [pytest.mark.system, pytest.mark.browser]

_EARTHQUAKES = "/collections/hazard.hazard_eq_events"
_PAGES = {
    "/?f=html": 200,
    "/conformance?f=html": 200,
    "/collections?f=html": 200,
    "/collections?f=html&limit=2&offset=4": 200,
    f"{_EARTHQUAKES}?f=html": 200,
    f"{_EARTHQUAKES}/queryables?f=html": 200,
    f"{_EARTHQUAKES}/schema?f=html": 200,
    f"{_EARTHQUAKES}/sortables?f=html": 200,
    f"{_EARTHQUAKES}/facets?f=html": 200,
    f"{_EARTHQUAKES}/programs?f=html&filter=magnitude%20%3E%205": 200,
    "/functions?f=html": 200,
    "/stac?f=html": 200,
    f"{_EARTHQUAKES}/items?f=html": 200,
    f"{_EARTHQUAKES}/items?f=html&limit=20&sortby=-magnitude&network=us": 200,
    f"{_EARTHQUAKES}/items?f=html&filter=magnitude%20%3E%2060": 200,
    "/collections/hazard.hazard_fl_events/items?f=html": 200,
    f"{_EARTHQUAKES}/items/1635?f=html": 200,
    "/collections/hazard.hazard_fl_glofas_gauges_forecast/items/1?f=html": 200,
    "/collections/hazard.hazard_ts_tracks/items/3758?f=html": 200,
    "/collections/hazard.hazard_ts_tracks/items?f=html": 200,
    "/events/AL112017?f=html": 200,
    "/events/us1000chhc?f=html": 200,
    "/events/AL112017/impact?f=html": 200,
    "/events/AL112017/facilities?f=html": 200,
    "/impacts?events=AL112017,AL122017&f=html": 200,
    "/collections/hazard.hazard_fl_alerts/items/1?f=html": 200,
    f"{_EARTHQUAKES}/tiles?f=html": 200,
    f"{_EARTHQUAKES}/tiles/WebMercatorQuad?f=html": 200,
    f"{_EARTHQUAKES}/tiles/WebMercatorQuad/0/0/0?f=html": 200,
    "/tiles?f=html": 200,
    "/tiles/WebMercatorQuad?f=html": 200,
    "/tiles/WebMercatorQuad/0/0/0?f=html": 200,
    "/tileMatrixSets?f=html": 200,
    "/tileMatrixSets/WebMercatorQuad?f=html": 200,
    "/collections/no.such": 404,
    f"{_EARTHQUAKES}/items?limit=ten&bbox=1,2&sortby=magnitud": 422,
    f"{_EARTHQUAKES}/tiles?limit=ten": 422,
}


_ELSEWHERE = {
    "/docs",
    "/map",
    "/tiles/{tileMatrixSetId}/map.html",
    "/collections/{collectionId}/tiles/{tileMatrixSetId}/map.html",
}
"""Pages with tests of their own: the explorer below, and maps (test_viewer_states.py)."""


async def test_each_page_of_the_document_is_listed(stack: RunningStack) -> None:
    async with aiohttp.ClientSession() as session, session.get(f"{stack.base_url}/openapi.json") as response:
        paths = (await response.json(content_type=None))["paths"]
    pages = {
        path
        for path, operations in paths.items()
        if "text/html" in operations.get("get", {}).get("responses", {}).get("200", {}).get("content", {})
    }
    seen = [path.partition("?")[0] for path, status in _PAGES.items() if status == 200]
    missing = [page for page in pages if not any(re.fullmatch(re.sub(r"{\w+}", "[^/]+", page), path) for path in seen)]
    assert set(missing) == _ELSEWHERE


async def _see(visit: Visit, path: str, status: int = 200) -> None:
    response = await visit.page.goto(f"{visit.base_url}{path}")
    assert response is not None
    assert response.status == status, path
    if status != 200:
        # the browser reports every answer that is an error
        visit.problems.clear()


@pytest.mark.parametrize(("theme", "width"), [("light", 390), ("dark", 1440)])
async def test_axe_finds_nothing_and_nothing_overflows(visit: NewVisit, theme: str, width: int) -> None:
    seen = await visit(width=width, height=844, color_scheme=theme)
    wrong = []
    for path, status in _PAGES.items():
        await _see(seen, path, status)
        if found := await faults(seen.page):
            wrong.append(f"{path}: {found}")
        if await seen.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wrong.append(f"{path}: wider than the window")
    assert not wrong, "\n".join(wrong)
    seen.problems.clear()


async def test_the_explorer_fits_and_lists_the_operations(visit: NewVisit) -> None:
    seen = await visit(width=1440, height=900)
    await seen.open("/docs")
    assert await seen.page.locator(".opblock").count() >= 15
    assert await seen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(("theme", "width"), [("light", 390), ("dark", 1440)])
async def test_the_explorer_is_accessible(visit: NewVisit, theme: str, width: int) -> None:
    seen = await visit(width=width, height=844, color_scheme=theme)
    await seen.open("/docs")
    operation = seen.page.locator(".opblock", has_text="/conformance").first
    await operation.locator(".opblock-summary-control").click()
    await operation.get_by_role("combobox", name="f").wait_for()
    # one that lists collections, one with many parameters, one that was executed
    for path in ("/collections/{collectionId}", "/collections/{collectionId}/items"):
        summary = seen.page.locator(".opblock", has=seen.page.locator(f'[data-path="{path}"]'))
        await summary.locator(".opblock-summary-control").click()
        await summary.get_by_role("button", name="Execute").wait_for()
    await operation.get_by_role("button", name="Execute").click()
    await operation.locator(".live-responses-table").wait_for()
    # and one that went wrong in a way that the document does not tell
    await seen.page.route("**/conformance*", lambda route: route.abort())
    await operation.get_by_role("button", name="Execute").click()
    await operation.locator(".response-undocumented").wait_for()
    assert await faults(seen.page) == ""
    assert await seen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    seen.problems.clear()  # of the request that was stopped


async def test_pages_are_there_without_scripts(visit: NewVisit) -> None:
    seen = await visit(java_script_enabled=False)
    for path, status in _PAGES.items():
        await _see(seen, path, status)
        assert await seen.page.locator("h1").count() == 1, path
        assert await seen.page.locator("nav[aria-label=Breadcrumbs] li").count() >= 1, path
        assert await seen.page.locator("script:not([src]), [style], [onclick], [onload], style").count() == 0, path
    seen.problems.clear()


async def test_the_explorer_is_a_page_without_scripts(visit: NewVisit) -> None:
    seen = await visit(java_script_enabled=False, color_scheme="dark", width=390, height=844)
    await _see(seen, "/docs")
    listed = await seen.page.locator("h2 + p code").all_inner_texts()
    assert len(listed) >= 13
    assert "hazard.hazard_eq_events" in listed
    assert await seen.page.locator("h1").count() == 1
    links = seen.page.locator("h2", has_text="Earthquake events").locator("xpath=following-sibling::ul[1]//a")
    for address in [await link.get_attribute("href") for link in await links.all()]:
        answer = await seen.page.request.get(address or "")
        assert answer.ok, address
    assert await links.count() >= 8


async def test_a_first_time_visitor_has_a_filtered_file_in_four_clicks(visit: NewVisit, tmp_path: Path) -> None:
    seen = await visit()
    await _see(seen, "/?f=html")
    clicks = 0
    card = seen.page.locator(".card", has=seen.page.get_by_role("heading", name="Earthquake events"))
    await card.get_by_role("link", name="Browse and filter").click()
    clicks += 1
    await seen.page.get_by_label("Filter (CQL2)").click()
    clicks += 1
    await seen.page.keyboard.type("magnitude >= 5.5")
    await seen.page.get_by_role("button", name="Filter").click()
    clicks += 1
    await seen.page.wait_for_url("**filter=magnitude*")
    async with seen.page.expect_download() as download:
        await seen.page.get_by_role("link", name="Download CSV").click()
        clicks += 1
    assert clicks <= 4
    file = tmp_path / "earthquakes.csv"
    await (await download.value).save_as(file)
    rows = list(csv.DictReader(file.read_text().splitlines()))
    shown = await seen.page.locator("p.lead").inner_text()
    assert shown.startswith(f"{len(rows)} features match")
    assert rows
    assert all(float(row["magnitude"]) >= 5.5 for row in rows)


async def test_an_example_needs_no_typing(visit: NewVisit) -> None:
    seen = await visit()
    await _see(seen, f"{_EARTHQUAKES}/items?f=html")
    await seen.page.get_by_role("link", name="Magnitude at least").click()
    await seen.page.wait_for_url("**filter=magnitude*")
    magnitudes = await seen.page.locator("table.data tbody td:nth-child(5)").all_inner_texts()
    assert magnitudes
    assert all(float(text) >= 1 for text in magnitudes)


async def test_a_property_of_the_form_filters(visit: NewVisit) -> None:
    seen = await visit()
    network = seen.page.get_by_role("combobox", name="Network", include_hidden=True)

    async def offered() -> bool:
        await _see(seen, f"{_EARTHQUAKES}/items?f=html&limit=5")
        return await network.count() > 0

    # a process that was just started has not found out yet which values there are
    await eventually(offered)
    await seen.page.get_by_text("By property").click()
    await network.select_option("us")
    await seen.page.get_by_role("button", name="Filter").click()
    await seen.page.wait_for_url("**network=us*")
    assert "limit=5" in seen.page.url
    texts = await seen.page.locator("p.lead").inner_text()
    assert "5 on this page" in texts


async def test_days_are_picked_beside_the_time(visit: NewVisit) -> None:
    seen = await visit()
    await _see(seen, f"{_EARTHQUAKES}/items?f=html&datetime=2018-02-01/..")
    form = seen.page.get_by_role("form", name="Filter")
    first, last = form.get_by_label("From", exact=True), form.get_by_label("To", exact=True)
    assert [await first.input_value(), await last.input_value()] == ["2018-02-01", ""]
    await last.fill("2018-02-03")
    time = form.get_by_label("Time", exact=True)
    assert await time.input_value() == "2018-02-01/2018-02-03"
    await last.fill("2018-02-01")
    assert await time.input_value() == "2018-02-01"
    await first.fill("")
    await form.get_by_role("button", name="Filter").click()
    await seen.page.wait_for_url("**datetime=*")
    assert "datetime=..%2F2018-02-01" in seen.page.url


async def test_an_example_is_copied(visit: NewVisit) -> None:
    seen = await visit(permissions=["clipboard-read", "clipboard-write"])
    await _see(seen, f"{_EARTHQUAKES}?f=html")
    await seen.page.get_by_role("button", name="Copy: The first features, with curl").click()
    await seen.page.get_by_text("Copied").first.wait_for()
    copied = await seen.page.evaluate("navigator.clipboard.readText()")
    assert copied == f"curl '{seen.base_url}{_EARTHQUAKES}/items?limit=10'"


async def test_failed_copy_of_an_example_is_reported(visit: NewVisit) -> None:
    seen = await visit(permissions=[])
    await _see(seen, f"{_EARTHQUAKES}?f=html")
    await seen.page.get_by_role("button", name="Copy: The first features, with curl").click()
    await seen.page.get_by_text("Not copied").first.wait_for()
    assert await seen.page.get_by_text("Copied", exact=True).count() == 0


@pytest.mark.parametrize(("copies", "said"), [("true", "Copied"), ("false", "Not copied")])
async def test_without_a_clipboard_an_example_is_copied_in_the_old_way(visit: NewVisit, copies: str, said: str) -> None:
    seen = await visit()
    await seen.without_clipboard()
    await seen.page.add_init_script(f"document.execCommand = () => {copies}")
    await _see(seen, f"{_EARTHQUAKES}?f=html")
    await seen.page.get_by_role("button", name="Copy: The first features, with curl").click()
    await seen.page.get_by_text(said, exact=True).first.wait_for()


async def test_the_keyboard_comes_first_to_the_content(visit: NewVisit) -> None:
    seen = await visit()
    await _see(seen, "/?f=html")
    await seen.page.keyboard.press("Tab")
    assert await seen.page.evaluate("document.activeElement.textContent") == "Skip to content"
    await seen.page.keyboard.press("Enter")
    assert await seen.page.evaluate("document.activeElement.id") == "content"


async def test_a_page_has_at_most_500_rows_and_says_so(visit: NewVisit) -> None:
    seen = await visit()
    await _see(seen, f"{_EARTHQUAKES}/items?f=html&limit=10000")
    assert await seen.page.locator("table.data tbody tr").count() == 500
    assert "A page shows at most 500 rows" in await seen.page.locator("p.lead").inner_text()
    first = await seen.page.locator("table.data tbody th").first.inner_text()
    await seen.page.get_by_role("link", name="Next page").click()
    await seen.page.wait_for_url("**cursor=*")
    assert await seen.page.locator("table.data tbody tr").count() == 500
    assert await seen.page.locator("table.data tbody th").first.inner_text() != first


async def test_the_map_opens_with_the_filter_of_the_page(visit: NewVisit) -> None:
    seen = await visit()
    await _see(seen, f"{_EARTHQUAKES}/items?f=html&filter=magnitude%20%3E%205.5&network=us&bbox=-180,-60,180,70")
    await seen.page.get_by_role("link", name="Open the map").click()
    await seen.ready()
    drawn = await seen.drawn("hazard.hazard_eq_events")
    assert drawn
    assert all(feature["properties"]["magnitude"] > 5.5 for feature in drawn)
    # the whole link was understood: the map writes it again as it was
    assert "f.hazard.hazard_eq_events=(magnitude%20%3E%205.5)%20AND%20(network%20%3D%20'us')" in seen.page.url


async def test_a_feature_is_found_on_the_map(visit: NewVisit) -> None:
    seen = await visit()
    await _see(seen, f"{_EARTHQUAKES}/items/1635?f=html")
    name = await seen.page.locator("h1").inner_text()
    await seen.page.get_by_role("link", name="Open the map").click()
    await seen.ready()
    # the card has the magnitude apart
    assert name.endswith(await seen.page.locator(".card h2").inner_text())


async def test_what_else_is_known_of_an_event_is_a_click_away(visit: NewVisit) -> None:
    seen = await visit()
    await _see(seen, "/collections/hazard.hazard_ts_tracks/items/3758?f=html")
    known = seen.page.get_by_role("list", name="Related data")
    await known.get_by_role("link", name="Tropical storm nodes").click()
    await seen.page.wait_for_url("**hazard_ts_nodes/items?f=html&event_id=EP202015")
    assert await seen.page.locator("table.data tbody tr").count() > 1
    # nothing of it is known there
    await seen.page.go_back()
    assert await known.get_by_role("link", name="advisories").count() == 0
    await known.get_by_role("link", name="Everything about event EP202015").click()
    await seen.page.get_by_role("link", name="Open the map").first.click()
    await seen.ready()
    assert "/map?event=EP202015" in seen.page.url
    await seen.page.get_by_text("Only Patricia").wait_for()
    drawn = await seen.known("hazard.hazard_ts_nodes")
    assert {feature["properties"]["event_id"] for feature in drawn} == {"EP202015"}


async def test_a_mistake_in_the_form_is_put_right_where_it_was_made(visit: NewVisit) -> None:
    seen = await visit()
    await _see(seen, f"{_EARTHQUAKES}/items?f=html")
    field = seen.page.get_by_label("Filter (CQL2)")
    await field.fill("magnitud > 5.5")
    await seen.page.get_by_label("Per page").fill("7")
    await seen.page.get_by_role("button", name="Filter").click()
    await seen.page.get_by_text("did you mean").wait_for()
    # the browser reports every answer that is an error
    seen.problems.clear()
    assert await field.input_value() == "magnitud > 5.5"
    assert await field.get_attribute("aria-invalid") == "true"
    await field.fill("magnitude > 5.5")
    await seen.page.get_by_role("button", name="Filter").click()
    await seen.page.get_by_role("link", name="Download CSV").wait_for()
    assert await seen.page.locator("table.data tbody tr").count() == 7
