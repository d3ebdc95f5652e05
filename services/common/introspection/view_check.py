"""Find views that fail for every request, before a client does; log them and leave them out."""

import logging
import time
from collections.abc import Set

from libs.catalogue.model import Collection
from libs.pg.errors import BrokenFunction, Locked
from libs.pg.pool import Database
from libs.pg.sql import ident, sql

_LOG = logging.getLogger("dams.catalogue")


_WITH_FUNCTIONS = sql(
    "SELECT indrelid::bigint FROM pg_index WHERE indexprs IS NOT NULL OR indpred IS NOT NULL"
    " UNION SELECT polrelid::bigint FROM pg_policy"
)
"""Tables whose indexes or policies call functions: if such a function fails, no query of the table can be planned."""
_PATH = "; a function looks for what it names in its search_path: ALTER FUNCTION … SET search_path = … gives it one"


class ViewCheck:
    """Plans a query of each view, and of tables whose indexes or policies call functions, without reading rows.

    This detects, for example, privileges that the view's owner lost. New and broken views are checked each time, others
    every `trusted_seconds`. Names used by functions are checked by reading a row, once per shape, for at most
    `statement_ms`; after `round_seconds` the others wait for the next round.
    """

    def __init__(
        self,
        database: Database,
        *,
        trusted_seconds: float = 60.0,
        statement_ms: int = 250,
        round_seconds: float = 0.25,
    ) -> None:
        self._database = database
        self._trusted_seconds = trusted_seconds
        self._statement_ms = statement_ms
        self._round_seconds = round_seconds
        self._fine: dict[tuple[int, str], float] = {}
        self._read: set[tuple[int, str]] = set()
        self._broken: dict[str, str] = {}
        self._reading_ends = 0.0

    async def usable(
        self, collections: tuple[Collection, ...], locked: Set[str] = frozenset()
    ) -> tuple[Collection, ...]:
        """Return the collections without the broken views. Raises Unavailable if the database cannot be reached.

        Collections with an id in `locked` cannot be checked, and keep their last result.
        """
        self._reading_ends = time.monotonic() + self._round_seconds
        with_functions = {row[0] for row in await self._database.fetch(_WITH_FUNCTIONS)}
        causes = {
            collection.id: cause
            for collection in collections
            if (collection.kind == "view" or collection.oid in with_functions)
            and (cause := self._broken.get(collection.id) if collection.id in locked else await self._wrong(collection))
            is not None
        }
        kinds = {collection.id: collection.kind for collection in collections if collection.id in causes}
        for identifier, cause in causes.items():
            if self._broken.get(identifier) != cause:
                _LOG.warning(
                    "%s left out", kinds[identifier], extra={"fields": {"collection": identifier, "cause": cause}}
                )
        self._broken = causes
        self._read &= {(collection.oid, collection.shape) for collection in collections}
        return tuple(collection for collection in collections if collection.id not in causes)

    async def _wrong(self, view: Collection) -> str | None:
        identity = (view.oid, view.shape)
        now = time.monotonic()
        unread = identity not in self._read and (now < self._reading_ends or view.id in self._broken)
        if not unread and now - self._fine.get(identity, float("-inf")) < self._trusted_seconds:
            return None
        try:
            await self._database.fetch(sql("SELECT * FROM {view} LIMIT 0", view=ident(view.schema, view.name)))
            if unread:
                await self._read_row(view)
                self._read.add(identity)
        except Locked:
            return self._broken.get(view.id)
        except BrokenFunction as error:
            return f"{error.__cause__}{_PATH}"
        except Exception as error:
            if await self._database.passes(error):
                raise
            return f"{type(error).__name__}: {error.__cause__ or error}"
        self._fine[identity] = time.monotonic()
        return None

    async def _read_row(self, view: Collection) -> None:
        """Raise BrokenFunction, or Unavailable if the database cannot be reached; other rows may work."""
        # it computes the columns without returning them
        text, _ = sql(
            "EXPLAIN (ANALYZE, TIMING OFF) SELECT * FROM {view} LIMIT 1", view=ident(view.schema, view.name)
        ).render()
        try:
            async with self._database.connection(transaction=True) as connection:
                await connection.execute("SELECT set_config('statement_timeout', $1, true)", str(self._statement_ms))
                await connection.fetch(text)
        except BrokenFunction:
            raise
        except Exception as error:
            if await self._database.passes(error):
                raise
