"""Discharge forecasts at gauges, from the ensembles of GloFAS; gauges are river outlets, or a given list."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, NamedTuple

import numpy as np
import shapely
from shapely.geometry import Point

from deploy.loader.documents.faults import FAULTS, reason
from deploy.loader.documents.reading import features_of
from deploy.loader.geometry.antimeridian import normalise
from deploy.loader.places.gazetteer import Nearby, installed_gazetteer
from deploy.loader.records.floods import GAUGES, GaugeForecast
from deploy.loader.records.target import Batch
from deploy.loader.source import Document, DocumentError, Findings, Rejected, Source
from deploy.loader.sources.glofas_series import Series, series_of

SOURCE_NAME = "GloFAS"
_CELL = 0.05
"""Cell size of GloFAS in degrees: the maximum distance between a series and its gauge."""


class _Gauge(NamedTuple):
    name: str
    point: Point
    upstream_area_km2: float | None
    levels: tuple[float | None, float | None, float | None]


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield one batch of all gauges. A record is the series of a position. Raises DocumentError."""
    gauges: list[_Gauge] = []
    series: dict[str, tuple[Series, _Gauge]] = {}
    tables = []
    for document in documents:
        if _is_geojson(document):
            gauges += _gauges(document, findings)
        else:
            tables.append(document)
    if not tables:
        raise DocumentError(
            "gauges alone say nothing of their rivers: give the series, too (CSV, or JSON of the flood API)"
        )
    tree = shapely.STRtree([gauge.point for gauge in gauges])
    for document in tables:
        for one in series_of(document, findings):
            gauge = _gauge_of(one, gauges, tree)
            if one.issued > document.retrieved + timedelta(days=1):
                findings.rejected.append(Rejected(gauge.name, f"its forecast is of the future, {one.issued:%Y-%m-%d}"))
                continue
            before = series.get(gauge.name)
            if before is not None:
                findings.duplicates.append(f"{gauge.name} of {min(one.issued, before[0].issued):%Y-%m-%d %H:%M}")
            if before is None or one.issued >= before[0].issued:
                series[gauge.name] = (one, gauge)
            findings.issued = max(one.issued, findings.issued or one.issued)
    points = [gauge.point for _, gauge in series.values()]
    near = installed_gazetteer().nearby([point.x for point in points], [point.y for point in points])
    rows = [(GAUGES, _row(*found, facts)) for found, facts in zip(series.values(), near, strict=True)]
    if rows:
        yield Batch(rows=[*rows])


def _is_geojson(document: Document) -> bool:
    with document.path.open("rb") as file:
        return b'"FeatureCollection"' in file.read(4096)


def _gauges(document: Document, findings: Findings) -> Iterator[_Gauge]:
    for place, feature in enumerate(features_of(document), start=1):
        try:
            yield _gauge(feature)
        except FAULTS as error:
            findings.read += 1
            findings.rejected.append(Rejected(f"gauge {place}", reason(error)))


def _gauge(feature: Any) -> _Gauge:
    """Return a gauge of GloFAS's list of outlets: ID, area in km²; levels of 2, 5 and 20 years (`rl_2` …), if any."""
    properties, (longitude, latitude) = feature["properties"], feature["geometry"]["coordinates"][:2]
    two, five, twenty = (_number(properties.get(name)) for name in ("rl_2", "rl_5", "rl_20"))
    point = Point(normalise(longitude), round(latitude, 6))
    return _Gauge(f"GloFAS-{properties['ID']}", point, _number(properties.get("area")), (two, five, twenty))


def _number(value: Any) -> float | None:
    return round(float(value), 1) if isinstance(value, int | float) else None


def _gauge_of(series: Series, gauges: list[_Gauge], tree: shapely.STRtree) -> _Gauge:
    """Return the gauge in the cell of the series; if there is none, one named by its position."""
    point = Point(normalise(series.longitude), round(series.latitude, 6))
    found = tree.query_nearest(point, max_distance=_CELL, all_matches=False)
    if found.size:
        return gauges[int(found[0])]
    return _Gauge(f"GloFAS-{point.y:.3f},{point.x:.3f}", point, None, (None, None, None))


def _row(series: Series, gauge: _Gauge, near: Nearby) -> GaugeForecast:
    peak = int(series.median.argmax())
    highest = float(series.median[peak])
    two, five, twenty = gauge.levels
    level = None
    if five is not None and twenty is not None:
        level = str(np.select([highest >= twenty, highest >= five], ["Red", "Orange"], "Green"))
    return GaugeForecast(
        event_id=f"{gauge.name}-{series.issued:%Y%m%d}",
        gauge_id=gauge.name,
        title=f"Gauge {gauge.name}, {near.words}",
        country=near.country,
        province=near.province,
        forecast_date=series.issued,
        valid_to=series.days[-1],
        peak_date=series.days[peak],
        alert_level=level,
        discharge_m3s=round(float(series.median[0]), 1),
        peak_discharge_m3s=round(highest, 1),
        return_2y_m3s=two,
        return_5y_m3s=five,
        return_20y_m3s=twenty,
        upstream_area_km2=gauge.upstream_area_km2,
        members=series.members,
        time_series=_text(series),
        source=SOURCE_NAME,
        geom=gauge.point,
    )


def _text(series: Series) -> str:
    columns = (np.round(values, 1).tolist() for values in (series.median, series.lower, series.upper))
    return json.dumps(
        [
            {"time": f"{day:%Y-%m-%dT%H:%M:%SZ}", "discharge_m3s": median, "p25_m3s": lower, "p75_m3s": upper}
            for day, median, lower, upper in zip(series.days, *columns, strict=True)
        ]
    )


SOURCE = Source(
    name="glofas-gauges",
    title="Forecasts of discharge at gauges, GloFAS",
    licence="CC BY 4.0 (Copernicus Emergency Management Service)",
    licence_url="https://creativecommons.org/licenses/by/4.0/",
    attribution="Copernicus Emergency Management Service, GloFAS",
    rhythm=timedelta(days=1),
    targets=(GAUGES,),
    read=read,
    documents="CSV (time, valid_time, number, latitude, longitude, dis24 or avg_dis) or JSON of the flood API; "
    "GeoJSON of gauges",
)
