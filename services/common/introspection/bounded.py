"""Statements with a time limit."""

import logging

from libs.pg.pool import Database
from libs.pg.sql import Sql

_LOG = logging.getLogger("dams.catalogue")


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
