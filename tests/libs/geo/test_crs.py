"""Which identifiers are CRSs in which features can be given."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from numpy.typing import NDArray
from pyproj import Transformer
from shapely import Point

from libs.geo.crs import CRS84, Crs, as_easting_northing, box_of, crs_of, in_crs84, projjson
from libs.geo.crs_areas import area_of_use, finite_area, is_mercator
from libs.ogc.bbox import BBox
from libs.ogc.crs import crs_uri


# with three axes: longitude, latitude, height; geocentric; national with heights. With one: heights
@pytest.mark.parametrize("code", [4979, 4978, 7405, 5703])
def test_a_crs_of_other_than_two_axes_is_none(code: int) -> None:
    assert crs_of(crs_uri(code) or "") is None


@pytest.mark.parametrize(
    ("code", "northing_first", "in_degrees"), [(4326, True, True), (3857, False, False), (5514, False, False)]
)
def test_a_crs_of_two_has_its_own_order_of_axes(code: int, northing_first: bool, in_degrees: bool) -> None:
    found = crs_of(crs_uri(code) or "")
    assert found is not None
    assert (found.srid, found.northing_first, found.in_degrees) == (code, northing_first, in_degrees)


def _crs(code: int) -> Crs:
    found = crs_of(crs_uri(code) or "")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("crs", "numbers"),
    [
        (CRS84, [1, 2, 3, 4]),
        (CRS84, [1, 2, -9, 3, 4, 9]),
        # the authority has latitude, northing and the like before longitude and easting
        (_crs(4326), [2, 1, 4, 3]),
        (_crs(4326), [2, 1, -9, 4, 3, 9]),
        (_crs(2193), [2, 1, 4, 3]),
        (_crs(2193), [2, 1, -9, 4, 3, 9]),
        (_crs(3857), [1, 2, 3, 4]),
        (_crs(3857), [1, 2, -9, 3, 4, 9]),
    ],
)
def test_a_box_has_its_numbers_in_the_order_of_its_crs(crs: Crs, numbers: list[float]) -> None:
    assert box_of(numbers, crs) == BBox(1, 2, 3, 4)


@pytest.mark.parametrize(
    ("crs", "turned"), [(CRS84, False), (_crs(4326), True), (_crs(3857), False), (_crs(2193), True)]
)
def test_a_shape_has_its_coordinates_in_the_order_of_its_crs(crs: Crs, turned: bool) -> None:
    found = as_easting_northing(shapely.LineString([(1, 2), (3, 4)]), crs)
    assert [*found.coords] == ([(2, 1), (4, 3)] if turned else [(1, 2), (3, 4)])


@pytest.mark.parametrize(("crs", "name"), [(_crs(3857), "WGS 84 / Pseudo-Mercator"), (CRS84, "WGS 84")])
def test_a_definition_is_that_of_the_crs(crs: Crs, name: str) -> None:
    found = projjson(crs)
    assert (found["name"], found["id"]) == (name, {"authority": "EPSG", "code": crs.srid})


@pytest.mark.parametrize(
    ("code", "numbers", "fault"),
    [
        (3857, [1, 2, 3], "must have 4 or 6 numbers, has 3"),
        (3857, [1, 2, 9, 3, 4, -9], "has a least coordinate that is greater than the greatest"),
        (3857, [1, 2, 3, 4, 5], "must have 4 or 6 numbers, has 5"),
        (3857, [1, 2, float("inf"), 4], "must have finite numbers only"),
        (3857, [3, 2, 1, 4], "has a least coordinate that is greater than the greatest"),
        (3857, [1, 4, 3, 2], "has a least coordinate that is greater than the greatest"),
        (2193, [1, 4, 3], "must have 4 or 6 numbers, has 3"),
        (4326, [1, 2, 3], "must have 4 or 6 numbers, has 3"),
    ],
)
def test_a_box_that_is_none_is_told(code: int, numbers: list[float], fault: str) -> None:
    with pytest.raises(ValueError, match=f"^{fault}$"):
        box_of(numbers, _crs(code))


def test_a_box_of_a_projection_ends_where_no_projection_has_places() -> None:
    assert box_of([-1e300, -2, 1e300, 2], _crs(3857)) == BBox(-1e9, -2, 1e9, 2)
    assert box_of([5, 5, 5, 5], _crs(3857)) == BBox(5, 5, 5, 5)


def test_an_area_around_a_pole_holds_it() -> None:
    for code, latitude in ((3413, 89.9), (3031, -89.9)):
        ring = Point(0, 0).buffer(1e6)
        found = in_crs84(ring.difference(Point(5e5, 0).buffer(1e5)), _crs(code))
        assert found.is_valid
        assert all(found.covers(Point(longitude, latitude)) for longitude in (-179, -90, 0, 90, 179))
        # a million metres are some nine degrees
        assert found.bounds[1 if latitude > 0 else 3] == pytest.approx(latitude - 9 * latitude / 89.9, abs=0.7)
        assert not found.covers(in_crs84(Point(5e5, 0), _crs(code)))
        hole = in_crs84(ring.difference(Point(0, 0).buffer(5e5)), _crs(code))
        assert not hole.covers(Point(10, latitude))


def test_what_crosses_the_antimeridian_is_cut_there() -> None:
    # central meridian 150 degrees east
    pacific = _crs(3832)
    metre = 111_319.49
    area = in_crs84(shapely.box(20 * metre, 0, 40 * metre, 10 * metre), pacific)
    assert area.geom_type == "MultiPolygon"
    assert sorted(part.bounds[:3:2] for part in shapely.get_parts(area)) == [
        pytest.approx((-180, -170), abs=1e-3),
        pytest.approx((170, 180), abs=1e-3),
    ]
    line = shapely.LineString([(20 * metre, 0), (40 * metre, 0)])
    assert in_crs84(line, pacific).length == pytest.approx(20, abs=1e-3)
    several = shapely.MultiPoint([(0, 0), (40 * metre, 0)])
    assert {round(x, 3) for x, _ in shapely.get_coordinates(in_crs84(several, pacific))} == {150, -170}
    mixed = in_crs84(shapely.GeometryCollection([Point(0, 0), line]), pacific)
    assert mixed.geom_type == "GeometryCollection"
    assert [part.length for part in shapely.get_parts(mixed)] == pytest.approx([0, 20], abs=1e-3)
    # a member stays one that lies on another
    within = in_crs84(shapely.GeometryCollection([Point(0, 0), shapely.LineString([(0, 0), (9, 0)])]), pacific)
    assert len(shapely.get_parts(within)) == 2
    assert in_crs84(shapely.Polygon(), pacific).is_empty


@pytest.mark.parametrize("first", [20, 29.999])
def test_it_may_be_the_first_step_of_an_edge_that_crosses_the_antimeridian(first: float) -> None:
    pacific = _crs(3832)
    metre = 111_319.49
    line = shapely.LineString([(first * metre, 0), (40 * metre, 0)])
    assert in_crs84(line, pacific).length == pytest.approx(40 - first, abs=1e-3)
    area = shapely.Polygon([(first * metre, 0), (40 * metre, 0), (40 * metre, 10 * metre), (first * metre, 10 * metre)])
    assert in_crs84(area, pacific).area == pytest.approx((40 - first) * 10, rel=0.02)


def test_a_long_edge_of_a_projection_bends() -> None:
    europe = _crs(3035)
    line = in_crs84(shapely.LineString([(3e6, 4e6), (6e6, 4e6)]), europe)
    assert len(line.coords) > 60
    upright = in_crs84(shapely.LineString([(4e6, 2e6), (4e6, 5e6)]), europe)
    assert len(upright.coords) > 60
    with pytest.raises(ValueError, match="is outside of where"):
        in_crs84(Point(1e8, 1e8), europe)


def test_a_line_of_any_length_gets_so_many_positions() -> None:
    zigzag = shapely.LineString([(3e6 + 3e6 * (n % 2), 3e6 + 1e4 * n) for n in range(200)])
    assert 4000 <= len(in_crs84(zigzag, _crs(3035)).coords) <= 4400
    # and a short one no more than bends show
    assert len(in_crs84(shapely.LineString([(3e6, 3e6), (3e6 + 640, 3e6)]), _crs(3035)).coords) == 65


# PROJ returns infinite values for some of them, and NaN for others
@pytest.mark.parametrize("code", [3574, 3575, 3035])
@pytest.mark.parametrize("box", [(-9e6, 9e6, 1.1e7, 2.9e7), (-1.1e7, -1.1e7, 1e6, 1e6)])
def test_a_box_with_a_corner_that_has_no_place_on_earth_is_refused(
    code: int, box: tuple[float, float, float, float]
) -> None:
    with pytest.raises(ValueError, match=rf"^is outside of where http.*/{code} can be used$"):
        in_crs84(shapely.box(*box), _crs(code))


def test_degrees_of_another_datum_are_moved_and_those_of_wgs_84_are_not() -> None:
    place = Point(5, 52)
    assert in_crs84(place, CRS84) is place
    moved = in_crs84(place, _crs(4289))
    assert 0 < moved.distance(place) < 0.01


def test_an_area_of_use_may_lie_around_the_antimeridian() -> None:
    # Alaska, by an equal-area conic projection
    assert finite_area(3338) == ((-180.0, -90.0, 180.0, 90.0),)
    area = area_of_use(3338)
    assert area is not None
    assert all(area.covers(Point(longitude, 60)) for longitude in (-180, -140, 180, 175))
    assert not area.covers(Point(0, 60))
    assert not area.covers(Point(150, 60))
    # Vanua Levu, in a projection of which only this is known
    assert finite_area(3139) == ((-180.0, -90.0, 180.0, 90.0),)


def test_a_crs_of_esri_is_one_like_others() -> None:
    robinson = crs_of(crs_uri(54030) or "")
    assert robinson == Crs("http://www.opengis.net/def/crs/ESRI/0/54030", 54030, northing_first=False, in_degrees=False)
    assert (projjson(robinson)["name"], projjson(robinson)["id"]) == (
        "World_Robinson",
        {"authority": "ESRI", "code": 54030},
    )
    found = in_crs84(shapely.box(-6e6, -1e6, 6e6, 1e6), robinson)
    assert shapely.bounds(found) == pytest.approx((-63.77, -9.35, 63.77, 9.35), abs=0.01)
    # no CRS has this number
    assert crs_of(crs_uri(199_999) or "") is None


def test_what_esri_has_numbered_is_known_too() -> None:
    # World Mercator, South Pole Stereographic, USA Contiguous Albers Equal Area Conic
    assert is_mercator(54004)
    assert finite_area(102021) == ((-180.0, -90.0, 180.0, 89.0),)
    area = area_of_use(102003)
    assert area is not None
    assert area.covers(Point(-100, 40))
    assert not area.covers(Point(0, 40))
    # no CRS has it
    assert (area_of_use(999_998), finite_area(999_998)) == (None, ((-180.0, -90.0, 180.0, 90.0),))


def _places(code: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    longitudes, latitudes = (each.ravel() for each in np.meshgrid(np.arange(-176, 180, 9), np.arange(-77, 80, 7)))
    return np.array([longitudes, latitudes]), np.array(
        Transformer.from_crs(4326, code, always_xy=True).transform(longitudes, latitudes)
    )


@pytest.mark.parametrize("code", [5041, 5042, 5482, 3978, 3035, 2193, 32631])
@pytest.mark.parametrize("size", [1.2e7, 3e7, 1e9, 1e308])
@pytest.mark.parametrize("corner", [(-1, -1), (0, 0), (-1, -0.3)])
def test_a_box_beyond_the_earth_has_what_is_in_it_or_is_refused(
    code: int, size: float, corner: tuple[float, float]
) -> None:
    crs = _crs(code)
    ends = [corner[0] * size, corner[1] * size, size, size]
    west, south, east, north = box = box_of(ends if not crs.northing_first else [ends[1], ends[0], size, size], crs)
    try:
        found = in_crs84(shapely.box(*box), crs)
    except ValueError:
        return
    there, (x, y) = _places(code)
    known = shapely.union_all([shapely.box(*area) for area in finite_area(code)]).buffer(-3)
    inside = (x >= west) & (x <= east) & (y >= south) & (y <= north)
    differing = (shapely.intersects_xy(found, *there) != inside) & shapely.intersects_xy(known, *there)
    away = shapely.distance(shapely.points(*there[:, differing]), shapely.boundary(found))
    assert (away < 3).all()


@pytest.mark.parametrize("code", [5041, 5042, 5482])
def test_a_box_around_a_pole_may_hold_the_other_half_of_the_earth(code: int) -> None:
    crs = _crs(code)
    found = in_crs84(shapely.box(-3e7, -3e7, 3e7, 3e7), crs)
    pole, other = (80, -75) if code == 5041 else (-80, 75)
    assert all(found.covers(Point(10, latitude)) for latitude in (pole, 0))
    assert not found.covers(Point(10, other))


def test_areas_of_collections_have_the_same_inside() -> None:
    crs = _crs(5041)
    area = shapely.box(-1.5e7, -1.5e7, 1.5e7, 1.5e7)
    same = [area.reverse(), shapely.GeometryCollection([area]), shapely.MultiPolygon([area.reverse()])]
    expected = in_crs84(area, crs)
    assert all(in_crs84(each, crs).equals(expected) for each in same)
    ringed = in_crs84(area.difference(shapely.box(1e6, 1e6, 3e6, 3e6)), crs)
    assert not ringed.covers(Point(10, 89.9))
    assert ringed.covers(Point(10, 60))


# as the edges of the box are not straight lines there
@pytest.mark.parametrize(
    ("code", "box"), [(3978, (-8e6, 7e6, -2e6, 1.3e7)), (3338, (-4e6, -1e6, 4e6, 7e6)), (8857, (-2e6, 4e6, 8e6, 1.4e7))]
)
def test_a_large_box_may_have_places_near_its_edges_on_either_side(
    code: int, box: tuple[float, float, float, float]
) -> None:
    west, south, east, north = box
    middle = Transformer.from_crs(code, 4326, always_xy=True).transform((west + east) / 2, south + (north - south) / 4)
    assert in_crs84(shapely.box(*box), _crs(code)).covers(Point(middle))


@pytest.mark.parametrize(
    ("code", "box"),
    [
        # around where a conic meets itself
        (3978, (0, 0, 1e7, 1e7)),
        # of a transverse Mercator in the far east, and of the far west and the far east of a map of the world
        (2193, (-9e6, 0, 1.1e7, 2e7)),
        (8857, (-5e6, 6e6, 1.5e7, 2.6e7)),
        (8857, (6e6, -2e6, 1.6e7, 8e6)),
    ],
)
def test_a_box_of_which_the_inside_cannot_be_told_is_refused(code: int, box: tuple[float, float, float, float]) -> None:
    with pytest.raises(ValueError, match=rf"^reaches too far out of where http.*/{code} can be used$"):
        in_crs84(shapely.box(*box), _crs(code))
