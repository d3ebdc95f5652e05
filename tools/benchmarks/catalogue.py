"""`python -m tools.benchmarks.catalogue`: the cost of 2,000 tables for the common service and those that follow it.

Creates the tables of `tests/services/many_tables.py` once, in its own PostgreSQL; prints seconds.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial

import asyncpg

from deploy.database.apply import apply_schema, ensure_reader
from deploy.local import postgresql, stack
from deploy.local.settings import StackError, StackSettings
from deploy.local.state import StateFolder
from libs.catalogue.client import CatalogueClient
from services.common.resources import KEEPER
from tests.services.in_process import Client, services
from tests.services.many_tables import TABLES, make_many_tables
from tools.benchmarks.settings import FOLDER

# not the servers of other workloads, which may be running
SERVERS = FOLDER / "catalogue"
_DATABASE = "many_tables"
_ROUNDS = 5
_TARGET = 2.0


def main() -> int:
    settings = StackSettings(state_dir=SERVERS)
    try:
        stack.up(settings, servers_only=True)
        try:
            return asyncio.run(_run())
        finally:
            stack.down(settings)
    except StackError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


async def _run() -> int:
    folder = StateFolder(SERVERS)
    state = folder.load()
    owner_url = stack.owner_url(folder, state, _DATABASE)
    await postgresql.make_database(stack.owner_url(folder, state, "postgres"), _DATABASE)
    await prepare(owner_url, folder.secret("reader-password"))
    env = {
        "DAMS_DATABASE_URL": f"{stack.reader_url(folder, state).rpartition('/')[0]}/{_DATABASE}",
        "DAMS_COLLECTION_SCHEMAS": "many",
        # the benchmark refreshes by itself
        "DAMS_CATALOGUE_REFRESH_SECONDS": "3600",
        "DAMS_LOG_LEVEL": "ERROR",
    }
    print(f"{'2,000 tables, 1,600 columns, 100 million rows':<52}  seconds")
    async with services() as running:
        started = time.perf_counter()
        common = await running.start("common", env)
        start_up = time.perf_counter() - started
        _row(f"start of common, target below {_TARGET:.0f}", start_up)
        keeper = running.apps["common"][KEEPER]
        refresh = await _best(keeper.refresh)
        _row(f"refresh with nothing changed, target below {_TARGET:.0f}", refresh)
        keeper._introspection._extents._known = {}
        everything = await _seconds_of(keeper.refresh)
        _row(f"refresh with every extent read anew, target below {_TARGET:.0f}", everything)
        _row("another service's first read of the catalogue", await _seconds_of(lambda: _follow(common)))
        for title, path in (
            ("/collections, 1,000 as JSON", "/collections?limit=1000"),
            ("/collections, 50 as a page", "/collections?f=html"),
            ("landing page", "/?f=html"),
        ):
            answer = await common.get(path)
            _row(f"{title} ({len(answer.body) / 1000:,.0f} kB)", await _best(partial(common.get, path)))
    return 0 if max(start_up, refresh, everything) < _TARGET else 1


async def prepare(owner_url: str, password: str, tables: int = TABLES) -> None:
    """Create the schema, the reading role and `tables` tables, if they are missing."""
    owner = await asyncpg.connect(owner_url, command_timeout=600)
    try:
        await apply_schema(owner)
        await ensure_reader(owner, postgresql.READER, password)
        if not await owner.fetchval("SELECT to_regclass('many.huge') IS NOT NULL"):
            # recreate a set of tables that was interrupted
            await owner.execute("DROP SCHEMA IF EXISTS many CASCADE")
            await make_many_tables(owner, tables)
    finally:
        await owner.close()


async def _follow(common: Client) -> None:
    async with CatalogueClient(common.base) as client:
        assert len(client.collections) > 2000


async def _seconds_of(act: Callable[[], Awaitable[object]]) -> float:
    started = time.perf_counter()
    await act()
    return time.perf_counter() - started


async def _best(act: Callable[[], Awaitable[object]]) -> float:
    return min([await _seconds_of(act) for _ in range(_ROUNDS)])


def _row(title: str, seconds: float) -> None:
    print(f"{title:<52}  {seconds:7.3f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
