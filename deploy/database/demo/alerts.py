"""Flood alerts and seasonal forecast alerts, simulated along real rivers."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np
from shapely.geometry import MultiPolygon

from deploy.database.demo.antimeridian import area_km2
from deploy.database.demo.floods import NOW, SIMULATED, Flood, area_along, site, stream
from deploy.database.demo.rivers import Land, River

_LEVELS = {1.0: "Green", 1.5: "Orange", 2.0: "Red"}
_FORECAST_MONTHS = 4


class FloodAlert(NamedTuple):
    """A row of hazard.hazard_fl_alerts: km², UTC; geom WGS 84."""

    event_id: str
    title: str
    alert_level: str
    issued: datetime
    expires: datetime
    severity: float
    country: str
    area_km2: float
    source: str
    geom: MultiPolygon


class ForecastAlert(NamedTuple):
    """A row of hazard.hazard_fl_alerts_mom_forecast: %, km², UTC; geom WGS 84."""

    event_id: str
    watershed_id: str
    title: str
    alert_level: str
    forecast_date: datetime
    valid_from: datetime
    valid_to: datetime
    probability: float
    severity: float
    country: str
    area_km2: float
    source: str
    geom: MultiPolygon


def flood_alerts(floods: list[Flood], rivers: list[River], land: Land, others: int = 60) -> list[FloodAlert]:
    """An alert for each flood under way, and `others` where no flood was observed (yet); the oldest first."""
    alerts = []
    for flood in floods:
        if flood.event.ended is None:
            rng = stream(f"alert {flood.event.event_id}")
            area = area_along(flood.reach, land, rng, float(rng.uniform(15, 30)))
            issued = flood.event.began - timedelta(hours=float(rng.integers(3, 72)))
            alerts.append(_alert(flood.event.event_id, flood.event.severity, issued, flood.country.name, area))
    for number in range(others):
        rng = stream("alert", number)
        reach, country = site(rivers, land, rng, float(rng.uniform(60, 250)))
        area = area_along(reach, land, rng, float(rng.uniform(12, 30)))
        issued = NOW - timedelta(hours=float(rng.integers(1, 120)))
        severity = float(rng.choice((1.0, 1.5, 2.0), p=(0.6, 0.3, 0.1)))
        alerts.append(_alert(f"SIM-FA-{issued:%Y}-{number + 1:04}", severity, issued, country.name, area))
    return sorted(alerts, key=lambda alert: (alert.issued, alert.event_id))


def forecast_alerts(rivers: list[River], land: Land, watersheds: int = 45) -> Iterator[ForecastAlert]:
    """For each of four months, what is forecast for the following three in some of the watersheds."""
    places = []
    for number in range(watersheds):
        rng = stream("watershed", number)
        reach, country = site(rivers, land, rng, float(rng.uniform(200, 600)))
        places.append((f"SIM-WS-{number + 1:04}", country, area_along(reach, land, rng, float(rng.uniform(40, 90)))))
    for back in range(_FORECAST_MONTHS - 1, -1, -1):
        made = datetime(NOW.year, NOW.month - back, 1, tzinfo=NOW.tzinfo)
        for number, (watershed_id, country, area) in enumerate(places):
            rng = stream(f"forecast {made:%Y%m}", number)
            probability = round(float(rng.beta(2, 3)) * 100, 1)
            if probability < 25:
                continue
            severity = float(np.select([probability >= 70, probability >= 50], [2.0, 1.5], 1.0))
            yield ForecastAlert(
                event_id=f"SIM-FF-{made:%Y%m}-{number + 1:04}",
                watershed_id=watershed_id,
                title=f"{_LEVELS[severity]} flood forecast, {country.name}, from {made:%B %Y}",
                alert_level=_LEVELS[severity],
                forecast_date=made,
                valid_from=made,
                valid_to=made + timedelta(days=90),
                probability=probability,
                severity=severity,
                country=country.name,
                area_km2=area_km2(area),
                source=SIMULATED,
                geom=area,
            )


def _alert(event_id: str, severity: float, issued: datetime, country: str, area: MultiPolygon) -> FloodAlert:
    """Alerts of lasting floods are renewed, so all of them end after NOW."""
    return FloodAlert(
        event_id=event_id,
        title=f"{_LEVELS[severity]} flood alert, {country}, {issued:%d %B %Y}",
        alert_level=_LEVELS[severity],
        issued=issued,
        expires=max(issued, NOW) + timedelta(days=2 * severity),
        severity=severity,
        country=country,
        area_km2=area_km2(area),
        source=SIMULATED,
        geom=area,
    )
