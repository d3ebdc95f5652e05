"""The forecast/advisory of the National Hurricane Center as shapefiles.

An archive (`al112017_5day_030.zip`) has points, the line through them and the cone of uncertainty.

Source: NHC GIS archive, "Advisory Forecast Track, Cone of Uncertainty, and Watches/Warnings": a point for each time
step with MAXWIND and GUST in kt, MSLP in hPa (9999: not forecast), VALIDTIME as day/hour UTC; ADVDATE in the local time
of the advisory, or as yymmdd/hhmm UTC. Wind radii are not included.
"""

import re
import zipfile
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pyogrio
import shapely

from deploy.loader.geometry.antimeridian import normalise
from deploy.loader.source import Document, DocumentError, Findings, Rejected
from deploy.loader.sources.nhc_text import MONTHS, format_name, nearest_time
from deploy.loader.storms.advisories import Advisory
from deploy.loader.storms.atcf import basin_of, season_of
from deploy.loader.storms.best_tracks import Fix
from deploy.loader.storms.winds import NHC, advisory_agency

_POINTS = re.compile(r"(?:.*/)?((?:al|ep|cp)\d{6})[-.]\d{3}[a-z]?_5day_pts\.shp\Z", re.IGNORECASE)
_DRAWN = re.compile(r"(?:.*/)?[^/]*_(5day_lin|5day_pgn|wwlin)\.shp\Z", re.IGNORECASE)
_LEFT_OUT = {
    "5day_lin": "the line is made of the points",
    "5day_pgn": "cones of uncertainty have no collection",
    "wwlin": "coasts with watches and warnings have no collection",
}
_COLUMNS = ("ADVISNUM", "ADVDATE", "STORMNAME", "VALIDTIME", "MAXWIND", "GUST", "MSLP", "TCDVLP")
_LARGEST = 50_000_000
"""Maximum unpacked size of an archive in bytes; real ones have some hundred thousand."""
_MISSING = 9999
_LOCAL = re.compile(r"(\d{1,2}?)(\d{2})? ?([AP]M) ([A-Z]{3,4}) [A-Z]{3} ([A-Z]{3}) (\d{1,2}) (\d{4})\Z")
_SHORT = re.compile(r"(\d{2})(\d{2})(\d{2})/(\d{2})(\d{2})\Z")
_WHEN = re.compile(r"(\d{1,2})/(\d{2})(\d{2})Z?\Z")
_ZONES = {
    "UTC": 0, "GMT": 0, "CVT": -1, "AST": -4, "EDT": -4, "EST": -5, "CDT": -5, "CST": -6, "MDT": -6, "MST": -7,
    "PDT": -7, "PST": -8, "HST": -10, "SST": -11, "CHST": 10,
}  # fmt: skip


def read_shapefiles(document: Document, findings: Findings) -> Advisory:
    """Return the advisory of an archive, without its other drawings. Raises DocumentError."""
    try:
        with zipfile.ZipFile(document.path) as archive:
            members = archive.infolist()
            damaged = archive.testzip() if sum(each.file_size for each in members) <= _LARGEST else None
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError) as error:
        raise DocumentError(f"{document.address} is no archive, or not whole: {error}") from None
    if damaged or sum(each.file_size for each in members) > _LARGEST:
        fault = f"{damaged} is damaged" if damaged else f"it is larger than {_LARGEST:,} bytes when unpacked"
        raise DocumentError(f"{document.address} cannot be read: {fault}")
    points = next((found for each in members if (found := _POINTS.match(each.filename))), None)
    if points is None:
        raise DocumentError(f"{document.address} has no points of a forecast (…_5day_pts.shp)")
    for each in members:
        if drawn := _DRAWN.match(each.filename):
            findings.read += 1
            findings.left_out.append(Rejected(each.filename, _LEFT_OUT[drawn[1].lower()]))
    columns, shapes = _layer(document, points[0])
    return _advisory(document, points[1].upper(), columns, shapes)


def _layer(document: Document, member: str) -> tuple[dict[str, list[Any]], list[Any]]:
    """Return the columns by name, and the geometries. Raises DocumentError."""
    try:
        meta, _, shapes, values = pyogrio.raw.read(f"/vsizip/{{{document.path}}}/{member}")
    except (pyogrio.errors.DataSourceError, pyogrio.errors.DataLayerError, ValueError) as error:
        raise DocumentError(f"{document.address}: {member} is no shapefile: {error}") from None
    columns = {name.upper(): column.tolist() for name, column in zip(meta["fields"], values, strict=True)}
    if missing := [name for name in _COLUMNS if name not in columns]:
        raise DocumentError(f"{document.address}: {member} has no column {', '.join(missing)}")
    if shapes is None or not len(shapes):
        raise DocumentError(f"{document.address}: {member} has no points")
    return columns, list(np.atleast_1d(shapely.from_wkb(shapes)))


def _advisory(document: Document, number: str, columns: dict[str, list[Any]], shapes: list[Any]) -> Advisory:
    try:
        time = _parse_time(str(columns["ADVDATE"][0]))
        counted = int(re.match(r"\d+", str(columns["ADVISNUM"][0]).strip())[0])  # type: ignore[index]
        fixes = [_fix(number, time, {name: columns[name][place] for name in _COLUMNS}, shape)
                 for place, shape in enumerate(shapes)]  # fmt: skip
    except (ValueError, TypeError, AttributeError) as error:
        raise DocumentError(f"{document.address} has a point that is none of a forecast: {error}") from None
    analysed = [fix for fix in fixes if fix.time <= time]
    ahead = sorted((fix for fix in fixes if fix.time > time), key=lambda fix: fix.time)
    said = f"NHC, advisory {counted} of {time:%Y-%m-%d %H:%M} UTC"
    return Advisory(
        number, fixes[0].name, season_of(number), counted, time, analysed[-1] if analysed else None, ahead, said
    )


def _fix(number: str, time: datetime, row: dict[str, Any], shape: Any) -> Fix:
    """Return a fix. Raises ValueError, TypeError, AttributeError."""
    when = _WHEN.match(str(row["VALIDTIME"]).strip())
    if when is None:
        raise ValueError(f"VALIDTIME is {row['VALIDTIME']!r}")
    longitude, latitude = normalise(shape.x), round(shape.y, 2)
    if not (abs(shape.x) <= 360 and abs(latitude) <= 90):
        raise ValueError(f"{shape.x}, {shape.y} is no place")
    status = str(row["TCDVLP"]).strip() or None
    name = str(row["STORMNAME"]).strip().upper().removeprefix((status or "").upper()).strip()
    return Fix(
        event_id=number,
        season=season_of(number),
        basin=basin_of(number, longitude),
        time=nearest_time(time, *map(int, when.groups())),
        longitude=longitude,
        latitude=latitude,
        wind_kt=_parse_number(row["MAXWIND"]),
        pressure_hpa=_parse_number(row["MSLP"]),
        status=status,
        source="NHC",
        name=format_name(name) or None,
        gust_kt=_parse_number(row["GUST"]),
        wind_minutes=NHC.minutes,
        wind_agency=advisory_agency(number).name,
    )


def _parse_number(value: Any) -> int | None:
    whole = round(float(value))
    return whole if 0 < whole < _MISSING else None


def _parse_time(text: str) -> datetime:
    """Parse a time in UTC: `1100 PM AST Wed Sep 06 2017` or `170907/0300`. Raises ValueError."""
    text = " ".join(text.upper().split())
    if short := _SHORT.match(text):
        year, month, day, hour, minute = map(int, short.groups())
        return datetime(2000 + year, month, day, hour, minute, tzinfo=UTC)
    local = _LOCAL.match(text)
    if local is None or local[4] not in _ZONES or local[5] not in MONTHS:
        raise ValueError(f"ADVDATE is {text!r}")
    hour = int(local[1]) % 12 + (12 if local[3] == "PM" else 0)
    zone = timezone(timedelta(hours=_ZONES[local[4]]))
    month = MONTHS.index(local[5]) + 1
    return datetime(int(local[7]), month, int(local[6]), hour, int(local[2] or 0), tzinfo=zone).astimezone(UTC)
