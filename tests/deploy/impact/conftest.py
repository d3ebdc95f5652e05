"""A database with the schema and a few places, and rows of hazards to put into it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import asyncpg
import numpy as np
import orjson
import pytest
import rasterio
from rasterio.transform import from_origin

from deploy.database.apply import apply_schema
from deploy.impact.computing import compute, due
from deploy.impact.population import open_raster
from libs.catalogue.exposure import Population
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


WORLD = "SRID=4326;MULTIPOLYGON(((-180 -90, 180 -90, 180 90, -180 90, -180 -90)))"
MakeRaster = Callable[..., Population]
Count = Callable[[str, Population], Any]


@pytest.fixture
def make_raster(tmp_path: Path) -> MakeRaster:
    """Writes a raster whose upper left corner is -180, 90, or another; returns its description."""

    def make(
        values: np.ndarray[Any, Any], step: float = 2.0, west: float = -180.0, north: float = 90.0, **profile: Any
    ) -> Population:
        path = tmp_path / "people.tif"
        shape = {"width": values.shape[-1], "height": values.shape[-2], "count": 1, "dtype": values.dtype}
        transform = from_origin(west, north, step, step)
        given = {"driver": "GTiff", "crs": "EPSG:4326", "transform": transform, **shape, **profile}
        with rasterio.open(path, "w", **given) as file:
            for band in range(1, given["count"] + 1):
                file.write(values, band)
        return described(str(path))

    return make


def described(raster: str) -> Population:
    return Population(
        raster=raster,
        title="Grid",
        source="tests",
        licence="CC0",
        licence_url="https://example.org/cc0",
        vintage="2020",
    )


@pytest.fixture
def count(database: asyncpg.Connection) -> Count:
    """Compute the due impacts with a raster; return the stored impact of an event."""

    async def counted(event: str, config: Population) -> Impact:
        with open_raster(config) as raster:
            await describe_raster(database)
            await compute(database, await due(database), raster=raster)
        row = await database.fetchrow("SELECT * FROM impact.event WHERE event_id = $1", event)
        return {name: orjson.loads(row[name]) for name in ("headline", "impact")} | {"digest": row["digest"]}

    return counted


async def describe_raster(database: asyncpg.Connection) -> None:
    await database.execute(
        "INSERT INTO exposure.dataset VALUES ('population', 'Grid', 'People in cells', 'estimate', 'tests', 'CC0', "
        "'https://example.org/cc0', '2020', 1, 'a') ON CONFLICT DO NOTHING"
    )


@pytest.fixture
async def land(database: asyncpg.Connection) -> None:
    await database.execute("INSERT INTO exposure.unit VALUES (1, 'XX', 'Xland', NULL, $1::text::geometry)", WORLD)
    await database.execute(
        "INSERT INTO exposure.unit VALUES (2, 'XX', 'Xland', 'West', ST_Multi(ST_MakeEnvelope(-180, -90, 2, 90, 4326)))"
    )
