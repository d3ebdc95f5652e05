"""`python -m tools.weight http://127.0.0.1:8080/api`: bytes and requests of a first and a second visit of maps.

Bytes are those on the wire, headers included; a kB is 1,000 bytes. `--seconds` also measures the time until data are
drawn, on a slow link and with a quarter of the processor's speed; use an idle machine. `--frames` measures the times
between frames while maps move.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
from collections.abc import Sequence

from playwright.async_api import Browser, BrowserContext, Page, async_playwright

from tests.system.visits import ARGUMENTS, MOST_SECONDS, browser_program, map_of
from tools.weight.frames import measure_maps
from tools.weight.link import Asked, Link, link_to

MAPS = {
    "all collections": "/map",
    "earthquakes": map_of("hazard.hazard_eq_events"),
}
WIDTHS = {1440: 900, 390: 844}
_QUIET = 1.5
"""Seconds without a request, after which a map that rests has all it wants."""
_SLOW = {"bytes_per_second": 400_000.0, "latency": 0.4}
_DRAWN = """() => {
    if (!window.map?.isStyleLoaded) return null;
    const isData = ({ metadata }) => metadata?.["dams:collection"];
    const layers = map.getStyle()?.layers.filter(isData).map(({ id }) => id) ?? [];
    return layers.length && map.queryRenderedFeatures({ layers }).length ? performance.now() : null;
}"""


async def visit(page: Page, link: Link, address: str) -> list[Asked]:
    """Return the requests of a page until its map rests and no request follows."""
    before = len(link.asked)
    await page.goto(address)
    await page.wait_for_selector("body[data-ready]")
    await link.quiet(_QUIET)
    return link.asked[before:]


async def _context(browser: Browser, width: int) -> BrowserContext:
    context = await browser.new_context(viewport={"width": width, "height": WIDTHS[width]})
    context.set_default_timeout(MOST_SECONDS * 1000)
    return context


async def _weigh(browser: Browser, base_url: str, *, each: bool) -> None:
    print(f"{'map':<18}{'width':>6}{'first: kB':>11}{'requests':>10}{'again: kB':>11}{'requests':>10}")
    for name, path in MAPS.items():
        for width in WIDTHS:
            async with link_to(base_url) as (link, address):
                context = await _context(browser, width)
                page = await context.new_page()
                first = await visit(page, link, address + path)
                again = await visit(page, link, address + path)
                await context.close()
            figures = "".join(f"{_size(asked) / 1000:>11.0f}{len(asked):>10}" for asked in (first, again))
            print(f"{name:<18}{width:>6}{figures}")
            if each:
                print("".join(f"{asked.size:>12,}  {asked.address}\n" for asked in first))


def _size(asked: Sequence[Asked]) -> int:
    return sum(each.size for each in asked)


async def _seconds(browser: Browser, base_url: str, runs: int) -> None:
    print(f"\n{'map':<18}{'width':>6}{'processor':>11}{'data drawn: s':>15}{'rests: s':>10}")
    for name, path in MAPS.items():
        for width, slower in ((1440, 1), (390, 4)):
            taken = [await _time_first_map(browser, base_url, path, width, slower) for _ in range(runs)]
            drawn, rests = (statistics.median(each) for each in zip(*taken, strict=True))
            print(f"{name:<18}{width:>6}{'1' if slower == 1 else f'1/{slower}':>11}{drawn:>15.1f}{rests:>10.1f}")


async def _time_first_map(browser: Browser, base_url: str, path: str, width: int, slower: int) -> tuple[float, float]:
    """Seconds until the first data are drawn, and until the map rests, in a browser without a past."""
    async with link_to(base_url, **_SLOW) as (_, address):
        context = await _context(browser, width)
        page = await context.new_page()
        await (await context.new_cdp_session(page)).send("Emulation.setCPUThrottlingRate", {"rate": slower})
        await page.goto(address + path, wait_until="commit")
        drawn = None
        while drawn is None:
            await asyncio.sleep(0.05)
            drawn = await page.evaluate(_DRAWN)
        await page.wait_for_selector("body[data-ready]")
        rests = await page.evaluate("performance.now()")
        await context.close()
    return drawn / 1000, rests / 1000


async def _frames(browser: Browser, base_url: str) -> None:
    head = f"{'map':<30}{'width':>6}{'motion':>8}{'frames':>8}"
    print(f"{head}{'median: ms':>12}{'95%: ms':>10}{'longest: ms':>13}{'scripts: ms':>13}")
    for (name, width, motion), frames in (await measure_maps(browser, base_url)).items():
        times = f"{frames.median:>12.0f}{frames.slow:>10.0f}{frames.longest:>13.0f}{frames.scripts:>13.1f}"
        print(f"{name:<30}{width:>6}{motion:>8}{frames.number:>8}{times}")


async def _run(arguments: argparse.Namespace) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=browser_program(), args=ARGUMENTS)
        if arguments.frames:
            await _frames(browser, arguments.address)
        else:
            await _weigh(browser, arguments.address, each=arguments.each)
        if arguments.seconds:
            await _seconds(browser, arguments.address, arguments.seconds)
        await browser.close()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.weight", description=__doc__)
    parser.add_argument("address", help="of the service, such as http://127.0.0.1:8080/api")
    parser.add_argument("--each", action="store_true", help="list each request of a first visit")
    parser.add_argument("--seconds", type=int, default=0, metavar="RUNS", help="measure seconds, too, in so many runs")
    parser.add_argument("--frames", action="store_true", help="measure frames of maps that move, not what they weigh")
    asyncio.run(_run(parser.parse_args()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
