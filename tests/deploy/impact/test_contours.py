"""Zones of a ShakeMap are where its intensity is that of their class, whatever the shape of its contours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from math import isclose
from typing import Any

import asyncpg
import contourpy
import numpy as np
import pytest
import shapely
from rasterio.io import MemoryFile
from shapely.geometry import MultiLineString

from deploy.impact.contours import contour_areas
from deploy.loader.geometry.antimeridian import split_lines
from tests.deploy.impact.conftest import AddPlaces, Computed

Numbers = np.ndarray[Any, np.dtype[np.float64]]
Field = Callable[[Numbers, Numbers], Numbers]
"""Intensity at distances from the epicentre, in degrees."""

_HALF = 2.0
"""From the epicentre to the edges of the map, in degrees."""


def peak(x: Numbers, y: Numbers) -> Numbers:
    found: Numbers = 8.2 - 2.6 * np.hypot(x, 2 * y)
    return found


def peak_near_corner(x: Numbers, y: Numbers) -> Numbers:
    found: Numbers = 9.8 - 2 * np.hypot(x - 1.5, y + 1.6)
    return found


def two_peaks_with_hole(x: Numbers, y: Numbers) -> Numbers:
    near = 8.0 - 3 * np.abs(np.hypot(x, y) - 0.6)
    far = 7.2 - 6 * np.hypot(x + 1.6, y - 1.7)
    found: Numbers = np.maximum(np.maximum(near, far), 3.7)
    return found


def strong_as_far_as_the_edge(x: Numbers, y: Numbers) -> Numbers:
    found: Numbers = 6.2 + 1.1 * np.sin(2 * x) - 2 * np.exp(-4 * ((x - 0.8) ** 2 + (y - 0.5) ** 2))
    return found


_FIELDS = [peak, peak_near_corner, two_peaks_with_hole, strong_as_far_as_the_edge]


def contours_of(field: Field, longitude: float, latitude: float, step: float = 0.5) -> dict[float, MultiLineString]:
    """The contours of a field as a publisher draws them, stored as the loader stores them."""
    offsets = np.linspace(-_HALF, _HALF, 161)
    x, y = np.meshgrid(offsets, offsets)
    made = contourpy.contour_generator(x + longitude, y + latitude, field(x, y), line_type=contourpy.LineType.Separate)
    levels = np.arange(0, 10.5, step)
    lines = {
        float(level): MultiLineString([np.round(np.asarray(part), 6) for part in made.lines(level)]) for level in levels
    }
    return {level: split_lines(shape) for level, shape in lines.items() if not shape.is_empty}


def scattered(number: int, half: float = _HALF) -> tuple[Numbers, Numbers]:
    random = np.random.default_rng(42)
    return random.uniform(-half, half, number), random.uniform(-half, half, number)


@pytest.mark.parametrize("longitude", [121.6, 179.4, -179.9], ids=["Taiwan", "west of 180", "east of 180"])
@pytest.mark.parametrize("field", _FIELDS, ids=lambda field: field.__name__)
def test_area_is_where_the_field_is_strong(field: Field, longitude: float) -> None:
    found = contour_areas(contours_of(field, longitude, -18.0), longitude, -18.0)
    assert found.unclosed == 0
    x, y = scattered(4000)
    # beyond the outermost lines nothing says how far the map goes
    west, south, east, north = shapely.GeometryCollection([*contours_of(field, 0.0, 0.0).values()]).bounds
    is_known = (x > west) & (x < east) & (y > south) & (y < north)
    x, y = x[is_known], y[is_known]
    values = field(x, y)
    assert found.areas
    for area in found.areas:
        is_inside = shapely.contains_xy(area.geometry, (x + longitude + 180) % 360 - 180, y - 18.0)
        # beside a contour the lines and the field may differ; at the edge the lines of the map end
        is_clear = np.abs(values - area.lowest) > 0.06
        assert (is_inside == (values >= area.lowest))[is_clear].mean() > 0.999, area.zone
        assert is_inside.sum() == pytest.approx((values >= area.lowest).sum(), rel=0.03, abs=8)


@pytest.mark.parametrize("field", _FIELDS, ids=lambda field: field.__name__)
def test_stronger_area_lies_within_weaker(field: Field) -> None:
    areas = [area.geometry for area in contour_areas(contours_of(field, 10.0, 45.0), 10.0, 45.0).areas]
    for inner, outer in pairwise(areas):
        assert inner.difference(outer).area < 1e-6


def test_area_that_the_edge_of_the_map_cuts_says_so() -> None:
    found = contour_areas(contours_of(peak_near_corner, 0.0, 0.0), 0.0, 0.0).areas
    assert [(area.zone, area.is_cut) for area in found][:3] == [("X", False), ("IX", True), ("VIII", True)]
    assert not any(
        area.is_cut for area in contour_areas(contours_of(peak, 0.0, 0.0), 0.0, 0.0).areas if area.lowest > 5
    )


def test_contour_of_the_whole_number_serves_where_the_half_is_missing() -> None:
    found = contour_areas(contours_of(peak, 0.0, 0.0, step=1.0), 0.0, 0.0).areas
    assert [(area.zone, area.lowest) for area in found][:2] == [("VIII", 8.0), ("VII", 7.0)]
    halves = contour_areas(contours_of(peak, 0.0, 0.0), 0.0, 0.0).areas
    assert [(area.zone, area.lowest) for area in halves][:2] == [("VIII", 7.5), ("VII", 6.5)]


def test_line_with_a_gap_is_left_out_and_counted() -> None:
    contours = contours_of(peak, 0.0, 0.0)
    ring = shapely.get_parts(contours[6.5])[0]
    contours[6.5] = MultiLineString([ring.coords[: len(ring.coords) * 2 // 3]])
    found = contour_areas(contours, 0.0, 0.0)
    assert found.unclosed == 1
    assert "VII" not in [area.zone for area in found.areas]
    assert "VI" in [area.zone for area in found.areas]


async def add_shakemap(
    database: asyncpg.Connection, contours: Mapping[float, MultiLineString], longitude: float, source: str
) -> None:
    """Add an earthquake with these contours."""
    await database.execute(
        "INSERT INTO hazard.hazard_eq_events (event_id, title, magnitude, depth, event_date, source, geom) "
        "VALUES ('Q', 'M 6.4', 6.4, 10, '2020-01-01', 'USGS', ST_SetSRID(ST_MakePoint($1, 24), 4326))",
        longitude,
    )
    await database.executemany(
        "INSERT INTO hazard.hazard_eq_contours (event_id, intensity, event_date, version, source, geom) "
        "VALUES ('Q', $1, '2020-01-01', 3, $2, ST_GeomFromText($3, 4326))",
        [(intensity, source, shape.wkt) for intensity, shape in contours.items()],
    )


async def test_people_are_those_within_the_contours(
    database: asyncpg.Connection, add_places: AddPlaces, computed: Computed
) -> None:
    x, y = scattered(900, half=_HALF * 1.2)
    people = np.arange(100, 1000)
    places = zip(((x + 179.5 + 180) % 360 - 180).tolist(), (y + 24).tolist(), people.tolist(), strict=True)
    await add_places(list(places))
    await add_shakemap(database, contours_of(two_peaks_with_hole, 179.5, 24.0), 179.5, "USGS ShakeMap")
    stored = await computed("Q")
    found = stored["impact"]["zones"]
    assert [(zone["zone"], zone["kind"], zone["sources"]) for zone in found[:2]] == [
        ("VIII", "analysed", ["USGS ShakeMap, version 3"]),
        ("VII", "analysed", ["USGS ShakeMap, version 3"]),
    ]
    is_on_map = np.maximum(np.abs(x), np.abs(y)) <= _HALF
    values = two_peaks_with_hole(x, y)
    for zone in found:
        within = people[(values >= zone["fromIntensity"]) & is_on_map].sum()
        assert zone["people"] == pytest.approx(within, rel=0.03), zone["zone"]
    assert stored["impact"]["method"]["name"] == "Places within contours of a ShakeMap"
    assert "equation" not in stored["impact"]["method"]
    assert stored["facilities"]["method"]["name"] == stored["impact"]["method"]["name"]
    assert (stored["headline"]["zone"], stored["headline"]["kind"]) == ("VI", "analysed")


async def test_raster_has_the_classes_of_the_contours(database: asyncpg.Connection, computed: Computed) -> None:
    await add_shakemap(database, contours_of(peak, 121.0, 24.0), 121.0, "USGS ShakeMap")
    await computed("Q")
    tif = await database.fetchval("SELECT tif FROM impact.raster WHERE event_id = 'Q'")
    with MemoryFile(tif) as file, file.open() as raster:
        sampled = [int(value[0]) for value in raster.sample([(121, 24), (121.4, 24), (121.9, 24)])]
        assert raster.tags()["METHOD"] == "Places within contours of a ShakeMap"
    assert sampled == [8, 7, 6]


async def test_simulated_contours_leave_the_equation(database: asyncpg.Connection, computed: Computed) -> None:
    await add_shakemap(database, contours_of(peak, 121.0, 24.0), 121.0, "simulated by an equation")
    document = (await computed("Q"))["impact"]
    assert {zone["kind"] for zone in document["zones"]} == {"estimated"}
    assert document["method"]["name"] == "Places within estimated intensity"


async def test_new_shakemap_replaces_the_equation(database: asyncpg.Connection, computed: Computed) -> None:
    contours = contours_of(peak, 121.0, 24.0)
    await add_shakemap(database, {}, 121.0, "")
    before = await computed("Q")
    await database.execute("DELETE FROM hazard.hazard_eq_events")
    await add_shakemap(database, contours, 121.0, "USGS ShakeMap")
    after = await computed("Q")
    assert (before["headline"]["kind"], after["headline"]["kind"]) == ("estimated", "analysed")
    assert before["digest"] != after["digest"]


async def test_faults_of_a_shakemap_are_reported(database: asyncpg.Connection, computed: Computed) -> None:
    contours = contours_of(peak_near_corner, 121.0, 24.0)
    ring = shapely.get_parts(contours[9.5])[0]
    contours[9.5] = MultiLineString([ring.coords[: len(ring.coords) * 2 // 3]])
    await add_shakemap(database, contours, 121.0, "USGS ShakeMap")
    document = (await computed("Q"))["impact"]
    gap, edge = document["missing"]
    assert gap == "Contours of the ShakeMap with gaps, whose classes are left out: 1."
    assert edge.endswith("reach the edge of the ShakeMap. People beyond it are not counted.")
    assert {zone["isCut"] for zone in document["zones"]} == {True}
    assert isclose(document["zones"][0]["fromIntensity"], 8.5)


async def test_weak_shakemap_has_no_zones(database: asyncpg.Connection, computed: Computed) -> None:
    weak = {level: shape for level, shape in contours_of(peak, 121.0, 24.0).items() if level < 3.5}
    await add_shakemap(database, weak, 121.0, "USGS ShakeMap")
    document = (await computed("Q"))["impact"]
    assert document["zones"] == []
    assert document["missing"] == ["The ShakeMap has no contour of intensity IV or more."]
