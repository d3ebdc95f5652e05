"""Columns of hazard.hazard_eq_events that products about an earthquake fill, and its contours of intensity.

Times in UTC; geometries in WGS 84, longitude and latitude.
"""

from datetime import datetime
from typing import NamedTuple

from shapely.geometry import MultiLineString, Point

from deploy.loader.records.target import Target


class EarthquakeProducts(NamedTuple):
    """The columns of products of the USGS."""

    event_id: str
    source: str
    title: str | None
    event_date: datetime
    withdrawn: datetime | None
    max_intensity: float | None
    people_strong_shaking: int | None
    landslide_alert: str | None
    liquefaction_alert: str | None
    contours_url: str | None
    geom: Point


class TsunamiBulletin(NamedTuple):
    """The columns of a bulletin of a tsunami warning centre."""

    event_id: str
    source: str
    magnitude: float | None
    event_date: datetime
    withdrawn: datetime | None
    tsunami_status: str | None
    tsunami_url: str | None
    tsunami_issued: datetime | None
    geom: Point


class Contour(NamedTuple):
    """A row of hazard.hazard_eq_contours."""

    event_id: str
    title: str
    intensity: float
    event_date: datetime
    updated: datetime | None
    version: int | None
    source: str
    geom: MultiLineString


_TABLE, _KEY = "hazard_eq_events", ("source", "event_id")

PRODUCTS = Target(
    table=_TABLE,
    row=EarthquakeProducts,
    key=_KEY,
    keeps=("max_intensity", "people_strong_shaking", "landslide_alert", "liquefaction_alert", "contours_url"),
)
BULLETINS = Target(table=_TABLE, row=TsunamiBulletin, key=_KEY)
CONTOURS = Target(table="hazard_eq_contours", row=Contour, key=("event_id", "intensity"), scope=("event_id",))
