"""Where a row has its id, and how many rows have a geometry that is not given."""

from __future__ import annotations

from typing import Any

import pytest

from libs.pg.sql import EMPTY
from services.features.rows.layout import OMITTED, Layout, RowPlan, Rows

POINT = "POINT(1 1)"


def _layout(key: str | None = "id", *, has_geometry: bool = True, **more: Any) -> Layout:
    return Layout(key, has_geometry, (), (), (), **more)


@pytest.mark.parametrize(
    ("layout", "has_id"),
    [
        (_layout(), True),
        (_layout(None), False),
        (_layout(None, composite=True), True),
    ],
)
def test_a_row_begins_with_an_id_where_columns_are_one(layout: Layout, has_id: bool) -> None:
    assert layout.has_id is has_id
    # and the geometry follows
    texts = [POINT, OMITTED, None, "POINT(NaN 1)"]
    assert Rows(layout, [("NaN", text) if has_id else (text, "NaN") for text in texts]).omitted == 2


def test_nothing_is_said_that_nobody_said() -> None:
    layout = _layout()
    # tables have nothing in its place
    assert not OMITTED
    assert (layout.numeric_id, layout.large_id, layout.composite, layout.collection_id) == (False, False, False, "")
    assert RowPlan(EMPTY, layout).reversed is False


@pytest.mark.parametrize(
    ("texts", "omitted"),
    [
        ([], 0),
        ([POINT, None], 0),
        ([POINT, OMITTED, OMITTED], 2),
        # as PostGIS writes NaN
        (["POINT(NaN 1)", POINT], 1),
        (['{"type":"Point","coordinates":[nan,1]}', POINT], 1),
        (["POINT(Infinity 1)", POINT, OMITTED], 2),
        (['{"type":"Point","coordinates":[1,-inf]}', OMITTED], 2),
        # rings of two places are left out, and this polygon has no other ring
        (["POLYGON((0 0,1 1,0 0))", POINT], 1),
        (['{"type":"Polygon","coordinates":[[[0,0],[1,1],[0,0]]]}', POINT, OMITTED], 2),
        # one of a good ring keeps that
        (['{"type":"Polygon","coordinates":[[[0,0],[0,1],[1,1],[0,0]],[[0,0],[1,1],[0,0]]]}', OMITTED], 1),
        ([f"POINT({number} 1)" for number in range(100)], 0),
    ],
)
def test_geometries_that_are_not_given_are_counted(texts: list[str | None], omitted: int) -> None:
    rows = [(number, text) for number, text in enumerate(texts)]
    assert Rows(_layout(), rows).omitted == omitted
    # features from the cache have all their geometries
    assert Rows(_layout(), rows, features=[b""] * len(rows)).omitted == 0
    assert Rows(_layout(has_geometry=False), rows).omitted == 0
