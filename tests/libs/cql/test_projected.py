"""Geometry literals made fit for a projected CRS."""

from __future__ import annotations

import pytest
import shapely

from libs.cql.projected import fit

UTM = 32633
MERCATOR = 3857


def test_an_edge_has_a_point_at_every_half_degree() -> None:
    shape, cut = fit(shapely.LineString([(10, 50), (20, 50)]), UTM, is_box=False)
    assert not cut
    longitudes = shapely.get_coordinates(shape)[:, 0].tolist()
    assert longitudes == pytest.approx([10 + step / 2 for step in range(21)])


def test_a_long_line_has_no_more_points_than_the_database_likes() -> None:
    zigzag = shapely.LineString([(10 + index % 2 * 10, 50) for index in range(1000)])
    shape, _ = fit(zigzag, UTM, is_box=False)
    assert 3900 < shapely.get_num_coordinates(shape) < 6000


def test_a_box_stays_as_it_is_where_its_edges_are_straight() -> None:
    box = shapely.box(10, 40, 20, 50)
    assert fit(box, MERCATOR, is_box=True) == (box, False)
    assert shapely.get_num_coordinates(fit(box, MERCATOR, is_box=False)[0]) == 81
    assert shapely.get_num_coordinates(fit(box, UTM, is_box=True)[0]) == 81


def test_what_is_far_away_is_cut_off() -> None:
    world = shapely.box(-180, -90, 180, 90)
    shape, cut = fit(world, UTM, is_box=True)
    assert cut
    west, south, east, north = shapely.bounds(shape).tolist()
    assert (-10 < west < 12, 18 < east < 40, south < 0, north > 80) == (True, True, True, True)
    # in a collection, each of its members
    here, there = shapely.Point(15, 50), shapely.LineString([(-100, 50), (-101, 50)])
    both, cut = fit(shapely.GeometryCollection([here, there, world]), UTM, is_box=False)
    assert cut
    assert [part.geom_type for part in shapely.get_parts(both)] == ["Point", "Polygon"]
    assert shapely.get_geometry(both, 0) == here
    assert shapely.bounds(both).tolist() == [west, south, east, north]
    nothing, cut = fit(shapely.GeometryCollection([there]), UTM, is_box=False)
    assert (nothing.is_empty, cut) == (True, True)


def test_a_crs_that_nobody_knows_cuts_nothing() -> None:
    point = shapely.Point(-170, -80)
    assert fit(point, 999_999, is_box=False) == (point, False)
