"""A database with hostile tables, and the services on it, for the whole session."""

from __future__ import annotations

import fcntl
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import asyncpg
import pytest

from deploy.database.apply import apply_schema, ensure_reader
from deploy.local.settings import REPOSITORY
from services.viewer.build.distribution import DIST, build
from tests.conftest import MakeDatabase
from tests.running_stack import Cluster
from tests.services.in_process import Client, Services, services

READER, PASSWORD = "hostile_reader", "only reads"
SCHEMAS = "hostile,Odd schema ☂"


@dataclass(frozen=True)
class HostileDatabase:
    """The addresses of the hostile tables, for their owner and for the role of the services."""

    owner_url: str
    reader_url: str

    def env(self, **more: str) -> dict[str, str]:
        """The environment of any service."""
        return {
            "DAMS_DATABASE_URL": self.reader_url,
            "DAMS_COLLECTION_SCHEMAS": SCHEMAS,
            "DAMS_CATALOGUE_REFRESH_SECONDS": "1",
            **more,
        }


def reader_url(owner_url: str) -> str:
    """The same database for the role that may only read."""
    server, _, name = owner_url.rpartition("/")
    return f"postgresql://{READER}:{PASSWORD.replace(' ', '%20')}@{server.rpartition('@')[2]}/{name}"


@pytest.fixture(scope="session")
async def hostile(make_database: MakeDatabase) -> HostileDatabase:
    """The database of hostile.sql."""
    url = await make_database(hostile_tables)
    return HostileDatabase(url, reader_url(url))


async def hostile_tables(owner: asyncpg.Connection) -> None:
    """The schema and hostile.sql, for the role of the services, too."""
    await apply_schema(owner)
    await ensure_reader(owner, READER, PASSWORD)
    await owner.execute((Path(__file__).parent / "hostile.sql").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
async def running(hostile: HostileDatabase, cluster: Cluster) -> AsyncIterator[Services]:
    """Common, features and tiles on the hostile tables."""
    async with services() as started:
        for name in ("common", "features", "tiles"):
            await started.start(name, hostile.env(DAMS_REDIS_URL=cluster.redis_url))
        yield started


@pytest.fixture(scope="session")
def dist() -> Path:
    """Return the folder of files for browsers. One of several test processes builds it now if it is out of date."""
    parent = REPOSITORY / ".local"
    parent.mkdir(exist_ok=True)
    with (parent / "viewer-build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        build()
    return DIST


@pytest.fixture(scope="session")
def common(running: Services) -> Client:
    """The common service."""
    return running["common"]


@pytest.fixture(scope="session")
def features(running: Services) -> Client:
    """The features service."""
    return running["features"]


@pytest.fixture(scope="session")
def tiles(running: Services) -> Client:
    """The tiles service."""
    return running["tiles"]


@pytest.fixture
async def owner(hostile: HostileDatabase) -> AsyncIterator[asyncpg.Connection]:
    """A connection of the owner, closed when the test ends."""
    connection = await asyncpg.connect(hostile.owner_url)
    yield connection
    await connection.close()
