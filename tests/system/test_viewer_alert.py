"""From an alert in force to its forecast: two steps, on pages and on the map."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import aiohttp
import asyncpg
import pytest

from tests.eventually import eventually
from tests.running_stack import RunningStack
from tests.system.visits import NewVisit, map_of

pytestmark = [pytest.mark.system, pytest.mark.browser]

_ALERTS = "hazard.hazard_fl_alerts"
_GAUGES = "hazard.hazard_fl_glofas_gauges_forecast"
_KEPT = "kept while its forecast is looked for"
_ALERT = """
INSERT INTO hazard.hazard_fl_alerts (event_id, title, alert_level, issued, expires, country, source, geom)
VALUES ($1, $1, 'Red', now() - interval '2 minutes', now() + interval '1 day', 'Nowhere', 'simulated',
        ST_Multi(ST_SetSRID(ST_MakeEnvelope(-30, -40, -29, -39), 4326)))
RETURNING id
"""
_FORECASTS = """
INSERT INTO hazard.hazard_fl_glofas_gauges_forecast (event_id, gauge_id, title, forecast_date, valid_to, alert_level,
    discharge_m3s, peak_discharge_m3s, return_2y_m3s, return_5y_m3s, return_20y_m3s, time_series, source, geom)
SELECT $1, $1 || longitude, forecasts.title, now(), now() + interval '9 days', alert_level,
    discharge_m3s, peak_discharge_m3s, return_2y_m3s, return_5y_m3s, return_20y_m3s, time_series, 'simulated',
    ST_SetSRID(ST_MakePoint(longitude, -39.5), 4326)
FROM (VALUES (-28.8, 'Gauge beside it'), (-29.4, 'Gauge in it')) AS forecasts (longitude, title),
     (SELECT * FROM hazard.hazard_fl_glofas_gauges_forecast ORDER BY id LIMIT 1) AS known
"""


@pytest.fixture
async def alert(stack: RunningStack) -> AsyncIterator[int]:
    """The id of an alert in force whose page leads to its two forecasts: the demo data may be of another month."""
    database = await asyncpg.connect(stack.owner_url("dams"))
    try:
        identifier: int = await database.fetchval(_ALERT, _KEPT)
        await database.execute(_FORECASTS, _KEPT)
        async with aiohttp.ClientSession() as session:

            async def is_known() -> bool:
                address = f"{stack.base_url}/collections/{_ALERTS}/items/{identifier}?f=html"
                async with session.get(address) as page, session.get(f"{stack.base_url}/?f=html") as landing:
                    return "Gauge beside it" in await page.text() and _KEPT in await landing.text()

            await eventually(is_known, seconds=60)
        yield identifier
    finally:
        await database.execute("DELETE FROM hazard.hazard_fl_alerts WHERE event_id = $1", _KEPT)
        await database.execute("DELETE FROM hazard.hazard_fl_glofas_gauges_forecast WHERE event_id = $1", _KEPT)
        await database.close()


async def test_an_alert_in_force_leads_to_its_forecast_in_two_steps(visit: NewVisit, alert: int) -> None:
    seen = await visit()
    await seen.page.goto(f"{seen.base_url}/?f=html")
    topic = seen.page.locator("section", has=seen.page.get_by_role("heading", name="Flood alerts in force"))
    assert await topic.get_by_text("Active now").is_visible()
    # 1
    await topic.get_by_role("link", name=_KEPT).click()
    await seen.page.wait_for_url(f"**/{_ALERTS}/items/{alert}*")
    # 2: the nearest first
    expected = seen.page.get_by_role("list", name="Forecasts in and around it")
    assert [text.split(" River")[0] for text in await expected.get_by_role("link").all_inner_texts()] == [
        "Gauge in it",
        "Gauge beside it",
    ]
    await expected.get_by_role("link").first.click()
    await seen.page.wait_for_url(f"**/{_GAUGES}/items/*")
    await seen.page.locator("figure.series svg").wait_for()


async def test_on_the_map_an_alert_in_force_leads_to_its_forecast_in_two_steps(visit: NewVisit, alert: int) -> None:
    seen = await visit()
    await seen.open(map_of(_ALERTS))
    # 1: those in force are first, the newest of them at the top
    await seen.page.locator(f"#events li:not(.over) button[data-id='{alert}']").click()
    card = seen.page.locator(".card")
    # 2
    await card.get_by_role("button", name="Forecast here").click()
    await card.locator("h2", has_text="Gauge in it").wait_for()
    await card.locator("svg").wait_for()
    await seen.until(f"location.hash.includes('id={_GAUGES}/')")
    await seen.ready()
    identifier = re.findall(r"id=[\w.]+/(\d+)", seen.page.url)[0]
    assert int(identifier) in {feature["id"] for feature in await seen.drawn(_GAUGES)}
    # and on to the other one, at its own place
    longitude = await seen.page.evaluate("map.getCenter().lng")
    await card.get_by_role("button", name="1 of 2 here").click()
    await card.locator("h2", has_text="Gauge beside it").wait_for()
    await seen.until(f"map.getCenter().lng > {longitude + 0.1} && !map.isMoving()")
