"""How far around the Earth rows lie, and what that makes of their box."""

from __future__ import annotations

from math import inf, nan

import pytest

from libs.geo.boxes import WORLD, Box, overlap, transform_box
from libs.geo.longitudes import can_be_given, reaches_antimeridian, stretch, turns_of, wrap_ends, wrap_shape
from libs.pg.sql import sql

# boxes of indexes are in single precision
NEARLY = 5e-5


@pytest.mark.parametrize(
    ("west", "east", "turns"),
    [
        (-180, 180, ()),
        (-180 - NEARLY, 180 + NEARLY, ()),
        (0, 180.001, (1,)),
        (-180.001, 0, (-1,)),
        (-200, 200, (-1, 1)),
        (200, 300, (1,)),
        (-300, -200, (-1,)),
    ],
)
def test_rows_beyond_are_turned_back(west: float, east: float, turns: tuple[int, ...]) -> None:
    assert turns_of(west, east) == turns


@pytest.mark.parametrize(
    ("east", "reaches"), [(179.9, False), (180 - NEARLY, True), (180, True), (181, True), (-180, False)]
)
def test_rows_that_end_at_the_antimeridian_reach_it(east: float, reaches: bool) -> None:
    assert reaches_antimeridian(east) is reaches


@pytest.mark.parametrize(
    ("box", "given"),
    [
        ((-540, -90, 540, 90), True),
        ((-540 - NEARLY, -90 - NEARLY, 540 + NEARLY, 90 + NEARLY), True),
        ((-540.001, -90, 540, 90), False),
        ((-540, -90.001, 540, 90), False),
        ((-540, -90, 540.001, 90), False),
        ((-540, -90, 540, 90.001), False),
    ],
)
def test_rows_have_a_place_on_earth_up_to_one_turn_beyond(box: Box, given: bool) -> None:
    assert can_be_given(box) is given


@pytest.mark.parametrize(
    ("west", "east", "ends"),
    [
        (-10, 20, (-10, 20)),
        (-180, 180, (-180, 180)),
        (170, 190, (170, -170)),
        (-190, -170, (170, -170)),
        (190, 200, (-170, -160)),
        (530, 560, (170, -160)),
        (180, 190, (-180, -170)),
        (170, 180, (170, 180)),
        (0, 359, (0, -1)),
        # as wide as the world, or of unknown width
        (0, 360, (-180, 180)),
        (-inf, 20, (-180, 180)),
        (0, nan, (-180, 180)),
        (nan, 20, (-180, 180)),
        (0, inf, (-180, 180)),
    ],
)
def test_ends_are_told_as_they_are_on_earth(west: float, east: float, ends: tuple[float, float]) -> None:
    assert wrap_ends(west, east) == ends


def test_what_is_beyond_nothing_stays_as_it_is() -> None:
    shape = sql("geom")
    assert wrap_shape(shape, ()) is shape


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ((0, 0, 10, 10), (2, 3, 4, 5), (2, 3, 4, 5)),
        ((0, 0, 10, 10), (-5, 5, 5, 20), (0, 5, 5, 10)),
        ((0, 0, 10, 10), (-5, -5, 20, 20), (0, 0, 10, 10)),
        ((0, 0, 10, 10), (-5, -5, 0, 20), None),
        ((0, 0, 10, 10), (-5, -5, 20, 0), None),
    ],
)
def test_what_boxes_share(one: Box, other: Box, shared: Box | None) -> None:
    assert overlap(one, other) == overlap(other, one) == shared


def test_the_world_ends_at_the_antimeridian_and_the_poles() -> None:
    assert list(WORLD) == [-180, -90, 180, 90]
    assert overlap(WORLD, (-999, -999, 999, 999)) == WORLD


def test_a_box_in_another_crs_is_around_its_corners() -> None:
    box = (1.0, 2.0, 3.0, 4.0)
    assert transform_box(box, 4326, 4326) == box
    metres = transform_box(box, 4326, 3857)
    assert metres is not None
    assert metres == pytest.approx((111319.49, 222684.21, 333958.47, 445640.11), abs=0.01)
    assert transform_box(box, 4326, 999_999) is None


@pytest.mark.parametrize(
    ("south", "north", "ratio"),
    [
        (-10, 10, 1.0),
        (50, 70, 0.5),
        (-70, -50, 0.5),
        # nearer to the poles maps would be narrow strips
        (85, 89, 0.17),
        (90, 100, 0.17),
        # a map of the world has one scale
        (-30, 91, 1.0),
        (0, 120, 0.5),
    ],
)
def test_a_degree_of_longitude_is_shorter_away_from_the_equator(south: float, north: float, ratio: float) -> None:
    assert stretch(south, north) == pytest.approx(ratio)
