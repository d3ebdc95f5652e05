"""What tests of every kind may ask for: real servers, fresh databases, the whole stack."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest
import redis.asyncio

from tests.running_stack import Cluster, RunningStack, gateway_port, running

MakeDatabase = Callable[[], Awaitable[str]]

STACK = "stack"
"""The fixtures that bring up the whole product, and the group of tests that use them."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With several workers (`-n`), a file stays in one of them, and so do all tests of the one stack."""
    for item in items:
        whole = STACK in getattr(item, "fixturenames", ())
        if whole:
            item.add_marker(pytest.mark.stack)
        item.add_marker(pytest.mark.xdist_group(STACK if whole else str(item.path)))


@pytest.fixture(scope="session")
def stack() -> Iterator[RunningStack]:
    """The whole product with demo data and two processes for tiles, on ports of its own.

    DAMS_TEST_URL=http://127.0.0.1:8080/api uses a stack that runs already; its STATE_DIR (`.local`, or
    DAMS_TEST_STATE_DIR) leads to its database.
    """
    if url := os.environ.get("DAMS_TEST_URL"):
        yield RunningStack(Path(os.environ.get("DAMS_TEST_STATE_DIR", ".local")).resolve(), url.rstrip("/"))
        return
    # Kept between sessions: loading the demo data takes longer than all tests of it.
    with running("test", purge=False, FEATURES="2", TILES="2") as state_dir:
        yield RunningStack(state_dir, f"http://127.0.0.1:{gateway_port(state_dir)}/api")


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """PostgreSQL with PostGIS and Redis, new and empty; needs none of the services.

    DAMS_TEST_SERVERS is the STATE_DIR of servers that run already, for whoever starts many sessions.
    """
    if servers := os.environ.get("DAMS_TEST_SERVERS"):
        yield Cluster(Path(servers))
        return
    with running("test-servers", "--servers-only", purge=True) as state_dir:
        yield Cluster(state_dir)


@pytest.fixture(scope="session")
async def make_database(cluster: Cluster) -> AsyncIterator[MakeDatabase]:
    """Makes databases with PostGIS and nothing else; gives the owner's address. Dropped after the session."""
    admin = await asyncpg.connect(cluster.owner_url("postgres"))
    template = f"template_{uuid4().hex}"
    await admin.execute(f"CREATE DATABASE {template}")
    connection = await asyncpg.connect(cluster.owner_url(template))
    await connection.execute("CREATE EXTENSION postgis")
    await connection.close()
    made: list[str] = []

    async def make() -> str:
        name = f"test_{uuid4().hex}"
        await admin.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        made.append(name)
        return cluster.owner_url(name)

    yield make
    for name in [*made, template]:
        await admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
    await admin.close()


@pytest.fixture
async def database_url(make_database: MakeDatabase) -> AsyncIterator[str]:
    """Address (as owner) of a new, empty database with PostGIS, dropped after the test."""
    url = await make_database()
    yield url
    server, _, name = url.rpartition("/")
    admin = await asyncpg.connect(f"{server}/postgres")
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


@pytest.fixture
async def redis_url(cluster: Cluster) -> str:
    """Address of an empty Redis."""
    client = redis.asyncio.from_url(cluster.redis_url)
    await client.flushall()
    await client.aclose()
    return cluster.redis_url
