"""Features and common on a database with events of each hazard, some of them with impacts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from deploy.database.apply import apply_schema
from deploy.impact.computing import compute, due
from tests.conftest import MakeDatabase
from tests.services.in_process import Client, Services, services

CONFIGURATION = Path(__file__).parents[4] / "deploy/collections.yaml"
ROWS = """
INSERT INTO exposure.dataset VALUES
    ('places', 'Places', 'People', 'lower bound', 'GeoNames', 'CC BY 4.0', 'https://example.org/by', '2026', 3, 'a');
INSERT INTO exposure.place VALUES
    (1, 'Big', 'MX', 'Estados Unidos Mexicanos', 'North', 1234567, 'SRID=4326;POINT(1 1)'),
    (2, 'Small', 'BZ', 'Belize', NULL, 600, 'SRID=4326;POINT(1.5 1)'),
    (3, 'Nowhere', 'XX', 'Xland', 'South', 500, 'SRID=4326;POINT(3 3)');
INSERT INTO hazard.hazard_ts_events
    (event_id, name, category, basin, max_wind_kt, wind_minutes, start_date, end_date, source, geom)
VALUES
    ('WP/1', 'ANNA', 'C3', 'WP', 100, 1, '2020-01-01', '2020-01-05', 'tests', 'SRID=4326;POINT(1.04 1)'),
    ('WP2', 'BOB', NULL, 'WP', NULL, NULL, '2020-01-02', NULL, 'tests', 'SRID=4326;POINT(50 1)');
INSERT INTO hazard.hazard_ts_disturbance_events (event_id, name, start_date, source, geom) VALUES
    ('WP/1', 'INVEST', '2019-12-30', 'tests', 'SRID=4326;POINT(0 0)'),
    ('WP9', 'INVEST', '2020-02-01', 'tests', 'SRID=4326;POINT(0 0)');
INSERT INTO hazard.hazard_ts_buffers (event_id, wind_speed_kt, start_date, end_date, kind, source, geom)
SELECT 'WP/1', wind, '2020-01-01', '2020-01-02', 'analysed', 'tests',
    ST_Multi(ST_MakeEnvelope(west, 0, east, north, 4326))
FROM (VALUES (64, 0, 2, 2), (34, 0, 4, 4)) z (wind, west, east, north);
INSERT INTO hazard.hazard_fl_events
    (event_id, title, began, ended, severity, main_cause, dead, displaced, area_km2, country, other_country,
     glide_number, url, source, geom)
VALUES
    ('FL1', 'Flood', '2020-03-01', '2020-03-09', 1.5, 'Heavy rain', 7, 1200, 9.5, 'Spain', 'Portugal',
     'FL-2020-000012-ESP', 'https://example.org/FL1', 'tests',
     'SRID=4326;MULTIPOLYGON(((-4 40, -3 40, -3 41, -4 41, -4 40)))'),
    ('FL2', 'Withdrawn flood', '2020-03-01', NULL, 1, 'Rain', NULL, NULL, NULL, 'Spain', NULL, NULL, NULL, 'tests',
     'SRID=4326;MULTIPOLYGON(((-4 40, -3 40, -3 41, -4 41, -4 40)))');
UPDATE hazard.hazard_fl_events SET withdrawn = now() WHERE event_id = 'FL2';
INSERT INTO hazard.hazard_eq_events
    (event_id, title, place, magnitude, magnitude_type, depth, event_date, event_type, country, source, geom)
VALUES
    ('Q1', 'M 6.1 - here', 'here', 6.1, 'mww', 10, '2020-01-01T01:02:03.5Z', 'earthquake', 'Nepal', 'tests',
     'SRID=4326;POINT(85.3 27.7)'),
    ('Q2', NULL, NULL, 3.0, NULL, NULL, '2020-06-01', NULL, NULL, 'tests', 'SRID=4326;POINT(-179.95 10)'),
    ('X1', 'Explosion', NULL, 2.0, 'ml', 0, '2020-01-01', 'explosion', NULL, 'tests', 'SRID=4326;POINT(0 0)');
"""


async def fill(owner: asyncpg.Connection) -> None:
    await apply_schema(owner)
    await owner.execute(ROWS)
    await compute(owner, await due(owner))


@pytest.fixture(scope="module")
async def served(make_database: MakeDatabase) -> AsyncIterator[Services]:
    """Common and features on a database with events."""
    url = await make_database(fill)
    async with services() as running:
        for name in ("common", "features"):
            await running.start(name, {"DAMS_DATABASE_URL": url, "DAMS_COLLECTIONS_CONFIG": str(CONFIGURATION)})
        yield running


@pytest.fixture(scope="module")
def features(served: Services) -> Client:
    """The features service."""
    return served["features"]
