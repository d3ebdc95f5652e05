"""Arguments and columns of functions, in any order of declaration."""

from __future__ import annotations

import asyncpg

from libs.catalogue.model import Argument
from services.common.introspection.introspect import Introspection


async def test_what_goes_in_and_what_comes_out_may_be_declared_in_any_order(
    owner: asyncpg.Connection, introspection: Introspection
) -> None:
    await owner.execute(
        "CREATE FUNCTION own.mixed(OUT id integer, at_least real, OUT word text, at_most real DEFAULT 9)"
        " RETURNS SETOF record STABLE LANGUAGE sql AS 'SELECT 1, $1::text || $2::text';"
        "CREATE FUNCTION own.plain(at_least real, at_most real DEFAULT 9) RETURNS SETOF text"
        " STABLE LANGUAGE sql AS 'SELECT $1::text || $2::text';"
        "CREATE FUNCTION own.listed(at_least real, at_most real DEFAULT 9) RETURNS TABLE (id integer, word text)"
        " STABLE LANGUAGE sql AS 'SELECT 1, $1::text || $2::text'"
    )
    found = {collection.name: collection for collection in await introspection.collections()}
    # a set of single values has no columns for properties
    assert set(found) == {"mixed", "listed"}
    for function in found.values():
        assert [column.name for column in function.columns] == ["id", "word"]
        assert function.arguments == (
            Argument("at_least", "real", "number"),
            Argument("at_most", "real", "number", default="9"),
        ), function.name


async def test_a_table_keeps_its_name_where_a_function_has_the_same(
    owner: asyncpg.Connection, introspection: Introspection
) -> None:
    await owner.execute(
        "CREATE TABLE own.twice (id integer PRIMARY KEY, in_table text);"
        "CREATE FUNCTION own.twice() RETURNS TABLE (id integer, in_function text)"
        " STABLE LANGUAGE sql AS 'SELECT 1, $$x$$'"
    )
    [found] = [collection for collection in await introspection.collections() if collection.name == "twice"]
    assert [column.name for column in found.columns] == ["id", "in_table"]
