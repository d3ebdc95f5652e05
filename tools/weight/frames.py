"""How smoothly a map moves: the times between frames while it is panned and zoomed.

Frames are those of the page (`requestAnimationFrame`); the browser delays them while it draws the frame before.
Without a graphics card this takes most of the time. The time of the page's scripts is measured separately.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from playwright.async_api import Browser, CDPSession, Page

from tests.system.visits import MOST_SECONDS, map_of

FRAMED = {"all collections": "/map", "149,711 positions of storms": map_of("hazard.hazard_ts_nodes")}
MOTIONS = {
    "pan": "{ center: [map.getCenter().lng + 60, map.getCenter().lat] }",
    "zoom": "{ center: [-75, 25], zoom: map.getZoom() + 3 }",
}
SIZES = ((1440, 900), (390, 844))
SECONDS = 3
_MOVED = """async ([to, milliseconds]) => {
    const gaps = [];
    let last = null;
    let isMoving = true;
    const frame = (now) => {
        if (last !== null) gaps.push(now - last);
        last = now;
        if (isMoving) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    await new Promise((resolve) => {
        map.once("moveend", resolve);
        map.easeTo({ ...to, duration: milliseconds, easing: (share) => share });
    });
    isMoving = false;
    return gaps;
}"""


@dataclass(frozen=True, slots=True)
class Frames:
    """Times between frames in milliseconds."""

    number: int
    median: float
    slow: float
    """95 of 100 are shorter."""
    longest: float
    scripts: float
    """The average time of the page's scripts in one frame."""


def frames_of(gaps: list[float], script_seconds: float) -> Frames:
    """Summarize the times between frames, and the total time of scripts. Raises ValueError without a frame."""
    if not gaps:
        raise ValueError("no frame was drawn")
    ordered = sorted(gaps)
    return Frames(
        len(gaps),
        statistics.median(gaps),
        ordered[int(0.95 * (len(gaps) - 1))],
        ordered[-1],
        script_seconds * 1000 / len(gaps),
    )


async def measure_motion(page: Page, to: str) -> Frames:
    """The frames while the map goes where the JavaScript expression says, at an even speed, in `SECONDS`."""
    target = await page.evaluate(f"() => ({to})")
    session = await page.context.new_cdp_session(page)
    await session.send("Performance.enable")
    before = await _script_seconds(session)
    gaps = await page.evaluate(_MOVED, [target, SECONDS * 1000])
    return frames_of(gaps, await _script_seconds(session) - before)


async def _script_seconds(session: CDPSession) -> float:
    told = (await session.send("Performance.getMetrics"))["metrics"]
    return float(next(each["value"] for each in told if each["name"] == "ScriptDuration"))


async def measure_maps(browser: Browser, base_url: str) -> dict[tuple[str, int, str], Frames]:
    """By map, width of the window and motion; each motion begins with a map that rests."""
    found = {}
    for name, path in FRAMED.items():
        for width, height in SIZES:
            context = await browser.new_context(viewport={"width": width, "height": height})
            context.set_default_timeout(MOST_SECONDS * 1000)
            page = await context.new_page()
            for motion, to in MOTIONS.items():
                await page.goto(f"{base_url}{path}")
                await page.reload()
                await page.wait_for_selector("body[data-ready]")
                found[name, width, motion] = await measure_motion(page, to)
            await context.close()
    return found
