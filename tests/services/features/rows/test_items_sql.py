"""The statements of items, of one feature and of their number, by PostgreSQL: which rows, in which order, how many."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import asyncpg
import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.ogc.errors import StoredValueError
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import Sql, bind, sql
from libs.selection.selection import Selection, SortTerm
from services.features.request.cursor import Position, digest
from services.features.request.items_query import AS_STORED, GeometryOptions, ItemsQuery, total_order
from services.features.rows import items_sql
from services.features.rows.layout import GeometriesOf, RowPlan
from tests.conftest import MakeDatabase

ID = Column("id", "integer", "integer", not_null=True)
WORD = Column("word", "text", "string")
KEYED = Collection("public.t", "public", "t", 1, "table", "T", None, (ID, WORD), key="id", sources=(1,))
PLACE = GeometryColumn("geom", "Polygon", 4326)
PLACED = replace(KEYED, geometries=(PLACE,))
VIEW = replace(KEYED, kind="view", key=None)
UNKNOWN = replace(VIEW, sources=())
BY_WORD = (SortTerm(WORD),)
EVEN = sql("id % 2 = 0")


async def with_rows(owner: asyncpg.Connection) -> None:
    """Make nine rows: a triangle around each number, and words in threes, one null."""
    await owner.execute(
        "CREATE TABLE t (id integer PRIMARY KEY, word text, geom geometry(Polygon, 4326));"
        "INSERT INTO t SELECT n, nullif(chr(97 + (n - 1) / 3), 'c'),"
        " ST_MakeEnvelope(n, 0, n + 1, 1, 4326) FROM generate_series(1, 9) n;"
        "CREATE TABLE same AS SELECT 1 AS id, 'x' AS word FROM generate_series(1, 5)"
    )


@pytest.fixture(scope="module")
async def database(make_database: MakeDatabase) -> AsyncIterator[Database]:
    async with Database(PoolSettings(await make_database(with_rows), "items-test", size=1)) as opened:
        yield opened


def query(
    collection: Collection = KEYED,
    *,
    after: Position | None = None,
    offset: int = 0,
    sort: tuple[SortTerm, ...] = (),
    conditions: tuple[Sql, ...] = (),
    options: GeometryOptions = AS_STORED,
) -> ItemsQuery:
    selection = Selection(collection, collection.geometry(), conditions, collection.columns, sort)
    return ItemsQuery(selection, total_order(selection), 100, offset, after, options, {}, "")


async def _ids(database: Database, statement: Sql) -> list[Any]:
    return [row["id"] for row in await database.fetch(statement)]


def _apart(plan: RowPlan) -> tuple[Sql, GeometriesOf]:
    assert plan.apart is not None
    return plan.apart()


async def test_a_page_has_the_first_rows_in_order(database: Database) -> None:
    plan = items_sql.items_plan(query(), limit=4)
    assert [tuple(row) for row in await database.fetch(plan.statement)] == [
        (1, 1, "a"), (2, 2, "a"), (3, 3, "a"), (4, 4, "b")
    ]  # fmt: skip
    # a cursor is made from the id; without a geometry none can fail
    assert (plan.sort_values, plan.reversed, plan.apart) == ((0,), False, None)


async def test_geometries_are_geojson_by_default(database: Database) -> None:
    for plan in (
        items_sql.items_plan(query(PLACED), limit=1),
        items_sql.item_plan(query(PLACED).selection, sql("id = 1")),
    ):
        (row,) = await database.fetch(plan.statement)
        assert row[1].startswith('{"type":"Polygon"')


async def test_geometries_are_the_same_where_they_are_fetched_apart(database: Database) -> None:
    boxes = GeometryOptions(bbox_only=True)
    asked = query(PLACED, options=boxes, conditions=(EVEN,))
    plan = items_sql.items_plan(asked, limit=3, geometry_as="wkt")
    rows = await database.fetch(plan.statement)
    assert [row["id"] for row in rows] == [2, 4, 6]
    bare, geometries_of = _apart(plan)
    assert [(row[0], *row[1:]) for row in await database.fetch(bare)] == [(row[0], *row[2:]) for row in rows]
    # the second and third row, by their ids
    found = await database.fetch(geometries_of(range(1, 3), ["4", "6"]))
    assert sorted(tuple(row) for row in found) == [(1, rows[1][1]), (2, rows[2][1])]
    one = items_sql.item_plan(asked.selection, sql("id = 4"), boxes, geometry_as="wkt")
    bare, geometries_of = _apart(one)
    assert [tuple(row) for row in await database.fetch(bare)] == [(4, 4, "b")]
    assert [tuple(row) for row in await database.fetch(geometries_of(range(1), ["4"]))] == [(1, rows[1][1])]


async def test_geometries_apart_are_those_of_the_same_rows_without_a_key(database: Database) -> None:
    asked = query(replace(PLACED, key=None), offset=1, after=Position(("(0,2)",)), conditions=(EVEN,))
    plan = items_sql.items_plan(asked, limit=7, until=Position(("(0,8)",)), with_version=True, geometry_as="wkt")
    rows = await database.fetch(plan.statement)
    assert [row["id"] for row in rows] == [6, 8]
    bare, geometries_of = _apart(plan)
    assert await _ids(database, bare) == [6, 8]
    found = await database.fetch(geometries_of(range(1, 2), []))
    assert [row[1] for row in found] == [rows[1][0]]


async def test_nothing_is_fetched_apart_without_the_column_of_the_key() -> None:
    with pytest.raises(StoredValueError):
        _apart(items_sql.items_plan(query(replace(PLACED, key="gone")), limit=7))


async def test_a_page_lies_between_the_row_before_it_and_its_last_one(database: Database) -> None:
    word = sql("word >= {word}", word=bind("a", "text"))
    asked = query(after=Position(("1",)), conditions=(word,), offset=1)
    plan = items_sql.items_plan(asked, limit=7, until=Position(("5",)), with_version=True)
    rows = await database.fetch(plan.statement)
    assert [row["id"] for row in rows] == [3, 4, 5]
    # table, transaction and place of each row
    assert [*rows[0].keys()][-items_sql.ROW_VERSION_COLUMNS :] == ["tableoid", "xmin", "ctid"]
    unordered = items_sql.items_plan(asked, limit=7, until=Position(("5",)), ordered=False)
    assert len(await database.fetch(unordered.statement)) == 3


async def test_a_page_backwards_comes_from_its_end(database: Database) -> None:
    asked = query(after=Position(("a", "2"), backwards=True), sort=(SortTerm(WORD, descending=True),))
    plan = items_sql.items_plan(asked, limit=3)
    assert plan.reversed
    # in the order of the page: b 4, b 5, b 6, a 1
    assert await _ids(database, plan.statement) == [1, 6, 5]
    assert items_sql.items_plan(replace(asked, after=Position(("a", "2"))), limit=7).reversed is False


async def test_equal_rows_that_were_returned_are_passed_over(database: Database) -> None:
    same = replace(VIEW, name="same")
    (first, *_) = await database.fetch(items_sql.items_plan(query(same), limit=1).statement)
    values = ("1", first[-1])
    for alike, offset, left in ((0, 0, 0), (2, 0, 3), (4, 0, 1), (9, 0, 0), (2, 1, 2)):
        asked = query(same, after=Position(values, alike=alike), offset=offset)
        assert len(await database.fetch(items_sql.items_plan(asked, limit=7).statement)) == left


async def test_rows_without_columns_are_counted(database: Database) -> None:
    plan = items_sql.items_plan(query(replace(UNKNOWN, columns=())), limit=7)
    assert len(await database.fetch(plan.statement)) == 7
    assert plan.sort_values == ()
    one = items_sql.item_plan(query(replace(UNKNOWN, columns=())).selection, sql("id = 3"))
    assert len(await database.fetch(one.statement)) == 1


async def test_the_number_of_rows_is_that_of_the_conditions(database: Database) -> None:
    selection = query(conditions=(EVEN, sql("id > 4"))).selection
    assert await database.fetchval(items_sql.count_statement(selection)) == 2


async def test_a_cursor_has_the_types_of_its_columns(database: Database) -> None:
    asked = query(sort=BY_WORD, after=Position((None, "5")))
    (row,) = await database.fetch(items_sql.cursor_statement(asked))
    assert tuple(row) == (None, 5)


@pytest.mark.parametrize(
    ("position", "found"),
    [
        (Position((digest("b"), "5"), digested=frozenset({0})), [("b", "5")]),
        (Position((digest("a"), "5"), digested=frozenset({0})), []),
        (Position((None, "8")), [(None, "8")]),
    ],
)
async def test_the_row_at_a_position_has_all_its_values(
    database: Database, position: Position, found: list[tuple[object, ...]]
) -> None:
    # whether the conditions still hold for it or not
    statement = items_sql.row_at_statement(query(sort=BY_WORD, conditions=(sql("FALSE"),)), position)
    assert [tuple(row) for row in await database.fetch(statement)] == found


async def test_versions_are_of_the_same_rows_without_their_values(database: Database) -> None:
    plan = items_sql.versions_plan(query(PLACED, options=GeometryOptions(bbox_only=True)), limit=3)
    rows = await database.fetch(plan.statement)
    assert [*rows[0].keys()] == ["id", "tableoid", "xmin", "ctid"]
    assert [row["id"] for row in rows] == [1, 2, 3]
    assert plan.apart is None


async def test_rows_of_keys_do_not_depend_on_the_page(database: Database) -> None:
    asked = query(conditions=(sql("FALSE"),), offset=3, after=Position(("5",)))
    rows = await database.fetch(items_sql.rows_of_keys_plan(asked, [1, 2]).statement)
    assert sorted(row["id"] for row in rows) == [1, 2]
    with pytest.raises(ValueError, match=r"^public\.t has no key$"):
        items_sql.rows_of_keys_plan(query(VIEW), [1])


async def test_places_of_chunks_are_a_list_of_each_value(database: Database) -> None:
    asked = query(sort=BY_WORD, offset=1, after=Position(("b", "6"), backwards=True), conditions=(sql("word < 'c'"),))
    (row,) = await database.fetch(items_sql.places_statement(asked, number=3))
    assert tuple(row) == (["b", "a", "a"], [4, 3, 2])
    (row,) = await database.fetch(items_sql.places_statement(query(UNKNOWN), number=2))
    assert tuple(row) == ([None, None],)
    (row,) = await database.fetch(items_sql.places_statement(query(conditions=(sql("FALSE"),)), number=2))
    assert tuple(row) == ([],)


async def test_a_feature_is_one_row(database: Database) -> None:
    plan = items_sql.item_plan(query().selection, sql("id = 1"))
    assert [tuple(row) for row in await database.fetch(plan.statement)] == [(1, 1, "a")]
    assert plan.apart is None
