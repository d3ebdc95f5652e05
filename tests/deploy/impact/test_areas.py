"""Areas of countries and provinces in zones equal those of an independent computation, whatever the shape of a zone."""

from __future__ import annotations

from typing import Any

import asyncpg
import numpy as np
import pytest
import shapely
from pyproj import Geod
from shapely.affinity import translate
from shapely.geometry.base import BaseGeometry

from deploy.impact.circles import circle
from deploy.loader.geometry.antimeridian import split_polygons
from tests.deploy.impact.conftest import AddZone, Computed

_HOLE = "POLYGON((0 0, 20 0, 20 20, 0 20, 0 0), (5 5, 15 5, 15 15, 5 15, 5 5))"
_PARTS = "MULTIPOLYGON(((0 0, 10 0, 0 10, 0 0)), ((-30 -20, -20 -20, -20 -5, -30 -20)))"
_POLE = "POLYGON((-180 80, 180 80, 180 90, -180 90, -180 80))"
_SOUTH_POLE = "POLYGON((-180 -90, 180 -90, 180 -75, -180 -75, -180 -90))"

# a country with a hole and an island, one on both sides of ±180°, and one at each pole
_UNITS = {
    ("AA", "Aland", None): "MULTIPOLYGON(((-25 -18, 12 -18, 12 12, -25 12, -25 -18), (2 2, 4 2, 4 4, 2 4, 2 2)), "
    "((14 14, 19 14, 19 19, 14 19, 14 14)))",
    ("AA", "Aland", "West"): "MULTIPOLYGON(((-25 -18, 1 -18, 1 12, -25 12, -25 -18)))",
    ("BB", "Bland", None): "MULTIPOLYGON(((170 -25, 180 -25, 180 5, 170 5, 170 -25)), "
    "((-180 -25, -170 -25, -170 5, -180 5, -180 -25)))",
    ("CC", "Cland", None): "MULTIPOLYGON(((-50 70, 40 70, 40 90, -50 90, -50 70)))",
    (None, "Southland", None): "MULTIPOLYGON(((-180 -90, 180 -90, 180 -80, -180 -80, -180 -90)))",
}
_A, _F = 6378.137, 1 / 298.257223563
_E = (_F * (2 - _F)) ** 0.5


Numbers = np.ndarray[Any, np.dtype[np.float64]]
Names = tuple[str | None, str, str | None]


def zone_of_sphere_km2(latitudes: Numbers) -> Numbers:
    """Return the area between the equator and parallels, of one radian of longitude (Snyder 1987, equation 3-12)."""
    sine = np.sin(np.radians(latitudes))
    logarithm = np.log((1 - _E * sine) / (1 + _E * sine)) / (2 * _E)
    area: Numbers = _A**2 * (1 - _E**2) / 2 * (sine / (1 - _E**2 * sine**2) - logarithm)
    return area


def brute_force_km2(zone: BaseGeometry, unit: BaseGeometry, step: float = 0.05) -> float:
    """Sum the cells of a grid whose middle lies in both, each with its exact area on the ellipsoid."""
    west, south, east, north = unit.bounds
    edges = np.arange(south, north + step / 2, step)
    middles = np.arange(west + step / 2, east, step)
    rows = np.diff(zone_of_sphere_km2(edges)) * np.radians(step)
    total = 0.0
    for latitude, area in zip((edges[:-1] + step / 2).tolist(), rows.tolist(), strict=True):
        inside = shapely.contains_xy(unit, middles, latitude) & (
            shapely.contains_xy(zone, middles, latitude)
            | shapely.contains_xy(translate(zone, 360), middles, latitude)
            | shapely.contains_xy(translate(zone, -360), middles, latitude)
        )
        total += area * int(inside.sum())
    return total


@pytest.fixture(autouse=True)
async def units(database: asyncpg.Connection) -> None:
    await database.executemany(
        "INSERT INTO exposure.unit VALUES ($1, $2, $3, $4, ST_Multi(ST_GeomFromText($5, 4326)))",
        [(number, *names, wkt) for number, (names, wkt) in enumerate(_UNITS.items(), start=1)],
    )


def listed(zone: dict[str, Any]) -> dict[Names, float]:
    """The areas of a zone's document, by the names of `_UNITS`."""
    found: dict[Names, float] = {}
    for country in zone["land"]:
        found[country["code"], country["name"], None] = country["areaKm2"]
        for province in country["provinces"]:
            found[country["code"], country["name"], province["name"]] = province["areaKm2"]
    return found


def expected(zone: BaseGeometry) -> dict[Names, Any]:
    areas = {names: brute_force_km2(zone, shapely.from_wkt(wkt)) for names, wkt in _UNITS.items()}
    return {names: pytest.approx(area, rel=0.003) for names, area in areas.items() if area}


@pytest.mark.parametrize("wkt", [_HOLE, _PARTS, _POLE, _SOUTH_POLE], ids=["hole", "parts", "north pole", "south pole"])
async def test_area_in_polygon_equals_brute_force(wkt: str, add_zone: AddZone, computed: Computed) -> None:
    await add_zone("A", wkt)
    [zone] = (await computed("A"))["impact"]["zones"]
    assert listed(zone) == expected(shapely.from_wkt(wkt))
    shape = shapely.from_wkt(wkt)
    # all of it, land and sea
    assert zone["areaKm2"] == pytest.approx(brute_force_km2(shape, shape), rel=0.003)


async def test_area_across_antimeridian_equals_brute_force(add_zone: AddZone, computed: Computed) -> None:
    unrolled = shapely.Point(178, -10).buffer(9).difference(shapely.Point(181, -12).buffer(3))
    await add_zone("A", split_polygons(unrolled).wkt)
    [zone] = (await computed("A"))["impact"]["zones"]
    assert listed(zone) == expected(unrolled)


async def test_overlapping_rows_of_one_zone_count_land_once(database: asyncpg.Connection, computed: Computed) -> None:
    for number, wkt in enumerate(("POLYGON((0 0, 6 0, 6 6, 0 6, 0 0))", "POLYGON((3 3, 9 3, 9 9, 3 9, 3 3))")):
        await database.execute(
            "INSERT INTO hazard.hazard_fl_alerts (alert_id, event_id, title, alert_level, issued, geom) "
            "VALUES ($1, 'F', 'Flood', 'Red', '2020-01-01', ST_Multi(ST_GeomFromText($2, 4326)))",
            f"a{number}",
            wkt,
        )
    [zone] = (await computed("F"))["impact"]["zones"]
    both = shapely.union(shapely.box(0, 0, 6, 6), shapely.box(3, 3, 9, 9))
    assert listed(zone) == expected(both)


@pytest.mark.parametrize(("longitude", "latitude"), [(10.0, 10.0), (179.9, -17.0), (30.0, 89.7), (-60.0, -89.9)])
async def test_land_in_circle_is_that_within_its_distance(
    longitude: float, latitude: float, database: asyncpg.Connection, computed: Computed
) -> None:
    await database.execute(
        "INSERT INTO hazard.hazard_eq_events (event_id, title, magnitude, depth, event_date, source, geom) "
        "VALUES ('Q', 'M 7', 7.0, 10, '2020-01-01', 'tests', ST_SetSRID(ST_MakePoint($1, $2), 4326))",
        longitude,
        latitude,
    )
    zones = (await computed("Q"))["impact"]["zones"]
    radius = zones[-1]["radiusKm"]
    geod, random = Geod(ellps="WGS84"), np.random.default_rng(5)
    east, north, _ = geod.fwd(
        np.full(4000, longitude),
        np.full(4000, latitude),
        random.uniform(0, 360, 4000),
        # evenly over the area
        radius * 1000 * np.sqrt(random.uniform(0, 1, 4000)),
    )
    shares = {
        names: float(shapely.contains_xy(shapely.from_wkt(wkt), np.asarray(east), np.asarray(north)).mean())
        for names, wkt in _UNITS.items()
    }
    found = {names: area / zones[-1]["areaKm2"] for names, area in listed(zones[-1]).items()}
    assert found == {names: pytest.approx(share, abs=0.03) for names, share in shares.items() if share}


def test_circle_has_the_area_of_a_cap() -> None:
    for longitude, latitude in ((0, 0), (180, -17), (30, 89.7), (-60, -89.9)):
        area = abs(
            Geod(ellps="WGS84").geometry_area_perimeter(shapely.segmentize(circle(longitude, latitude, 200_000), 0.1))[
                0
            ]
        )
        assert area / 1e6 == pytest.approx(np.pi * 200**2, rel=0.002)


async def test_people_and_land_of_a_country_are_in_one_row(
    database: asyncpg.Connection, add_zone: AddZone, computed: Computed
) -> None:
    await database.execute(
        "INSERT INTO exposure.place VALUES (1, 'Town', 'AA', 'Aland', 'West', 700, 'SRID=4326;POINT(0.5 0.5)'), "
        "(2, 'Port', 'XX', 'Elsewhere', 'West', 600, 'SRID=4326;POINT(0.6 0.6)')"
    )
    await add_zone("A", "POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))")
    [zone] = (await computed("A"))["impact"]["zones"]
    aland, elsewhere = zone["countries"]
    square = pytest.approx(zone["areaKm2"], rel=0.001)
    assert (aland["areaKm2"], aland["provinces"][0]["areaKm2"]) == (
        square,
        pytest.approx(zone["areaKm2"] / 2, rel=0.001),
    )
    # no polygon of it is known: its area is unknown, not 0
    assert (elsewhere["areaKm2"], elsewhere["provinces"][0]["areaKm2"]) == (None, None)


async def test_unit_that_is_added_makes_events_due(
    database: asyncpg.Connection, add_zone: AddZone, computed: Computed
) -> None:
    await add_zone("A", "POLYGON((50 0, 52 0, 52 2, 50 2, 50 0))")
    [before] = (await computed("A"))["impact"]["zones"]
    await database.execute(
        "INSERT INTO exposure.unit VALUES (1000000, 'DD', 'Dland', NULL, ST_Multi(ST_MakeEnvelope(51, 0, 60, 2, 4326)))"
    )
    [after] = (await computed("A"))["impact"]["zones"]
    assert (before["land"], [each["name"] for each in after["land"]]) == ([], ["Dland"])
