"""Arguments and columns of functions, in whatever order they are declared."""

from __future__ import annotations

import asyncpg

from libs.catalogue.model import Argument
from libs.pg.pool import Database, PoolSettings
from services.common.introspection.introspect import Introspection


async def test_what_goes_in_and_what_comes_out_may_be_declared_in_any_order(database_url: str) -> None:
    owner = await asyncpg.connect(database_url)
    await owner.execute(
        "CREATE SCHEMA made;"
        "CREATE FUNCTION made.mixed(OUT id integer, at_least real, OUT word text, at_most real DEFAULT 9)"
        " RETURNS SETOF record STABLE LANGUAGE sql AS 'SELECT 1, $1::text || $2::text';"
        "CREATE FUNCTION made.plain(at_least real, at_most real DEFAULT 9) RETURNS SETOF text"
        " STABLE LANGUAGE sql AS 'SELECT $1::text || $2::text';"
        "CREATE FUNCTION made.listed(at_least real, at_most real DEFAULT 9) RETURNS TABLE (id integer, word text)"
        " STABLE LANGUAGE sql AS 'SELECT 1, $1::text || $2::text'"
    )
    await owner.close()
    async with Database(PoolSettings(database_url, "test", size=1)) as database:
        found = {collection.name: collection for collection in await Introspection(database, ("made",)).collections()}
    # a set of single values has no columns to be properties
    assert set(found) == {"mixed", "listed"}
    for function in found.values():
        assert [column.name for column in function.columns] == ["id", "word"]
        assert function.arguments == (
            Argument("at_least", "real", "number"),
            Argument("at_most", "real", "number", default="9"),
        ), function.name
