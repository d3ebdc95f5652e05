"""The bytes that a map transfers: docs/weight.md has the figures."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Browser

from tests.running_stack import RunningStack
from tests.system.visits import MOST_SECONDS, map_of
from tools.weight.link import Asked, link_to

_MOST_BYTES, _MOST_REQUESTS = 500_000, 25
_IN_ORDER = ("/assets/library-", r"/tiles/WebMercatorQuad/\d", r"/facets\?", r"/items\?")
_NO_LIMIT = (
    "const after = setTimeout; setTimeout = (done, wait, ...given) => wait === 1000 || after(done, wait, ...given)"
)


def _first(addresses: list[str], pattern: str) -> int:
    return next(place for place, address in enumerate(addresses) if re.search(pattern, address))


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
@pytest.mark.parametrize("path", ["/map", map_of("hazard.hazard_eq_events")])
async def test_the_first_map_is_light_and_the_second_lighter(
    chromium: Browser, stack: RunningStack, path: str, width: int, height: int
) -> None:
    async with link_to(stack.base_url) as (link, address):
        context = await chromium.new_context(viewport={"width": width, "height": height})
        context.set_default_timeout(MOST_SECONDS * 1000)
        # work that waits for the first tile starts without it after a second; a busy machine may take that long for a
        # request
        await context.add_init_script(_NO_LIMIT)
        page = await context.new_page()
        visits: list[list[Asked]] = []
        for _ in range(2):
            before = len(link.asked)
            await page.goto(f"{address}{path}")
            await page.wait_for_selector("body[data-ready]")
            await link.quiet()
            visits.append(link.asked[before:])
        await context.close()
    first, second = visits
    listed = "\n".join(f"{asked.size:>9,} {asked.address}" for asked in first)
    assert sum(asked.size for asked in first) <= _MOST_BYTES, listed
    assert len(first) <= _MOST_REQUESTS, listed
    # nothing twice: no tile, no script, and none of the three fonts under another name
    assert len({asked.address for asked in first}) == len(first), listed
    assert len([asked for asked in first if ".woff2" in asked.address]) == 3, listed
    # the data before what the panel tells of them, and the library among the first six, which HTTP/1.1 asks for at once
    addresses = [asked.address for asked in first]
    places = [_first(addresses, pattern) for pattern in _IN_ORDER]
    assert places == sorted(places), listed
    assert places[0] <= 6, listed
    assert sum(asked.size for asked in second) < _MOST_BYTES / 4
    assert not [asked for asked in second if "/assets/" in asked.address or "/basemap/" in asked.address]
