"""Instances of a table of one's own, whose rows are issued by the fraction of a second."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from tests.conftest import MakeDatabase
from tests.services.in_process import Client, services

TABLES = """
CREATE EXTENSION IF NOT EXISTS postgis;
CREATE SCHEMA own;
CREATE TABLE own.warnings (id integer PRIMARY KEY, event_id text, issued timestamptz, previous timestamptz,
                           geom geometry(Point, 4326));
INSERT INTO own.warnings VALUES
    (1, 'A~1', '2020-01-02T03:04:05Z', NULL, 'SRID=4326;POINT(1 2)'),
    (2, 'A~1', '2020-01-02T03:04:05.25Z', '2020-01-02T03:04:05Z', 'SRID=4326;POINT(3 4)'),
    (3, 'A~1', '2020-01-02T03:04:05.25Z', '2020-01-02T03:04:05Z', 'SRID=4326;POINT(5 6)');
ANALYZE;
"""
CONFIGURATION = """
collections:
  own.warnings: {datetime_column: issued, issued_column: issued, item_links: {predecessor-version: {issued: previous}}}
"""
INSTANCES = "/collections/own.warnings/instances"


@pytest.fixture(scope="module")
async def features(make_database: MakeDatabase, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Client]:
    url = await make_database(_tables)
    file = tmp_path_factory.mktemp("configured") / "collections.yaml"
    file.write_text(CONFIGURATION)
    environment = {"DAMS_DATABASE_URL": url, "DAMS_COLLECTION_SCHEMAS": "own", "DAMS_COLLECTIONS_CONFIG": str(file)}
    async with services() as running:
        for name in ("common", "features"):
            await running.start(name, environment)
        yield running["features"]


async def _tables(owner: asyncpg.Connection) -> None:
    await owner.execute(TABLES)


async def test_issues_within_one_second_are_instances_of_their_own(features: Client) -> None:
    listed = (await features.json(INSTANCES))["instances"]
    assert [(each["id"], each["itemCount"]) for each in listed] == [
        ("A~1~20200102T030405.25Z", 2),
        ("A~1~20200102T030405Z", 1),
    ]
    for each in listed:
        assert await features.json(f"{INSTANCES}/{each['id']}") == each
        near = await features.json(f"{INSTANCES}/{each['id']}/area", coords="POLYGON((0 0, 9 0, 9 9, 0 9, 0 0))")
        assert len(near["features"]) == each["itemCount"]


@pytest.mark.parametrize("instance", ["A~1~20200102T030406Z", "A~1~20200102T030405.Z", "A~1", "A~1~2020"])
async def test_an_unknown_instance_is_not_found(features: Client, instance: str) -> None:
    answer = await features.get(f"{INSTANCES}/{instance}")
    assert (answer.status, answer.json()["detail"]) == (
        404,
        f"There is no instance '{instance}' in collection 'own.warnings'.",
    )
