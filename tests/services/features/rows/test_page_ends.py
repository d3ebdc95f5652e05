"""A large page keeps its rows, in their order, whatever is written while it is streamed."""

from __future__ import annotations

from collections.abc import Sequence

from services.features.rows.layout import Layout, Rows
from services.features.rows.page_ends import RowsOfPage

LAYOUT = Layout(key="name", has_geometry=False, properties=(), raw_json=(), times=())


def chunk(*names: object, features: bool = False) -> Rows:
    encoded = [str(name).encode() for name in names] if features else None
    return Rows(LAYOUT, [(name,) for name in names], features=encoded)


def kept(page: RowsOfPage, *chunks: Rows) -> Sequence[object]:
    return [row[0] for found in chunks for row in page.only(found, (0,)).rows]


def test_all_rows_are_kept_where_nothing_changed() -> None:
    assert kept(RowsOfPage([[1, 2, 3, 4]], 4), chunk(1, 2), chunk(3, 4)) == [1, 2, 3, 4]


def test_rows_that_were_added_meanwhile_are_left_out_and_the_others_stay_in_order() -> None:
    assert kept(RowsOfPage([[1, 2, 3, 4]], 4), chunk(1, 2), chunk(2.5, 3, 4, 5)) == [1, 2, 3, 4]


def test_features_stay_with_their_rows() -> None:
    found = RowsOfPage([[1, 2, 3]], 3).only(chunk(0, 1, 2, 2.5, 3, features=True), (0,))
    assert list(found.rows) == [(1,), (2,), (3,)]
    assert found.features == [b"1", b"2", b"3"]


def test_of_rows_that_are_called_the_same_as_many_are_kept_as_the_page_has() -> None:
    page = RowsOfPage([["a", "a", "b"]], 3)
    assert page.alike(("a",), (0,))
    assert not page.alike(("b",), (0,))
    assert kept(page, chunk("a", "a", "a", "b")) == ["a", "a", "b"]


def test_what_lies_behind_the_page_is_none_of_it() -> None:
    assert kept(RowsOfPage([[1, 2, 3]], 2), chunk(1, 2, 3)) == [1, 2]
