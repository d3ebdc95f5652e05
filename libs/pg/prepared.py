"""Connections that keep prepared what is asked for again and again, and nothing else.

A prepared statement takes a hundred times the memory of its text, in each session, for as long as it is kept; each
filter of another shape is a statement of its own.
"""

from typing import Any

import asyncpg

from libs.tracing.spans import statement_span

_MOST_PREPARED = 100
"""In a session; the one used longest ago makes room."""
_LONGEST = 8 * 1024
"""Characters of a statement that may be kept prepared."""
_REMEMBERED = 2000


class Recurring:
    """Which statements came before, not long ago: two sets that take turns, each bounded."""

    def __init__(self, most: int = _REMEMBERED) -> None:
        self._most = most
        self._young: set[int] = set()
        self._old: set[int] = set()

    def __contains__(self, statement: str) -> bool:
        """Whether the statement came before; it has come now."""
        number = hash(statement)
        if number in self._young:
            return True
        if len(self._young) >= self._most:
            self._old, self._young = self._young, set()
        self._young.add(number)
        return number in self._old


class Connection(asyncpg.Connection):  # type: ignore[misc]
    """Keeps a statement prepared from the second time on that any connection of its pool is given it."""

    recurring: Recurring | None = None
    """None: nothing is kept prepared."""
    begin: str | None = None
    """What begins each use of it, where that has to be a transaction."""

    async def fetch(self, query: str, *args: Any) -> list[asyncpg.Record]:
        """All rows of the query."""
        rows: list[asyncpg.Record]
        with statement_span(query):
            if self.recurring is None or query in self.recurring:
                rows = await super().fetch(query, *args)
            else:
                # without a name the server forgets it with the next one
                rows = await (await self.prepare(query, name="")).fetch(*args)
        return rows

    async def fetchrow(self, query: str, *args: Any) -> asyncpg.Record | None:
        """The first row of the query."""
        rows = await self.fetch(query, *args)
        return rows[0] if rows else None


async def connect(url: str, recurring: Recurring | None, **options: Any) -> Connection:
    """A connection of those that share `recurring`; None: it gives no statement a name. Raises as `asyncpg.connect`."""
    connection: Connection = await asyncpg.connect(
        url,
        connection_class=Connection,
        statement_cache_size=0 if recurring is None else _MOST_PREPARED,
        max_cacheable_statement_size=_LONGEST,
        **options,
    )
    connection.recurring = recurring
    return connection
