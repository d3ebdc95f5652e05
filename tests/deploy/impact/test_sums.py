"""Sums of people equal those of an independent computation, for zones of any shape."""

from __future__ import annotations

import asyncpg
import numpy as np
import pytest
import shapely
from pyproj import Geod
from shapely.affinity import translate
from shapely.geometry.base import BaseGeometry

from deploy.impact.intensity import radii_km
from deploy.loader.geometry.antimeridian import split_polygons
from tests.deploy.impact.conftest import AddPlaces, AddZone, Computed

_HOLE = "POLYGON((0 0, 20 0, 20 20, 0 20, 0 0), (5 5, 15 5, 15 15, 5 15, 5 5))"
_PARTS = (
    "MULTIPOLYGON(((0 0, 10 0, 0 10, 0 0)), ((-30 -20, -20 -20, -20 -5, -30 -20)), ((8 8, 12 8, 12 12, 8 12, 8 8)))"
)
_POLE = "POLYGON((-180 80, 180 80, 180 90, -180 90, -180 80))"
_MANY_CORNERS = shapely.Point(3, 4).buffer(15, quad_segs=400).wkt


def scattered(number: int) -> list[tuple[float, float, int]]:
    """Places all over the world, and on the grid along which zones may be cut up."""
    random = np.random.default_rng(42)
    east, north = random.uniform(-180, 180, number), random.uniform(-90, 90, number)
    people = random.integers(1, 1_000_000, number)
    near = [(float(x), float(y), 1000 + x + 100 * y) for x in range(-3, 22) for y in range(-2, 22)]
    return [
        *zip(east.tolist(), north.tolist(), people.tolist(), strict=True),
        *[(x, y, abs(int(p))) for x, y, p in near],
    ]


PLACES = [place for place in scattered(4000) if place[2] > 0]


def people_within(zone: BaseGeometry) -> tuple[int, int]:
    """Sum over all places, one by one, in unrolled degrees: people and places."""
    worlds = [zone, translate(zone, -360), translate(zone, 360)]
    found = [
        people
        for east, north, people in PLACES
        if any(world.intersects(shapely.Point(east, north)) for world in worlds)
    ]
    return sum(found), len(found)


@pytest.mark.parametrize("wkt", [_HOLE, _PARTS, _POLE, _MANY_CORNERS], ids=["hole", "parts", "pole", "corners"])
async def test_polygon_sum_equals_brute_force(
    wkt: str, add_places: AddPlaces, add_zone: AddZone, computed: Computed
) -> None:
    await add_places(PLACES)
    await add_zone("A", wkt)
    [zone] = (await computed("A"))["impact"]["zones"]
    assert (zone["people"], zone["places"]) == people_within(shapely.from_wkt(wkt))
    assert zone["people"] > 0


async def test_polygon_across_antimeridian_sum_equals_brute_force(
    add_places: AddPlaces, add_zone: AddZone, computed: Computed
) -> None:
    unrolled = shapely.Point(178, -10).buffer(25).difference(shapely.Point(181, -12).buffer(6))
    await add_places(PLACES)
    await add_zone("A", split_polygons(unrolled).wkt)
    [zone] = (await computed("A"))["impact"]["zones"]
    # a grid of about a metre lies between the two shapes
    assert (zone["people"], zone["places"]) == people_within(unrolled)
    assert zone["places"] > 50


async def test_overlapping_rows_of_one_zone_count_people_once(
    database: asyncpg.Connection, add_places: AddPlaces, computed: Computed
) -> None:
    await add_places([(1.0, 1.0, 700), (3.0, 3.0, 50)])
    for number, wkt in enumerate(("POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))", "POLYGON((0 0, 4 0, 4 4, 0 4, 0 0))")):
        await database.execute(
            "INSERT INTO hazard.hazard_fl_alerts (alert_id, event_id, title, alert_level, issued, geom) "
            "VALUES ($1, 'F', 'Flood', 'Red', '2020-01-01', ST_Multi(ST_GeomFromText($2, 4326)))",
            f"a{number}",
            wkt,
        )
    [zone] = (await computed("F"))["impact"]["zones"]
    assert (zone["people"], zone["places"]) == (750, 2)


@pytest.mark.parametrize(
    ("longitude", "latitude"), [(120.0, 23.5), (179.9, -17.0), (-179.95, 51.5), (30.0, 89.7), (-60.0, -89.9)]
)
async def test_circle_sum_equals_geodesic_distances(
    longitude: float, latitude: float, database: asyncpg.Connection, add_places: AddPlaces, computed: Computed
) -> None:
    geod, random = Geod(ellps="WGS84"), np.random.default_rng(7)
    east, north, _ = geod.fwd(
        np.full(600, longitude), np.full(600, latitude), random.uniform(0, 360, 600), random.uniform(0, 250_000, 600)
    )
    places = [(float(x), float(y), 10 + number) for number, (x, y) in enumerate(zip(east, north, strict=True))]
    await add_places(places)
    await database.execute(
        "INSERT INTO hazard.hazard_eq_events (event_id, title, magnitude, depth, event_date, source, geom) "
        "VALUES ('Q', 'M 7', 7.0, 10, '2020-01-01', 'tests', ST_SetSRID(ST_MakePoint($1, $2), 4326))",
        longitude,
        latitude,
    )
    zones = (await computed("Q"))["impact"]["zones"]
    radii = radii_km(7.0, 10.0)
    assert [zone["zone"] for zone in zones] == list(radii)
    for zone in zones:
        _, _, metres = geod.inv(np.full(600, longitude), np.full(600, latitude), east, north)
        within = [
            people
            for (*_, people), distance in zip(places, metres, strict=True)
            if distance <= radii[zone["zone"]] * 1000
        ]
        assert (zone["people"], zone["places"]) == (sum(within), len(within))
    assert zones[-1]["people"] > zones[0]["people"]
