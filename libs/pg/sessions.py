"""Settings of a session: of a connection's own session, or of one that a pooler lends it for a transaction.

A pooler such as PgBouncer in transaction mode accepts few parameters at connection start, and may run each transaction
in another session. Other clients would meet session settings and named prepared statements there. So there are none:
each transaction begins with its settings.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import asyncpg

from libs.pg.prepared import Connection, Recurring, connect

_LOG = logging.getLogger("dams.pg")


class Sessions:
    """Opens the connections of one pool, all with the same settings."""

    def __init__(self, url: str, settings: Mapping[str, str], **options: Any) -> None:
        """`options` are those of `asyncpg.connect`."""
        self._url = url
        self._settings = settings
        self._options = options
        self._recurring = Recurring()
        self._lent = False

    async def open(self) -> Connection:
        """Return a new connection. Raises like `asyncpg.connect`."""
        connection = await self._connect()
        if self._lent:
            return connection
        try:
            # check and set in one round trip
            condition = f"{_configure(self._settings, 'false')} WHERE {own_session(connection)}"
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
        # the only setting that poolers know, too
        named = {"application_name": self._settings["application_name"]}
        recurring = None if self._lent else self._recurring
        connection = await connect(self._url, recurring, server_settings=named, **self._options)
        if self._lent:
            connection.begin = f"BEGIN READ ONLY; {_configure(self._settings, 'true')}"
        return connection


def own_session(connection: asyncpg.Connection) -> str:
    """Return an SQL condition that is true if the session is the one announced when the connection began."""
    return f"pg_catalog.pg_backend_pid() = {connection.get_server_pid()}"


def _configure(settings: Mapping[str, str], is_local: str) -> str:
    # values come from the program, never from a client
    calls = [f"pg_catalog.set_config('{name}', {_value(name, value)}, {is_local})" for name, value in settings.items()]
    return f"SELECT {', '.join(calls)}"


def _value(name: str, value: str) -> str:
    if name != "search_path":
        return f"'{value}'"
    # after the path of the database, role or address: functions of views find their tables there
    own = "nullif(pg_catalog.current_setting('search_path'), '')"
    return f"pg_catalog.concat_ws(', ', {own}, '{value}')"
