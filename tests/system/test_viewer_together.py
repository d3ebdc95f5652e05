"""The overview map draws collections with equal parameters from shared tiles, and looks as if it did not."""

from __future__ import annotations

import os
import re
from pathlib import Path

import asyncpg
import pytest
from PIL import ImageChops

from tests.running_stack import RunningStack
from tests.system.visits import NewVisit, Visit

pytestmark = [pytest.mark.system, pytest.mark.browser]

_EARTHQUAKES = "hazard.hazard_eq_events"
_ALERTS = "hazard.hazard_fl_alerts"
_TILE = re.compile(r"/tiles/WebMercatorQuad/\d+/\d+/\d+")
_TAKE_CREDITS = """() => {
    const control = document.querySelector(".maplibregl-ctrl-attrib-inner");
    control.style.visibility = "hidden";
    return control.textContent.split(" | ").map((text) => text.trim()).sort();
}"""
_HELD = "drawn together while data change"


def _many() -> str:
    names = (
        "eq_events",
        "fl_events",
        "fl_alerts",
        "ts_disturbance_tracks",
        "ts_events",
        "ts_tracks",
        "ts_buffers",
        "ts_nodes",
    )
    return ",".join(f"hazard.hazard_{name}" for name in names)


def _tiles(page: Visit, *, own: bool) -> list[str]:
    """Return the addresses of requested tiles: those of single collections, or those of several."""
    return [url for url in page.requests if _TILE.search(url) and ("/collections/" in url) == own]


async def test_many_collections_are_as_many_requests_as_one(visit: NewVisit) -> None:
    page, apart = await visit(900, 600), await visit(900, 600)
    # without a style and TileJSON of several the map falls back to tiles of each
    for name in ("style", "tilejson"):
        # not the style of the page's own collections, which a link's state replaces
        several = re.compile(rf"/api/tiles/.*/{name}\.json\?.*{_many().rpartition(',')[2]}")
        # a broken request is tried once more
        await apart.page.route(several, lambda route: route.abort(), times=2)
    address = f"/map#map=1.5/20/10&c={_many()}"
    await page.open(address)
    together, each = _tiles(page, own=False), _tiles(page, own=True)
    assert each == []
    assert together
    places = {_TILE.search(url)[0] for url in together}  # type: ignore[index]
    # the world is seen more than once
    assert len(set(together)) == len(places)
    assert all("v=" in url for url in together)
    assert await page.drawn(_EARTHQUAKES)

    await apart.open(address)
    assert _tiles(apart, own=False) == []
    assert len(set(_tiles(apart, own=True))) == 8 * len(places)
    # the same sources are named, in an order of their own
    named = [await shown.page.evaluate(_TAKE_CREDITS) for shown in (page, apart)]
    assert named[0] == named[1]
    assert len(named[0]) > 3
    difference = ImageChops.difference(await page.picture(), await apart.picture()).convert("L")
    different = sum(count for value, count in enumerate(difference.histogram()) if value > 40)
    if folder := os.environ.get("PICTURES"):
        for name, shown in (("together", page), ("apart", apart)):
            (await shown.picture()).save(Path(folder) / f"overview-{name}.png")
    # points of the same rank may lie over each other in another order
    assert different < 0.002 * difference.width * difference.height, different
    apart.problems.clear()  # the delayed requests

    # a change of one collection gives it its own tiles; a change of time is one request for the others
    page.requests.clear()
    await page.page.evaluate(f"location.hash += '&f.{_EARTHQUAKES}=magnitude>5'")
    await page.ready_with("/collections/hazard.hazard_eq_events/tiles/", "filter=")
    assert _tiles(page, own=False) == []
    page.requests.clear()
    await page.page.evaluate("location.hash += '&t=2018-01-01T00:00:00Z/2018-02-01T00:00:00Z'")
    await page.ready_with("/api/tiles/WebMercatorQuad/", "datetime=2018")
    assert {url.partition("/collections/")[2].partition("/")[0] for url in _tiles(page, own=True)} == {_EARTHQUAKES}


async def test_a_collection_that_cannot_be_read_keeps_no_other_from_the_map(
    visit: NewVisit, stack: RunningStack
) -> None:
    owner = await asyncpg.connect(stack.owner_url("dams"))
    await owner.execute(f"BEGIN; LOCK TABLE {_ALERTS} IN ACCESS EXCLUSIVE MODE")
    page = await visit()
    try:
        # a place that no cache knows
        await page.open(f"/map#map=6.3/33.1/-117.2&c={_ALERTS},{_EARTHQUAKES}")
        await page.ready_with(f"/collections/{_EARTHQUAKES}/tiles/")
        await page.until(f"map.queryRenderedFeatures().some(({{ sourceLayer }}) => sourceLayer === '{_EARTHQUAKES}')")
    finally:
        await owner.execute("ROLLBACK")
        await owner.close()
    assert all("503" in problem for problem in page.problems), page.problems
    page.problems.clear()


async def test_new_data_of_one_come_without_taking_the_others_from_the_map(
    visit: NewVisit, stack: RunningStack
) -> None:
    page = await visit()
    await page.open(f"/map#map=2.5/-30/-60&c={_ALERTS},{_EARTHQUAKES}")
    assert await page.drawn(_EARTHQUAKES)
    await page.page.evaluate(
        f"""() => {{
            const isQuake = ({{ sourceLayer }}) => sourceLayer === '{_EARTHQUAKES}';
            const seen = () => map.queryRenderedFeatures().filter(isQuake);
            window.fewest = seen().length;
            map.on('render', () => (window.fewest = Math.min(window.fewest, seen().length)));
        }}"""
    )
    owner = await asyncpg.connect(stack.owner_url("dams"))
    try:
        added = await owner.fetchval(
            "INSERT INTO hazard.hazard_fl_alerts (event_id, title, alert_level, issued, country, source, geom) "
            "VALUES ($1, $1, 'Red', now(), 'Nowhere', 'simulated', "
            "ST_Multi(ST_SetSRID(ST_MakeEnvelope(-30, -40, -20, -30), 4326))) RETURNING id",
            _HELD,
        )
        is_new = f"sourceLayer === '{_ALERTS}' && id === {added}"
        await page.until(f"map.queryRenderedFeatures().some(({{ id, sourceLayer }}) => {is_new})")
    finally:
        await owner.execute("DELETE FROM hazard.hazard_fl_alerts WHERE event_id = $1", _HELD)
        await owner.close()
    assert await page.page.evaluate("window.fewest > 0")
    assert _tiles(page, own=True) == []
