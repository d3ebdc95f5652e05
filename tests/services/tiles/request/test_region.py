"""No tile looks for its features in too small a part of the world."""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing
import pytest
import shapely

from libs.catalogue.model import GeometryColumn
from libs.geo.boxes import WORLD, Box
from libs.geo.crs_areas import clip_to_finite_area
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.geo.zooms import IDS
from services.tiles.request.region import EXTENT, Region, longest_straight
from services.tiles.request.tile_request import region_of
from tests.services.tiles.places import transformer

LONGITUDES, LATITUDES = (
    grid.ravel() for grid in np.meshgrid(np.arange(-180.0, 180.1, 5.0), np.arange(-90.0, 90.1, 5.0))
)
PROJECTED = (2154, 2263, 3035, 3413, 3857, 5514, 25832, 27700, 28992, 32633)
"""CRSs of columns: conic, azimuthal, polar, oblique and transverse ones, in metres and in feet."""

Places = np.typing.NDArray[np.float64]
Chosen = np.typing.NDArray[np.bool_]


def _within(boxes: list[Box], x: Places, y: Places, slack: float = 0.0) -> Chosen:
    found = np.zeros(len(x), dtype=bool)
    for left, bottom, right, top in boxes:
        found |= (left - slack <= x) & (right + slack >= x) & (bottom - slack <= y) & (top + slack >= y)
    return found


def _finite(srid: int) -> tuple[Places, Places, Chosen]:
    """The places of the grid in a CRS, and which of them lie where it is finite."""
    x, y = transformer(srid).transform(LONGITUDES, LATITUDES)
    area = _within(clip_to_finite_area([WORLD], srid), LONGITUDES, LATITUDES)
    assert np.isfinite(x[area]).all()
    assert np.isfinite(y[area]).all()
    return x, y, area


@pytest.mark.parametrize("identifier", IDS)
def test_every_place_in_a_tile_is_in_its_region(identifier: str) -> None:
    tms = tile_matrix_set(identifier)
    x, y, area = _finite(tms.srid)
    for z in sorted(tms.matrices)[:3]:
        matrix = tms.matrices[z]
        for column, row in list(product(range(matrix.columns), range(matrix.rows)))[:400]:
            bounds = tms.tile_bounds(z, column, row)
            inside = area & _within([bounds], x, y)
            near = Region(bounds, tms.srid, 4326).near
            assert not (inside & ~_within(near, LONGITUDES, LATITUDES, 1e-9)).any(), (z, column, row)


@pytest.mark.parametrize("srid", PROJECTED)
def test_every_place_in_a_tile_is_in_its_region_of_a_projected_column(srid: int) -> None:
    here_x, here_y, here = _finite(srid)
    for identifier in ("WebMercatorQuad", "WorldCRS84Quad", "EuropeanETRS89_LAEAQuad", "CanadianNAD83_LCC"):
        tms = tile_matrix_set(identifier)
        x, y, area = _finite(tms.srid)
        for z in range(5):
            matrix = tms.matrices[z]
            for column, row in list(product(range(matrix.columns), range(matrix.rows)))[:60]:
                bounds = tms.tile_bounds(z, column, row)
                inside = area & here & _within([bounds], x, y)
                near = Region(bounds, tms.srid, srid).near
                assert not (inside & ~_within(near, here_x, here_y, 1.0)).any(), (identifier, z, column, row)


def test_the_buffer_is_a_part_of_the_tile() -> None:
    here = Region((0.0, 0.0, 4096.0, 8192.0), 3857, 3857)
    assert here.near == [(-64, -128, 4160, 8320)]
    assert here.cut == [(-256, -512, 4352, 8704)]


def test_what_lies_beyond_the_world_is_not_near() -> None:
    assert Region((-180.0, 0.0, 0.0, 90.0), 4326, 4326).near == [(-182.8125, -1.40625, 2.8125, 91.40625)]
    projected = Region((-180.0, -90.0, 0.0, 90.0), 4326, 3857).near
    assert projected[0][0] > -20_400_000 * 1.05
    assert Region((181.0, 0.0, 182.0, 1.0), 4326, 3857).near == []


def test_longitudes_and_latitudes_of_the_tile_itself() -> None:
    assert Region((10.0, 20.0, 30.0, 40.0), 4326, 3857).lonlat == ((10, 20, 30, 40),)
    (box,) = Region(tile_matrix_set("WebMercatorQuad").tile_bounds(1, 1, 0), 3857, 4326).lonlat
    assert box == pytest.approx((0, 0, 180, 85.0511287798066))
    # a tile across the antimeridian has two sides; one around a pole every longitude
    east_of_new_zealand, west_of_it = Region((2_100_000.0, 5_500_000.0, 2_300_000.0, 5_700_000.0), 2193, 4326).lonlat
    assert (east_of_new_zealand[2], west_of_it[0]) == (180, -180)
    assert 178 < east_of_new_zealand[0] < 180
    assert -180 < west_of_it[2] < -178
    polar = Region(tile_matrix_set("UPSArcticWGS84Quad").tile_bounds(0, 0, 0), 5041, 4326).lonlat
    assert [(west, east, north) for west, _, east, north in polar] == [(-180, 180, 90)]


def test_a_region_holds_another() -> None:
    def at(z: int, x: int, y: int) -> Region:
        return Region(tile_matrix_set("WebMercatorQuad").tile_bounds(z, x, y), 3857, 4326)

    assert at(1, 0, 0).holds(at(2, 1, 1))
    assert not at(2, 1, 1).holds(at(1, 0, 0))
    assert not at(1, 0, 0).holds(at(2, 2, 1))
    assert not at(1, 0, 0).holds(at(1, 1, 0))
    assert at(1, 0, 0).holds(at(1, 0, 0))
    for one, other in ((0, 1), (1, 0)):
        assert not at(1, 0, one).holds(at(1, 0, other))
        assert not at(1, one, 0).holds(at(1, other, 0))
        assert not at(1, one, one).holds(at(1, other, other))


@pytest.mark.parametrize("z", [0, 3, 6, 9, 13])
@pytest.mark.parametrize("identifier", ["WebMercatorQuad", "WorldMercatorWGS84Quad", "UPSArcticWGS84Quad"])
def test_pieces_of_a_long_line_stay_within_a_unit_of_its_curve(identifier: str, z: int) -> None:
    tms = tile_matrix_set(identifier)
    x = y = 2**z // 3
    region = region_of(tms.tile_bounds(z, x, y), tms, GeometryColumn("geom", "LineString", 4326))
    step = longest_straight(region)
    west, south, east, north = region.lonlat[0]
    line = shapely.LineString([(west, south), (min(east, west + 60), north)])
    pieces = line if step is None else shapely.segmentize(line, step)
    unit = (region.bounds[2] - region.bounds[0]) / EXTENT
    project = transformer(tms.srid).transform
    curve, chords = (
        shapely.LineString(list(zip(*project(*shapely.get_coordinates(each).T), strict=True)))
        for each in (shapely.segmentize(line, line.length / 3000), pieces)
    )
    assert shapely.hausdorff_distance(curve, chords) / unit <= 1
    # more vertices than that would not improve the accuracy
    assert shapely.get_num_coordinates(pieces) < 1000


def test_nothing_is_bent_in_the_crs_that_it_is_stored_in() -> None:
    tms = tile_matrix_set("WebMercatorQuad")
    region = region_of(tms.tile_bounds(0, 0, 0), tms, GeometryColumn("geom", "LineString", 3857))
    assert longest_straight(region) is None


@pytest.mark.parametrize(
    ("identifier", "place", "near", "cut", "itself"),
    [
        # a pole has every longitude
        (
            "UPSArcticWGS84Quad",
            (1, 0, 0),
            [(-180, -33.8698653, 180, 90)],
            [(-180, -35.9986026, 180, 90)],
            [(-180, -33.1256229, 180, 90)],
        ),
        # two sides of the antimeridian, as far as the projection has places there
        (
            "NZTM2000Quad",
            (0, 0, 0),
            [(93, -87.3104711, 180, 5.3791003), (-180, -87.3104711, -107, 5.3791003)],
            [(93, -90, 180, 9.6260511), (-180, -90, -107, 9.6260511)],
            [(93, -86.0313693, 180, 3.9632921), (-180, -86.0313693, -107, 3.9632921)],
        ),
        (
            "EuropeanETRS89_LAEAQuad",
            (2, 1, 1),
            [(-12.7171803, 50.8916863, 9.2186587, 62.631809)],
            [(-13.9740614, 50.3197024, 9.99005, 63.1107195)],
            [(-12.3035479, 51.0817994, 8.9578999, 62.4707070)],
        ),
    ],
)
def test_a_region_is_no_larger_than_it_has_to_be(
    identifier: str, place: tuple[int, int, int], near: list[Box], cut: list[Box], itself: list[Box]
) -> None:
    tms = tile_matrix_set(identifier)
    region = Region(tms.tile_bounds(*place), tms.srid, 4326)
    for found, expected in ((region.near, near), (region.cut, cut), (region.lonlat, itself)):
        assert [pytest.approx(box, abs=1e-6) for box in expected] == [*found]


def test_far_out_on_the_plane_all_that_the_projection_holds_may_come_near() -> None:
    out = Region((1e9, 1e9, 2e9, 2e9), 32631, 4326)
    assert out.near == out.cut == [*out.lonlat] == [(-77, -90, 83, 90)]


def test_turned_rows_are_near_in_their_own_place_too() -> None:
    degrees = Region((0.0, 0.0, 4096.0, 4096.0), 3857, 4326, (-1, 1)).near
    assert [box[0] - degrees[0][0] for box in degrees] == [0, -360, 360]
    assert {box[1::2] for box in degrees} == {degrees[0][1::2]}
    assert [box[2] - box[0] for box in degrees] == pytest.approx([degrees[0][2] - degrees[0][0]] * 3)
    assert Region((0.0, 0.0, 4096.0, 4096.0), 3857, 3857, (1,)).near == [
        (-64, -64, 4160, 4160),
        pytest.approx((-64 + 40_075_016.685578488, -64, 4160 + 40_075_016.685578488, 4160)),
    ]
