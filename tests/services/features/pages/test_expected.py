"""The page of a feature in force has links to the forecasts there."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import asyncpg
import pytest

from tests.services.in_process import Client, services

_TABLES = """
CREATE EXTENSION IF NOT EXISTS postgis;
CREATE SCHEMA own;
CREATE TABLE own.own_fl_alerts (id integer PRIMARY KEY, title text, issued timestamptz, expires timestamptz,
                                geom geometry(Polygon, 4326));
CREATE TABLE own.own_fl_gauges_forecast (id integer PRIMARY KEY, title text, made timestamptz, valid_to timestamptz,
                                         geom geometry(Point, 4326), series jsonb);
CREATE TABLE own.own_ts_winds_forecast (id integer PRIMARY KEY, title text, geom geometry(Point, 4326));
INSERT INTO own.own_fl_alerts
SELECT n, 'Alert ' || n, now() - interval '1 day', now() + interval '1 hour' * CASE n WHEN 2 THEN -1 ELSE 9 END,
       ST_MakeEnvelope(west, 0, west + 1, 2, 4326)
FROM (VALUES (1, 178.9), (2, 178.9), (3, 20), (4, 60)) AS alerts (n, west);
-- 1 and 2: across the antimeridian, the nearest one last; 4: what is over; 5: far off
INSERT INTO own.own_fl_gauges_forecast
SELECT n, 'Gauge <' || n || '>', now() - interval '2 days', now() + interval '1 day' * CASE n WHEN 4 THEN -1 ELSE 9 END,
       ST_SetSRID(ST_MakePoint(x, 1), 4326)
FROM (VALUES (1, -179.7), (2, 179.5), (4, 179.4), (5, -178), (6, 60.1), (7, 60.2), (8, 60.3), (9, 60.4), (10, 60.5))
     AS gauges (n, x);
INSERT INTO own.own_fl_gauges_forecast VALUES (11, 'Nowhere', now() - interval '2 days', now() - interval '1 day', NULL,
    '[{"time": "2026-11-01", "flow_m3s": 1}, {"time": "2026-11-02", "flow_m3s": 3}]');
INSERT INTO own.own_ts_winds_forecast VALUES (1, 'Wind', 'SRID=4326;POINT(20.5 1)');
ANALYZE;
"""
_TIMES = """
collections:
  own.own_fl_alerts: {datetime_column: [issued, expires]}
  own.own_fl_gauges_forecast: {datetime_column: [made, valid_to]}
"""


@pytest.fixture(scope="module")
async def features(make_database: object, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Client]:
    """Features on the tables."""

    async def tables(owner: asyncpg.Connection) -> None:
        await owner.execute(_TABLES)

    url = await make_database(tables)  # type: ignore[operator]
    said = tmp_path_factory.mktemp("said") / "collections.yaml"
    said.write_text(_TIMES)
    environment = {"DAMS_DATABASE_URL": url, "DAMS_COLLECTION_SCHEMAS": "own", "DAMS_COLLECTIONS_CONFIG": str(said)}
    async with services() as running:
        for name in ("common", "features"):
            await running.start(name, environment)
        yield running["features"]


async def _forecasts(features: Client, alert: int) -> list[tuple[str, str]]:
    page = (await features.get(f"/collections/own.own_fl_alerts/items/{alert}", {"f": "html"})).body.decode()
    found = re.search(r'<ul class="chips" aria-label="Forecasts in and around it">(.*?)</ul>', page, re.DOTALL)
    return re.findall(r'href="[^"]*?/items([^"]*)">([^ <]+ ?[^ <]*)', found[1]) if found else []


async def test_what_is_in_force_leads_to_the_forecasts_around_it(features: Client) -> None:
    assert await _forecasts(features, 1) == [("/2?f=html", "Gauge &lt;2&gt;"), ("/1?f=html", "Gauge &lt;1&gt;")]
    # over; and where only another module has a forecast
    assert await _forecasts(features, 2) == []
    assert await _forecasts(features, 3) == []


async def test_of_many_forecasts_the_nearest_are_named_and_a_link_has_all(features: Client) -> None:
    *named, (every, _) = await _forecasts(features, 4)
    # from the middle of the area
    assert [address for address, _ in named] == [f"/{number}?f=html" for number in (10, 9, 8, 7)]
    path = f"/collections/own.own_fl_gauges_forecast/items{every.replace('&amp;', '&').replace('f=html', 'f=geojson')}"
    assert (await features.get(path)).json()["numberMatched"] == 5


async def test_page_shows_age_end_and_drawing_of_its_feature(features: Client) -> None:
    async def page(path: str) -> str:
        return (await features.get(f"/collections/own.own_fl_{path}", {"f": "html"})).body.decode()

    present, past = await page("alerts/items/1"), await page("alerts/items/2")
    for text in (present, past):
        assert '<figure class="preview hazard-' in text
        assert "/map.html#" in text
        assert 'class="series"' not in text
    assert ("No longer active." in present, "No longer active." in past) == (False, True)
    assert ("ended 60 min ago" in past or "ended 1 h ago" in past, "ended" in present) == (True, False)
    nowhere = await page("gauges_forecast/items/11")
    # no place on a map, but a series
    assert ('class="preview' in nowhere, "/map.html#" in nowhere) == (False, False)
    assert nowhere.count('<figure class="series">') == 1
