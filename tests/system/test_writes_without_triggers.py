"""Each cached resource shows a write that fires no trigger, also to a client that revalidates."""

# ruff: noqa: S608 - all names are the test's own
from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

import asyncpg
import pytest
from aiohttp import ClientSession

from tests.eventually import eventually
from tests.running_stack import RunningStack

pytestmark = [pytest.mark.system, pytest.mark.faults]

UNSEEN = "ALTER TABLE {0} DISABLE TRIGGER ALL; {1}; ALTER TABLE {0} ENABLE TRIGGER ALL"
MOVED = "geom = ST_SetSRID(ST_MakePoint(30, 30), 4326), n = 2, name = 'moved', at = '2026-02-02Z'"

# by the name of the table: the change made to it
WAYS = {
    "updated": UNSEEN.format("{0}", f"UPDATE {{0}} SET {MOVED}"),
    "replica": (
        "ALTER TABLE {0} DISABLE TRIGGER ALL; ALTER TABLE {0} ENABLE TRIGGER ALL;"
        f"SET session_replication_role = replica; UPDATE {{0}} SET {MOVED}; RESET session_replication_role"
    ),
    "in_partition": UNSEEN.format("{0}_1", f"UPDATE {{0}}_1 SET {MOVED}"),
    "attached": (
        "ALTER TABLE {0} DETACH PARTITION {0}_1; DROP TRIGGER dams_record_change ON {0}_1;"
        f"UPDATE {{0}}_1 SET {MOVED}; ALTER TABLE {{0}} ATTACH PARTITION {{0}}_1 FOR VALUES FROM (0) TO (100)"
    ),
    "truncated": (
        f"CREATE TEMPORARY TABLE kept AS SELECT * FROM {{0}}; UPDATE kept SET {MOVED};"
        + UNSEEN.format("{0}", "TRUNCATE {0}; INSERT INTO {0} SELECT * FROM kept")
        + "; DROP TABLE kept"
    ),
    "rewritten": (
        "ALTER TABLE {0} ALTER n TYPE integer USING n + 1, ALTER name TYPE text USING 'moved',"
        " ALTER at TYPE timestamptz USING at + interval '1 day',"
        " ALTER geom TYPE geometry(Point, 4326) USING ST_SetSRID(ST_MakePoint(30, 30), 4326)"
    ),
}
RESOURCES = (
    "/collections/{0}",
    "/collections/{0}/items",
    "/collections/{0}/items?f=html",
    "/collections/{0}/items?f=csv&filter=n%3E0",
    "/collections/{0}/items?f=fgb",
    "/collections/{0}/items/1",
    "/collections/{0}/export?f=csv",
    "/collections/{0}/facets?facets=n",
    "/collections/{0}/feed",
    "/collections/{0}/feed?f=geojson",
    "/collections/{0}/schema",
    "/collections/{0}/changes",
    "/collections/{0}/tiles/WebMercatorQuad/0/0/0",
    "/tiles/WebMercatorQuad/0/0/0?collections={0}",
    "/collections/{0}/tiles/WebMercatorQuad/tilejson.json",
)
_MOMENTS = re.compile(rb'"timeStamp":"[^"]*"')
_FLUSHED_SECONDS = 12
"""After that PostgreSQL has counted the rows that the test made, which must not pass for the write."""


@dataclass(frozen=True)
class Seen:
    """The parts of a response that a client keeps."""

    body: bytes
    etag: str | None


def table(way: str) -> str:
    """The table of a way, which is also its collection."""
    return f"hazard.unseen_{way}"


@pytest.fixture
async def owner(stack: RunningStack) -> AsyncIterator[asyncpg.Connection]:
    """The owner's connection; a watched table in partitions for each way."""
    connection = await asyncpg.connect(stack.owner_url("dams"))
    drop = "".join(f"DROP TABLE IF EXISTS {table(way)};" for way in WAYS)
    await connection.execute(drop)
    for name in map(table, WAYS):
        await connection.execute(
            f"""CREATE TABLE {name} (
                id integer PRIMARY KEY, n integer, name text, at timestamptz, geom geometry(Point, 4326)
            ) PARTITION BY RANGE (id);
            CREATE TABLE {name}_1 PARTITION OF {name} FOR VALUES FROM (0) TO (100);
            SELECT dams.watch('{name}');
            INSERT INTO {name} VALUES (1, 1, 'first', '2026-01-01Z', ST_SetSRID(ST_MakePoint(10, 10), 4326))"""
        )
    yield connection
    await connection.execute(drop)
    await connection.close()


async def ask(session: ClientSession, url: str, known: Seen | None = None) -> Seen:
    """The response now, as a client with a cache sees it."""
    headers = {"If-None-Match": known.etag} if known is not None and known.etag else {}
    async with session.get(url, headers=headers) as response:
        if response.status == 304 and known is not None:
            return known
        assert response.status == 200, f"{response.status} {url}"
        return Seen(_MOMENTS.sub(b"", await response.read()), response.headers.get("ETag"))


async def test_unseen_write_is_shown_by_each_resource(stack: RunningStack, owner: asyncpg.Connection) -> None:
    async with ClientSession() as session:
        addresses = [stack.base_url + path.format(table(way)) for way in WAYS for path in RESOURCES]

        async def first(url: str) -> Seen:
            return await eventually(lambda: ask(session, url))

        async def changes(url: str, before: Seen) -> None:
            async def is_another() -> None:
                assert (await ask(session, url, before)).body != before.body, f"stale: {url}"

            await eventually(is_another, seconds=60)

        await asyncio.gather(*map(first, addresses))
        await asyncio.sleep(_FLUSHED_SECONDS)
        known = dict(zip(addresses, await asyncio.gather(*map(first, addresses)), strict=True))
        for way, statements in WAYS.items():
            for statement in statements.format(table(way)).split(";"):
                await owner.execute(statement)
        await asyncio.gather(*(changes(url, before) for url, before in known.items()))
