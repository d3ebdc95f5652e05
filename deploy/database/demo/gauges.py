"""River gauges with a predicted series of discharges, simulated along real rivers."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np
import shapely
from shapely.geometry import Point

from deploy.database.demo.floods import SIMULATED, Flood, stream
from deploy.database.demo.footprints import Field
from deploy.database.demo.rivers import Land, River
from deploy.loader.geometry.antimeridian import GRID_DEGREES

_SPACING_KM = 220.0
_DAYS = 30
_NEARBY_DEGREES = 0.3


class GaugeForecast(NamedTuple):
    """A row of hazard.hazard_fl_glofas_gauges_forecast: m³/s, UTC; geom WGS 84; time_series is JSON text."""

    event_id: str
    gauge_id: str
    title: str
    country: str
    forecast_date: datetime
    valid_to: datetime
    peak_date: datetime
    alert_level: str
    discharge_m3s: float
    peak_discharge_m3s: float
    return_2y_m3s: float
    return_5y_m3s: float
    return_20y_m3s: float
    time_series: str
    source: str
    geom: Point


def gauge_forecasts(rivers: list[River], floods: list[Flood], land: Land, now: datetime) -> Iterator[GaugeForecast]:
    """Yield a gauge about every 220 km of each river; those near a current flood forecast high water."""
    under_way = [flood for flood in floods if flood.event.ended is None]
    tree = shapely.STRtree([flood.event.geom for flood in under_way])
    number = 0
    for river in rivers:
        count = max(1, int(river.length_km / _SPACING_KM))
        for share in (np.arange(count) + 0.5) / count:
            place = shapely.set_precision(river.line.interpolate(float(share), normalized=True), GRID_DEGREES)
            country = land.country_at(place)
            if country is None:
                continue
            number += 1
            near = tree.query(place, predicate="dwithin", distance=_NEARBY_DEGREES)
            flood = under_way[int(near[0])] if near.size else None
            yield _gauge(number, place, country.name, river.length_km * float(share), flood, now=now)


def _gauge(
    number: int, place: Point, country: str, upstream_km: float, flood: Flood | None, *, now: datetime
) -> GaugeForecast:
    rng = stream("gauge", number)
    mean = 0.02 * (upstream_km + 60) ** 1.6 * float(rng.lognormal(0, 0.4))
    return_2y, return_5y, return_20y = (mean * factor for factor in (2.2, 3.0, 4.2))
    swell = {1.0: 3.4, 1.5: 4.0, 2.0: 5.0}[flood.event.severity] if flood else float(rng.lognormal(0.4, 0.45))
    median = _hydrograph(mean, swell, rng)
    spread = 1 + 0.02 * np.arange(_DAYS)
    peak = int(median.argmax())
    gauge_id = f"SIM-G-{number:05}"
    return GaugeForecast(
        event_id=flood.event.event_id if flood else f"SIM-GF-{now:%Y%m%d}-{number:05}",
        gauge_id=gauge_id,
        title=f"Gauge {gauge_id}, {country}",
        country=country,
        forecast_date=now,
        valid_to=now + timedelta(days=_DAYS - 1),
        peak_date=now + timedelta(days=peak),
        alert_level=str(np.select([median[peak] >= return_20y, median[peak] >= return_5y], ["Red", "Orange"], "Green")),
        discharge_m3s=round(float(median[0]), 1),
        peak_discharge_m3s=round(float(median[peak]), 1),
        return_2y_m3s=round(return_2y, 1),
        return_5y_m3s=round(return_5y, 1),
        return_20y_m3s=round(return_20y, 1),
        time_series=_series(now, median, median / spread, median * spread),
        source=SIMULATED,
        geom=place,
    )


def _hydrograph(mean: float, swell: float, rng: np.random.Generator) -> Field:
    """Return the daily discharge: a steep rise and a slow fall (gamma curve), up to `swell` times the mean."""
    days = np.arange(_DAYS) + float(rng.uniform(0, 4))
    rise = float(rng.uniform(2, 9))
    wave = (days / rise) ** 2 * np.exp(2 * (1 - days / rise))
    discharge: Field = mean * (0.6 + (swell - 0.6) * wave) * rng.lognormal(0, 0.02, _DAYS)
    return discharge


def _series(now: datetime, median: Field, lower: Field, upper: Field) -> str:
    return json.dumps(
        [
            {
                "time": f"{now + timedelta(days=day):%Y-%m-%dT%H:%M:%SZ}",
                "discharge_m3s": round(float(median[day]), 1),
                "p25_m3s": round(float(lower[day]), 1),
                "p75_m3s": round(float(upper[day]), 1),
            }
            for day in range(_DAYS)
        ]
    )
