"""Five thousand heavy polygons: the memory of a separate process while it sends them, and its connections during that
time.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator

import asyncpg
import psutil
import pytest
from aiohttp import ClientConnectionError, ClientSession
from aiohttp.test_utils import unused_port

from tests.eventually import eventually
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Client, Services

_ROWS = 5_000
_PATH = f"/collections/hostile.heaviest/items?limit={_ROWS}"
_MOST = 36 * 2**20


@pytest.fixture(scope="module")
async def heavy(hostile: HostileDatabase) -> AsyncIterator[None]:
    owner = await asyncpg.connect(hostile.owner_url)
    await owner.execute(
        "CREATE TABLE hostile.heaviest (id integer PRIMARY KEY, geom geometry(Polygon, 4326));"
        " INSERT INTO hostile.heaviest SELECT n, ST_Buffer(ST_SetSRID(ST_MakePoint(n % 100, n / 200), 4326), 0.4, 150)"
        " FROM generate_series(1, 5000) AS n;"
        " ANALYZE hostile.heaviest; GRANT SELECT ON hostile.heaviest TO hostile_reader"
    )
    yield
    await owner.execute("DROP TABLE hostile.heaviest")
    await owner.close()


@pytest.fixture(scope="module")
async def alone(heavy: None, hostile: HostileDatabase, running: Services) -> AsyncIterator[tuple[str, psutil.Process]]:
    """Start the features service as a separate process; yields its address too."""
    port = unused_port()
    environment = {**os.environ, **hostile.env(DAMS_CATALOGUE_URL=running["common"].base, DAMS_PORT=str(port))}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "services.features", env=environment, stdout=asyncio.subprocess.DEVNULL
    )
    base = f"http://127.0.0.1:{port}"

    async def answers() -> None:
        try:
            assert (await Client(running.session, base).get(f"{_PATH.partition('?')[0]}?limit=1")).status == 200
        except ClientConnectionError as error:
            raise AssertionError from error

    try:
        await eventually(answers)
        yield base, psutil.Process(process.pid)
    finally:
        process.terminate()
        await process.wait()


async def test_large_answers_do_not_take_memory(alone: tuple[str, psutil.Process]) -> None:
    base, process = alone
    before = most = process.memory_info().rss
    size = 0
    async with ClientSession() as session, session.get(base + _PATH) as response:
        assert response.status == 200
        async for piece in response.content.iter_chunked(2**20):
            size += len(piece)
            most = max(most, process.memory_info().rss)
            last = piece
    assert last.endswith(b'"numberReturned":%d}' % _ROWS)
    # held as a whole it could not pass
    assert size > 2 * _MOST
    assert most - before < _MOST


@pytest.mark.parametrize("leave", [False, True], ids=["a client that reads slowly", "a client that goes away"])
async def test_no_connection_waits_for_a_client(
    alone: tuple[str, psutil.Process], owner: asyncpg.Connection, leave: bool
) -> None:
    base, process = alone
    busy = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dams-features' AND state <> 'idle'"
    async with ClientSession() as session:
        response = await session.get(base + _PATH)
        await response.content.readexactly(100_000)
        if leave:
            response.close()

        async def all_idle() -> None:
            for _ in range(5):
                assert await owner.fetchval(busy) == 0
                await asyncio.sleep(0.05)

        await eventually(all_idle, seconds=3)
        assert process.is_running()
        response.close()
