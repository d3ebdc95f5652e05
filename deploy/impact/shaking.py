"""Zones of earthquakes: the contours of a ShakeMap where a source has them, else circles of an equation."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import cos, pi
from typing import Any

import asyncpg
import shapely
from shapely.geometry import MultiPolygon
from shapely.geometry.base import BaseGeometry

from deploy.impact import zones
from deploy.impact.circles import circle
from deploy.impact.contours import ContourArea, contour_areas
from deploy.impact.documents import Tables
from deploy.impact.intensity import CLASSES, applies, radii_km
from deploy.impact.methods import SHAKEMAP
from deploy.loader.geometry.antimeridian import area_km2
from deploy.loader.places.sphere import EARTH_KM

_LONG_EDGE = 0.25
"""Degrees after which an edge gets another corner, so that it does not differ from a geodesic."""


async def make_shaking(
    connection: asyncpg.Connection, earthquakes: Mapping[str, asyncpg.Record], found: defaultdict[str, Tables]
) -> None:
    """Put the zones of these earthquakes into the tables of the database, and name them among the zones."""
    rows: defaultdict[str, list[asyncpg.Record]] = defaultdict(list)
    for row in await connection.fetch(zones.CONTOURS, list(earthquakes)):
        rows[row["event_id"]].append(row)
    circles: list[tuple[str, str, float, float, float]] = []
    for event, quake in earthquakes.items():
        if rows[event] and await _add_contours(connection, quake, rows[event], found[event]):
            continue
        circles += _circles(event, quake, found[event])
    columns = [list(column) for column in zip(*circles, strict=True)] or [[], [], [], [], []]
    await connection.execute(zones.MAKE_CIRCLES, *columns)
    # people are counted by their distance; only land is measured within the polygon
    for event, zone, radius, longitude, latitude in circles:
        polygon = circle(longitude, latitude, radius)
        found[event].shapes["estimated", zone] = polygon
        await _add(connection, event, "estimated", zone, polygon, has_members=False)


async def _add_contours(
    connection: asyncpg.Connection, quake: asyncpg.Record, rows: Sequence[asyncpg.Record], tables: Tables
) -> bool:
    """Add the areas of a ShakeMap; return whether they replace the equation."""
    contours: dict[float, BaseGeometry] = {row["intensity"]: shapely.from_wkb(row["wkb"]) for row in rows}
    areas, unclosed = contour_areas(contours, quake["longitude"], quake["latitude"])
    if unclosed:
        tables.missing.append(f"Contours of the ShakeMap with gaps, whose classes are left out: {unclosed}.")
    if not areas:
        if not unclosed:
            tables.missing.append("The ShakeMap has no contour of intensity IV or more.")
        return not unclosed
    sources = sorted({_source(row) for row in rows})
    for each in areas:
        tables.zones.append(_contour_zone(each, sources))
        tables.shapes[SHAKEMAP, each.zone] = each.geometry
        await _add(connection, quake["event_id"], SHAKEMAP, each.zone, each.geometry, has_members=True)
    if cut := [each.zone for each in areas if each.is_cut]:
        tables.missing.append(
            f"The zone of intensity {cut[0]} and weaker ones reach the edge of the ShakeMap. People beyond it are not "
            "counted."
            if len(cut) > 1
            else f"The zone of intensity {cut[0]} reaches the edge of the ShakeMap. People beyond it are not counted."
        )
    return True


def _source(row: asyncpg.Record) -> str:
    version = f", version {row['version']}" if row["version"] is not None else ""
    return f"{row['source'] or 'ShakeMap'}{version}"


async def _add(
    connection: asyncpg.Connection, event: str, kind: str, zone: str, geometry: MultiPolygon, *, has_members: bool
) -> None:
    wkb = shapely.to_wkb(shapely.set_srid(geometry, 4326), include_srid=True)
    await connection.execute(zones.ADD_POLYGON, event, kind, zone, has_members, wkb)


def _contour_zone(each: ContourArea, sources: list[str]) -> dict[str, Any]:
    return {
        "kind": SHAKEMAP,
        "zone": each.zone,
        "rank": CLASSES[each.zone],
        "sources": sources,
        "km2": area_km2(shapely.segmentize(each.geometry, _LONG_EDGE)),
        "fromIntensity": each.lowest,
        "isCut": each.is_cut,
    }


def _circles(event: str, quake: asyncpg.Record, tables: Tables) -> list[tuple[str, str, float, float, float]]:
    """Name the circles of an earthquake among its zones; return them: event, zone, radius in m, centre."""
    magnitude, depth = quake["magnitude"], quake["depth"]
    if (reason := applies(magnitude, depth)) is not None:
        tables.missing.append(reason)
        return []
    radii = radii_km(magnitude, depth)
    if not radii:
        tables.missing.append("The estimated intensity is below IV everywhere.")
    tables.zones += [_circle(zone, radius) for zone, radius in reversed(radii.items())]
    return [
        (event, zone, radius * 1000, quake["longitude"], quake["latitude"]) for zone, radius in reversed(radii.items())
    ]


def _circle(zone: str, radius_km: float) -> dict[str, Any]:
    return {
        "kind": "estimated",
        "zone": zone,
        "rank": CLASSES[zone],
        "sources": [],
        "km2": 2 * pi * EARTH_KM**2 * (1 - cos(radius_km / EARTH_KM)),
        "radiusKm": round(radius_km, 1),
        "fromIntensity": CLASSES[zone],
        "isCut": False,
    }
