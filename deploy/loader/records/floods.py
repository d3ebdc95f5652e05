"""Rows of the tables of floods: areas in WGS 84, split at ±180°, km², m³/s, times UTC."""

from datetime import datetime
from typing import NamedTuple

from shapely.geometry import MultiPolygon, Point

from deploy.loader.records.target import Target


class FloodEvent(NamedTuple):
    """A row of hazard.hazard_fl_events."""

    event_id: str
    title: str
    began: datetime
    ended: datetime | None
    severity: float | None
    main_cause: str | None
    dead: int | None
    displaced: int | None
    area_km2: float
    country: str | None
    other_country: str | None
    province: str | None
    glide_number: str | None
    alert_level: str | None
    episode_id: int | None
    url: str | None
    place: str
    nearest_place: str
    nearest_place_km: float
    nearest_place_bearing: str | None
    nearest_place_population: int
    population_in_places: int
    source: str
    withdrawn: datetime | None
    geom: MultiPolygon


class FloodAlert(NamedTuple):
    """A row of hazard.hazard_fl_alerts."""

    alert_id: str
    event_id: str
    title: str
    alert_level: str
    alert_score: float | None
    episode_id: int | None
    issued: datetime
    expires: datetime | None
    country: str | None
    province: str | None
    area_km2: float
    url: str | None
    place: str
    nearest_place: str
    nearest_place_km: float
    nearest_place_bearing: str | None
    nearest_place_population: int
    population_in_places: int
    source: str
    withdrawn: datetime | None
    geom: MultiPolygon


class WatershedAlert(NamedTuple):
    """A row of hazard.hazard_fl_alerts_mom_forecast: the newest forecast of a watershed. Probabilities in %."""

    alert_id: str
    event_id: str
    watershed_id: str
    title: str
    alert_level: str
    source_level: str
    change: str | None
    forecast_date: datetime
    valid_from: datetime
    valid_to: datetime
    peak_date: datetime | None
    probability: float | None
    exceeds_2y: float | None
    exceeds_20y: float | None
    hazard_score: float | None
    country: str | None
    province: str | None
    area_km2: float
    population_in_places: int
    source: str
    geom: MultiPolygon


class WatershedRun(NamedTuple):
    """A row of hazard.hazard_fl_alerts_mom_runs: one run's forecast for a watershed, at a point in it."""

    event_id: str
    watershed_id: str
    title: str
    alert_level: str
    source_level: str
    change: str | None
    forecast_date: datetime
    valid_to: datetime
    peak_date: datetime | None
    probability: float | None
    exceeds_2y: float | None
    exceeds_20y: float | None
    hazard_score: float | None
    country: str | None
    province: str | None
    source: str
    geom: Point


class GaugeForecast(NamedTuple):
    """A row of hazard.hazard_fl_glofas_gauges_forecast; time_series is JSON text."""

    event_id: str
    gauge_id: str
    title: str
    country: str | None
    province: str | None
    forecast_date: datetime
    valid_to: datetime
    peak_date: datetime
    alert_level: str | None
    discharge_m3s: float
    peak_discharge_m3s: float
    return_2y_m3s: float | None
    return_5y_m3s: float | None
    return_20y_m3s: float | None
    upstream_area_km2: float | None
    members: int
    time_series: str
    source: str
    geom: Point


class FloodImpact(NamedTuple):
    """The columns of hazard.hazard_fl_events that reports about a known flood fill."""

    event_id: str
    began: datetime
    dead: int | None
    displaced: int | None
    glide_number: str | None
    geom: MultiPolygon


FLOODS = Target(table="hazard_fl_events", row=FloodEvent, key=("event_id",), withdrawn="withdrawn")
REVISED_FLOODS = Target(
    table="hazard_fl_events",
    row=FloodEvent,
    key=("event_id",),
    revision="episode_id",
    withdrawn="withdrawn",
    returns=True,
    ends="ended",
    keeps=("dead", "displaced", "glide_number"),
)
IMPACTS = Target(
    table="hazard_fl_events", row=FloodImpact, key=("event_id",), keeps=("dead", "displaced", "glide_number")
)
ALERTS = Target(
    table="hazard_fl_alerts",
    row=FloodAlert,
    key=("alert_id",),
    revision="episode_id",
    withdrawn="withdrawn",
    returns=True,
    ends="expires",
)
LATEST_WATERSHED_ALERTS = Target(
    table="hazard_fl_alerts_mom_forecast", row=WatershedAlert, key=("alert_id",), revision="forecast_date"
)
"""One row for each watershed: an older run changes nothing."""
WATERSHED_RUNS = Target(table="hazard_fl_alerts_mom_runs", row=WatershedRun, key=("watershed_id", "forecast_date"))
GAUGES = Target(
    table="hazard_fl_glofas_gauges_forecast", row=GaugeForecast, key=("gauge_id",), revision="forecast_date"
)
