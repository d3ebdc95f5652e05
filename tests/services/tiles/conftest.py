"""Points, lines and polygons whose places are known, and the services on them."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from math import cos, pi, radians, sin
from pathlib import Path
from typing import Protocol

import asyncpg
import pytest
import shapely
from shapely.geometry import LineString, Point, Polygon
from shapely.geometry.base import BaseGeometry

from deploy.database.apply import apply_schema, ensure_reader
from tests.conftest import MakeDatabase
from tests.running_stack import Cluster
from tests.services.conftest import PASSWORD, READER, reader_url
from tests.services.in_process import Answer, Client, Services, services
from tests.services.tiles.cache import OwnRedis
from tests.services.tiles.places import ANCHORS, Drawn, decoded

RADII = (1e-7, 1e-5, 1e-3, 1e-1, 2.0)
"""Radii of the shapes around each anchor, in degrees."""


@dataclass(frozen=True)
class Placed:
    """The contents of the tables: geometries in longitude and latitude by table and feature id."""

    env: dict[str, str]
    owner_url: str
    shapes: dict[str, dict[int, BaseGeometry]]


def _shapes() -> dict[str, dict[int, BaseGeometry]]:
    chance = random.Random(7)  # noqa: S311 - places, not secrets
    points: list[BaseGeometry] = []
    lines: list[BaseGeometry] = []
    polygons: list[BaseGeometry] = []
    for longitude, latitude in ANCHORS.values():
        wide = 1 / cos(radians(latitude))
        for radius in RADII:

            def at(angle: float, distance: float, *, of: tuple[float, float, float]) -> tuple[float, float]:
                x, y, stretch = of
                return x + distance * stretch * cos(angle), y + distance * sin(angle)

            centre = (longitude, latitude, wide)
            around = [(2 * pi * n / 24, radius * chance.uniform(0.5, 1)) for n in range(24)]
            points += [Point(at(angle, distance, of=centre)) for angle, distance in around]
            polygons.append(Polygon([at(angle, distance, of=centre) for angle, distance in around]))
            zigzag = [(n / 12 - 1) * radius for n in range(25)]
            lines.append(
                LineString([(longitude + x * wide, latitude + chance.uniform(-radius, radius)) for x in zigzag])
            )
    points += [Point(x, y) for x in range(-180, 181, 30) for y in range(-90, 91, 15)]
    return {
        name: dict(enumerate(shapes, start=1))
        for name, shapes in (("points", points), ("lines", lines), ("polygons", polygons))
    }


class TilesOn(Protocol):
    """Starts common and tiles on a database of these tables, described by the text of a collections file."""

    def __call__(self, tables: str, described: str, **settings: str) -> AbstractAsyncContextManager[Services]: ...


@pytest.fixture(scope="session")
def tiles_on(make_database: MakeDatabase, cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> TilesOn:
    """For tests whose tables are their own."""

    @asynccontextmanager
    async def start(tables: str, described: str, **settings: str) -> AsyncIterator[Services]:
        url = await make_database()
        owner = await asyncpg.connect(url, command_timeout=120)
        await apply_schema(owner)
        await ensure_reader(owner, READER, PASSWORD)
        await owner.execute(tables)
        await owner.close()
        config = tmp_path_factory.mktemp("described") / "collections.yaml"
        config.write_text(described)
        env = {
            "DAMS_COLLECTIONS_CONFIG": str(config),
            "DAMS_DATABASE_URL": reader_url(url),
            "DAMS_REDIS_URL": cluster.redis_url,
        }
        async with services() as started:
            for name in ("common", "tiles"):
                await started.start(name, env | settings)
            yield started

    return start


async def drawn_tile(
    tiles: Client, collection: str, place: str, parameters: dict[str, str]
) -> tuple[list[Drawn], Answer]:
    """A tile of WebMercatorQuad: what it shows, and the answer."""
    answer = await tiles.get(f"/collections/{collection}/tiles/WebMercatorQuad/{place}", parameters)
    assert answer.status == 200, (answer.url, answer.body)
    return decoded(answer.body, collection), answer


@pytest.fixture(scope="session")
async def placed(make_database: MakeDatabase, cluster: Cluster) -> Placed:
    """The tables `placed.points`, `placed.lines`, `placed.polygons` with column `geom` in EPSG:4326."""
    url = await make_database(placed_tables)
    env = {
        "DAMS_DATABASE_URL": reader_url(url),
        "DAMS_COLLECTION_SCHEMAS": "placed",
        "DAMS_CATALOGUE_REFRESH_SECONDS": "1",
        "DAMS_REDIS_URL": cluster.redis_url,
    }
    return Placed(env, url, _shapes())


async def placed_tables(owner: asyncpg.Connection) -> None:
    """The schema, the tables of known places and odd.sql, for the role of the services, too."""
    shapes = _shapes()
    await apply_schema(owner)
    await ensure_reader(owner, READER, PASSWORD)
    await owner.execute("CREATE SCHEMA placed")
    for table, kind in (("points", "Point"), ("lines", "LineString"), ("polygons", "Polygon")):
        await owner.execute(
            f"CREATE TABLE placed.{table} (id integer PRIMARY KEY, name text, geom geometry({kind}, 4326))"
        )
        rows = [(number, f"{table} {number}", shapely.to_wkb(shape)) for number, shape in shapes[table].items()]
        await owner.executemany(
            f"INSERT INTO placed.{table} VALUES ($1, $2, ST_GeomFromWKB($3, 4326))",  # noqa: S608 - our own names
            rows,
        )
        await owner.execute(f"CREATE INDEX ON placed.{table} USING gist (geom)")
        await owner.execute(f"SELECT dams.watch('placed.{table}')")
    await owner.execute((Path(__file__).parent / "odd.sql").read_text(encoding="utf-8"))
    await owner.execute("GRANT USAGE ON SCHEMA placed TO dams_reader")
    await owner.execute("GRANT SELECT ON ALL TABLES IN SCHEMA placed TO dams_reader")


@pytest.fixture(scope="session")
async def placed_services(placed: Placed) -> AsyncIterator[Services]:
    """Common and tiles on the tables of known places."""
    async with services() as started:
        for name in ("common", "tiles"):
            await started.start(name, placed.env)
        yield started


@pytest.fixture(scope="session")
def placed_tiles(placed_services: Services) -> Client:
    """The tiles service on the tables of known places."""
    return placed_services["tiles"]


@pytest.fixture
async def own_redis(tmp_path: Path) -> AsyncIterator[OwnRedis]:
    """An empty Redis of the test's own."""
    async with OwnRedis(tmp_path) as server:
        yield server


@pytest.fixture
async def cached(placed: Placed, own_redis: OwnRedis) -> AsyncIterator[Services]:
    """Common and tiles with that Redis."""
    async with services() as started:
        for name in ("common", "tiles"):
            await started.start(name, {**placed.env, "DAMS_REDIS_URL": own_redis.url})
        yield started
