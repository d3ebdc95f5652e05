"""Rows of hazard.hazard_eq_events."""

from datetime import datetime
from typing import NamedTuple

from shapely.geometry import Point

from deploy.loader.records.target import Target


class EarthquakeEvent(NamedTuple):
    """An event of a feed; depth in km, times UTC, geom WGS 84 longitude, latitude."""

    event_id: str
    title: str | None
    place: str | None
    magnitude: float | None
    magnitude_type: str | None
    depth: float | None
    event_date: datetime
    updated: datetime | None
    source: str
    network: str | None
    event_type: str | None
    status: str | None
    significance: int | None
    felt: int | None
    alert_level: str | None
    tsunami: bool
    url: str | None
    detail_url: str | None
    shakemap_url: str | None
    population_impact_url: str | None
    ground_failure_url: str | None
    withdrawn: datetime | None
    nearest_place: str | None
    nearest_place_km: float | None
    nearest_place_bearing: str | None
    nearest_place_population: int | None
    country: str | None
    province: str | None
    nearest_country: str | None
    nearest_country_km: float | None
    countries_within_200_km: str | None
    geom: Point


class CatalogueEvent(NamedTuple):
    """An event of a catalogue, without report, alert or address; units as above."""

    event_id: str
    title: str | None
    place: str | None
    magnitude: float | None
    magnitude_type: str | None
    depth: float | None
    event_date: datetime
    updated: datetime | None
    source: str
    network: str | None
    event_type: str | None
    status: str | None
    nearest_place: str | None
    nearest_place_km: float | None
    nearest_place_bearing: str | None
    nearest_place_population: int | None
    country: str | None
    province: str | None
    nearest_country: str | None
    nearest_country_km: float | None
    countries_within_200_km: str | None
    geom: Point


_TABLE, _KEY = "hazard_eq_events", ("source", "event_id")

EVENTS = Target(table=_TABLE, row=EarthquakeEvent, key=_KEY, revision="updated", withdrawn="withdrawn")
REVISED_CATALOGUE = Target(table=_TABLE, row=CatalogueEvent, key=_KEY, revision="updated", withdrawn="withdrawn")
CATALOGUE = Target(table=_TABLE, row=CatalogueEvent, key=_KEY, withdrawn="withdrawn")
"""For a source without times of revision: the last load decides."""

SecondEvent = CatalogueEvent
"""An event of a second network, which gives way to that of the first one."""
SECOND_EVENTS = Target(table=_TABLE, row=SecondEvent, key=_KEY, revision="updated", withdrawn="withdrawn", returns=True)
"""Of a source that does not announce withdrawals: an event that the first network no longer lists becomes valid."""
