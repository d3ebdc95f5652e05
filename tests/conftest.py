"""What tests of every kind may ask for: real servers, fresh databases, the whole stack."""

from __future__ import annotations

import gc
import os
from collections.abc import AsyncIterator, Generator, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

import asyncpg
import pytest
import redis.asyncio
from hypothesis import settings
from pytest_rerunfailures import StatusDB  # type: ignore[import-untyped]
from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

from tests.running_stack import Cluster, RunningStack, gateway_port, running, stack_at


class Fill(Protocol):
    """Fills a new database that has PostGIS; known by its module and name."""

    __module__: str
    __qualname__: str

    async def __call__(self, owner: asyncpg.Connection, /) -> None: ...


class MakeDatabase(Protocol):
    """Makes a database with PostGIS and what `fill` puts into it; gives the owner's address."""

    async def __call__(self, fill: Fill | None = None) -> str: ...


# what a property is tried with in the loop of work; tests say their number as a multiple of the profile's
settings.register_profile("quick", max_examples=10)

STACK = "stack"
"""The fixture that brings up the whole product."""

OF_THE_STACK = ("tests/contract/", "tests/system/")
"""Where the tests are that use it."""

OF_THE_MAP = "tests/system/test_viewer_"
"""Those of them that wait for a browser."""

LONG = (
    "tests/deploy/",
    "tests/faults/",
    "tests/gateway/",
    "tests/libs/pg/test_pool.py",
    "tests/services/viewer/",
    "tests/weight/",
)
"""Where others are that take long. They wait for the most part, and do so beside those that take processor time."""


@pytest.hookimpl(trylast=True)
def pytest_configure(config: Any) -> None:
    """Lets each process count by itself how often it asks a test again, as one alone does: of several each tells the
    first about every test, byte by byte and with 40 ms of TCP between two (Nagle's algorithm, a delayed ACK).
    """
    if hasattr(config, "workerinput"):
        config.failures_db.sock.close()
        config.failures_db = StatusDB()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Looks for no garbage among 11,000 tests that stay: half of the time of each process that collects them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needs the stack comes first, then other files that take long: short ones fill the end of several workers."""
    for item in items:
        if _is_of_the_stack(item):
            item.add_marker(pytest.mark.stack)
    items.sort(key=lambda item: (not _is_of_the_stack(item), not item.nodeid.startswith(LONG)))


def _is_of_the_stack(item: pytest.Item) -> bool:
    return STACK in getattr(item, "fixturenames", ())


class _FilesAndTwoStacks(LoadFileScheduling):  # type: ignore[misc]
    """Processes take files, but one takes all that need the stack, and another those that look at its maps: a stack
    for each file would take longer to bring up than its tests take.
    """

    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith(OF_THE_MAP):
            return OF_THE_MAP
        return STACK if nodeid.startswith(OF_THE_STACK) else nodeid.partition("::")[0]


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling:
    """What shares out the tests among the processes."""
    return _FilesAndTwoStacks(config, log)


@pytest.fixture(scope="session")
def stack() -> Iterator[RunningStack]:
    """The whole product with demo data and two processes for tiles, on ports of its own.

    DAMS_TEST_URL=http://127.0.0.1:8080/api uses a stack that runs already; its STATE_DIR (`.local`, or
    DAMS_TEST_STATE_DIR) leads to its database. Where it names another machine DAMS_TEST_DATABASE_URL does, as its
    owner, and tests that look at processes or files are skipped. There is one of it only: then with WORKERS=0.
    """
    if url := os.environ.get("DAMS_TEST_URL"):
        yield stack_at(url.rstrip("/"))
        return
    # Kept between sessions: loading the demo data takes longer than all tests of it.
    # What is simulated stays on one day: no test depends on the clock.
    with running("test", purge=False, FEATURES="2", TILES="2", DEMO_TODAY="2026-11-01") as state_dir:
        yield RunningStack(state_dir, f"http://127.0.0.1:{gateway_port(state_dir)}/api")


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """PostgreSQL with PostGIS and Redis, new and empty; needs none of the services.

    DAMS_TEST_SERVERS is the STATE_DIR of servers that run already, for whoever starts many sessions.
    """
    if servers := os.environ.get("DAMS_TEST_SERVERS"):
        shared = Cluster(Path(servers))
        # copies of one database look the same to a cache
        with redis.from_url(shared.redis_url) as client:
            client.flushall()
        yield shared
        return
    with running("test-servers", "--servers-only", purge=True) as state_dir:
        yield Cluster(state_dir)


@pytest.fixture(scope="session")
async def make_database(cluster: Cluster) -> AsyncIterator[MakeDatabase]:
    """Makes databases, which are gone after the session.

    What they are copies of stays as long as the servers: sessions may follow that want the same.
    """
    address = cluster.owner_url("postgres")
    admin = await asyncpg.connect(address)
    # what is made here need not outlive the machine, and each new database would wait for the disk
    await admin.execute("ALTER SYSTEM SET fsync = off")
    # files may be in memory
    await admin.execute("ALTER SYSTEM SET max_wal_size = '96MB'")
    await admin.execute("SELECT pg_reload_conf()")
    made: list[str] = []

    async def copy(template: str) -> str:
        made.append(f"test_{uuid4().hex}")
        await admin.execute(f"CREATE DATABASE {made[-1]} TEMPLATE {template}")
        return made[-1]

    async def filled(fill: Fill, template: str) -> str:
        # two modules may each have a function of one name; PostgreSQL cuts names at 63 bytes
        known = sha256(f"{fill.__module__}.{fill.__qualname__}".encode()).hexdigest()
        name = f"template_{known[:32]}"
        if not await admin.fetchval("SELECT true FROM pg_database WHERE datname = $1", name):
            nameless = await copy(template)
            connection = await asyncpg.connect(cluster.owner_url(nameless), command_timeout=120)
            await fill(connection)
            await connection.close()
            # not before: a session may end while it is filled
            await admin.execute(f"ALTER DATABASE {nameless} RENAME TO {name}")
        return name

    async def make(fill: Fill | None = None) -> str:
        nonlocal admin
        if admin.is_closed():
            # a session is long, and the server may have lost a connection for what one of its tests did
            admin = await asyncpg.connect(address)
        template = await filled(with_postgis, "template1")
        return cluster.owner_url(await copy(template if fill is None else await filled(fill, template)))

    yield make
    # other servers end with the session
    for name in made if "DAMS_TEST_SERVERS" in os.environ else ():
        await admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
    await admin.close()


async def with_postgis(owner: asyncpg.Connection) -> None:
    """What every database of a test has."""
    await owner.execute("CREATE EXTENSION postgis")


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
