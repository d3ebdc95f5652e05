import pytest

from libs.ogc.bbox import BBox, bbox_of


@pytest.mark.parametrize(
    ("numbers", "box"),
    [
        ([-10, -20, 30, 40], BBox(-10, -20, 30, 40)),
        ([-10, -20, 0, 30, 40, 100], BBox(-10, -20, 30, 40)),
        ([177, 65, -177, 70], BBox(177, 65, -177, 70)),
        ([-180, -90, 180, 90], BBox(-180, -90, 180, 90)),
    ],
)
def test_boxes(numbers: list[float], box: BBox) -> None:
    assert bbox_of(numbers) == box


@pytest.mark.parametrize(
    ("numbers", "fault"),
    [
        ([1, 2, 3], "4 or 6 numbers"),
        ([1, 2, 3, 4, 5], "4 or 6 numbers"),
        ([-181, 0, 0, 1], "outside longitudes"),
        ([0, -91, 0, 1], "outside latitudes"),
        ([0, 10, 1, 5], "north of the north edge"),
        ([0, 0, 9, 1, 1, 3], "minimum height"),
        ([float("nan"), 0, 1, 1], "finite"),
    ],
)
def test_what_is_no_box_is_refused_with_a_reason(numbers: list[float], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        bbox_of(numbers)


def test_a_box_over_the_antimeridian_has_two_parts_that_meet_there() -> None:
    parts = BBox(170, -10, -170, 10).parts()
    assert parts == (BBox(170, -10, 180, 10), BBox(-180, -10, -170, 10))


def test_without_the_antimeridian_a_box_is_what_it_was_or_goes_around_the_world() -> None:
    for box in (BBox(-10, 0, 10, 5), BBox(10, 5, 10, 5)):
        assert box.unbroken() == box
    assert BBox(170, -10, -170, 10).unbroken() == BBox(-180, -10, 180, 10)


def test_intersection_knows_the_antimeridian_and_edges() -> None:
    pacific = BBox(170, -10, -170, 10)
    assert pacific.intersects(BBox(-175, 0, -174, 1))
    assert not pacific.intersects(BBox(0, 0, 10, 10))
    assert BBox(0, 0, 10, 10).intersects(BBox(10, 10, 20, 20))
