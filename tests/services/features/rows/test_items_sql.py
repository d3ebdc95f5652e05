"""The statements of items, of one feature and of their number: which rows, in which order, how many."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.ogc.errors import StoredValueError
from libs.pg.sql import Sql, bind, sql
from libs.selection.selection import Selection, SortTerm
from services.features.request.cursor import Position
from services.features.request.items_query import AS_STORED, GeometryOptions, ItemsQuery, total_order
from services.features.rows import items_sql
from services.features.rows.geometry_sql import encoded_geometry
from services.features.rows.layout import GeometriesOf, RowPlan

ID = Column("id", "integer", "integer", not_null=True)
WORD = Column("word", "text", "string")
KEYED = Collection("s.t", "s", "t", 1, "table", "T", None, (ID, WORD), key="id", sources=(1,))
PLACE = GeometryColumn("geom", "Point", 4326)
PLACED = replace(KEYED, geometries=(PLACE,))
VIEW = replace(KEYED, kind="view", key=None)
UNKNOWN = replace(VIEW, sources=())
HASH = 'hashtextextended(ROW(item."id", left(item."word"::text, 500), octet_length(item."word"::text))::text, 0)'
BY_WORD = (SortTerm(WORD),)
FROM = 'FROM "s"."t" AS item WHERE'


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


def test_a_page_is_as_many_rows_as_it_may_have_in_order() -> None:
    plan = items_sql.items_plan(query(), limit=7)
    text = f'SELECT "id", "id", "word" {FROM} TRUE ORDER BY item."id" LIMIT $1::int8'
    assert plan.statement.render() == (text, (7,))
    # a cursor is made from the id; without a geometry none can fail
    assert (plan.sort_values, plan.reversed, plan.apart) == ((0,), False, None)


def test_geometries_are_geojson_where_nothing_else_is_said() -> None:
    located = query(PLACED)
    for plan in (items_sql.items_plan(located, limit=7), items_sql.item_plan(located.selection, sql("a"))):
        assert "ST_AsGeoJSON" in plan.statement.render()[0]
        assert plan.apart is not None


BOXES = GeometryOptions(bbox_only=True)
SHAPE = encoded_geometry(PLACE, "wkt", BOXES).render()[0]


def test_geometries_are_as_the_request_wants_them_also_where_they_are_fetched_apart() -> None:
    asked = query(PLACED, options=BOXES, conditions=(sql("a"),))
    for plan, rest in (
        (items_sql.items_plan(asked, limit=7, geometry_as="wkt"), f'{FROM} (a) ORDER BY item."id" LIMIT $1::int8'),
        (
            items_sql.item_plan(asked.selection, sql("id = 1"), BOXES, geometry_as="wkt"),
            'FROM "s"."t" WHERE id = 1 LIMIT 1',
        ),
    ):
        assert plan.statement.render()[0] == f'SELECT "id", {SHAPE}, "id", "word" {rest}'
        assert plan.apart is not None
        bare, geometries_of = plan.apart()
        assert bare.render()[0] == f'SELECT "id", "id", "word" {rest}'
        text, args = geometries_of(range(2, 4), ["3", None]).render()
        if "ORDER BY" in rest:
            assert (text, args) == (
                f'SELECT "wanted position", {SHAPE} FROM "s"."t" JOIN unnest($1::text[]::integer[]) WITH ORDINALITY'  # noqa: S608
                ' AS wanted ("wanted key", "wanted position") ON "id" = "wanted key"',
                (["3", None],),
            )
        else:
            assert (text, args) == (f"SELECT 1, {SHAPE} {rest}", ())


def test_geometries_that_are_fetched_apart_are_those_of_the_same_rows() -> None:
    asked = query(replace(PLACED, key=None), offset=3, after=Position(("(0,5)",)), conditions=(sql("a"),))
    limits: dict[str, Any] = {"limit": 7, "until": Position(("(0,9)",)), "with_version": True}
    bare, geometries_of = _apart(items_sql.items_plan(asked, geometry_as="wkt", **limits))
    without = replace(asked, selection=replace(asked.selection, geometry=None))
    assert bare.render() == items_sql.items_plan(without, **limits).statement.render()
    window = '(ROW("ctid") > ROW($1::text::tid)) AND (ROW("ctid") <= ROW($2::text::tid))'
    shape = encoded_geometry(PLACE, "wkt").render()[0]
    assert geometries_of(range(2, 4), []).render() == (
        f"SELECT row_number() OVER (), {shape} FROM (SELECT * {FROM} (a) AND {window}"  # noqa: S608
        ' ORDER BY item."ctid" LIMIT $3::int8 OFFSET $4::int8) AS item',
        ("(0,5)", "(0,9)", 2, 5),
    )


def test_without_the_column_of_the_key_none_can_be_fetched_apart() -> None:
    with pytest.raises(StoredValueError):
        _apart(items_sql.items_plan(query(replace(PLACED, key="gone")), limit=7))


def _apart(plan: RowPlan) -> tuple[Sql, GeometriesOf]:
    assert plan.apart is not None
    return plan.apart()


def test_a_page_lies_between_the_row_before_it_and_its_last_one() -> None:
    word = sql('"word" = {word}', word=bind("x", "text"))
    asked = query(after=Position(("5",)), conditions=(word,), offset=3)
    plan = items_sql.items_plan(asked, limit=7, until=Position(("9",)), with_version=True, ordered=False)
    assert plan.statement.render() == (
        f'SELECT "id", "id", "word", item.tableoid, item.xmin, item.ctid {FROM} ("word" = $1::text)'
        ' AND (ROW("id") > ROW($2::text::integer)) AND (ROW("id") <= ROW($3::text::integer))'
        " LIMIT $4::int8 OFFSET $5::int8",
        ("x", "5", "9", 7, 3),
    )
    assert items_sql.ROW_VERSION_COLUMNS == 3


def test_a_page_backwards_comes_from_its_end() -> None:
    asked = query(after=Position(("a", "5"), backwards=True), sort=(SortTerm(WORD, descending=True),))
    plan = items_sql.items_plan(asked, limit=7)
    assert plan.reversed
    assert plan.statement.render()[0].endswith(' ORDER BY item."word" ASC NULLS FIRST, item."id" DESC LIMIT $3::int8')
    assert items_sql.items_plan(replace(asked, after=Position(("a", "5"))), limit=7).reversed is False


def test_among_rows_that_are_alike_so_many_are_passed_over_as_are_there() -> None:
    asked = query(VIEW, after=Position(("5", "6"), alike=2), offset=4, conditions=(sql("a"),))
    text, args = items_sql.items_plan(asked, limit=7).statement.render()
    assert text == (
        f'SELECT "id", "word", ({HASH})::text {FROM} (a)'  # noqa: S608
        f' AND (ROW("id", {HASH}) >= ROW($1::text::integer, $2::text::bigint))'
        f' ORDER BY item."id", {HASH}, item."word" LIMIT $3::int8 OFFSET $4::int8 + least($5::int8,'
        f' (SELECT count(*) {FROM} (a) AND (("id" IS NOT DISTINCT FROM $6::text::integer)'
        f" AND ({HASH} IS NOT DISTINCT FROM $7::text::bigint))))"
    )
    assert args == ("5", "6", 7, 4, 2, "5", "6")


def test_rows_of_nothing_are_counted_all_the_same() -> None:
    plan = items_sql.items_plan(query(replace(UNKNOWN, columns=())), limit=7)
    assert plan.statement.render() == (f"SELECT 1 {FROM} TRUE LIMIT $1::int8", (7,))
    assert plan.sort_values == ()


def test_the_number_of_rows_is_that_of_the_conditions() -> None:
    selection = query(conditions=(sql("a"), sql("b"))).selection
    assert items_sql.count_statement(selection).render() == ('SELECT count(*) FROM "s"."t" WHERE (a) AND (b)', ())


def test_a_cursor_is_read_as_what_its_columns_are() -> None:
    asked = query(sort=BY_WORD, after=Position((None, "5")))
    assert items_sql.cursor_statement(asked).render() == ("SELECT $1::text::text, $2::text::integer", (None, "5"))


@pytest.mark.parametrize(
    ("position", "condition", "args"),
    [
        (
            Position(("d", "5"), digested=frozenset({0})),
            '(md5(convert_to(item."word"::text, \'UTF8\')) = $1::text) AND (item."id" = $2::text::integer)',
            ("d", "5"),
        ),
        (Position((None, "5")), '(item."word" IS NULL) AND (item."id" = $1::text::integer)', ("5",)),
    ],
)
def test_the_row_at_a_position_has_all_its_values(position: Position, condition: str, args: tuple[object, ...]) -> None:
    assert items_sql.row_at_statement(query(sort=BY_WORD, conditions=(sql("a"),)), position).render() == (
        f'SELECT item."word"::text, item."id"::text {FROM} {condition} LIMIT 1',
        args,
    )


def test_versions_are_of_the_same_rows_without_what_they_show() -> None:
    located = PLACED
    plan = items_sql.versions_plan(query(located, options=GeometryOptions(bbox_only=True)), limit=3)
    assert plan.statement.render() == (
        f'SELECT "id", item.tableoid, item.xmin, item.ctid {FROM} TRUE ORDER BY item."id" LIMIT $1::int8',
        (3,),
    )
    assert plan.apart is None


def test_rows_of_some_keys_come_whatever_the_page_was() -> None:
    asked = query(conditions=(sql("a"),), offset=3, after=Position(("5",)))
    assert items_sql.rows_of_keys_plan(asked, [1, 2]).statement.render() == (
        f'SELECT "id", "id", "word", item.tableoid, item.xmin, item.ctid {FROM}'
        ' ("id" = ANY($1::text[]::integer[])) LIMIT $2::int8',
        (["1", "2"], 4),
    )
    with pytest.raises(ValueError, match=r"^s\.t has no key$"):
        items_sql.rows_of_keys_plan(query(VIEW), [1])


def test_where_chunks_begin_is_asked_for_as_a_list_of_each_value() -> None:
    word = sql('"word" = {word}', word=bind("x", "text"))
    asked = query(sort=BY_WORD, offset=2, after=Position(("a", "5"), backwards=True), conditions=(word,))
    assert items_sql.places_statement(asked, number=50).render() == (
        "SELECT coalesce(array_agg(\"value 0\"), '{}'), coalesce(array_agg(\"value 1\"), '{}')"  # noqa: S608
        f' FROM (SELECT item."word"::text AS "value 0", item."id" AS "value 1" {FROM} ("word" = $1::text)'
        ' AND ((("word" < $2::text::text)) OR (("word" = $2::text::text) AND ("id" < $3::text::integer)))'
        ' ORDER BY item."word" DESC, item."id" DESC LIMIT $4::int8 OFFSET $5::int8) AS row',
        ("x", "a", "5", 50, 2),
    )
    assert items_sql.places_statement(query(UNKNOWN), number=50).render() == (
        'SELECT coalesce(array_agg("value 0"), \'{}\') FROM (SELECT NULL::text AS "value 0"'  # noqa: S608
        f' {FROM} TRUE ORDER BY item."id", item."word" LIMIT $1::int8) AS row',
        (50,),
    )


def test_a_feature_is_one_row() -> None:
    plan = items_sql.item_plan(query().selection, sql("id = 1"))
    assert plan.statement.render() == ('SELECT "id", "id", "word" FROM "s"."t" WHERE id = 1 LIMIT 1', ())
    assert plan.apart is None
    bare = items_sql.item_plan(query(replace(UNKNOWN, columns=())).selection, sql("a"))
    assert bare.statement.render() == ('SELECT 1 FROM "s"."t" WHERE a LIMIT 1', ())
