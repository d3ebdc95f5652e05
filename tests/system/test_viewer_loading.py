"""What a map requests while its library is loading, and what becomes of it without that."""

import asyncio
import re

import pytest
from playwright.async_api import Route

from tests.eventually import eventually
from tests.system.visits import MOST_SECONDS, NewVisit, Visit, map_of

pytestmark = [pytest.mark.system, pytest.mark.browser]

_EARTHQUAKES = "hazard.hazard_eq_events"
_MAPS = ["/map", map_of(_EARTHQUAKES), f"{map_of(_EARTHQUAKES)}#map=6.4/25/121.5"]
_DATA = re.compile(r"/tiles/WebMercatorQuad/\d")
_BASEMAP = re.compile(r"/basemap/WebMercatorQuad/\d")
_LIBRARY = re.compile(r"/assets/library-")
_UNUSED_AFTER = 6
"""Seconds after which Chromium reports a preload that was not used."""


def _tiles(page: Visit) -> set[str]:
    return {url for url in page.requests if _DATA.search(url) or _BASEMAP.search(url)}


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("path", _MAPS)
async def test_the_first_tiles_are_requested_before_the_library_is_there(
    visit: NewVisit, path: str, width: int
) -> None:
    page = await visit(width=width, height=844)
    early: set[str] = set()

    async def data_first(route: Route) -> None:
        async def asked() -> bool:
            return any(_DATA.search(url) for url in page.requests)

        await eventually(asked, seconds=MOST_SECONDS)
        early.update(_tiles(page))
        await route.continue_()

    await page.page.route(_LIBRARY, data_first)
    await page.open(path)
    # no tile that the map does not show, and none of its data was forgotten
    assert early
    shown = {url for url in page.requests if page.requests.count(url) > 1}
    assert early <= shown
    assert {url for url in _tiles(page) if _DATA.search(url)} <= early
    assert page.problems == []


async def test_each_preload_is_used(visit: NewVisit) -> None:
    page = await visit(width=1440, height=900)
    said: list[str] = []
    page.page.on("console", lambda message: said.append(message.text))
    await page.open("/map")
    await asyncio.sleep(_UNUSED_AFTER)
    assert [text for text in said if "preload" in text] == []
    # the cache of the browser has what was requested early
    assert page.problems == []


@pytest.mark.parametrize("failing", [r"/tiles/WebMercatorQuad/style\.json", _DATA.pattern, _BASEMAP.pattern])
async def test_a_map_is_drawn_if_what_is_requested_early_fails(visit: NewVisit, failing: str) -> None:
    page = await visit(width=1440, height=900)
    failed: set[str] = set()

    async def fail_once(route: Route) -> None:
        if route.request.url in failed:
            await route.continue_()
        else:
            failed.add(route.request.url)
            await route.abort()

    await page.page.route(re.compile(failing), fail_once)
    await page.open("/map")
    assert failed
    assert await _is_drawn(page)
    assert await page.page.locator("#status").text_content() == ""
    page.problems.clear()  # the requests that failed


async def test_a_map_is_drawn_by_a_browser_without_preloads(visit: NewVisit) -> None:
    page = await visit(width=1440, height=900)

    async def without(route: Route) -> None:
        response = await route.fetch()
        text, number = re.subn(r'<link rel="(module)?preload"[^>]*>', "", await response.text())
        assert number > 1
        await route.fulfill(response=response, body=text)

    await page.page.route(re.compile(r"/map$"), without)
    await page.open("/map")
    assert await _is_drawn(page)


async def _is_drawn(page: Visit) -> bool:
    """Whether data are on the screen, whichever collections the present has."""
    return bool(
        await page.page.evaluate(
            """() => {
                const isData = ({ metadata }) => metadata?.["dams:collection"];
                const layers = map.getStyle().layers.filter(isData).map(({ id }) => id);
                return map.queryRenderedFeatures({ layers }).length > 0;
            }"""
        )
    )
