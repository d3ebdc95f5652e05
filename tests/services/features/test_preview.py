import orjson
import pytest

from services.features.preview import preview


def feature(identifier: int, geometry: str | None) -> dict[str, object]:
    return {"id": identifier, "geometry": None if geometry is None else orjson.Fragment(geometry)}


def test_no_geometry_no_map() -> None:
    assert preview([feature(1, None)]) is None


def test_a_point_has_surroundings_and_latitude_counts_downwards() -> None:
    found = preview([feature(1, '{"type":"Point","coordinates":[10,50]}')])
    assert found is not None
    assert (found.marks[0].x, found.marks[0].y, found.marks[0].width) == (10, -50, 0)
    assert found.left + found.width / 2 == pytest.approx(10)
    assert found.top + found.height / 2 == pytest.approx(-50)
    assert found.width == 40


def test_a_box_that_is_cut_at_the_antimeridian_is_drawn_as_two() -> None:
    halves = (
        '{"type":"MultiPolygon","coordinates":[[[[170,-10],[180,-10],[180,10],[170,10],[170,-10]]],'
        "[[[-180,-10],[-170,-10],[-170,10],[-180,10],[-180,-10]]]]}"
    )
    mixed = (
        '{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[180,5]},'
        '{"type":"LineString","coordinates":[[-180,5],[-175,5]]}]}'
    )
    found = preview([feature(7, halves), feature(8, mixed)])
    assert found is not None
    drawn = [(mark.id, mark.x, mark.width) for mark in found.marks]
    assert drawn == [(7, 170, 10), (7, -180, 10), (8, 180, 0), (8, -180, 5)]


def test_all_boxes_are_within_the_map() -> None:
    box = '{"type":"Polygon","coordinates":[[[-70,-10],[-70,20],[60,20],[60,-10],[-70,-10]]]}'
    found = preview([feature(1, box), feature(2, '{"type":"Point","coordinates":[100,0]}')])
    assert found is not None
    assert found.left < -70
    assert found.left + found.width > 100
    assert found.top < -20
    assert found.top + found.height > 10
    assert (found.marks[0].width, found.marks[0].height) == (130, 30)
