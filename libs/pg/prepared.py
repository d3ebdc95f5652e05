"""Connections that keep only recurring statements prepared.

A prepared statement takes a hundred times the memory of its text, in each session, as long as it is prepared; and each
filter of another structure is a separate statement.
"""

from typing import Any

import asyncpg

from libs.tracing.spans import statement_span

_MOST_PREPARED = 100
"""Maximum number per session; the least recently used one is dropped."""
_LONGEST = 8 * 1024
"""Maximum length of a prepared statement, in characters."""
_REMEMBERED = 2000


class Recurring:
    """The recent statements: two sets that take turns, each of limited size."""

    def __init__(self, most: int = _REMEMBERED) -> None:
        self._most = most
        self._young: set[int] = set()
        self._old: set[int] = set()

    def __contains__(self, statement: str) -> bool:
        """Return whether the statement is recent, and record it."""
        number = hash(statement)
        if number in self._young:
            return True
        if len(self._young) >= self._most:
            self._old, self._young = self._young, set()
        self._young.add(number)
        return number in self._old


class Connection(asyncpg.Connection):  # type: ignore[misc]
    """Prepares a statement permanently once any connection of its pool gets it for the second time."""

    recurring: Recurring | None = None
    """Recent statements; None: no statement stays prepared."""
    begin: str | None = None
    """Statement that begins a transaction for each use; None if not needed."""

    async def fetch(self, query: str, *args: Any) -> list[asyncpg.Record]:
        """Return all rows of the query."""
        rows: list[asyncpg.Record]
        with statement_span(query):
            if self.recurring is None or query in self.recurring:
                rows = await super().fetch(query, *args)
            else:
                # the server drops an unnamed statement at the next one
                rows = await (await self.prepare(query, name="")).fetch(*args)
        return rows

    async def fetchrow(self, query: str, *args: Any) -> asyncpg.Record | None:
        """Return the first row of the query."""
        rows = await self.fetch(query, *args)
        return rows[0] if rows else None


async def connect(url: str, recurring: Recurring | None, **options: Any) -> Connection:
    """Return a connection that shares `recurring`; None: it names no statement. Raises like `asyncpg.connect`."""
    connection: Connection = await asyncpg.connect(
        url,
        connection_class=Connection,
        statement_cache_size=0 if recurring is None else _MOST_PREPARED,
        max_cacheable_statement_size=_LONGEST,
        **options,
    )
    connection.recurring = recurring
    return connection
