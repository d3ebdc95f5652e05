"""Rows of hazard.hazard_eq_events from sources that rate an earthquake's severity, with few other facts."""

from datetime import datetime
from typing import NamedTuple

from shapely.geometry import Point

from deploy.loader.records.target import Target


class AlertedEarthquake(NamedTuple):
    """Times UTC, geom WGS 84 longitude, latitude."""

    event_id: str
    title: str
    place: str
    magnitude: float | None
    event_date: datetime
    updated: datetime
    source: str
    event_type: str
    alert_level: str
    episode_id: int
    url: str | None
    glide_number: str | None
    nearest_place: str
    nearest_place_km: float
    nearest_place_bearing: str | None
    nearest_place_population: int
    country: str | None
    province: str | None
    nearest_country: str | None
    nearest_country_km: float | None
    countries_within_200_km: str | None
    geom: Point


class EarthquakeGlide(NamedTuple):
    """The GLIDE number of an earthquake of another source."""

    event_id: str
    source: str
    event_date: datetime
    glide_number: str
    geom: Point


ALERTED_EARTHQUAKES = Target(
    table="hazard_eq_events",
    row=AlertedEarthquake,
    key=("source", "event_id"),
    revision="episode_id",
    withdrawn="withdrawn",
    keeps=("magnitude", "url", "glide_number"),
)
GLIDES = Target(table="hazard_eq_events", row=EarthquakeGlide, key=("source", "event_id"))
