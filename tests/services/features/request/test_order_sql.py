"""The SQL of an order, and of the rows beyond a position in it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from libs.catalogue.model import Collection, Column
from libs.pg.sql import sql
from libs.selection.selection import Selection, SortTerm
from services.features.request.cursor import Position
from services.features.request.items_query import total_order
from services.features.request.order import condition_after, condition_at, condition_up_to, order_by

KEY = Column("id", "integer", "integer", not_null=True)
SIZE = Column("size", "double precision", "number")
UP, DOWN = (SortTerm(KEY),), (SortTerm(KEY, descending=True),)


def collection(key: str | None = "id") -> Collection:
    return Collection("a.b", "a", "b", 1, "table", "B", None, (KEY, SIZE), key=key, sources=(1,))


@pytest.mark.parametrize(
    ("term", "backwards", "found"),
    [
        (SortTerm(KEY), False, 'item."id"'),
        (SortTerm(KEY), True, 'item."id" DESC'),
        (SortTerm(KEY, descending=True), False, 'item."id" DESC'),
        (SortTerm(KEY, descending=True), True, 'item."id"'),
        (SortTerm(SIZE), False, 'item."size"'),
        (SortTerm(SIZE), True, 'item."size" DESC'),
        (SortTerm(SIZE, descending=True), False, 'item."size" DESC NULLS LAST'),
        (SortTerm(SIZE, descending=True), True, 'item."size" ASC NULLS FIRST'),
    ],
)
def test_nulls_come_last_forwards_and_first_backwards(term: SortTerm, backwards: bool, found: str) -> None:
    made = order_by(Selection(collection(), None, (), (), ()), (term,), backwards=backwards)
    assert made.render() == (f" ORDER BY {found}", ())


def test_rows_without_a_key_have_an_order_all_the_same() -> None:
    selection = Selection(collection(None), None, (), (), (SortTerm(SIZE),))
    made = order_by(selection, total_order(selection), backwards=False)
    assert made.render()[0] == ' ORDER BY item."size", item."ctid"'


def test_where_nothing_tells_rows_apart_all_columns_order_them() -> None:
    function = replace(collection(None), kind="function", sources=())
    selection = Selection(function, None, (), (), (SortTerm(SIZE, descending=True),))
    assert order_by(selection, selection.sort, backwards=False).render()[0] == (
        ' ORDER BY item."size" DESC NULLS LAST, item."id", item."size"'
    )
    # except columns of types without an order
    document = replace(function, columns=(Column("document", "json", "object"), KEY))
    assert order_by(replace(selection, collection=document), (), backwards=False).render()[0] == ' ORDER BY item."id"'
    assert order_by(selection, (), backwards=True).render()[0] == ' ORDER BY item."id" DESC, item."size" DESC'


def test_rows_that_are_alike_by_content_are_ordered_by_what_the_content_holds_in_part() -> None:
    word = Column("word", "text", "string")
    view = replace(collection(None), kind="view", columns=(KEY, word), sources=(9,))
    selection = Selection(view, None, (), (), ())
    for backwards, ends in ((False, ', item."word"'), (True, ' DESC, item."word" DESC')):
        assert order_by(selection, total_order(selection), backwards=backwards).render()[0].endswith(ends)


@pytest.mark.parametrize(
    ("order", "backwards", "after", "until"),
    [(UP, False, ">", "<="), (UP, True, "<", ">="), (DOWN, False, "<", ">="), (DOWN, True, ">", "<=")],
)
def test_one_direction_without_nulls_is_a_range(
    order: tuple[SortTerm, ...], backwards: bool, after: str, until: str
) -> None:
    position = Position(("5",), backwards)
    assert condition_after(order, position).render() == (f'ROW("id") {after} ROW($1::text::integer)', ("5",))
    assert condition_up_to(order, position).render() == (f'ROW("id") {until} ROW($1::text::integer)', ("5",))


def test_where_there_may_be_nulls_or_two_directions_each_column_is_compared() -> None:
    size = "$1::text::double precision"
    text, args = condition_after((SortTerm(SIZE), SortTerm(KEY)), Position(("1.5", "5"))).render()
    assert text == f'(("size" > {size} OR "size" IS NULL)) OR (("size" = {size}) AND ("id" > $2::text::integer))'
    assert args == ("1.5", "5")
    backwards, _ = condition_after((SortTerm(SIZE), SortTerm(KEY)), Position((None, "5"), backwards=True)).render()
    assert backwards == '(("size" IS NOT NULL)) OR (("size" IS NULL) AND ("id" < $1::text::integer))'
    forwards, _ = condition_after((SortTerm(SIZE), SortTerm(KEY)), Position((None, "5"))).render()
    assert forwards == '((FALSE)) OR (("size" IS NULL) AND ("id" > $1::text::integer))'
    mixed, _ = condition_after((SortTerm(KEY, descending=True), SortTerm(SIZE)), Position(("5", "1.5"))).render()
    assert "ROW" not in mixed
    assert condition_up_to((SortTerm(SIZE), SortTerm(KEY)), Position(("1.5", "5"))).render()[0].endswith("IS NOT TRUE")


def test_each_column_is_compared_among_rows_that_have_the_same_in_all_before_it() -> None:
    depth = SortTerm(Column("depth", "integer", "integer"), descending=True)
    text, args = condition_after((SortTerm(SIZE), depth, SortTerm(KEY)), Position(("1.5", None, "5"))).render()
    *_, last = text.split(" OR (")
    assert last == '("size" = $1::text::double precision) AND ("depth" IS NULL) AND ("id" > $2::text::integer))'
    assert args == ("1.5", "5")


def test_where_some_of_the_rows_at_a_position_are_behind_it_begins_with_all_of_them() -> None:
    """How many are, an offset says."""
    order = (SortTerm(SIZE), SortTerm(KEY))
    for backwards in (False, True):
        position = Position(("1.5", "5"), backwards)
        assert condition_after(order, replace(position, alike=3)).render() == (
            condition_up_to(order, replace(position, backwards=not backwards)).render()
        )
        assert condition_up_to(order, replace(position, alike=3)).render() == condition_up_to(order, position).render()


def test_the_rows_at_a_position() -> None:
    order = (SortTerm(SIZE), SortTerm(Column("h", "bigint", "integer"), expression=sql("hash(item)")))
    assert condition_at(order, Position((None, "5"))).render() == (
        '("size" IS NOT DISTINCT FROM NULL) AND (hash(item) IS NOT DISTINCT FROM $1::text::bigint)',
        ("5",),
    )
    assert (
        "(hash(item) > $2::text::bigint OR hash(item) IS NULL)"
        in condition_after(order, Position(("1", "5"))).render()[0]
    )


def test_several_columns_are_a_range_where_none_may_be_null_and_all_go_one_way() -> None:
    number = Column("number", "bigint", "integer", not_null=True)
    down = (SortTerm(number, descending=True), SortTerm(KEY, descending=True))
    assert condition_after(down, Position(("7", "5"))).render() == (
        'ROW("number", "id") < ROW($1::text::bigint, $2::text::integer)',
        ("7", "5"),
    )
    # of a row that had one when the cursor was made
    assert "ROW" not in condition_after(down, Position((None, "5"))).render()[0]
    mixed = (SortTerm(number), SortTerm(KEY, descending=True))
    assert condition_after(mixed, Position(("7", "5"))).render()[0] == (
        '(("number" > $1::text::bigint)) OR (("number" = $1::text::bigint) AND ("id" < $2::text::integer))'
    )
