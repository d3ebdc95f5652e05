"""Flood alerts and seasonal forecast alerts, simulated along real rivers."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
from shapely.geometry import MultiPolygon, Point

from deploy.database.demo.floods import SIMULATED, Flood, area_along, site, stream, surroundings
from deploy.database.demo.rivers import Land, River
from deploy.loader.geometry.antimeridian import area_km2
from deploy.loader.places.gazetteer import Gazetteer

_LEVELS = {1.0: "Green", 1.5: "Orange", 2.0: "Red"}
_FORECAST_MONTHS = 4


class FloodAlert(NamedTuple):
    """A row of hazard.hazard_fl_alerts: km², UTC; geom WGS 84."""

    alert_id: str
    event_id: str
    title: str
    alert_level: str
    issued: datetime
    expires: datetime
    severity: float
    country: str
    province: str | None
    area_km2: float
    place: str
    nearest_place: str
    nearest_place_km: float
    nearest_place_bearing: str | None
    nearest_place_population: int
    population_in_places: int
    source: str
    geom: MultiPolygon


class ForecastAlert(NamedTuple):
    """A row of hazard.hazard_fl_alerts_mom_forecast: %, km², UTC; geom WGS 84."""

    alert_id: str
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


class ForecastRun(NamedTuple):
    """A row of hazard.hazard_fl_alerts_mom_runs: %, UTC; geom WGS 84."""

    event_id: str
    watershed_id: str
    title: str
    alert_level: str
    forecast_date: datetime
    valid_to: datetime
    probability: float
    country: str
    source: str
    geom: Point


def flood_alerts(
    floods: list[Flood], rivers: list[River], land: Land, gazetteer: Gazetteer, now: datetime, *, others: int = 60
) -> list[FloodAlert]:
    """Simulate an alert for each current flood, and `others` without an observed flood; the oldest first.

    All are active at `now` and a day later: alerts of lasting floods are renewed.
    """
    drafts = []
    for flood in floods:
        if flood.event.ended is None:
            rng = stream(f"alert {flood.event.event_id.rpartition('-')[2]}")
            area = area_along(flood.reach, land, rng, float(rng.uniform(15, 30)))
            issued = flood.event.began - timedelta(hours=float(rng.integers(3, 72)))
            drafts.append(
                _alert(flood.event.event_id, flood.event.severity, flood.country.name, area, issued=issued, now=now)
            )
    for number in range(others):
        rng = stream("alert", number)
        reach, country = site(rivers, land, rng, float(rng.uniform(60, 250)))
        area = area_along(reach, land, rng, float(rng.uniform(12, 30)))
        issued = now - timedelta(hours=float(rng.integers(1, 120)))
        severity = float(rng.choice((1.0, 1.5, 2.0), p=(0.6, 0.3, 0.1)))
        drafts.append(
            _alert(f"SIM-FA-{issued:%Y}-{number + 1:04}", severity, country.name, area, issued=issued, now=now)
        )
    near = surroundings(gazetteer, [draft["geom"] for draft in drafts])
    alerts = [FloodAlert(**draft, **facts) for draft, facts in zip(drafts, near, strict=True)]
    return sorted(alerts, key=lambda alert: (alert.issued, alert.event_id))


def forecast_alerts(rivers: list[River], land: Land, now: datetime, watersheds: int = 45) -> list[ForecastAlert]:
    """Simulate forecasts for some watersheds, issued in each of the four months up to that of `now`.

    Each is for the following three months. The oldest first; a watershed occurs once per month.
    """
    places = []
    for number in range(watersheds):
        rng = stream("watershed", number)
        reach, country = site(rivers, land, rng, float(rng.uniform(200, 600)))
        places.append((f"SIM-WS-{number + 1:04}", country, area_along(reach, land, rng, float(rng.uniform(40, 90)))))
    alerts = []
    for back in range(_FORECAST_MONTHS - 1, -1, -1):
        years, month = divmod(now.year * 12 + now.month - 1 - back, 12)
        made = datetime(years, month + 1, 1, tzinfo=now.tzinfo)
        for number, (watershed_id, country, area) in enumerate(places):
            # seeded by the number of months back, so that every day has the same number
            rng = stream(f"forecast {back}", number)
            probability = round(float(rng.beta(2, 3)) * 100, 1)
            if probability < 25:
                continue
            severity = float(np.select([probability >= 70, probability >= 50], [2.0, 1.5], 1.0))
            alerts.append(
                ForecastAlert(
                    alert_id=watershed_id,
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
            )
    return alerts


def latest_of_watersheds(alerts: list[ForecastAlert]) -> list[ForecastAlert]:
    """Return the last one of each watershed: the current forecast."""
    return list({alert.watershed_id: alert for alert in alerts}.values())


def runs_of_watersheds(alerts: list[ForecastAlert]) -> Iterator[ForecastRun]:
    """Yield each of them, at a point in the watershed."""
    for alert in alerts:
        facts = {name: value for name, value in alert._asdict().items() if name in ForecastRun._fields}
        yield ForecastRun(**facts | {"geom": alert.geom.representative_point()})


def _alert(
    event_id: str, severity: float, country: str, area: MultiPolygon, *, issued: datetime, now: datetime
) -> dict[str, Any]:
    """Return the simulated values of an alert, by column."""
    return {
        "alert_id": event_id,
        "event_id": event_id,
        "title": f"{_LEVELS[severity]} flood alert, {country}, {issued:%d %B %Y}",
        "alert_level": _LEVELS[severity],
        "issued": issued,
        "expires": max(issued, now) + timedelta(days=2 * severity),
        "severity": severity,
        "country": country,
        "area_km2": area_km2(area),
        "source": SIMULATED,
        "geom": area,
    }
