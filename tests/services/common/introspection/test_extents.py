"""Extents of tables: from indexes and statistics, as far as they may be read."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from deploy.database.apply import apply_schema, ensure_reader
from libs.catalogue.model import TimeColumn
from libs.pg.pool import Database, PoolSettings
from services.common.introspection.extents import Extents
from services.common.introspection.introspect import Introspection
from tests.conftest import MakeDatabase
from tests.services.conftest import PASSWORD, READER, reader_url

_SCHEMA = """
CREATE SCHEMA kept;
CREATE TABLE kept.moments (id integer PRIMARY KEY, at timestamptz);
INSERT INTO kept.moments SELECT n, '2020-01-01Z'::timestamptz + n * interval '1 day' FROM generate_series(0, 9) n;
ANALYZE kept.moments;
"""


@pytest.fixture
async def owner(make_database: MakeDatabase) -> AsyncIterator[tuple[asyncpg.Connection, str]]:
    """The owner's connection to a database with a table whose times no index leads to, and its reader's address."""
    url = await make_database()
    connection = await asyncpg.connect(url)
    await apply_schema(connection)
    await connection.execute(_SCHEMA)
    await ensure_reader(connection, READER, PASSWORD)
    await connection.execute(
        f"GRANT USAGE ON SCHEMA kept TO {READER}; GRANT SELECT ON ALL TABLES IN SCHEMA kept TO {READER}"
    )
    yield connection, reader_url(url)
    await connection.close()


async def _times(database: Database) -> TimeColumn:
    (collection,) = await Extents(database).filled_in(await Introspection(database, ("kept",)).collections())
    (column,) = collection.times
    return column


async def test_statistics_that_may_not_be_read_cost_no_more_than_what_they_tell(
    owner: tuple[asyncpg.Connection, str],
) -> None:
    async with Database(PoolSettings(owner[1], "test")) as database:
        known = await _times(database)
        assert (known.start, known.end) == ("2020-01-01T00:00:00Z", "2020-01-10T00:00:00Z")
        await owner[0].execute("REVOKE SELECT ON pg_catalog.pg_stats FROM PUBLIC")
        unknown = await _times(database)
        assert (unknown.name, unknown.start, unknown.end) == ("at", None, None)
