from __future__ import annotations

import numpy as np
import pytest
import shapely
from pyproj import Transformer

from libs.geo.boxes import WORLD, Box, overlap, transform_box
from libs.geo.crs_areas import (
    area_of_use,
    boxes_in,
    clip_to_finite_area,
    finite_area,
    is_mercator,
    is_projected,
    keeps_boxes,
)
from tests.services.tiles.places import transformer

UNKNOWN = 999_999


@pytest.mark.parametrize(
    ("srid", "boxes"),
    [
        (4326, (WORLD,)),
        (4269, (WORLD,)),
        (UNKNOWN, (WORLD,)),
        # Mercators, also one that is cut open elsewhere
        (3857, ((-180, -89.9, 180, 89.9),)),
        (3395, ((-180, -89.9, 180, 89.9),)),
        (3832, ((-180, -89.9, 180, 89.9),)),
        # transverse Mercators: UTM 31 north, New Zealand (across the antimeridian), UTM 1 north
        (32631, ((-77, -90, 83, 90),)),
        (2193, ((93, -90, 180, 90), (-180, -90, -107, 90))),
        (32601, ((-180, -90, -97, 90), (103, -90, 180, 90))),
        # polar stereographics and conics of both hemispheres
        (5041, ((-180, -89, 180, 90),)),
        (3413, ((-180, -89, 180, 90),)),
        (5042, ((-180, -90, 180, 89),)),
        (3031, ((-180, -90, 180, 89),)),
        (3978, ((-180, -89, 180, 90),)),
        (2154, ((-180, -89, 180, 90),)),
        (3112, ((-180, -90, 180, 89),)),
        # equal areas hold the world, oblique ones their surroundings
        (3035, (WORLD,)),
        (6933, (WORLD,)),
        (28992, ((-26.8, 20.75, 37.22, 83.7),)),
    ],
)
def test_where_coordinates_are_finite(srid: int, boxes: tuple[Box, ...]) -> None:
    found = finite_area(srid)
    assert [pytest.approx(box) for box in found] == list(boxes)
    if srid != UNKNOWN:
        for west, south, east, north in found:
            x, y = np.meshgrid(np.linspace(west, east, 37), np.linspace(south, north, 37))
            assert np.isfinite(transformer(srid).transform(x.ravel(), y.ravel())).all()


def test_a_box_is_cut_to_where_the_projection_works() -> None:
    assert clip_to_finite_area([WORLD], 2193) == [(93, -90, 180, 90), (-180, -90, -107, 90)]
    assert clip_to_finite_area([(0, 0, 10, 10)], 2193) == []
    assert clip_to_finite_area([(170, -50, 180, -40), (-180, -50, -170, -40)], 2193) == [
        (170, -50, 180, -40),
        (-180, -50, -170, -40),
    ]


def test_overlap() -> None:
    assert overlap((0, 0, 10, 10), (5, -5, 20, 5)) == (5, 0, 10, 5)
    assert overlap((0, 0, 10, 10), (10, 0, 20, 10)) is None
    assert overlap((0, 0, 10, 10), (0, 10, 10, 20)) is None


# the last is of ESRI: Robinson
@pytest.mark.parametrize("srid", [2154, 3035, 3413, 3857, 27700, 32633, 54030])
@pytest.mark.parametrize(
    "box",
    [
        WORLD,
        (-60.0, 20.0, 40.0, 80.0),
        (-180.0, 50.0, 180.0, 90.0),
        (4.0, 44.0, 4.5, 44.2),
        # wide or high alone
        (-180.0, 60.0, 180.0, 64.0),
        (4.0, -20.0, 8.0, 60.0),
    ],
)
def test_a_box_in_another_crs_is_around_all_of_its_places(srid: int, box: Box) -> None:
    found = boxes_in([box], srid)
    for west, south, east, north in clip_to_finite_area([box], srid):
        x, y = np.meshgrid(np.linspace(west, east, 101), np.linspace(south, north, 101))
        x, y = Transformer.from_crs(4326, f"{'ESRI' if srid > 32767 else 'EPSG'}:{srid}", always_xy=True).transform(
            x.ravel(), y.ravel()
        )
        inside = np.zeros(len(x), dtype=bool)
        for left, bottom, right, top in found:
            inside |= (left - 0.1 <= x) & (x <= right + 0.1) & (bottom - 0.1 <= y) & (y <= top + 0.1)
        assert inside.all()


def test_small_boxes_are_no_larger_than_their_edges() -> None:
    small, southern = (4.0, 44.0, 4.5, 44.2), (174.0, -41.0, 174.5, -40.8)
    assert boxes_in([small], 2154) == [transform_box(small, 4326, 2154)]
    assert boxes_in([southern], 2193) == [transform_box(southern, 4326, 2193)]
    assert boxes_in([small], 4326) == [small]
    assert boxes_in([small], 0) == [small]
    # on both sides of 180°, where New Zealand is
    sides = [(178.0, -40.0, 180.0, -38.0), (-180.0, -40.0, -177.0, -38.0)]
    assert boxes_in(sides, 2193) == [transform_box(side, 4326, 2193) for side in sides]
    # the database may know what PROJ does not
    assert boxes_in([small], UNKNOWN) == boxes_in([WORLD, small], UNKNOWN) == [(-1e30, -1e30, 1e30, 1e30)]
    # a box completely outside
    assert transform_box((1e9, 1e9, 2e9, 2e9), 32633, 4326) is None
    assert transform_box(small, 32633, 32633) is small


def test_edges_do_not_tell_how_far_the_world_reaches() -> None:
    """Why wide boxes are not transformed by their edges: those of the world are one meridian."""
    by_edges, by_places = transform_box(WORLD, 4326, 3035), boxes_in([WORLD], 3035)[0]
    assert by_edges is not None
    assert by_edges[0] > 4_000_000
    assert by_places[0] < -5_000_000


@pytest.mark.parametrize(
    ("srid", "projected", "boxes_stay", "mercator"),
    [
        (0, False, True, False),
        (4326, False, True, False),
        (4269, False, True, False),
        (3857, True, True, True),
        (3395, True, True, True),
        (900913, True, True, True),
        # boxes across the meridian at which it is cut open would not stay boxes
        (3832, True, False, False),
        (32633, True, False, False),
        (3035, True, False, False),
        (UNKNOWN, True, False, False),
    ],
)
def test_kinds(srid: int, projected: bool, boxes_stay: bool, mercator: bool) -> None:
    assert (is_projected(srid), keeps_boxes(srid), is_mercator(srid)) == (projected, boxes_stay, mercator)


@pytest.mark.parametrize(
    ("srid", "bounds"),
    [
        (3857, (-180, -89.99, 180, 89.99)),
        # ten degrees around, a pole only where the area has it
        (32633, (2, -10, 28, 89.99)),
        (3413, (-180, 50, 180, 90)),
        # New Zealand's runs across the antimeridian
        (2193, (-180, -57.33, 180, -24.1)),
    ],
)
def test_where_a_crs_is_accurate(srid: int, bounds: Box) -> None:
    area = area_of_use(srid)
    assert area is not None
    assert shapely.bounds(area) == pytest.approx(bounds)


def test_an_area_across_the_antimeridian_has_two_sides() -> None:
    area = area_of_use(2193)
    assert shapely.contains_xy(area, [175, -175, 0, 150], [-40, -40, -40, -40]).tolist() == [True, True, False, False]
    assert [area_of_use(srid) for srid in (4326, 4269, UNKNOWN)] == [None] * 3


@pytest.mark.parametrize(
    ("srid", "inside", "outside"), [(32601, (-165, -179, 171), (-163, 169)), (32660, (165, 179, -171), (163, -169))]
)
def test_a_margin_across_the_antimeridian_has_two_sides(
    srid: int, inside: tuple[float, ...], outside: tuple[float, ...]
) -> None:
    area = area_of_use(srid)
    assert shapely.contains_xy(area, inside, [0] * len(inside)).all()
    assert not shapely.contains_xy(area, outside, [0] * len(outside)).any()
    assert (shapely.bounds(area)[0], shapely.bounds(area)[2]) == (-180, 180)
