"""Cost by number of collections: 13 to 2,000 tables, for the common service's start and its checks for changes."""

from __future__ import annotations

import asyncio
import time

from deploy.local import postgresql, stack
from deploy.local.settings import StackSettings
from deploy.local.state import StateFolder
from services.common.resources import KEEPER
from tests.services.in_process import services
from tools.benchmarks.catalogue import SERVERS, prepare
from tools.benchmarks.growth.fit import Series

_COLLECTIONS = (13, 100, 500, 2000)
_ROUNDS = 5
_START = "start of common"
_REFRESH = "refresh, nothing changed"


def collections() -> list[Series]:
    """Return seconds, the shortest of a few runs, including PostgreSQL's part."""
    settings = StackSettings(state_dir=SERVERS)
    stack.up(settings, servers_only=True)
    try:
        found = [(number, *asyncio.run(_measure(number))) for number in _COLLECTIONS]
    finally:
        stack.down(settings)
    return [
        Series(title, "collections", "s", tuple((float(row[0]), row[column]) for row in found))
        for column, title in ((1, _START), (2, _REFRESH))
    ]


async def _measure(number: int) -> tuple[float, float]:
    folder = StateFolder(SERVERS)
    state, database = folder.load(), f"tables_{number}"
    await postgresql.make_database(stack.owner_url(folder, state, "postgres"), database)
    await prepare(stack.owner_url(folder, state, database), folder.secret("reader-password"), number)
    env = {
        "DAMS_DATABASE_URL": f"{stack.reader_url(folder, state).rpartition('/')[0]}/{database}",
        "DAMS_COLLECTION_SCHEMAS": "many",
        # the benchmark refreshes by itself
        "DAMS_CATALOGUE_REFRESH_SECONDS": "3600",
        "DAMS_LOG_LEVEL": "ERROR",
    }
    async with services() as running:
        started = time.perf_counter()
        await running.start("common", env)
        start = time.perf_counter() - started
        keeper, refreshes = running.apps["common"][KEEPER], []
        for _ in range(_ROUNDS):
            started = time.perf_counter()
            await keeper.refresh()
            refreshes.append(time.perf_counter() - started)
    print(f"{number:>12,} tables  start {start:.2f} s, refresh {min(refreshes):.3f} s", flush=True)
    return start, min(refreshes)
