"""The walk through every resource of the hostile tables, as anybody can do it through a database of his own."""

from __future__ import annotations

import re
import time

import asyncpg

from tests.services.conftest import HostileDatabase
from tests.services.in_process import Services
from tools.walk.stored import Database
from tools.walk.walk import Answer, Report, Walk

_SERVICES = (
    (re.compile(r"/tileMatrixSets|/collections/[^/?]+/tiles"), "tiles"),
    (re.compile(r"/collections/[^/?]+/(items|schema|queryables)"), "features"),
)


async def walked(running: Services, url: str, pattern: str) -> Report:
    """The report of a walk through the services of this process, in the collections whose ids match."""

    async def ask(address: str) -> Answer:
        name = next((name for beginning, name in _SERVICES if beginning.match(address)), "common")
        started = time.perf_counter()
        answer = await running[name].get(address)
        return Answer(answer.status, answer.body, time.perf_counter() - started)

    async with asyncpg.create_pool(url, min_size=1, max_size=2) as pool:
        return await Walk(ask, Database(pool).number).run(only=lambda name: re.search(pattern, name) is not None)


async def test_every_resource_of_every_collection_answers(running: Services, hostile: HostileDatabase) -> None:
    # of the large ones a few pages are enough elsewhere
    report = await walked(running, hostile.owner_url, r"^(?!hostile\.(heavy|many|wide)$)")
    assert report.faults == []
    assert report.collections > 30
    assert report.statuses.total() > 2000
