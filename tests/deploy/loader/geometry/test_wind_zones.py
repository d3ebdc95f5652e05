"""Wind zones compared with geodesics, and with independently derived zones."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
import shapely
from shapely.geometry import Point, Polygon

from deploy.loader.geometry.antimeridian import WGS84, area_km2
from deploy.loader.geometry.landfall import Coast, Landfall
from deploy.loader.geometry.wind_zones import METRES_PER_NAUTICAL_MILE, step_zones, swath, to_stored
from deploy.loader.storms.best_tracks import BestTrack, Fix
from deploy.loader.storms.rows import landfalls_of, storm_nodes


def zones(*radii: tuple[float, float, float, float], longitude: float = -60.0) -> list[shapely.Polygon]:
    count = len(radii)
    longitudes = longitude + 2.0 * np.arange(count, dtype=np.float64)
    return list(step_zones(longitudes, np.full(count, 20.0), np.array(radii, dtype=np.float64)))


def test_each_quadrant_reaches_as_far_as_its_radius() -> None:
    (zone,) = zones((120, 60, 30, 90))
    for bearing, radius in ((45, 120), (135, 60), (225, 30), (315, 90)):
        inside, outside = (
            Point(WGS84.fwd(-60, 20, bearing, share * radius * METRES_PER_NAUTICAL_MILE)[:2]) for share in (0.98, 1.02)
        )
        assert zone.contains(inside), bearing
        assert not zone.contains(outside), bearing
    quarters = sum(np.pi * (radius * 1.852) ** 2 / 4 for radius in (120, 60, 30, 90))
    assert area_km2(to_stored(np.array([zone], dtype=object))[0]) == pytest.approx(quarters, rel=0.01)


def test_quadrants_without_wind_are_left_out() -> None:
    corner, opposite, nothing = zones((60, 0, 0, 0), (60, 0, 60, 0), (0, 0, 0, 0))
    assert corner.bounds[0] == pytest.approx(-60)
    assert corner.bounds[1] == pytest.approx(20, abs=0.01), "due east is no parallel"
    assert nothing.is_empty
    (stored_opposite,) = to_stored(np.array([opposite], dtype=object))
    assert stored_opposite.is_valid
    assert len(stored_opposite.geoms) == 2


def test_swath_joins_only_neighbours() -> None:
    steps = zones((30, 30, 30, 30), (30, 30, 30, 30), (30, 30, 30, 30))
    joined, apart = swath(steps, [True, True]), swath(steps, [True, False])
    between = [Point(-59, 20), Point(-57, 20)]
    assert [joined.contains(place) for place in between] == [True, True]
    assert [apart.contains(place) for place in between] == [True, False]
    assert all(apart.contains(shapely.centroid(step)) for step in steps)


def test_zones_are_split_at_the_antimeridian() -> None:
    (zone,) = to_stored(np.array(zones((120, 120, 120, 120), longitude=179.5), dtype=object))
    assert (zone.bounds[0], zone.bounds[2], len(zone.geoms)) == (-180, 180, 2)
    assert zone.is_valid


def test_landfall_is_where_a_track_comes_from_sea_to_land() -> None:
    coast = Coast([("Exampleland", Polygon([(0, 0), (10, 0), (10, 10), (0, 10)])), ("Isle", Point(20, 5).buffer(0.5))])
    longitudes = np.array([15.0, 9.0, 5.0, -1.0, 1.0])
    sea, land = Landfall(False, None), Landfall(True, "Exampleland")
    track, over_isle, from_land, far = coast.landfalls(
        [
            (longitudes, np.full(5, 5.0)),
            (np.array([18.0, 22.0, 24.0]), np.full(3, 5.0)),
            (np.array([5.0, 6.0]), np.full(2, 5.0)),
            (np.array([179.0, -179.0]), np.full(2, 5.0)),
        ]
    )
    assert track == [sea, land, sea, sea, land]
    assert over_isle == [sea, Landfall(True, "Isle"), sea], "between two positions at sea"
    assert from_land == [sea, sea], "it does not come there"
    assert far == [sea, sea], "the line across 180° is short"


def test_what_the_source_knows_of_a_landfall_is_not_told_again_beside_it() -> None:
    coast = Coast([("Exampleland", Polygon([(0, 0), (10, 0), (10, 10), (0, 10)]))])

    def track(*landfalls: bool | None) -> BestTrack:
        # into the land and out of it, twice
        return BestTrack(
            "AL012020",
            [
                Fix(
                    "AL012020",
                    2020,
                    "NA",
                    datetime(2020, 1, 1, 6 * at, tzinfo=UTC),
                    x,
                    5.0,
                    70,
                    None,
                    "HU",
                    "x",
                    landfall=known,
                )
                for at, (x, known) in enumerate(zip((12.0, 9.0, 12.0, 9.5), landfalls, strict=True))
            ],
        )

    def told(*landfalls: bool | None) -> list[bool | None]:
        return [node.landfall for node in storm_nodes([track(*landfalls)], coast)]

    assert told(None, None, None, None) == [False, True, False, True]
    # before and after the coast on the map
    assert told(True, None, None, None) == [True, False, False, True]
    assert told(None, None, True, None) == [False, False, True, False]
    assert told(None, True, None, None) == [False, True, False, True]


def test_a_track_without_positions_has_no_landfall() -> None:
    coast = Coast([("Exampleland", Polygon([(0, 0), (10, 0), (10, 10), (0, 10)]))])
    nowhere = BestTrack("AL012020", [])
    assert landfalls_of([nowhere], coast) == [[]]


def test_areas_are_those_of_the_ellipsoid() -> None:
    # between the equator and 1 degree north, 0 and 1 degree east: 12,308.8 km² on WGS 84, 12,363.7 on a sphere
    cell = shapely.MultiPolygon([shapely.box(0.0, 0.0, 1.0, 1.0)])
    assert area_km2(shapely.orient_polygons(cell)) == pytest.approx(12308.8, abs=0.1)
