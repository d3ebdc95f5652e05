"""A line chart of a time series in a property (gauge forecasts): axes, quartiles, return periods, today.

The map's words/series.js and panel/series-chart.js do the same.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil, floor, inf, isfinite, log10
from typing import Any

import orjson

from libs.catalogue.feature_name import feature_name
from libs.catalogue.model import Collection, Column
from libs.ogc.temporal import moment_of
from libs.web.languages import gettext

_QUANTILE = re.compile(r"(?:^|_)(?:p|q|pct|perc|percentile|quantile)_?(\d{1,3})(?:_|$)", re.IGNORECASE)
_RETURN_PERIOD = re.compile(r"(?:^|_)(?:return|rp|rl)_?(?:period_)?(\d+)_?y?(?:_|$)", re.IGNORECASE)
_UNITS = {"_m3s": "m³/s", "_mm": "mm", "_pct": "%", "_m": "m", "_kt": "kt"}
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 640.0, 200.0, 56.0, 22.0, 16.0
_NEAR = 3.0
"""Multiple of the highest value up to which a threshold is drawn: a higher one would flatten the line."""
_HOURS = (1, 3, 6, 12, 24, 48, 120, 240, 720, 2160, 8760)
_MOST_DATES = 7

Point = tuple[float, float]
"""Seconds since 1970, and the value."""


@dataclass(frozen=True, slots=True)
class Chart:
    """The coordinates and texts that the template draws."""

    title: str
    line: str
    band: str
    """SVG path of the band between quartiles; empty if the series has no percentiles."""
    numbers: list[tuple[float, str]]
    dates: list[tuple[float, str]]
    thresholds: list[tuple[float, str]]
    now: float | None
    summary: str
    width: float = _WIDTH
    height: float = _HEIGHT
    left: float = _LEFT
    floor: float = _HEIGHT - _BOTTOM
    top: float = _TOP


def charts_of(collection: Collection, feature: Mapping[str, Any]) -> list[Chart]:
    """Return a chart for each property with a series."""
    properties = feature["properties"]
    name = feature_name(collection, feature.get("id"), properties)
    columns = {column.name: column for column in collection.columns}
    found = []
    for column in collection.columns:
        records = _records(properties.get(column.name))
        chart = _chart(records, column, columns, properties, name) if records else None
        if chart is not None:
            found.append(chart)
    return found


def _records(value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, orjson.Fragment | list):
        return []
    try:
        entries = orjson.loads(orjson.dumps(value))
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return []
    is_series = isinstance(entries, list) and len(entries) > 1 and all(isinstance(entry, dict) for entry in entries)
    return entries if is_series else []


def _chart(
    records: Sequence[dict[str, Any]],
    column: Column,
    columns: Mapping[str, Column],
    properties: Mapping[str, Any],
    name: str,
) -> Chart | None:
    time = next((key for key, value in records[0].items() if moment_of(value)), None)
    names = [key for key in dict.fromkeys(key for entry in records for key in entry) if key != time]
    numeric = [key for key in names if any(_number(entry.get(key)) is not None for entry in records)]
    matches = [(match, key) for key in numeric if (match := _QUANTILE.search(key))]
    quantiles = sorted((int(match[1]), key) for match, key in matches if int(match[1]) <= 100)
    others = [key for key in numeric if key not in [key for _, key in quantiles]]
    median = quantiles[len(quantiles) // 2][1] if quantiles else None
    main = next((key for key in others if key in columns), others[0] if others else median)
    points = _points(records, time, main)
    if time is None or main is None or len(points) < 2 or points[0][0] == points[-1][0]:
        return None
    edges = [_points(records, time, quantiles[at][1]) for at in (0, -1)] if len(quantiles) > 1 else []
    unit = _unit(main, columns.get(main)) or _unit(column.name, column)
    values = [value for line in (points, *edges) for _, value in line]
    thresholds = _reachable(_thresholds(properties, columns, unit), max(values), min(values))
    low, high = min(values), max([*values, *(value for value, _ in thresholds)])
    start, end = points[0][0], points[-1][0]

    def x(seconds: float) -> float:
        return round(_LEFT + (seconds - start) / (end - start) * (_WIDTH - _LEFT - 4), 1)

    def y(value: float) -> float:
        return round(_HEIGHT - _BOTTOM - 4 - (value - low) / ((high - low) or 1) * (_HEIGHT - _BOTTOM - 8 - _TOP), 1)

    def path(line: Sequence[Point]) -> str:
        return " ".join(f"{x(seconds)},{y(value)}" for seconds, value in line)

    present = datetime.now(UTC).timestamp()
    title = (columns[main].title if main in columns else None) or column.title or column.name
    least, most = (f"{bound(value for _, value in points):.10g}" for bound in (min, max))
    parts = {"title": title, "name": name, "least": least, "most": most}
    told = [gettext("%(title)s of %(name)s: %(least)s to %(most)s") % parts]
    told[0] += f" {unit}" if unit else ""
    band = {"first": quantiles[0][0], "last": quantiles[-1][0]} if edges else {}
    told += [gettext("shaded: %(first)sth to %(last)sth percentile") % band] if edges else []
    told += [f"{label}: {value:.10g}" for value, label in thresholds]
    return Chart(
        f"{title}{f' [{unit}]' if unit else ''}, {name}",
        path(points),
        f"{path(edges[0])} {path(edges[1][::-1])}" if edges else "",
        [(y(value), f"{value:,.10g}") for value in _ticks(low, high)],
        [(x(seconds), label) for seconds, label in _dates(start, end)],
        [(y(value), label) for value, label in thresholds],
        x(present) if start <= present <= end else None,
        "; ".join(told),
    )


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    return float(value) if is_number else None


def _points(records: Sequence[dict[str, Any]], time: str | None, key: str | None) -> list[Point]:
    pairs = ((moment_of(entry.get(time or "")), _number(entry.get(key or ""))) for entry in records)
    return sorted((moment.timestamp(), value) for moment, value in pairs if moment is not None and value is not None)


def _unit(name: str, column: Column | None) -> str | None:
    if column is not None and column.unit:
        return column.unit
    return next((unit for ending, unit in _UNITS.items() if name.endswith(ending)), None)


def _thresholds(
    properties: Mapping[str, Any], columns: Mapping[str, Column], unit: str | None
) -> list[tuple[float, str]]:
    found = []
    for name, value in properties.items():
        number, years = _number(float(value) if _is_decimal(value) else value), _RETURN_PERIOD.search(name)
        if number is not None and years and _unit(name, columns.get(name)) == unit:
            found.append((number, gettext("%(number)s-year") % {"number": years[1]}))
    return sorted(found)


def _is_decimal(value: Any) -> bool:
    return type(value).__name__ == "Decimal"


def _reachable(thresholds: Sequence[tuple[float, str]], high: float, low: float) -> list[tuple[float, str]]:
    """Return the thresholds within the values, and the next one above if it is near."""
    above = next((each for each in thresholds if each[0] > high), (inf, ""))
    return [each for each in thresholds if low <= each[0] <= high or (each == above and each[0] <= high * _NEAR)]


def _ticks(low: float, high: float) -> list[float]:
    rough = ((high - low) or 1) / 3
    unit = 10.0 ** floor(log10(rough))
    step = next((times * unit for times in (1, 2, 5) if times * unit >= rough), 10 * unit)
    # 0.3 / 0.1 is slightly less than 3
    return [round(at * step, 12) for at in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def _dates(start: float, end: float) -> list[tuple[float, str]]:
    steps = (hours * 3600.0 for hours in _HOURS if (end - start) / (hours * 3600) <= _MOST_DATES)
    step = next(steps, (end - start) / 4)
    moments = [at * step for at in range(ceil(start / step), floor(end / step) + 1)]
    texts = [datetime.fromtimestamp(moment, UTC) for moment in moments]
    return [
        (moment, f"{text.day} {text:%b}" if step >= 86400 or not text.hour else f"{text:%H:%M}")
        for moment, text in zip(moments, texts, strict=True)
    ]
