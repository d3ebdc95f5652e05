"""The starts of the pages beside a page; a large page keeps its rows during writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from libs.catalogue.model import Collection, Column
from libs.selection.selection import Selection, SortTerm
from services.features.request.cursor import PageEnds, Position
from services.features.request.items_query import AS_STORED, ItemsQuery, total_order
from services.features.rows.layout import Layout, Row, Rows
from services.features.rows.page_ends import RowsOfPage, name_of, name_places, page_ends, position_of

LAYOUT = Layout(key="name", has_geometry=False, properties=(), raw_json=(), times=())


def chunk(*names: object, features: bool = False) -> Rows:
    encoded = [str(name).encode() for name in names] if features else None
    return Rows(LAYOUT, [(name,) for name in names], features=encoded)


def kept(page: RowsOfPage, *chunks: Rows) -> Sequence[object]:
    return [row[0] for found in chunks for row in page.select(found, (0,)).rows]


def test_all_rows_are_kept_where_nothing_changed() -> None:
    assert kept(RowsOfPage([[1, 2, 3, 4]], 4), chunk(1, 2), chunk(3, 4)) == [1, 2, 3, 4]
    assert kept(RowsOfPage([[1, 2]], 2), chunk(1, 2)) == [1, 2]
    assert kept(RowsOfPage([[1, 2]], 2), chunk(1), chunk(2)) == [1, 2]


def test_rows_added_during_the_walk_are_left_out() -> None:
    assert kept(RowsOfPage([[1, 2, 3, 4]], 4), chunk(1, 2), chunk(2.5, 3, 4, 5)) == [1, 2, 3, 4]


def test_features_stay_with_their_rows() -> None:
    found = RowsOfPage([[1, 2, 3]], 3).select(chunk(0, 1, 2, 2.5, 3, features=True), (0,))
    assert list(found.rows) == [(1,), (2,), (3,)]
    assert found.features == [b"1", b"2", b"3"]


def test_of_rows_that_are_called_the_same_as_many_are_kept_as_the_page_has() -> None:
    page = RowsOfPage([["a", "a", "b"]], 3)
    assert page.repeats(("a",), (0,))
    assert not page.repeats(("b",), (0,))
    assert kept(page, chunk("a", "a", "a", "b")) == ["a", "a", "b"]


def test_what_lies_behind_the_page_is_none_of_it() -> None:
    assert kept(RowsOfPage([[1, 2, 3]], 2), chunk(1, 2, 3)) == [1, 2]


KEY = Column("id", "integer", "integer", not_null=True)
WORD = Column("word", "text", "string")
TABLE = Collection("a.b", "a", "b", 1, "table", "B", None, (WORD, KEY), key="id", sources=(1,))
VIEW = replace(TABLE, kind="view", key=None)


def query(collection: Collection = TABLE, limit: int = 3, after: Position | None = None, offset: int = 0) -> ItemsQuery:
    selection = Selection(collection, None, (), (), (SortTerm(WORD),))
    return ItemsQuery(selection, total_order(selection), limit, offset, after, AS_STORED, {}, "")


def at(*values: str | None, backwards: bool = False, alike: int = 0) -> Position:
    return Position(values, backwards, alike)


ROWS: list[Row] = [("x", "a", 1), ("x", None, 2), ("x", "c", 3), ("x", "d", 4)]
PLACES = (1, 2)


@pytest.mark.parametrize(
    ("asked", "rows", "expected"),
    [
        (query(), ROWS, PageEnds(at("c", "3"), None, more=True)),
        (query(), ROWS[:3], PageEnds()),
        (query(limit=2), ROWS[:3], PageEnds(at(None, "2"), None, more=True)),
        (query(offset=1), ROWS[:3], PageEnds(None, at("a", "1", backwards=True))),
        (query(after=at("0", "0")), ROWS, PageEnds(at("c", "3"), at("a", "1", backwards=True), more=True)),
        # read from the end: the first row is the last of the page
        (
            query(after=at("z", "9", backwards=True)),
            ROWS,
            PageEnds(at("a", "1"), at("c", "3", backwards=True), more=True),
        ),
        (query(after=at("z", "9", backwards=True)), ROWS[:2], PageEnds(at("a", "1"), None)),
        (query(), [], PageEnds()),
        (query(limit=0), ROWS[:1], PageEnds(more=True)),
        # it is unknown what distinguishes the rows
        (query(replace(VIEW, sources=()), limit=1), ROWS[:2], PageEnds(more=True)),
    ],
)
def test_pages_beside_a_page_start_at_its_ends(asked: ItemsQuery, rows: list[Row], expected: PageEnds) -> None:
    assert page_ends(asked, rows, PLACES) == expected


def test_without_places_there_are_no_cursors() -> None:
    assert page_ends(query(), ROWS, ()) == PageEnds(more=True)


A, B, C = ("a", 1), ("b", 2), ("c", 3)


@pytest.mark.parametrize(
    ("asked", "rows", "following", "preceding"),
    [
        # no row beside the page is equal
        (query(VIEW, 2, None), [A, B, C], at("b", "2"), None),
        # of three equal rows two are on the first page
        (query(VIEW, 2, None), [A, A, A], at("a", "1", alike=2), None),
        (query(VIEW, 3, None), [A, B, B, B], at("b", "2", alike=2), None),
        (query(VIEW, 2, None), [A, B, B], at("b", "2", alike=1), None),
        # two were behind already
        (query(VIEW, 2, at("a", "1", alike=2)), [A, A, A], at("a", "1", alike=4), None),
        (query(VIEW, 2, at("0", "0")), [A, A, A], at("a", "1", alike=2), at("a", "1", backwards=True)),
        # which others were behind does not matter
        (query(VIEW, 2, at("0", "0", alike=3)), [A, A, A], at("a", "1", alike=2), at("a", "1", backwards=True)),
        (query(VIEW, 2, at("a", "1", alike=2)), [A, B, C], at("b", "2"), at("a", "1", backwards=True, alike=1)),
        (query(VIEW, 2, at("b", "2", alike=1)), [B, B, C], at("b", "2"), at("b", "2", backwards=True, alike=2)),
        # the number of equal rows before an offset is unknown
        (query(VIEW, 2, None, 5), [A, A, A], None, None),
        # the equal rows end with the collection
        (query(VIEW, 3, at("a", "1", alike=1)), [A, A], None, at("a", "1", backwards=True, alike=2)),
    ],
)
def test_rows_that_are_alike_are_counted(
    asked: ItemsQuery, rows: list[Row], following: Position | None, preceding: Position | None
) -> None:
    found = page_ends(asked, rows, (0, 1))
    assert (found.next, found.prev, found.more) == (following, preceding, len(rows) > asked.limit)


def test_a_page_backwards_counts_those_that_are_alike_from_its_end() -> None:
    after = at("c", "3", backwards=True)
    found = page_ends(query(VIEW, 2, after), [B, B, B], (0, 1))
    assert (found.prev, found.next) == (at("b", "2", backwards=True, alike=2), at("b", "2"))


def test_rows_are_called_by_what_tells_them_apart() -> None:
    assert name_places(query(), (1, 2)) == (2,)
    assert name_places(query(replace(TABLE, key=None)), (1, 2)) == (2,)
    assert name_of(("x", 5, 6), (1,)) == "5"
    assert name_of(("x", 5, None), (1, 2)) == ("5", "None")
    assert position_of(("x", 5), (1,)) == Position(("5",))
    assert position_of(("x", 5, None), (1, 2), backwards=True) == Position(("5", None), backwards=True)


def test_once_a_row_is_gone_the_others_are_looked_for_one_by_one() -> None:
    page = RowsOfPage([[1, 2, 3, 4, 5], ["a", "b", "c", "d", "e"]], 5)
    found = [Rows(LAYOUT, rows) for rows in ([(1, "a"), (3, "c")], [], [(4, "d"), (5, "e"), (6, "f")])]
    assert [list(page.select(some, (0, 1)).rows) for some in found] == [
        [(1, "a"), (3, "c")],
        [],
        [(4, "d"), (5, "e")],
    ]
