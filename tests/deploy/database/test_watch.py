"""A table in a foreign database can be watched, without the rest of our schema."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from deploy.database.apply import keep_history, watch_tables
from tests.deploy.database.conftest import Connect

READER = "reader of roads"


@pytest.fixture
async def plain(connect: Connect) -> AsyncIterator[asyncpg.Connection]:
    """Yield the owner's connection to a database with a table, and a role that may only read it."""
    owner = await connect()
    await owner.execute(
        f'CREATE TABLE "Roads, all" (a integer); CREATE ROLE "{READER}"; GRANT SELECT ON "Roads, all" TO "{READER}"'
    )
    yield owner
    await owner.execute(f'DROP OWNED BY "{READER}"; DROP ROLE "{READER}"')


async def tokens(connection: asyncpg.Connection) -> list[str]:
    """Return the tokens of watched tables, as the reader sees them."""
    async with connection.transaction():
        await connection.execute(f'SET LOCAL ROLE "{READER}"')
        return [str(row["token"]) for row in await connection.fetch("SELECT token FROM dams.data_versions()")]


async def test_a_table_is_watched_and_nothing_else_is_made(plain: asyncpg.Connection) -> None:
    for _ in range(2):
        await watch_tables(plain, ['public."Roads, all"'], READER)
    before = await tokens(plain)
    await plain.execute('INSERT INTO "Roads, all" VALUES (1)')
    assert len(before) == 1
    assert await tokens(plain) != before
    assert await plain.fetchval("SELECT to_regnamespace('hazard')") is None
    assert (
        await plain.fetchval(
            "SELECT count(*) FROM pg_class WHERE relnamespace = 'dams'::regnamespace AND relkind = 'r'"
        )
        == 1
    )


async def test_a_table_may_be_named_as_its_collection(plain: asyncpg.Connection) -> None:
    await plain.execute('CREATE SCHEMA "GIS"; CREATE TABLE "GIS"."Roads" (a integer); CREATE TABLE rails (a integer)')
    await watch_tables(plain, ["GIS.Roads", '"GIS"."Roads"', "public.Roads, all", "rails", "public.rails"], READER)
    assert len(await tokens(plain)) == 3


async def test_a_history_is_kept_of_a_table_that_is_named_as_its_collection(plain: asyncpg.Connection) -> None:
    await plain.execute('CREATE SCHEMA "GIS"; CREATE TABLE "GIS"."Roads" (a integer PRIMARY KEY)')
    await plain.execute(f'GRANT SELECT ON "GIS"."Roads" TO "{READER}"')
    await keep_history(plain, ["GIS.Roads"], READER, "1 day")
    assert await plain.fetchval("SELECT relation::text FROM dams.history") == '"GIS"."Roads"'
    await keep_history(plain, ["GIS.Roads"], READER, None)
    assert await plain.fetchval("SELECT count(*) FROM dams.history WHERE since IS NOT NULL") == 0


async def test_a_table_without_a_key_has_no_history_and_is_not_watched(plain: asyncpg.Connection) -> None:
    with pytest.raises(asyncpg.WrongObjectTypeError, match="no primary key"):
        await keep_history(plain, ['"Roads, all"'], READER, "1 day")
    assert await plain.fetchval("SELECT to_regnamespace('dams')") is None


async def test_a_table_that_is_not_there_changes_nothing(plain: asyncpg.Connection) -> None:
    with pytest.raises(asyncpg.UndefinedTableError, match="rodes"):
        await watch_tables(plain, ['"Roads, all"', "rodes"], READER)
    assert await plain.fetchval("SELECT to_regnamespace('dams')") is None
