"""A catalogue that is empty, or cannot be read, says why in the service's health."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from tests.eventually import eventually
from tests.services.in_process import Client, Services, services


@pytest.fixture
async def running() -> AsyncIterator[Services]:
    """No service yet."""
    async with services() as started:
        yield started


@pytest.fixture
async def owner(database_url: str) -> AsyncIterator[asyncpg.Connection]:
    """Make an empty database."""
    connection = await asyncpg.connect(database_url)
    yield connection
    await connection.close()


async def _details(common: Client) -> str:
    answer = await common.get("/internal/health")
    return f"{answer.status} {answer.json().get('detail')}"


async def test_a_misspelt_schema(running: Services, database_url: str, owner: asyncpg.Connection) -> None:
    common = await running.start(
        "common",
        {
            "DAMS_DATABASE_URL": database_url,
            "DAMS_COLLECTION_SCHEMAS": 'own, "Od,d"',
            "DAMS_CATALOGUE_REFRESH_SECONDS": "1",
        },
    )
    health = await _details(common)
    assert health.startswith("200 ['catalogue: no collections. There is no schema")
    assert (await common.json("/collections", f="json"))["collections"] == []
    await owner.execute('CREATE SCHEMA own; CREATE TABLE own.places (id integer PRIMARY KEY); CREATE SCHEMA "Od,d"')

    async def served() -> None:
        assert [entry["id"] for entry in (await common.json("/collections", f="json"))["collections"]] == ["own.places"]
        assert await _details(common) == "200 None"

    await eventually(served)


async def test_a_database_that_cannot_be_reached(running: Services) -> None:
    common = await running.start("common", {"DAMS_DATABASE_URL": "postgresql://a@127.0.0.1:1/b"})
    assert (await _details(common)).startswith('503 ["catalogue: none yet. No PostgreSQL answers at 127.0.0.1:1: ')


async def test_one_of_two_schemas_is_missing(running: Services, database_url: str, owner: asyncpg.Connection) -> None:
    await owner.execute("CREATE SCHEMA here; CREATE TABLE here.places (id integer PRIMARY KEY)")
    common = await running.start("common", {"DAMS_DATABASE_URL": database_url, "DAMS_COLLECTION_SCHEMAS": "here,there"})
    assert await _details(common) == "200 None"
