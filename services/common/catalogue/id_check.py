"""Find configured id columns with repeated values, at start and from time to time, and log them."""

import logging
import time

from libs.catalogue.model import Collection
from libs.pg.pool import Database
from libs.pg.sql import Sql, ident, sql

_LOG = logging.getLogger("dams.catalogue")
_PAUSE = 1000
"""Pause between two checks of a collection, as a multiple of the last check's duration."""


class IdCheck:
    """Checks whether features of a collection share ids, if no unique index prevents it.

    Repeated every `trusted_seconds`, less often if it is slow. A check that exceeds `statement_ms` has no result. Then
    pages lose nothing, because they use more than the id, but an id may lead to another feature.
    """

    def __init__(self, database: Database, *, statement_ms: int = 1000, trusted_seconds: float = 60.0) -> None:
        self._database = database
        self._statement_ms = statement_ms
        self._trusted_seconds = trusted_seconds
        # by relation, shape and column: the time of the next check, and the fault
        self._known: dict[tuple[int, str, str | None], tuple[float, str | None]] = {}
        self._told: dict[str, str | None] = {}

    async def repeats(self, collection: Collection) -> bool:
        """Return whether two features are known to have the same id. Raises Unavailable."""
        if not collection.key or not collection.key_repeats or collection.kind == "function":
            return False
        name = (collection.oid, collection.shape, collection.key)
        until, wrong = self._known.get(name, (float("-inf"), None))
        started = time.monotonic()
        if started >= until:
            wrong = await self._wrong(collection, collection.key)
            ended = time.monotonic()
            self._known[name] = ended + max(self._trusted_seconds, _PAUSE * (ended - started)), wrong
        return wrong is not None

    async def _wrong(self, collection: Collection, key: str) -> str | None:
        where = f"collections.{collection.id}.id_column: '{key}'"
        told, wrong = None, None
        try:
            rows = await self._rows(_repeated_ids(collection, key))
        except Exception as error:
            if await self._database.passes(error):
                raise
            told = f"{where} could not be checked in {self._statement_ms / 1000:g} s; a unique index vouches for it"
        else:
            if rows:
                wrong = told = f"{where} is not used, for it is not unique: {rows[0][1]} rows have {rows[0][0]!r}"
        if told != self._told.get(collection.id) and told is not None:
            _LOG.warning("ids of features", extra={"fields": {"cause": told}})
        self._told[collection.id] = told
        return wrong

    async def _rows(self, statement: Sql) -> list[tuple[str, int]]:
        text, arguments = statement.render()
        async with self._database.connection(transaction=True) as connection:
            await connection.execute("SELECT set_config('statement_timeout', $1, true)", str(self._statement_ms))
            return [(row[0], row[1]) for row in await connection.fetch(text, *arguments)]


def _repeated_ids(collection: Collection, key: str) -> Sql:
    return sql(
        "SELECT {key}::text, count(*) FROM {table} WHERE {key} IS NOT NULL GROUP BY {key} HAVING count(*) > 1 LIMIT 1",
        key=ident(key),
        table=ident(collection.schema, collection.name),
    )
