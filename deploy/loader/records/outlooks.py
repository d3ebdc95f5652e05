"""Rows of the collections of disturbances from outlooks: where tropical cyclones may form, and how likely.

Times in UTC, areas in km²; geometries in WGS 84, longitude and latitude, split at ±180°.
"""

from datetime import datetime
from typing import NamedTuple

from shapely.geometry import MultiPolygon, Point

from deploy.loader.records.target import Target


class OutlookEvent(NamedTuple):
    """The columns of a row of hazard.hazard_ts_disturbance_events that an outlook fills; probabilities in percent."""

    event_id: str
    title: str | None
    basin: str | None
    season: int | None
    start_date: datetime
    end_date: datetime | None
    probability_2_days: int | None
    probability_7_days: int | None
    source: str | None
    geom: Point


class FormationArea(NamedTuple):
    """A row of hazard.hazard_ts_disturbance_buffers without a wind; probabilities in percent."""

    event_id: str
    basin: str
    season: int
    start_date: datetime
    end_date: datetime
    kind: str
    advisory_time: datetime
    area_km2: float
    population_in_places: int | None
    largest_places: str | None
    probability_2_days: int | None
    probability_7_days: int | None
    formation_area: str
    source: str
    geom: MultiPolygon


OUTLOOK_EVENTS = Target(table="hazard_ts_disturbance_events", row=OutlookEvent, key=("event_id",))
FORMATION_AREAS = Target(
    table="hazard_ts_disturbance_buffers", row=FormationArea, key=("formation_area",), scope=("kind", "source")
)
