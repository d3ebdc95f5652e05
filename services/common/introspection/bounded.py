"""Statements with a time limit, and the pauses between them."""

import logging

from libs.pg.pool import Database
from libs.pg.sql import Sql

_LOG = logging.getLogger("dams.catalogue")

_CHEAP = 0.05
"""Time of a cheap read, in seconds."""
_PAUSE, _LONG_PAUSE = 20, 120
"""Pauses as multiples of the last read's duration: while rows change, and for each failure in a row."""


class TooSlowError(Exception):
    """A statement exceeds its time limit, or reads a broken relation."""


async def rows_within(database: Database, statement: Sql, statement_ms: int, of: str, unknown: str) -> list[tuple]:  # type: ignore[type-arg]
    """Return the rows of a statement that takes at most `statement_ms`.

    Raises TooSlowError and logs what is `unknown` about the collection `of`. Raises Unavailable if the database cannot
    be reached.
    """
    text, arguments = statement.render()
    try:
        async with database.connection(transaction=True) as connection:
            await connection.execute("SELECT set_config('statement_timeout', $1, true)", str(statement_ms))
            return [tuple(row) for row in await connection.fetch(text, *arguments)]
    except Exception as error:
        # a slow or broken view affects only itself; without the database, the last catalogue stays in use
        if await database.passes(error):
            raise
        _LOG.info(unknown, extra={"fields": {"collection": of, "cause": str(error.__cause__ or error)}})
        raise TooSlowError from None


def pause_after(seconds: float, failures: int, least: float) -> float:
    """Return how long to wait after a read that took `seconds`, at least `least` seconds.

    After `failures` in a row the pause is longer, but reads go on: a server can be too slow while it is busy.
    """
    if failures:
        return max(least, max(seconds, _CHEAP) * _LONG_PAUSE * failures)
    return max(least, seconds * _PAUSE) if seconds > _CHEAP else least
