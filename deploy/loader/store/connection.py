"""A connection to the database with the role that may write."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

SCHEMA = "hazard"


class StoreError(Exception):
    """The loader cannot write to this database; the message says what is missing."""


@asynccontextmanager
async def connect(url: str, name: str) -> AsyncIterator[asyncpg.Connection]:
    """Open a connection with the application name `dams loader NAME`. It sends geometries as EWKB.

    Raises OSError, asyncpg.PostgresError, StoreError.
    """
    settings = {"application_name": f"dams loader {name}"[:63], "timezone": "UTC"}
    connection: asyncpg.Connection = await asyncpg.connect(url, server_settings=settings, command_timeout=600)
    try:
        home = await connection.fetchval(
            "SELECT n.nspname FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.typname = 'geometry'"
        )
        if home is None or await connection.fetchval("SELECT to_regclass('dams.load_source')") is None:
            raise StoreError("the schema is missing: run `python -m deploy.database apply` first")
        await connection.set_type_codec("geometry", schema=home, encoder=bytes, decoder=bytes, format="binary")
        yield connection
    finally:
        await connection.close(timeout=5)


def quote(name: str) -> str:
    """Return a name quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


def list_columns(names: Any, prefix: str = "") -> str:
    """Return names of columns, with commas between them."""
    return ", ".join(prefix + quote(name) for name in names)
