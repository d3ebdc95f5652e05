"""From an alert in force to its forecast: two steps, on pages and on the map."""

from __future__ import annotations

import re

import pytest

from tests.running_stack import RunningStack
from tests.system.visits import NewVisit, items, map_of

pytestmark = [pytest.mark.system, pytest.mark.browser, pytest.mark.timeout(240)]

_ALERTS = "hazard.hazard_fl_alerts"
_FORECAST = re.compile("hazard_fl_(glofas_gauges|alerts_mom)_forecast/items/")


async def test_an_alert_in_force_leads_to_its_forecast_in_two_steps(visit: NewVisit) -> None:
    seen = await visit()
    await seen.page.goto(f"{seen.base_url}/?f=html")
    topic = seen.page.locator("section", has=seen.page.get_by_role("heading", name="Flood alerts in force"))
    assert await topic.get_by_text("In force now").is_visible()
    # 1
    await topic.get_by_role("listitem").first.get_by_role("link").click()
    await seen.page.wait_for_url(f"**/{_ALERTS}/items/*")
    assert await seen.page.get_by_text("No longer in force").count() == 0
    # 2
    expected = seen.page.get_by_role("list", name="Forecasts in and around it")
    await expected.get_by_role("link", name=re.compile("^Gauge ")).first.click()
    await seen.page.wait_for_url(_FORECAST)
    await seen.page.locator("figure.series svg").wait_for()


async def test_on_the_map_an_alert_in_force_leads_to_its_forecast_in_two_steps(visit: NewVisit) -> None:
    seen = await visit()
    await seen.open(map_of(_ALERTS))
    # 1: those in force are first
    await seen.page.locator("#events li:not(.over) button").first.click()
    forecast = seen.page.locator(".card").get_by_role("button", name="Forecast here")
    # 2
    await forecast.click()
    await seen.page.locator(".card h2", has_text=re.compile("Gauge|forecast")).wait_for()
    await seen.page.locator(".card svg").wait_for()
    await seen.until("/id=hazard.hazard_fl_(glofas_gauges|alerts_mom)_forecast/.test(location.hash)")
    await seen.ready()
    [(collection, identifier)] = re.findall(r"id=([\w.]+)/(\d+)", seen.page.url)
    assert int(identifier) in {feature["id"] for feature in await seen.drawn(collection)}


async def test_several_forecasts_are_shown_one_after_the_other_each_at_its_place(
    visit: NewVisit, stack: RunningStack
) -> None:
    # a watershed and a gauge, by the demo data
    [alert] = await items(stack, _ALERTS, filter="event_id LIKE 'SIM-FA-%-0029'", f="geojson")
    seen = await visit()
    await seen.open(f"{map_of(_ALERTS)}#id={_ALERTS}/{alert['id']}")
    await seen.page.locator(".card").get_by_role("button", name="Forecast here").click()
    await seen.page.locator(".card").get_by_role("button", name="1 of 2 here").wait_for()
    first, (longitude, latitude) = await seen.page.evaluate(
        "[document.querySelector('.card h2').textContent, map.getCenter().toArray()]"
    )
    await seen.page.locator(".card").get_by_role("button", name="1 of 2 here").click()
    await seen.page.locator(".card").get_by_role("button", name="2 of 2 here").wait_for()
    assert await seen.page.locator(".card h2").inner_text() != first
    await seen.until(
        f"Math.hypot(map.getCenter().lng - {longitude}, map.getCenter().lat - {latitude}) > 0.01 && !map.isMoving()"
    )
