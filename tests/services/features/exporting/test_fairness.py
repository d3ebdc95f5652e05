"""Exports are fair and bounded: a client has a share, and one export has a size and a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from tests.conftest import MakeDatabase
from tests.eventually import eventually
from tests.services.in_process import Client, Services, services


@pytest.fixture(scope="module")
async def slow(make_database: MakeDatabase, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Start]:
    """Starts features on a table of 4,000 rows, and a view of it that takes three minutes."""
    url = await make_database()
    owner = await asyncpg.connect(url)
    await owner.execute(
        "CREATE SCHEMA slow;"
        "CREATE TABLE slow.rows AS SELECT n AS id, repeat('x', 1000) AS word FROM generate_series(1, 4000) AS n;"
        "ALTER TABLE slow.rows ADD PRIMARY KEY (id);"
        "CREATE VIEW slow.waits AS"
        " SELECT id, word, CASE WHEN id > 300 THEN to_json(pg_sleep(0.05)::text) END AS nap FROM slow.rows"
    )
    await owner.execute("ANALYZE slow.rows")
    await owner.close()
    env = {"DAMS_DATABASE_URL": url, "DAMS_COLLECTION_SCHEMAS": "slow", "DAMS_EXPORT_KEPT_BYTES": "0"}
    async with services() as running:
        await running.start("common", env)
        yield Start(running, env, tmp_path_factory.mktemp("state"))


class Start:
    """Starts a features service with settings of a test."""

    def __init__(self, running: Services, env: dict[str, str], state: Path) -> None:
        self._running, self._env, self._state = running, env, state

    async def __call__(self, **more: str) -> Client:
        return await self._running.start("features", {**self._env, "DAMS_STATE_DIR": str(self._state), **more})


@pytest.mark.faults
async def test_slow_exports_of_a_client_leave_room_for_others(slow: Start) -> None:
    client = await slow(DAMS_EXPORTS_AT_ONCE="2")
    address = f"{client.base}/collections/slow.waits/export"
    hers, his = ({"X-Forwarded-For": f"198.51.100.{number}"} for number in (1, 2))
    async with client.session.get(f"{address}?f=csv", headers=hers) as response:
        assert response.status == 200
        refused = await asyncio.gather(
            *(client.get(f"{address}?f=csv&filter=id>{number}", headers=hers) for number in range(5))
        )
        assert {(each.status, each.headers["Retry-After"]) for each in refused} == {(503, "5")}
        other = await client.get("/collections/slow.rows/export?f=csv&ids=1", headers=his)
        assert other.status == 200
        response.close()


async def test_export_that_is_certain_to_be_too_large_is_refused_first(slow: Start) -> None:
    client = await slow(DAMS_EXPORT_MAX_BYTES="100000")

    async def refused() -> None:
        answer = await client.get("/collections/slow.rows/export?f=csv")
        assert answer.status == 422
        assert "4,000 features" in answer.json()["detail"][0]["msg"]

    await eventually(refused)
    few = await client.get("/collections/slow.rows/export?f=csv&filter=id<20")
    assert few.status == 200


async def test_export_that_takes_too_long_is_ended(slow: Start) -> None:
    client = await slow(DAMS_EXPORT_SECONDS="1")
    answer = await client.get("/collections/slow.waits/export?f=gpkg")
    assert answer.status == 422
    assert "takes longer than the 1 s" in answer.json()["detail"][0]["msg"]
