"""Allow one load of a source at a time, on all machines."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

_CLASS = 0x4C4F4144
"""Distinguishes the loader's locks from others in the database; the number must only be the same everywhere."""


class BusyError(Exception):
    """Another load of the same source is running; the message says which."""


@asynccontextmanager
async def hold_lock(connection: asyncpg.Connection, source: str) -> AsyncIterator[None]:
    """Lock the source for the block; the lock dies with the connection.

    Raises BusyError at once if another process has the lock.
    """
    if not await connection.fetchval("SELECT pg_try_advisory_lock($1, hashtext($2))", _CLASS, source):
        raise BusyError(f"{source} is being loaded already, by {await _holder(connection, source)}")
    try:
        yield
    finally:
        if not connection.is_closed():
            await connection.fetchval("SELECT pg_advisory_unlock($1, hashtext($2))", _CLASS, source)


async def _holder(connection: asyncpg.Connection, source: str) -> str:
    row = await connection.fetchrow(
        "SELECT a.pid, coalesce(host(a.client_addr), 'this machine') AS address, a.application_name AS name, "
        "to_char(a.backend_start, 'YYYY-MM-DD HH24:MI:SS') AS since "
        "FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE l.locktype = 'advisory' AND l.granted "
        "AND l.classid = $1::bigint::oid AND l.objid = (hashtext($2)::bigint & 4294967295)::oid AND l.objsubid = 2",
        _CLASS,
        source,
    )
    if row is None:
        return "one that has ended meanwhile"
    return f"{row['name']!r} on {row['address']} since {row['since']} UTC (process {row['pid']} of the database)"
