"""Discharge ensembles by position, from GloFAS's data store and services that use it.

CSV: a row for each member and day, with the names of the Early Warning Data Store (`time`, `valid_time`, `number`,
`latitude`, `longitude`, `dis24` or `avg_dis`), converted from its GRIB or NetCDF. JSON: responses of Open-Meteo's flood
API, for one position or a list of them: `daily.time`, `daily.river_discharge_member01` … or `_median`, `_p25`, `_p75`.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from deploy.loader.documents.faults import FAULTS, reason
from deploy.loader.documents.reading import csv_rows, json_of
from deploy.loader.source import Document, DocumentError, Findings, Rejected

Discharge = npt.NDArray[np.float64]

_COLUMNS = ("time", "valid_time", "number", "latitude", "longitude")
_DISCHARGE = ("dis24", "avg_dis")
"""Mean discharge of a day in m³/s; the Early Warning Data Store uses either name."""
_HIGHEST = 1e7
"""Highest plausible discharge in m³/s. The Amazon has had 370,000."""
_MEMBER = "river_discharge_member"


class Series(NamedTuple):
    """An ensemble at one position: degrees, UTC, m³/s; arrays with one value per day.

    issued: time of the forecast. members: their number, 0 if only quartiles were given.
    """

    longitude: float
    latitude: float
    issued: datetime
    days: list[datetime]
    median: Discharge
    lower: Discharge
    upper: Discharge
    members: int


def series_of(document: Document, findings: Findings) -> Iterator[Series]:
    """Yield the series of a document. A record is a series; unreadable ones are findings. Raises DocumentError."""
    with document.path.open("rb") as file:
        is_json = file.read(4).lstrip(b"\xef\xbb\xbf")[:1] in {b"{", b"["}
    places = _of_json(document) if is_json else _of_csv(document)
    for place, (name, make) in enumerate(places, start=1):
        findings.read += 1
        try:
            yield make()
        except FAULTS as error:
            findings.rejected.append(Rejected(name or f"series {place}", reason(error)))


def _of_json(document: Document) -> Iterator[tuple[str, Any]]:
    content = json_of(document)
    for place in content if isinstance(content, list) else [content]:
        if not isinstance(place, dict):
            raise DocumentError(f"{document.address} is not an answer of the flood API: a place is no object")
        if place.get("error"):
            raise DocumentError(f"{document.address} is an error: {place.get('reason')}")
        yield f"{place.get('latitude')}, {place.get('longitude')}", lambda place=place: _series_of_place(place)


def _series_of_place(place: dict[str, Any]) -> Series:
    daily = place["daily"]
    days = [_time(day) for day in daily["time"]]
    members = [values for name, values in sorted(daily.items()) if name.startswith(_MEMBER)]
    if members:
        return ensemble(place["longitude"], place["latitude"], days[0], days, np.array(members, dtype=np.float64))
    lower, median, upper = (
        np.array(daily[f"river_discharge_{name}"], dtype=np.float64) for name in ("p25", "median", "p75")
    )
    found = Series(place["longitude"], place["latitude"], days[0], days, median, lower, upper, 0)
    return _check(found)


def _of_csv(document: Document) -> Iterator[tuple[str, Any]]:
    places: dict[tuple[str, str, str], list[dict[str, str]]] = {}
    for row in csv_rows(document, _COLUMNS, one_of=_DISCHARGE):
        # a truncated row makes its series unreadable
        place = (row.get("latitude", ""), row.get("longitude", ""), row.get("time", ""))
        places.setdefault(place, []).append(row)
    for (latitude, longitude, issued), rows in places.items():
        name = f"{latitude}, {longitude} of {issued}"
        yield name, lambda rows=rows, issued=issued: _series_of_rows(rows, issued)


def _series_of_rows(rows: list[dict[str, str]], issued: str) -> Series:
    days = sorted({_time(row["valid_time"]) for row in rows})
    numbers = sorted({int(row["number"]) for row in rows})
    discharge = np.full((len(numbers), len(days)), np.nan)
    day_of, member_of = {day: at for at, day in enumerate(days)}, {number: at for at, number in enumerate(numbers)}
    for row in rows:
        said = row["avg_dis"] if "avg_dis" in row else row["dis24"]
        value = float(said) if said else np.nan
        discharge[member_of[int(row["number"])], day_of[_time(row["valid_time"])]] = value
    return ensemble(float(rows[0]["longitude"]), float(rows[0]["latitude"]), _time(issued), days, discharge)


def ensemble(longitude: float, latitude: float, issued: datetime, days: list[datetime], members: Discharge) -> Series:
    """Return quartiles by day, of the members with a value; days without any are left out."""
    if members.ndim != 2 or members.shape[1] != len(days):
        raise ValueError("its members have not a value for each day")
    # NaN counts as missing; comparisons with it are false
    if (np.abs(members) > _HIGHEST).any():
        raise ValueError(f"a discharge of {np.nanmax(np.abs(members)):g} m³/s is none of a river")
    known = np.isfinite(members).any(axis=0)
    if not known.any():
        raise ValueError("it has no value")
    lower, median, upper = (np.full(len(days), np.nan) for _ in range(3))
    lower[known], median[known], upper[known] = np.nanquantile(members[:, known], [0.25, 0.5, 0.75], axis=0)
    return _check(Series(longitude, latitude, issued, days, median, lower, upper, len(members)))


def _check(series: Series) -> Series:
    """Return the series without empty days. Raises ValueError if all days are empty, or a value is impossible."""
    known = np.isfinite(np.array([series.median, series.lower, series.upper])).all(axis=0)
    if not known.any():
        raise ValueError("it has no value")
    if not (-90 <= series.latitude <= 90 and -360 <= series.longitude <= 360):
        raise ValueError(f"{series.longitude}, {series.latitude} is no place")
    if (series.lower[known] < 0).any():
        raise ValueError("a discharge is negative")
    days = [day for day, is_known in zip(series.days, known.tolist(), strict=True) if is_known]
    quartiles = {name: getattr(series, name)[known] for name in ("median", "lower", "upper")}
    return series._replace(days=days, **quartiles)


def _time(text: str) -> datetime:
    time = datetime.fromisoformat(text)
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
