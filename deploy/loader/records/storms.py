"""Rows of the collections of storms, and of the advisories stored beside them.

Speeds in kt, pressures in hPa, lengths in km, radii in nautical miles, times in UTC; geometries in WGS 84, longitude
and latitude, split at ±180°.
"""

from datetime import datetime
from typing import NamedTuple

from shapely.geometry import MultiLineString, MultiPolygon, Point

from deploy.loader.records.target import Target


class StormEvent(NamedTuple):
    """A row of hazard.hazard_ts_events; geom is the position at peak intensity."""

    event_id: str
    title: str
    name: str | None
    basin: str
    season: int
    category: str | None
    max_wind_kt: int | None
    wind_minutes: int | None
    wind_agency: str | None
    regional_agency: str | None
    regional_wind_kt: int | None
    regional_wind_minutes: int | None
    regional_class: str | None
    min_pressure_hpa: int | None
    start_date: datetime
    end_date: datetime
    ibtracs_id: str | None
    source: str
    geom: Point


class StormIdentifiers(NamedTuple):
    """The columns of hazard.hazard_ts_events by which other data sets are joined, from GDACS."""

    event_id: str
    start_date: datetime
    glide_number: str | None
    country_codes: str | None
    geom: Point


class StormWind(NamedTuple):
    """The columns of hazard.hazard_ts_events that a bulletin of the regional agency fills."""

    event_id: str
    name: str | None
    start_date: datetime
    regional_agency: str | None
    regional_wind_kt: int | None
    regional_wind_minutes: int | None
    regional_class: str | None
    geom: Point


class StormTrack(NamedTuple):
    """A row of hazard.hazard_ts_tracks."""

    event_id: str
    name: str | None
    basin: str
    season: int
    start_date: datetime
    end_date: datetime
    kind: str
    advisory: int | None
    advisory_time: datetime | None
    category: str | None
    max_wind_kt: int | None
    wind_minutes: int | None
    wind_agency: str | None
    min_pressure_hpa: int | None
    length_km: float
    source: str
    geom: MultiLineString


class StormNode(NamedTuple):
    """A row of hazard.hazard_ts_nodes."""

    event_id: str
    name: str | None
    basin: str
    season: int
    valid_time: datetime
    kind: str
    advisory: int | None
    advisory_time: datetime | None
    category: str | None
    status: str | None
    wind_kt: int | None
    wind_minutes: int | None
    wind_agency: str | None
    regional_agency: str | None
    regional_wind_kt: int | None
    regional_wind_minutes: int | None
    regional_class: str | None
    gust_kt: int | None
    pressure_hpa: int | None
    ne34_nm: int | None
    se34_nm: int | None
    sw34_nm: int | None
    nw34_nm: int | None
    ne50_nm: int | None
    se50_nm: int | None
    sw50_nm: int | None
    nw50_nm: int | None
    ne64_nm: int | None
    se64_nm: int | None
    sw64_nm: int | None
    nw64_nm: int | None
    landfall: bool | None
    landfall_place: str | None
    source: str
    geom: Point


class StormZone(NamedTuple):
    """A row of hazard.hazard_ts_buffers."""

    event_id: str
    name: str | None
    basin: str
    season: int
    wind_speed_kt: int
    start_date: datetime
    end_date: datetime
    kind: str
    advisory: int | None
    advisory_time: datetime | None
    area_km2: float
    population_in_places: int | None
    largest_places: str | None
    source: str
    geom: MultiPolygon


class AdvisoryTrack(NamedTuple):
    """A row of hazard.hazard_ts_advisory_tracks."""

    event_id: str
    name: str | None
    basin: str
    season: int
    start_date: datetime
    end_date: datetime
    kind: str
    advisory: int | None
    advisory_time: datetime
    category: str | None
    max_wind_kt: int | None
    wind_minutes: int | None
    wind_agency: str | None
    length_km: float
    source: str
    geom: MultiLineString


class AdvisoryNode(NamedTuple):
    """A row of hazard.hazard_ts_advisory_nodes."""

    event_id: str
    name: str | None
    basin: str
    season: int
    valid_time: datetime
    kind: str
    advisory: int | None
    advisory_time: datetime
    lead_hours: int
    category: str | None
    status: str | None
    wind_kt: int | None
    wind_minutes: int | None
    wind_agency: str | None
    gust_kt: int | None
    pressure_hpa: int | None
    ne34_nm: int | None
    se34_nm: int | None
    sw34_nm: int | None
    nw34_nm: int | None
    ne50_nm: int | None
    se50_nm: int | None
    sw50_nm: int | None
    nw50_nm: int | None
    ne64_nm: int | None
    se64_nm: int | None
    sw64_nm: int | None
    nw64_nm: int | None
    landfall: bool | None
    landfall_place: str | None
    source: str
    geom: Point


class AdvisoryZone(NamedTuple):
    """A row of hazard.hazard_ts_advisory_buffers; scope is `step` (at one time) or `whole` (of the advisory)."""

    event_id: str
    name: str | None
    basin: str
    season: int
    wind_speed_kt: int
    start_date: datetime
    end_date: datetime
    kind: str
    scope: str
    advisory: int | None
    advisory_time: datetime
    area_km2: float
    population_in_places: int | None
    largest_places: str | None
    source: str
    geom: MultiPolygon


# All rows of one kind (analysed, forecast) of a storm are replaced together: an old forecast must not remain.
_LATEST = ("event_id", "kind")
_ADVISORY = ("event_id", "advisory_time")
# advisories do not have them, and bulletins of the regional agency may have filled them
_REGIONAL = ("regional_agency", "regional_wind_kt", "regional_wind_minutes", "regional_class")


def _storms(family: str) -> tuple[Target, Target, Target, Target]:
    table = f"hazard_ts_{family}"
    return (
        Target(table=f"{table}events", row=StormEvent, key=("event_id",), keeps=_REGIONAL),
        Target(table=f"{table}tracks", row=StormTrack, key=("event_id", "kind"), scope=_LATEST),
        Target(table=f"{table}nodes", row=StormNode, key=("event_id", "kind", "valid_time"), scope=_LATEST),
        Target(table=f"{table}buffers", row=StormZone, key=("event_id", "kind", "wind_speed_kt"), scope=_LATEST),
    )


EVENTS, TRACKS, NODES, ZONES = _storms("")
DISTURBANCE_EVENTS, DISTURBANCE_TRACKS, DISTURBANCE_NODES, DISTURBANCE_ZONES = _storms("disturbance_")

ADVISORY_TRACKS = Target(
    table="hazard_ts_advisory_tracks", row=AdvisoryTrack, key=("event_id", "advisory_time", "kind"), scope=_ADVISORY
)
ADVISORY_NODES = Target(
    table="hazard_ts_advisory_nodes",
    row=AdvisoryNode,
    key=("event_id", "advisory_time", "kind", "valid_time"),
    scope=_ADVISORY,
)
ADVISORY_ZONES = Target(
    table="hazard_ts_advisory_buffers",
    row=AdvisoryZone,
    key=("event_id", "advisory_time", "kind", "scope", "wind_speed_kt", "start_date"),
    scope=_ADVISORY,
)
IDENTIFIERS = Target(
    table=EVENTS.table, row=StormIdentifiers, key=("event_id",), keeps=("glide_number", "country_codes")
)
REGIONAL_WINDS = Target(table=EVENTS.table, row=StormWind, key=("event_id",))
