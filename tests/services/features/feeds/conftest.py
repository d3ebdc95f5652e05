"""A table of alerts, and the services on it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from tests.eventually import eventually
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Client, Services, services


@pytest.fixture(scope="module")
async def alerting(hostile: HostileDatabase) -> AsyncIterator[Services]:
    """Common and features on a table of alerts with texts that XML cannot hold, served as `Actual`."""
    owner = await asyncpg.connect(hostile.owner_url)
    await owner.execute(
        "CREATE SCHEMA alerting; CREATE TABLE alerting.alerts (id text PRIMARY KEY, title text, alert_level text,"
        " issued timestamptz, expires timestamptz, severity real, source text, country text,"
        " geom geometry(MultiPolygon, 4326));"
        "INSERT INTO alerting.alerts VALUES ('a b,<1>&', E'Flood \\u0001 <&> \\uFFFF ☂', 'Orange',"
        " '2026-03-01 12:00:00.5+02', '2026-03-02', 1.5, 'Simulated by nobody', 'Nowhere',"
        " 'SRID=4326;MULTIPOLYGON(((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 2 1, 2 2, 1 1)), ((9 9, 10 9, 10 10, 9 9)))'),"
        " ('2', NULL, 'purple', NULL, NULL, NULL, 'A river; exercise caution', NULL, NULL);"
        "CREATE TABLE alerting.chains (id integer PRIMARY KEY, event_id text, title text, issued timestamptz,"
        " expires timestamptz, updated timestamptz, withdrawn timestamptz, geom geometry(Point, 4326));"
        "INSERT INTO alerting.chains VALUES"
        " (1, 'FL1', 'Yellow', '2026-03-01 10:00Z', '2026-03-03', NULL, NULL, 'SRID=4326;POINT(1 1)'),"
        " (2, 'FL1', 'Orange', '2026-03-01 12:00Z', '2026-03-03', NULL, NULL, 'SRID=4326;POINT(1 1)'),"
        " (3, 'FL1', 'Error', '2026-03-01 13:00Z', '2026-03-03', NULL, '2026-03-01 13:30Z', 'SRID=4326;POINT(1 1)'),"
        " (4, 'FL1', 'Red', '2026-03-01 14:00Z', '2026-03-03', NULL, NULL, 'SRID=4326;POINT(1 1)'),"
        " (5, 'FL2', 'Other', '2026-03-01 14:00Z', '2026-03-03', '2026-03-01 15:00Z', NULL, 'SRID=4326;POINT(1 1)');"
        "GRANT USAGE ON SCHEMA alerting TO hostile_reader;"
        "GRANT SELECT ON ALL TABLES IN SCHEMA alerting TO hostile_reader"
    )
    async with services() as started:
        env = hostile.env(DAMS_COLLECTION_SCHEMAS="alerting,hostile")
        await started.start("common", env)
        client = await started.start(
            "features", {**env, "DAMS_CAP_STATUS": "Actual", "DAMS_CAP_SENDER": "floods@example.org"}
        )
        await eventually(lambda: client.json("/collections/alerting.alerts/queryables"))
        await eventually(lambda: client.json("/collections/alerting.chains/queryables"))
        yield started
    await owner.execute("DROP SCHEMA alerting CASCADE")
    await owner.close()


@pytest.fixture
def alerts(alerting: Services) -> Client:
    """The features service."""
    return alerting["features"]
