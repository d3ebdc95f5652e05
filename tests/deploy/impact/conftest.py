"""A database with the schema and a few places, and rows of hazards to put into it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import asyncpg
import orjson
import pytest

from deploy.database.apply import apply_schema
from deploy.impact.computing import compute, due
from tests.conftest import MakeDatabase

Impact = dict[str, Any]


async def with_hazard_schema(owner: asyncpg.Connection) -> None:
    await apply_schema(owner)


@pytest.fixture
async def url(make_database: MakeDatabase) -> str:
    """The address of a new database with the schema, as the owner."""
    return await make_database(with_hazard_schema)


@pytest.fixture
async def database(url: str) -> AsyncIterator[asyncpg.Connection]:
    """The owner's connection; both data sets are said to be loaded."""
    connection = await asyncpg.connect(url)
    for name in ("places", "airports"):
        await connection.execute(
            "INSERT INTO exposure.dataset (dataset, title, counts, quality, source, licence, licence_url, vintage, "
            "rows, fingerprint) "
            "VALUES ($1, 'Made up', 'People', 'lower bound', 'tests', 'CC0', 'https://example.org', '2026', 1, 'a')",
            name,
        )
    yield connection
    await connection.close()


AddPlaces = Callable[[list[tuple[float, float, int]]], Awaitable[None]]
AddZone = Callable[..., Awaitable[None]]
Computed = Callable[[str], Awaitable[Impact]]


@pytest.fixture
def add_places(database: asyncpg.Connection) -> AddPlaces:
    """Adds places: longitude, latitude, people."""

    async def add(places: list[tuple[float, float, int]]) -> None:
        await database.executemany(
            "INSERT INTO exposure.place SELECT $1::int, 'Place ' || $1::int, 'XX', 'Xland', 'North', $4::bigint, "
            "ST_SetSRID(ST_MakePoint($2, $3), 4326)",
            [(number, *place) for number, place in enumerate(places, start=1)],
        )

    return add


@pytest.fixture
def add_zone(database: asyncpg.Connection) -> AddZone:
    """Adds a storm and a zone of wind; an empty geometry adds the storm alone."""

    async def add(event: str, wkt: str | None, wind: int = 64, kind: str = "analysed") -> None:
        await database.execute(
            "INSERT INTO hazard.hazard_ts_events (event_id, name, category, basin, start_date, source, geom) "
            "VALUES ($1, 'ANNA', 'C1', 'WP', '2020-01-01', 'tests', 'SRID=4326;POINT(0 0)') ON CONFLICT DO NOTHING",
            event,
        )
        if wkt is not None:
            await database.execute(
                "INSERT INTO hazard.hazard_ts_buffers (event_id, wind_speed_kt, start_date, end_date, kind, source, "
                "geom) VALUES ($1, $2, '2020-01-01', '2020-01-02', $3, 'tests', ST_Multi(ST_GeomFromText($4, 4326)))",
                event,
                wind,
                kind,
                wkt,
            )

    return add


@pytest.fixture
def computed(database: asyncpg.Connection) -> Computed:
    """Computes what is due; gives what is stored of an event."""

    async def stored(event: str) -> Impact:
        await compute(database, await due(database))
        row = await database.fetchrow("SELECT * FROM impact.event WHERE event_id = $1", event)
        return {
            name: orjson.loads(value) if name in ("headline", "impact", "facilities") and value else value
            for name, value in row.items()
        }

    return stored
