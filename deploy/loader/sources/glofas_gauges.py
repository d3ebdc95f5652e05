"""Discharge forecasts at gauges, from GloFAS; gauges are a given list, such as river outlets, or the largest rivers."""

import json
import os
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np
import shapely
from shapely.geometry import Point

from deploy.loader.documents.datastore import TOKEN
from deploy.loader.documents.faults import FAULTS, reason
from deploy.loader.documents.reading import features_of
from deploy.loader.geometry.antimeridian import normalise
from deploy.loader.places.gazetteer import Nearby, installed_gazetteer
from deploy.loader.records.floods import GAUGES, GaugeForecast
from deploy.loader.records.target import Batch
from deploy.loader.source import Document, DocumentError, Findings, Rejected, Source
from deploy.loader.sources.glofas_grids import YEARS, forecast_at, is_grid, main_cells, values_at, years_of
from deploy.loader.sources.glofas_series import Series, ensemble, series_of

SOURCE_NAME = "GloFAS"
_CELL = 0.05
"""Cell size of GloFAS in degrees: the maximum distance between a series and its gauge."""
_STORE = "https://ewds.climate.copernicus.eu/api/retrieve/v1/processes/cems-glofas-forecast/execution"
_INPUTS = {
    "system_version": "operational",
    "hydrological_model": "lisflood",
    "product_type": "control_forecast",
    "variable": "river_discharge_in_the_last_24_hours",
    "leadtime_hour": "24,48,72,96,120,144,168",
    "data_format": "grib2",
    "download_format": "unarchived",
}
"""A request for the week ahead of the whole world. The ensemble of the world would be too large a result."""
_LEVELS = "https://confluence.ecmwf.int/download/attachments/242067380/flood_threshold_glofas_v4_rl_{}.0.nc"


class _Gauge(NamedTuple):
    name: str
    point: Point
    upstream_area_km2: float | None
    levels: tuple[float | None, ...]


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield one batch of all gauges. A record is the series of a position. Raises DocumentError."""
    gauges: list[_Gauge] = []
    tables: list[Document] = []
    grids: list[Document] = []
    levels: dict[int, Document] = {}
    for document in documents:
        if is_grid(document):
            years = years_of(document)
            if years:
                levels[years] = document
            else:
                grids.append(document)
        elif _is_geojson(document):
            gauges += _gauges(document, findings)
        else:
            tables.append(document)
    if not tables and not grids:
        raise DocumentError(
            "gauges alone say nothing of their rivers: give series, too (GRIB, NetCDF, CSV or JSON of the flood API)"
        )
    gauges = _with_levels(gauges or (_main_gauges(levels) if grids else []), levels)
    newest: dict[str, tuple[Series, _Gauge]] = {}
    for document, one, gauge in [*_of_tables(tables, gauges, findings), *_of_grids(grids, gauges, findings)]:
        if one.issued > document.retrieved + timedelta(days=1):
            findings.rejected.append(Rejected(gauge.name, f"its forecast is of the future, {one.issued:%Y-%m-%d}"))
            continue
        before = newest.get(gauge.name)
        if before is not None:
            findings.duplicates.append(f"{gauge.name} of {min(one.issued, before[0].issued):%Y-%m-%d %H:%M}")
        if before is None or one.issued >= before[0].issued:
            newest[gauge.name] = (one, gauge)
        findings.issued = max(one.issued, findings.issued or one.issued)
    points = [gauge.point for _, gauge in newest.values()]
    near = installed_gazetteer().nearby([point.x for point in points], [point.y for point in points])
    rows = [(GAUGES, _row(*found, facts)) for found, facts in zip(newest.values(), near, strict=True)]
    if rows:
        yield Batch(rows=[*rows])


def _of_tables(
    tables: list[Document], gauges: list[_Gauge], findings: Findings
) -> Iterator[tuple[Document, Series, _Gauge]]:
    tree = shapely.STRtree([gauge.point for gauge in gauges])
    for document in tables:
        for one in series_of(document, findings):
            yield document, one, _gauge_of(one, gauges, tree)


def _of_grids(
    grids: list[Document], gauges: list[_Gauge], findings: Findings
) -> Iterator[tuple[Document, Series, _Gauge]]:
    """Yield the series of the cells that have a gauge."""
    if grids and not gauges:
        raise DocumentError(
            "a grid does not say where gauges are: give them, too (GeoJSON), or the map of the discharge that is "
            "exceeded once in two years (rl_2.0)"
        )
    for document in grids:
        inside, grid = forecast_at(document, [gauge.point for gauge in gauges])
        for gauge, members in zip([gauges[each] for each in inside], grid.discharge, strict=True):
            findings.read += 1
            try:
                yield document, ensemble(gauge.point.x, gauge.point.y, grid.issued, grid.days, members), gauge
            except FAULTS as error:
                findings.rejected.append(Rejected(gauge.name, reason(error)))


def _main_gauges(levels: dict[int, Document]) -> list[_Gauge]:
    """Return gauges at the largest rivers; none without the map of the smallest level."""
    points = main_cells(levels[YEARS[0]]) if YEARS[0] in levels else []
    return [_at(point) for point in points]


def _with_levels(gauges: list[_Gauge], levels: dict[int, Document]) -> list[_Gauge]:
    """Return the gauges, with levels of the maps where their list has none."""
    points = [gauge.point for gauge in gauges]
    for place, years in enumerate(YEARS if gauges else ()):
        if years in levels:
            found = values_at(levels[years], points)
            gauges = [_with_level(gauge, place, value) for gauge, value in zip(gauges, found, strict=True)]
    return gauges


def _with_level(gauge: _Gauge, place: int, value: float | None) -> _Gauge:
    levels = list(gauge.levels)
    levels[place] = value if levels[place] is None else levels[place]
    return gauge._replace(levels=tuple(levels))


def addresses(_since: object = None) -> list[str]:
    """Return the forecast of the Early Warning Data Store and the maps of levels, if there is a token for the store."""
    if not os.environ.get(TOKEN):
        return []
    return [*(_LEVELS.format(years) for years in YEARS), f"{_STORE}?{urlencode(_INPUTS, safe=',')}"]


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
    return _at(point)


def _at(point: Point) -> _Gauge:
    """Return a gauge that is named by its position."""
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
    asked=timedelta(hours=1),
    targets=(GAUGES,),
    read=read,
    documents="GRIB or NetCDF of the Early Warning Data Store, CSV (time, valid_time, number, latitude, longitude, "
    "dis24 or avg_dis) or JSON of the flood API; GeoJSON of gauges, NetCDF of levels (rl_2.0, rl_5.0, rl_20.0)",
    addresses=addresses,
    needs=f"{TOKEN}, the token of an account of the Early Warning Data Store",
)
