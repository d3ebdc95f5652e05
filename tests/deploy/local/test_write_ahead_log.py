"""The write-ahead log of a stack's own database after a load."""

from __future__ import annotations

import asyncpg

from deploy.local.postgresql import write_checkpoint
from tests.running_stack import Cluster

_MIB = 2**20


async def test_checkpoint_deletes_the_log_of_a_load(cluster: Cluster) -> None:
    url = cluster.owner_url("postgres")
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("CREATE TABLE loaded AS SELECT n, repeat('x', 200) FROM generate_series(1, 400000) n")
        assert await connection.fetchval("SELECT sum(size) FROM pg_ls_waldir()") > 96 * _MIB
        await write_checkpoint(url)
        assert await connection.fetchval("SELECT sum(size) FROM pg_ls_waldir()") <= 48 * _MIB
    finally:
        await connection.execute("DROP TABLE IF EXISTS loaded")
        await connection.close()
