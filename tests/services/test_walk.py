"""The walk through every resource of the hostile tables, as anybody can do it through a database of his own."""

from __future__ import annotations

import re
import time

import asyncpg

from tests.eventually import eventually
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Services
from tools.walk.stored import Database
from tools.walk.walk import Answer, Report, Walk

_SERVICES = (
    (re.compile(r"/tileMatrixSets|/collections/[^/?]+/tiles"), "tiles"),
    (re.compile(r"/collections/[^/?]+/(items|schema|queryables)"), "features"),
)


_EXISTING = """
SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
UNION ALL SELECT n.nspname || '.' || p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
"""


async def walked(running: Services, url: str, pattern: str) -> Report:
    """The report of a walk through the services of this process, in the collections whose ids match."""

    async def ask(address: str) -> Answer:
        name = next((name for beginning, name in _SERVICES if beginning.match(address)), "common")
        started = time.perf_counter()
        answer = await running[name].get(address)
        return Answer(answer.status, answer.body, time.perf_counter() - started)

    async with asyncpg.create_pool(url, min_size=1, max_size=2) as pool:

        async def only_existing() -> None:
            listed = await running["common"].json("/collections", limit="1000")
            existing = {name for (name,) in await pool.fetch(_EXISTING)}
            assert {collection["id"] for collection in listed["collections"]} <= existing

        # a test before may just have dropped its tables
        await eventually(only_existing)
        return await Walk(ask, Database(pool).number).run(only=lambda name: re.search(pattern, name) is not None)


async def test_every_resource_of_every_collection_answers(running: Services, hostile: HostileDatabase) -> None:
    # of the large ones a few pages are enough elsewhere
    report = await walked(running, hostile.owner_url, r"^(?!hostile\.(heavy|many|wide)$)")
    assert report.faults == []
    assert report.collections > 30
    assert report.statuses.total() > 2000
