import pytest

from libs.ogc.bbox import BBox, bbox_of


@pytest.mark.parametrize(
    ("numbers", "box"),
    [
        ([-10, -20, 30, 40], BBox(-10, -20, 30, 40)),
        ([-10, -20, 0, 30, 40, 100], BBox(-10, -20, 30, 40)),
        ([177, 65, -177, 70], BBox(177, 65, -177, 70)),
        ([-180, -90, 180, 90], BBox(-180, -90, 180, 90)),
        # a place, at one height
        ([1, 5, 7, 1, 5, 7], BBox(1, 5, 1, 5)),
    ],
)
def test_boxes(numbers: list[float], box: BBox) -> None:
    assert bbox_of(numbers) == box


@pytest.mark.parametrize(
    ("numbers", "fault"),
    [
        ([], "must have 4 or 6 numbers, has 0"),
        ([1, 2, 3], "must have 4 or 6 numbers, has 3"),
        ([1, 2, 3, 4, 5], "must have 4 or 6 numbers, has 5"),
        ([1, 2, 3, 4, 5, 6, 7], "must have 4 or 6 numbers, has 7"),
        ([-180.5, 0, 0, 1], "west edge -180.5 is outside longitudes -180 to 180"),
        ([181, 0, 0, 1], "west edge 181 is outside longitudes -180 to 180"),
        ([0, 0, 181, 1], "east edge 181 is outside longitudes -180 to 180"),
        ([0, 0, -180.5, 1], "east edge -180.5 is outside longitudes -180 to 180"),
        ([0, -90.5, 0, 1], "south edge -90.5 is outside latitudes -90 to 90"),
        ([0, 91, 0, 92], "south edge 91 is outside latitudes -90 to 90"),
        ([0, 0, 1, 91], "north edge 91 is outside latitudes -90 to 90"),
        ([0, -90, 1, -91], "north edge -91 is outside latitudes -90 to 90"),
        ([0, 10, 1, 5], "south edge 10 is north of the north edge 5"),
        ([0, 0, 9, 1, 1, 3], "minimum height 9 is above maximum height 3"),
        ([0, 2, 1, 3, 1, 2], "south edge 2 is north of the north edge 1"),
        ([float("nan"), 0, 1, 1], "must have finite numbers only"),
        ([0, 0, 1, float("inf")], "must have finite numbers only"),
        ([0, 0, float("nan"), 1, 1, 3], "must have finite numbers only"),
    ],
)
def test_what_is_no_box_is_refused_with_a_reason(numbers: list[float], fault: str) -> None:
    with pytest.raises(ValueError, match=r".") as raised:
        bbox_of(numbers)
    assert str(raised.value) == fault


def test_a_box_over_the_antimeridian_has_two_parts_that_meet_there() -> None:
    parts = BBox(170, -10, -170, 10).parts()
    assert parts == (BBox(170, -10, 180, 10), BBox(-180, -10, -170, 10))
    meridian = BBox(7, -10, 7, 10)
    assert meridian.parts() == (meridian,)


def test_box_without_antimeridian_stays_or_spans_the_world() -> None:
    for box in (BBox(-10, 0, 10, 5), BBox(10, 5, 10, 5)):
        assert box.unwrap() == box
    assert BBox(170, -10, -170, 10).unwrap() == BBox(-180, -10, 180, 10)


def test_intersection_knows_the_antimeridian_and_edges() -> None:
    pacific = BBox(170, -10, -170, 10)
    # on either side of it, and the other way round
    for box, shared in (
        (BBox(-175, 0, -174, 1), True),
        (BBox(174, 0, 175, 1), True),
        (BBox(0, 0, 10, 10), False),
        (BBox(150, 0, 169, 1), False),
        (BBox(-169, 0, -150, 1), False),
    ):
        assert pacific.intersects(box) is shared
        assert box.intersects(pacific) is shared
    assert BBox(0, 0, 10, 10).intersects(BBox(10, 10, 20, 20))


@pytest.mark.parametrize(
    ("other", "shared"),
    [
        (BBox(10, 0, 20, 10), True),
        (BBox(-10, 0, 0, 10), True),
        (BBox(0, 10, 10, 20), True),
        (BBox(0, -10, 10, 0), True),
        (BBox(10.1, 0, 20, 10), False),
        (BBox(-10, 0, -0.1, 10), False),
        (BBox(0, 10.1, 10, 20), False),
        (BBox(0, -10, 10, -0.1), False),
    ],
)
def test_boxes_share_edges_on_every_side(other: BBox, shared: bool) -> None:
    assert BBox(0, 0, 10, 10).intersects(other) is shared
    assert other.intersects(BBox(0, 0, 10, 10)) is shared


@pytest.mark.parametrize(
    ("box", "middle"),
    [
        (BBox(-10, -20, 30, 40), (10, 10)),
        (BBox(5, 5, 5, 5), (5, 5)),
        (BBox(-180, -90, 180, 90), (0, 0)),
        # across the antimeridian, on either side of it or on it
        (BBox(170, 0, -160, 10), (-175, 5)),
        (BBox(160, 0, -170, 10), (175, 5)),
        (BBox(170, 0, -170, 10), (180, 5)),
        (BBox(170, 0, -169, 10), (-179.5, 5)),
        (BBox(0, 0, 1 / 3, 2 / 3), (0.166667, 0.333333)),
    ],
)
def test_the_middle_of_a_box(box: BBox, middle: tuple[float, float]) -> None:
    assert box.middle() == middle
