"""The contents of a database, read without the service."""

from __future__ import annotations

import asyncpg

_RELATION = """
SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname || '.' || c.relname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
"""


class Database:
    """The database of the service, for a role that may read what the service reads."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def number(self, collection_id: str, column: str) -> int | None:
        """How many geometries of a column are not empty; None where the relation cannot be counted."""
        relations = await self._pool.fetch(_RELATION, collection_id)
        if len(relations) != 1:
            return None
        name = '"' + column.replace('"', '""') + '"'
        text = f"SELECT count(*) FROM {relations[0][0]} WHERE NOT ST_IsEmpty({name}::geometry)"
        try:
            return int(await self._pool.fetchval(text))
        except asyncpg.PostgresError:
            return None
