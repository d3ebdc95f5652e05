"""Flood events, simulated along real rivers: no package contains flood polygons."""

from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
from shapely.geometry import LineString, MultiPolygon

from deploy.database.demo.footprints import footprint
from deploy.database.demo.rivers import Country, Land, River, choose_reach
from deploy.loader.geometry.antimeridian import area_km2, split_polygons
from deploy.loader.places.gazetteer import Gazetteer

SIMULATED = "simulated"

_SEED = 20261101
_SEVERITIES = (1.0, 1.5, 2.0)


class FloodEvent(NamedTuple):
    """A row of hazard.hazard_fl_events: km², UTC; geom WGS 84."""

    event_id: str
    title: str
    began: datetime
    ended: datetime | None
    severity: float
    main_cause: str
    dead: int
    displaced: int
    area_km2: float
    country: str
    glide_number: str | None
    place: str
    nearest_place: str
    nearest_place_km: float
    nearest_place_bearing: str | None
    nearest_place_population: int
    province: str | None
    population_in_places: int
    source: str
    geom: MultiPolygon


class Flood(NamedTuple):
    """An event and its position, for alerts and gauges nearby."""

    event: FloodEvent
    reach: LineString
    country: Country


def stream(name: str, number: int = 0) -> np.random.Generator:
    """Return separate random numbers for each simulated object: another object does not change the others."""
    return np.random.default_rng([_SEED, number, *name.encode()])


def simulate_floods(
    rivers: list[River], land: Land, gazetteer: Gazetteer, now: datetime, count: int = 160
) -> list[Flood]:
    """Simulate `count` floods in the two years before `now`, the oldest first; the same for the same time.

    On another day they have the same places, and times shifted by the difference.
    """
    drafts = sorted((_days_ago(stream("flood date", number)), number) for number in range(count))
    floods = []
    for order, (days, number) in enumerate(reversed(drafts), start=1):
        floods.append(_flood(rivers, land, stream("flood", number), now=now, days=days, order=order))
    near = surroundings(gazetteer, [facts["geom"] for facts, _, _ in floods])
    return [
        Flood(FloodEvent(**facts, **nearby), reach, country)
        for (facts, reach, country), nearby in zip(floods, near, strict=True)
    ]


def surroundings(gazetteer: Gazetteer, areas: list[MultiPolygon]) -> list[dict[str, Any]]:
    """Return the surroundings and population of each area, by column; the simulation sets the country."""
    middles = [area.representative_point() for area in areas]
    near = gazetteer.nearby([middle.x for middle in middles], [middle.y for middle in middles])
    people = gazetteer.people_within(areas)
    found = []
    for facts, count in zip(near, people, strict=True):
        columns = facts._asdict() | {"place": facts.words, "population_in_places": count}
        del columns["country"]
        found.append(columns)
    return found


def site(rivers: list[River], land: Land, rng: np.random.Generator, length_km: float) -> tuple[LineString, Country]:
    """Return a reach whose middle lies in a country."""
    while True:
        reach = choose_reach(rivers, rng, length_km)
        country = land.country_at(reach.interpolate(0.5, normalized=True))
        if country:
            return reach, country


def area_along(reach: LineString, land: Land, rng: np.random.Generator, half_width_km: float) -> MultiPolygon:
    """Return a footprint on land, WGS 84, exterior rings anticlockwise, not empty."""
    area = split_polygons(land.clip(footprint(reach, half_width_km, rng)))
    if area.is_empty:
        raise ValueError("the reach lies off land")
    return area


def _days_ago(rng: np.random.Generator) -> float:
    """Return an age in days: one in five is within the last month, so that some floods are current."""
    recent = rng.random() < 0.2
    return round(float(rng.uniform(0.2, 30) if recent else rng.uniform(30, 730)), 2)


def _flood(
    rivers: list[River], land: Land, rng: np.random.Generator, *, now: datetime, days: float, order: int
) -> tuple[dict[str, Any], LineString, Country]:
    """Return the simulated values of an event, by column, and its position."""
    began = now - timedelta(days=days)
    severity = float(rng.choice(_SEVERITIES, p=(0.6, 0.28, 0.12)))
    reach, country = site(rivers, land, rng, float(rng.lognormal(4.6, 0.6)) * severity)
    area = area_along(reach, land, rng, float(rng.uniform(3, 9)) * severity**1.5)
    ended = began + timedelta(days=round(float(rng.lognormal(2.2, 0.6)) * severity, 1))
    cause = _cause(began, reach, rng)
    facts = {
        "event_id": f"SIM-FL-{began:%Y}-{order:04}",
        "title": f"{cause}, {country.name}, {began:%B %Y}",
        "began": began,
        "ended": ended if ended < now else None,
        "severity": severity,
        "main_cause": cause,
        "dead": int(rng.lognormal(1.0, 1.4) * (severity - 0.6)),
        "displaced": int(rng.lognormal(8, 1.6) * severity),
        "area_km2": area_km2(area),
        "country": country.name,
        "glide_number": f"SIM-FL-{began:%Y}-{order:06}-{country.code}" if country.code else None,
        "source": SIMULATED,
        "geom": area,
    }
    return facts, reach, country


def _cause(began: datetime, reach: LineString, rng: np.random.Generator) -> str:
    """Return a cause in the terms of the Dartmouth Flood Observatory that suits region and month."""
    longitude, latitude = reach.centroid.coords[0]
    if 65 < longitude < 125 and 5 < latitude < 33 and 6 <= began.month <= 10:
        return "Monsoonal rain"
    if latitude > 45 and 3 <= began.month <= 6:
        return "Snowmelt"
    if 8 < abs(latitude) < 35 and rng.random() < 0.2:
        return "Tropical cyclone"
    return "Dam break" if rng.random() < 0.05 else "Heavy rain"
