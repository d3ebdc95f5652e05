"""People find the program for what they look at, on pages and on the map, and its text does what it says."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest

from tests.running_stack import RunningStack
from tests.system.visits import NewVisit, items, map_of

pytestmark = [pytest.mark.system, pytest.mark.browser]

_NODES = "hazard.hazard_ts_nodes"
_EARTHQUAKES = "hazard.hazard_eq_events"


async def test_all_nodes_are_a_spreadsheet_in_two_steps(visit: NewVisit, stack: RunningStack, tmp_path: Path) -> None:
    seen = await visit()
    await seen.page.goto(f"{stack.base_url}/?f=html")
    card = seen.page.locator(".card", has=seen.page.get_by_role("heading", name="Tropical storm nodes", exact=True))
    await card.get_by_role("link", name="Browse and filter").click()
    await seen.page.wait_for_url("**/items?f=html")
    async with seen.page.expect_download() as download:
        await seen.page.get_by_role("button", name="CSV for spreadsheets").click()
    file = tmp_path / "nodes.csv"
    await (await download.value).save_as(file)
    with file.open(encoding="utf-8", newline="") as lines:
        assert lines.read(1) == "\ufeff"
        rows = csv.DictReader(lines)
        number = sum(-180 <= float(row["longitude"]) <= 180 for row in rows)
    assert number > 100_000
    lead = await seen.page.locator("p.lead").inner_text()
    assert lead.startswith(f"{number:,} features match")


async def test_a_filter_is_a_program_in_python_in_two_steps(visit: NewVisit, stack: RunningStack) -> None:
    seen = await visit(permissions=["clipboard-read", "clipboard-write"])
    await seen.page.goto(f"{stack.base_url}/collections/{_EARTHQUAKES}/items?f=html&filter=magnitude%20%3E%3D%205.5")
    await seen.page.get_by_text("Python with geopandas").first.click()
    await seen.page.get_by_role("button", name="Copy: Python with geopandas").click()
    # long lines scroll by themselves
    await seen.page.set_viewport_size({"width": 390, "height": 844})
    assert await seen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await seen.page.get_by_text("Copied").first.wait_for()
    text: str = await seen.page.evaluate("navigator.clipboard.readText()")
    shown = subprocess.run(  # noqa: ASYNC221 - no other task waits
        [sys.executable, "-c", f"{text}\nprint(len(data))"], capture_output=True, text=True, check=True
    )
    wanted = await items(stack, _EARTHQUAKES, filter="magnitude >= 5.5", limit="1000", f="geojson")
    assert int(shown.stdout.splitlines()[-1]) == len(wanted) > 0


async def test_the_map_gives_programs_for_what_is_in_view(visit: NewVisit, stack: RunningStack) -> None:
    seen = await visit(permissions=["clipboard-read", "clipboard-write"])
    await seen.open(f"{map_of(_EARTHQUAKES)}#map=4/24/121")
    await seen.page.locator("#events li button").first.wait_for()
    await seen.page.get_by_text("Get this data").click()
    await seen.page.locator("#programs select").select_option(label="curl")
    shown = seen.page.locator("#programs code")
    assert "bbox=" in await shown.inner_text()
    await seen.page.locator("#programs").get_by_role("button", name="Copy").click()
    await seen.page.get_by_text("Copied").wait_for()
    assert await seen.page.evaluate("navigator.clipboard.readText()") == await shown.inner_text()
    # the query of the map goes on, and the choice stays
    before = await shown.inner_text()
    await seen.page.get_by_role("searchbox").fill("Hualian")
    await seen.until(f"document.querySelector('#programs code').textContent !== {before!r}")
    text = await shown.inner_text()
    assert text.startswith("curl ")
    assert "Hualian" in text
    assert "bbox=" not in text


async def test_maplibre_draws_what_a_program_adds(visit: NewVisit, stack: RunningStack) -> None:
    seen = await visit()
    await seen.page.goto(f"{stack.base_url}/collections/{_EARTHQUAKES}/items?f=html&filter=magnitude%20%3E%3D%205.5")
    await seen.page.get_by_text("MapLibre").first.click()
    text = await seen.page.locator("details[open] code").inner_text()
    wanted = await items(stack, _EARTHQUAKES, filter="magnitude >= 5.5", limit="1000", f="geojson")
    # a map of MapLibre that has loaded, and shows something else
    await seen.open(f"{map_of('hazard.hazard_fl_events')}#map=1/20/110")
    await seen.page.evaluate(f"() => {{ {text} }}")
    drawn = "map.queryRenderedFeatures({ layers: ['hazard_eq_events'] }).map(({ id }) => id)"
    await seen.until(f"map.areTilesLoaded() && {drawn}.length > 0")
    assert set(await seen.page.evaluate(drawn)) <= {item["id"] for item in wanted}
