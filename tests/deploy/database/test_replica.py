"""Data versions on a physical replica."""

import asyncio

import asyncpg

from deploy.database.apply import apply_schema
from tests.deploy.database.private_cluster import private_cluster


async def test_versions_arrive_on_a_replica_with_the_data() -> None:
    with private_cluster() as primary:
        writer = await asyncpg.connect(primary.url("postgres"))
        await apply_schema(writer)
        await writer.execute("CREATE TABLE t (a integer); SELECT dams.watch('t')")
        with private_cluster(primary) as replica:
            reader = await asyncpg.connect(replica.url("postgres"))
            query = "SELECT version, (SELECT count(*) FROM t) FROM dams.data_versions() WHERE relation = 't'::regclass"
            assert await reader.fetchval("SELECT pg_is_in_recovery()")
            before, rows = await reader.fetchrow(query)
            assert rows == 0
            await writer.execute("INSERT INTO t VALUES (1)")
            async with asyncio.timeout(20):
                while await reader.fetchval("SELECT count(*) FROM t") == 0:  # noqa: ASYNC110 - a replica tells nobody
                    await asyncio.sleep(0.05)
            assert tuple(await reader.fetchrow(query)) == (before + 1, 1)
            await reader.close()
        await writer.close()
