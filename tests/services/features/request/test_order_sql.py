"""The rows before, at and after a position in an order, by PostgreSQL: pages neither skip nor repeat any."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import asyncpg
import pytest

from libs.catalogue.model import Collection, Column
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import Sql, ident, join, sql
from libs.selection.selection import Selection, SortTerm
from services.features.request.cursor import Position
from services.features.request.items_query import total_order
from services.features.request.order import condition_after, condition_at, condition_up_to, order_by
from tests.conftest import MakeDatabase

ID = SortTerm(Column("id", "integer", "integer", not_null=True))
NUMBER = SortTerm(Column("number", "bigint", "integer", not_null=True))
SIZE = SortTerm(Column("size", "double precision", "number"))
WORD = SortTerm(Column("word", "text", "string"))
HASH = SortTerm(Column("hash", "bigint", "integer"), expression=sql("hashtext(word)::bigint"))
COLUMNS = (ID.column, NUMBER.column, SIZE.column, WORD.column)
COLLECTION = Collection("public.t", "public", "t", 1, "table", "T", None, COLUMNS, key="id", sources=(1,))
FUNCTION = replace(COLLECTION, kind="function", key=None, sources=())


def down(term: SortTerm) -> SortTerm:
    return replace(term, descending=True)


ORDERS = [
    (ID,),
    (down(ID),),
    (NUMBER, ID),
    (down(NUMBER), down(ID)),
    (NUMBER, down(ID)),
    (SIZE, ID),
    (down(SIZE), ID),
    (SIZE, down(WORD), ID),
    (HASH, ID),
]


async def with_rows(owner: asyncpg.Connection) -> None:
    """Make twelve rows, with equal values and nulls."""
    await owner.execute(
        "CREATE TABLE t AS SELECT n AS id, (n % 3)::bigint AS number, (n % 4 / 2.0)::float8 AS size,"
        " chr(97 + n % 2) AS word FROM generate_series(1, 9) n;"
        "INSERT INTO t VALUES (10, 1, NULL, 'a'), (11, 2, NULL, NULL), (12, 0, 1.5, NULL);"
        "CREATE INDEX ON t (number, id); ANALYZE t"
    )


@pytest.fixture(scope="module")
async def database(make_database: MakeDatabase) -> AsyncIterator[Database]:
    async with Database(PoolSettings(await make_database(with_rows), "order-test", size=1)) as opened:
        yield opened


async def _read(
    database: Database, order: tuple[SortTerm, ...], where: Sql, *, backwards: bool = False
) -> list[tuple[object, ...]]:
    values = [term.expression or ident(term.column.name) for term in order]
    statement = sql(
        "SELECT {values} FROM t AS item WHERE {where}{order}",
        values=join(", ", values),
        where=where,
        order=order_by(Selection(COLLECTION, None, (), (), ()), order, backwards=backwards),
    )
    return [tuple(row) for row in await database.fetch(statement)]


@pytest.mark.parametrize("order", ORDERS)
async def test_conditions_split_the_rows_at_a_position(database: Database, order: tuple[SortTerm, ...]) -> None:
    rows = await _read(database, order, sql("TRUE"))
    for number, row in enumerate(rows):
        position = Position(tuple(None if value is None else str(value) for value in row))
        assert await _read(database, order, condition_at(order, position)) == [row]
        assert await _read(database, order, condition_after(order, position)) == rows[number + 1 :]
        assert await _read(database, order, condition_up_to(order, position)) == rows[: number + 1]
        backwards = replace(position, backwards=True)
        assert await _read(database, order, condition_after(order, backwards)) == rows[:number]
        assert await _read(database, order, condition_up_to(order, backwards)) == rows[number:]


@pytest.mark.parametrize("order", ORDERS)
async def test_backwards_is_the_same_order_from_its_end(database: Database, order: tuple[SortTerm, ...]) -> None:
    rows = await _read(database, order, sql("TRUE"))
    assert await _read(database, order, sql("TRUE"), backwards=True) == rows[::-1]
    if order[0] in (SIZE, down(SIZE)):
        assert [row[0] for row in rows[-2:]] == [None, None]


async def test_equal_rows_at_a_position_are_all_read_again(database: Database) -> None:
    """An offset counts those that were already returned."""
    order = (NUMBER,)
    position = Position(("1",), alike=2)
    assert [row[0] for row in await _read(database, order, condition_after(order, position))] == [1] * 4 + [2] * 4
    assert [row[0] for row in await _read(database, order, condition_up_to(order, position))] == [0] * 4 + [1] * 4


async def test_an_index_serves_a_page_of_one_direction(database: Database) -> None:
    """It reads the rows after the position only, in order."""
    order, position = (NUMBER, ID), Position(("1", "5"))
    statement = sql(
        "EXPLAIN SELECT * FROM t AS item WHERE {where}{order} LIMIT 2",
        where=condition_after(order, position),
        order=order_by(Selection(COLLECTION, None, (), (), ()), order, backwards=False),
    )
    async with database.connection(transaction=True) as connection:
        await connection.execute("SET LOCAL enable_seqscan = off")
        text, args = statement.render()
        plan = "\n".join(row[0] for row in await connection.fetch(text, *args))
    assert "Index Cond: (ROW(number, id) >" in plan
    assert "Sort" not in plan


async def test_rows_without_a_key_have_a_total_order(database: Database) -> None:
    keyless = replace(COLLECTION, key=None)
    selection = Selection(keyless, None, (), (), (SIZE,))
    order = order_by(selection, total_order(selection), backwards=False)
    found = await database.fetch(sql("SELECT ctid FROM t AS item{order}", order=order))
    assert found == await database.fetch(sql("SELECT ctid FROM t AS item ORDER BY size, ctid"))


@pytest.mark.parametrize("backwards", [False, True])
async def test_all_columns_order_rows_without_an_identity(database: Database, backwards: bool) -> None:
    document = Column("document", "json", "object")
    function = replace(FUNCTION, columns=(document, *COLUMNS))
    order = order_by(Selection(function, None, (), (), ()), (), backwards=backwards)
    found = await database.fetch(sql("SELECT id FROM t AS item{order}", order=order))
    assert [row["id"] for row in found] == sorted(range(1, 13), reverse=backwards)


async def test_equal_hashes_are_ordered_by_partly_hashed_texts(database: Database) -> None:
    """Two texts that differ behind their 500th character have the same hash."""
    view = replace(COLLECTION, kind="view", key=None, columns=(WORD.column,), sources=(9,))
    selection = Selection(view, None, (), (), ())
    rows = sql("(SELECT repeat('x', 600) || n AS word FROM unnest(ARRAY[3, 1, 2]) n) AS item")
    for backwards, ends in ((False, ["1", "2", "3"]), (True, ["3", "2", "1"])):
        order = order_by(selection, total_order(selection), backwards=backwards)
        found = await database.fetch(sql("SELECT word FROM {rows}{order}", rows=rows, order=order))
        assert [row["word"][-1] for row in found] == ends
