"""Settings of a session: of one that a connection has for itself, or of one that a pooler lends it for a transaction.

A pooler such as PgBouncer in transaction mode takes few parameters when a connection begins, and may run each
transaction in another session: what is set, or prepared by a name, meets other clients there. So nothing is; each
transaction begins with its settings.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import asyncpg

from libs.pg.prepared import Connection, Recurring, connect

_LOG = logging.getLogger("dams.pg")


class Sessions:
    """Opens the connections of one pool, which all have the same settings."""

    def __init__(self, url: str, settings: Mapping[str, str], **options: Any) -> None:
        """`options` are those of `asyncpg.connect`."""
        self._url = url
        self._settings = settings
        self._options = options
        self._recurring = Recurring()
        self._lent = False

    async def open(self) -> Connection:
        """A new connection. Raises as `asyncpg.connect` does."""
        connection = await self._connect()
        if self._lent:
            return connection
        try:
            # asked and set at once
            condition = f"{_configured(self._settings, 'false')} WHERE {own_session(connection)}"
            if await connection.execute(condition) == "SELECT 1":
                return connection
        except BaseException:
            connection.terminate()
            raise
        _LOG.info("a pooler such as PgBouncer is before the database: every use of a connection is a transaction")
        self._lent = True
        await connection.close(timeout=1)
        return await self._connect()

    async def _connect(self) -> Connection:
        # the one setting that poolers know, too
        named = {"application_name": self._settings["application_name"]}
        recurring = None if self._lent else self._recurring
        connection = await connect(self._url, recurring, server_settings=named, **self._options)
        if self._lent:
            connection.begin = f"BEGIN READ ONLY; {_configured(self._settings, 'true')}"
        return connection


def own_session(connection: asyncpg.Connection) -> str:
    """The condition in SQL that whoever answers is the session that the connection was told of when it began."""
    return f"pg_catalog.pg_backend_pid() = {connection.get_server_pid()}"


def _configured(settings: Mapping[str, str], is_local: str) -> str:
    # values of the program, never of a client
    calls = [f"pg_catalog.set_config('{name}', {_value(name, value)}, {is_local})" for name, value in settings.items()]
    return f"SELECT {', '.join(calls)}"


def _value(name: str, value: str) -> str:
    if name != "search_path":
        return f"'{value}'"
    # behind what the database, the role or the address says: functions of views look for their tables there
    own = "nullif(pg_catalog.current_setting('search_path'), '')"
    return f"pg_catalog.concat_ws(', ', {own}, '{value}')"
