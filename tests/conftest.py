"""Fixtures of all tests: real servers, fresh databases, the whole stack."""

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
    """Creates a database with PostGIS and the content from `fill`; returns the owner's address."""

    async def __call__(self, fill: Fill | None = None) -> str: ...


# examples per property during development; tests give their number as a multiple of the profile's
settings.register_profile("quick", max_examples=10)

STACK = "stack"
"""The fixture that starts the whole product."""

BROWSER = "browser"

OF_THE_STACK = ("tests/contract/", "tests/system/")
"""Folders with tests that use it."""

OF_THE_BROWSER = tuple(f"tests/system/test_{name}" for name in ("viewer_", "languages.", "pages.", "explorer."))
"""The tests among them that wait for a browser: half of the time of all."""

LONG = (
    "tests/deploy/",
    "tests/faults/",
    "tests/gateway/",
    "tests/libs/pg/test_pool.py",
    "tests/services/viewer/",
)
"""Folders of other long tests. They mostly wait, and can run beside those that use the processor."""


@pytest.hookimpl(trylast=True)
def pytest_configure(config: Any) -> None:
    """Let each worker count its own reruns, as a single process does.

    Otherwise each worker sends the first one a message per test, byte by byte and with 40 ms of TCP between two
    (Nagle's algorithm, a delayed ACK).
    """
    if hasattr(config, "workerinput"):
        config.failures_db.sock.close()
        config.failures_db = StatusDB()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Disable garbage collection while 11,000 tests are collected: it takes half of each worker's time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put tests that need the stack first, then other long files: short ones fill the workers at the end."""
    for item in items:
        if _is_of_the_stack(item):
            item.add_marker(pytest.mark.stack)
    items.sort(key=lambda item: (not _is_of_the_stack(item), not item.nodeid.startswith(LONG)))


def _is_of_the_stack(item: pytest.Item) -> bool:
    return STACK in getattr(item, "fixturenames", ())


class _FilesAndTwoStacks(LoadFileScheduling):  # type: ignore[misc]
    """Workers get whole files, but one gets all that need the stack, and another those in a browser.

    A stack for each file would take longer to start than its tests take.
    """

    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith(OF_THE_BROWSER):
            return BROWSER
        return STACK if nodeid.startswith(OF_THE_STACK) else nodeid.partition("::")[0]


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling:
    """Return the scheduler that distributes the tests."""
    return _FilesAndTwoStacks(config, log)


@pytest.fixture(scope="session")
def stack() -> Iterator[RunningStack]:
    """Yield the whole product with demo data and two processes for tiles, on its own ports.

    DAMS_TEST_URL=http://127.0.0.1:8080/api uses a running stack; its folder (`.local`, or DAMS_TEST_STATE_DIR) leads to
    its database. If it is on another machine, DAMS_TEST_DATABASE_URL has its database for the owner, and tests of
    processes or files are skipped. There is only one such stack: use WORKERS=0 then.
    """
    if url := os.environ.get("DAMS_TEST_URL"):
        yield stack_at(url.rstrip("/"))
        return
    # Stays between sessions: loading the demo data takes longer than all tests of it. Simulated data stay on one day:
    # no test depends on the clock.
    with running(
        "test", purge=False, DAMS_FEATURES_PROCESSES="2", DAMS_TILES_PROCESSES="2", DAMS_DEMO_TODAY="2026-11-01"
    ) as state_dir:
        yield RunningStack(state_dir, f"http://127.0.0.1:{gateway_port(state_dir)}/api")


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Yield a new, empty PostgreSQL with PostGIS and Redis; needs none of the services.

    DAMS_TEST_SERVERS is the DAMS_STATE_DIR of running servers, for running many sessions.
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
    """Yield a function that creates databases, which are dropped after the session.

    The templates that they are copied from stay as long as the servers, for later sessions.
    """
    address = cluster.owner_url("postgres")
    admin = await asyncpg.connect(address)
    # test databases need not survive a crash, and each new one would wait for the disk
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
        # two modules may have functions of the same name; PostgreSQL cuts names to 63 bytes
        known = sha256(f"{fill.__module__}.{fill.__qualname__}".encode()).hexdigest()
        name = f"template_{known[:32]}"
        if not await admin.fetchval("SELECT true FROM pg_database WHERE datname = $1", name):
            nameless = await copy(template)
            connection = await asyncpg.connect(cluster.owner_url(nameless), command_timeout=120)
            await fill(connection)
            await connection.close()
            # rename it last: a session may end while it is being filled
            await admin.execute(f"ALTER DATABASE {nameless} RENAME TO {name}")
        return name

    async def make(fill: Fill | None = None) -> str:
        nonlocal admin
        if admin.is_closed():
            # a session is long, and a test may have made the server lose a connection
            admin = await asyncpg.connect(address)
        template = await filled(with_postgis, "template1")
        return cluster.owner_url(await copy(template if fill is None else await filled(fill, template)))

    yield make
    # other servers end with the session
    for name in made if "DAMS_TEST_SERVERS" in os.environ else ():
        await admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
    await admin.close()


async def with_postgis(owner: asyncpg.Connection) -> None:
    """Install what every test database has."""
    await owner.execute("CREATE EXTENSION postgis")


@pytest.fixture
async def database_url(make_database: MakeDatabase) -> AsyncIterator[str]:
    """Yield the address (as owner) of a new, empty database with PostGIS, dropped after the test."""
    url = await make_database()
    yield url
    server, _, name = url.rpartition("/")
    admin = await asyncpg.connect(f"{server}/postgres")
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


@pytest.fixture
async def redis_url(cluster: Cluster) -> str:
    """Return the address of an empty Redis."""
    client = redis.asyncio.from_url(cluster.redis_url)
    await client.flushall()
    await client.aclose()
    return cluster.redis_url
