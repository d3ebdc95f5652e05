"""Features and common on a database with impacts of events."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from deploy.database.apply import apply_schema
from deploy.impact.computing import compute, due
from tests.conftest import MakeDatabase
from tests.services.in_process import Client, Services, services

ROWS = """
INSERT INTO exposure.dataset VALUES
    ('places', 'Places', 'People', 'lower bound', 'GeoNames', 'CC BY 4.0', 'https://example.org/by', '2026', 3, 'a'),
    ('airports', 'Airports', 'Airports', 'incomplete list', 'Made', 'MIT', 'https://example.org/mit', '2026', 1, 'a'),
    ('ports', 'Ports', 'Ports', 'incomplete list', 'Made too', 'MIT', 'https://example.org/mit', '2022', 1, 'a');
INSERT INTO exposure.place VALUES
    (1, 'Big', 'XX', 'Xland', 'North', 1234567, 'SRID=4326;POINT(1 1)'),
    (2, 'Small', 'YY', 'Yland', NULL, 600, 'SRID=4326;POINT(1.5 1)'),
    (3, '<i>Third</i>', 'XX', 'Xland', 'South', 500, 'SRID=4326;POINT(3 3)');
INSERT INTO exposure.facility VALUES
    (1, 'airport', 'IATA code', 'XAAA', 'Big <b>Airport</b>', 'XX', 'Xland', 'North', 'SRID=4326;POINT(1 1)'),
    (2, 'port', 'UN/LOCODE', 'XXHBR', 'Harbour', 'XX', 'Xland', NULL, 'SRID=4326;POINT(51 1)');
INSERT INTO exposure.unit VALUES
    (1, 'XX', 'Xland', NULL, 'SRID=4326;MULTIPOLYGON(((0 0, 1 0, 1 2, 0 2, 0 0)))'),
    (2, 'XX', 'Xland', 'North', 'SRID=4326;MULTIPOLYGON(((0 1, 1 1, 1 2, 0 2, 0 1)))'),
    (3, 'ZZ', 'Zland', NULL, 'SRID=4326;MULTIPOLYGON(((1.5 1.5, 3 1.5, 3 3, 1.5 3, 1.5 1.5)))');
INSERT INTO hazard.hazard_ts_events (event_id, name, category, basin, start_date, source, geom) VALUES
    ('WP/1', 'ANNA', 'C3', 'WP', '2020-01-01', 'tests', 'SRID=4326;POINT(1 1)'),
    ('WP2', 'BOB', 'C1', 'WP', '2020-01-01', 'tests', 'SRID=4326;POINT(50 1)'),
    ('WP3', 'CLEO', 'TS', 'WP', '2020-01-01', 'tests', 'SRID=4326;POINT(60 1)'),
    ('WP4', 'DORA', 'TS', 'WP', '2020-01-01', 'tests', 'SRID=4326;POINT(60 1)'),
    ('WP5', 'EVAN', 'TS', 'WP', '2020-01-01', 'tests', 'SRID=4326;POINT(60 1)');
INSERT INTO hazard.hazard_ts_buffers (event_id, wind_speed_kt, start_date, end_date, kind, source, geom)
SELECT event, wind, '2020-01-01', '2020-01-02', 'analysed', 'tests',
    ST_Multi(ST_MakeEnvelope(west, 0, east, north, 4326))
FROM (VALUES ('WP/1', 64, 0, 2, 2), ('WP/1', 34, 0, 4, 4), ('WP2', 64, 50, 52, 2)) z (event, wind, west, east, north);
INSERT INTO hazard.hazard_ts_advisory_buffers
    (event_id, advisory, advisory_time, kind, scope, wind_speed_kt, start_date, end_date, source, geom)
SELECT 'WP/1', advisory, at::timestamptz, kind, scope, wind, time::timestamptz, time::timestamptz, 'tests',
    ST_Multi(ST_MakeEnvelope(west, 0, east, north, 4326))
FROM (VALUES
    (1, '2020-01-01', 'forecast', 'whole', 34, '2020-01-01', 0.0, 4.0, 4.0),
    (NULL, '2020-01-01 03:00', 'analysed', 'step', 34, '2020-01-01 03:00', 0.0, 2.0, 2.0),
    (2, '2020-01-01 06:00', 'forecast', 'whole', 34, '2020-01-01 06:00', 0.0, 2.0, 2.0),
    (2, '2020-01-01 06:00', 'forecast', 'whole', 64, '2020-01-01 06:00', 9.0, 9.5, 2.0),
    (2, '2020-01-01 06:00', 'analysed', 'step', 34, '2020-01-01 06:00', 0.0, 2.0, 2.0),
    (2, '2020-01-01 06:00', 'forecast', 'step', 34, '2020-01-01 18:00', 1.4, 2.0, 2.0),
    (2, '2020-01-01 06:00', 'forecast', 'step', 64, '2020-01-01 18:00', 9.0, 9.5, 2.0)
) z (advisory, at, kind, scope, wind, time, west, east, north);
INSERT INTO hazard.hazard_fl_alerts (event_id, url, title, alert_level, issued, expires, source, geom)
SELECT event, 'https://example.org/' || event, 'Flood alert ' || event, 'Orange', '2020-01-01', '2020-01-02', 'tests',
    ST_Multi(ST_MakeEnvelope(west, 0, west + 2, 2, 4326)) FROM (VALUES ('FL1', 0), ('FL2', 0)) a (event, west);
INSERT INTO hazard.hazard_eq_events (event_id, magnitude, depth, event_date, population_impact_url, geom)
VALUES ('Q1', 3, 10, '2020-01-01', 'https://example.org/its-own', 'SRID=4326;POINT(1 1)'),
    ('Q2', 6.4, 10, '2020-01-01', NULL, 'SRID=4326;POINT(-50 50)');
UPDATE hazard.hazard_eq_events SET people_strong_shaking = 168000 WHERE event_id = 'Q2';
INSERT INTO dams.event_alias (alias, event_id) VALUES ('OLD', 'WP/1');
"""


async def fill(owner: asyncpg.Connection) -> None:
    await apply_schema(owner)
    await owner.execute(ROWS)
    await compute(owner, await due(owner))
    await owner.execute("DELETE FROM impact.raster WHERE event_id = 'WP2'")
    # one as an earlier release stored it
    await owner.execute(
        "UPDATE impact.event SET impact = '{}', facilities = facilities - 'format' WHERE event_id = 'WP5'"
    )
    # one that the worker has not come to
    await owner.execute("DELETE FROM impact.event WHERE event_id IN ('WP4', 'FL2')")


@pytest.fixture(scope="module")
async def served(make_database: MakeDatabase) -> AsyncIterator[Services]:
    """Common and features on a database with impacts."""
    url = await make_database(fill)
    async with services() as running:
        for name in ("common", "features"):
            await running.start(name, {"DAMS_DATABASE_URL": url})
        yield running


@pytest.fixture(scope="module")
def features(served: Services) -> Client:
    """The features service."""
    return served["features"]
