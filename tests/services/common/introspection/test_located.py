"""Boxes of rows, as the database has them, become an extent on Earth or none."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan

import pytest

from libs.catalogue.model import GeometryColumn
from services.common.introspection.located import locate, may_lie_anywhere

Box = tuple[float, float, float, float]


def column(srid: int, *, is_geography: bool = False) -> GeometryColumn:
    return GeometryColumn("geom", "LineString", srid, is_geography)


@pytest.mark.parametrize(
    ("srid", "stored", "bbox", "turns"),
    [
        (4326, (-10.0, -20.0, 30.0, 40.0), (-10, -20, 30, 40), ()),
        (4326, (170.0, 0.0, 190.0, 1.0), (170, 0, -170, 1), (1,)),
        (4326, (-190.0, 0.0, 190.0, 1.0), (-180, 0, 180, 1), (-1, 1)),
        # without an SRID all that may be degrees is
        (0, (170.0, 0.0, 190.0, 1.0), (170, 0, -170, 1), (1,)),
        (0, (0.0, 0.0, 362.0, 1.0), None, (-1, 1)),
        (0, (0.0, 0.0, 1.0, 91.5), None, (-1, 1)),
        (0, (0.0, -91.5, 1.0, 0.0), None, (-1, 1)),
        (0, (0.0, -90.5, 1.0, 90.5), (0, -90, 1, 90), ()),
        (0, (0.0, 0.0, 361.0, 1.0), (-180, 0, 180, 1), (1,)),
        (3857, (170.0, 0.0, 190.0, 1.0), (170, 0, -170, 1), (1,)),
        # outwards, so that a box of the extent has every row
        (4326, (1.234567, 2.345678, 3.456789, 4.567891), (1.23456, 2.34567, 3.45679, 4.5679), ()),
        (4326, (-1.234567, -2.345678, -0.1, 50.7), (-1.23457, -2.34568, -0.1, 50.7), ()),
        (32633, (180.0, 0.0, 180.0, 1.0), (180, 0, 180, 1), ()),
        (32633, (-180.0, 0.0, -180.0, 1.0), (-180, 0, -180, 1), ()),
        # rounded outwards to single precision
        (32633, (-180.00001, -90.00001, 180.00001, 90.00001), (-180, -90, 180, 90), ()),
        # boxes without a place in longitude and latitude
        (32633, (inf, 0.0, inf, 1.0), None, ()),
        (32633, (-inf, 0.0, -inf, 1.0), None, ()),
        (32633, (nan, 0.0, 10.0, 1.0), None, ()),
        (32633, (0.0, 90.5, 10.0, 91.0), None, ()),
        (32633, (0.0, -91.0, 10.0, -90.5), None, ()),
        (32633, (0.0, 90.0, 10.0, 91.0), (0, 90, 10, 90), ()),
        (32633, (0.0, -91.0, 10.0, -90.0), (0, -90, 10, -90), ()),
        # all that may be degrees, to the last
        (0, (-361.0, -91.0, 361.0, 91.0), (-180, -90, 180, 90), (-1, 1)),
        (0, (-361.5, 0.0, 0.0, 1.0), None, (-1, 1)),
    ],
)
def test_a_box_is_an_extent_where_it_is_on_earth(
    srid: int, stored: Box, bbox: Box | None, turns: tuple[int, ...]
) -> None:
    found = locate(column(srid), [stored])
    assert (found.bbox, found.turns) == (bbox, turns)


@pytest.mark.parametrize(
    ("stored", "bbox", "crosses"),
    [
        ((10.0, 0.0, 170.0, 1.0), (10, 0, 170, 1), False),
        ((170.0, 0.0, 180.0, 1.0), (170, 0, 180, 1), True),
        ((170.0, 0.0, 190.0, 1.0), (170, 0, -170, 1), True),
    ],
)
def test_a_geography_crosses_where_it_may_come_as_far(stored: Box, bbox: Box, crosses: bool) -> None:
    found = locate(column(4326, is_geography=True), [stored])
    assert (found.bbox, found.crosses, found.partial) == (bbox, crosses, crosses)


@pytest.mark.parametrize("rows", [[], [(None, None, None, None)]])
def test_of_a_column_without_rows_nothing_is_known(rows: list[Box]) -> None:
    found = locate(column(4326), rows)
    assert (found.bbox, found.turns, found.partial) == (None, (-1, 1), True)


@pytest.mark.parametrize(
    ("kind", "srid", "is_geography", "found"),
    [
        ("Point", 4326, True, ((), False, False)),
        ("LineString", 4326, True, ((), True, True)),
        ("Point", 4326, False, ((-1, 1), False, True)),
        ("Point", 3857, False, ((-1, 1), False, True)),
        ("Point", 0, False, ((-1, 1), False, True)),
        ("Point", 32633, False, ((), False, False)),
    ],
)
def test_what_rows_may_be_like_of_which_nothing_is_known(
    kind: str, srid: int, is_geography: bool, found: tuple[tuple[int, ...], bool, bool]
) -> None:
    unknown = may_lie_anywhere(GeometryColumn("geom", kind, srid, is_geography))
    assert (unknown.turns, unknown.crosses, unknown.partial) == found


@pytest.mark.parametrize(("stored", "is_partial"), [((170.0, 0.0, 190.0, 1.0), False), ((0.0, 0.0, 1000.0, 1.0), True)])
def test_some_rows_lie_where_no_turn_leads(stored: Box, is_partial: bool) -> None:
    assert locate(column(4326), [stored]).partial is is_partial


def test_what_an_estimate_told_is_forgotten_where_the_rows_tell_nothing() -> None:
    known = replace(column(4326), bbox=(1.0, 2.0, 3.0, 4.0))
    for rows in ([], [(1.0, None, 3.0, 4.0)], [(1.0, 91.0, 3.0, 92.0)]):
        assert locate(known, rows) == may_lie_anywhere(column(4326))
