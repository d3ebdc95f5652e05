"""Statements that may take so long and no longer."""

import logging

from libs.pg.pool import Database
from libs.pg.sql import Sql

_LOG = logging.getLogger("dams.catalogue")


class TooSlowError(Exception):
    """A statement takes longer than it may, or what it reads is broken."""


async def rows_within(database: Database, statement: Sql, statement_ms: int, of: str, unknown: str) -> list[tuple]:  # type: ignore[type-arg]
    """The rows of a statement that takes no longer than `statement_ms`.

    Raises TooSlowError, told in the log by what of which collection is `unknown` then; Unavailable where the database
    cannot be reached.
    """
    text, arguments = statement.render()
    try:
        async with database.connection(transaction=True) as connection:
            await connection.execute("SELECT set_config('statement_timeout', $1, true)", str(statement_ms))
            return [tuple(row) for row in await connection.fetch(text, *arguments)]
    except Exception as error:
        # a slow or broken view costs only itself; without the database the last catalogue is better
        if await database.passes(error):
            raise
        _LOG.info(unknown, extra={"fields": {"collection": of, "cause": str(error.__cause__ or error)}})
        raise TooSlowError from None
