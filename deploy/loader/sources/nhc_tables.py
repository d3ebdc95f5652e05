"""The advisories of the National Hurricane Center as tables: CSV files in the form of the package rrricanes.

`fstadv` has a row per advisory, `fcst` one per forecast position, `wr` and `fcst_wr` one per position and wind speed
with the radii by quadrant, `storms` one per storm. They are joined by Key (the ATCF number) and Date (issue time of the
advisory). A file is recognised by its columns.
"""

import csv
import gzip
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TextIO, cast

from deploy.loader.documents.faults import FAULTS, reason
from deploy.loader.geometry.antimeridian import normalise
from deploy.loader.source import Document, DocumentError, Findings, Rejected
from deploy.loader.storms.advisories import Advisory
from deploy.loader.storms.atcf import basin_of, is_number, season_of
from deploy.loader.storms.best_tracks import WINDS_KT, Fix, twelve
from deploy.loader.storms.winds import NHC, advisory_agency

SOURCE = "NHC"

_TABLES = {
    "storms": {"Key", "Name", "StartDate", "EndDate"},
    "fstadv": {"Key", "Adv", "Date", "Status", "Name", "Lat", "Lon", "Wind", "Gust", "Pressure"},
    "fcst": {"Key", "Adv", "Date", "FcstDate", "Lat", "Lon", "Wind", "Gust"},
    "fcst_wr": {"Key", "Date", "FcstDate", "WindField", "NE", "SE", "SW", "NW"},
    "wr": {"Key", "Date", "WindField", "NE", "SE", "SW", "NW"},
}
# The tables are tried in this order: the columns of one may be among those of another.
_ORDER = ("fstadv", "fcst_wr", "fcst", "wr", "storms")
_FURTHEST = timedelta(days=6)
_QUADRANTS = ("NE", "SE", "SW", "NW")

Row = dict[str, str]
_AdvisoryKey = tuple[str, datetime]
_FixKey = tuple[str, datetime, datetime]


@dataclass(slots=True)
class _Tables:
    names: dict[str, str] = field(default_factory=dict)
    advisories: dict[_AdvisoryKey, Row | None] = field(default_factory=dict)
    """None for an advisory without a position."""
    forecasts: dict[_AdvisoryKey, dict[datetime, Row]] = field(default_factory=dict)
    radii: dict[_FixKey, dict[int, list[int | None]]] = field(default_factory=dict)


def is_table(document: Document) -> bool:
    """Return whether a document is one of these tables."""
    return _table_of(document) is not None


def read_tables(documents: Iterable[Document], findings: Findings) -> list[Advisory]:
    """Return the advisories of all files together, by storm, then by time. The last correction counts.

    Raises DocumentError if a file is not one of these tables, or the advisories themselves are missing.
    """
    tables = _Tables()
    found: dict[str, Document] = {}
    for document in documents:
        table = _table_of(document)
        if table is None:
            raise DocumentError(f"{document.address} is no table of advisories: its columns are others")
        if table in found:
            raise DocumentError(f"{document.address} and {found[table].address} are the same table ({table})")
        found[table] = document
    if "fstadv" not in found:
        raise DocumentError("the table of advisories (fstadv) is missing; the others tell of its rows")
    for table, take in (
        ("storms", _take_storm),
        ("fstadv", _take_advisory),
        ("wr", _take_radii),
        ("fcst", _take_forecast),
        ("fcst_wr", _take_radii),
    ):
        if table in found:
            for row in _rows(found[table]):
                findings.read += 1
                try:
                    fault, again = take(row, tables)
                except FAULTS as error:
                    fault, again = reason(error), False
                called = " ".join(
                    [table, *(str(row[name]) for name in ("Key", "Date", "FcstDate", "WindField") if name in row)]
                )
                if fault:
                    findings.rejected.append(Rejected(called, fault))
                elif again:
                    findings.duplicates.append(called)
    advisories = [
        _advisory(tables, key, row) for key, row in sorted(tables.advisories.items(), key=lambda item: item[0])
    ]
    findings.issued = max((advisory.time for advisory in advisories), default=None)
    return advisories


def _table_of(document: Document) -> str | None:
    with _open(document.path) as file:
        try:
            columns = set(next(csv.reader(file), []))
        except (csv.Error, EOFError, OSError):
            return None
    return next((name for name in _ORDER if columns >= _TABLES[name]), None)


def _rows(document: Document) -> Iterator[Row]:
    with _open(document.path) as file:
        try:
            yield from csv.DictReader(file)
        except (csv.Error, EOFError) as error:
            raise DocumentError(f"{document.address} cannot be read to its end: {error}") from None


def _open(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return cast("TextIO", gzip.open(path, "rt", encoding="utf-8-sig", errors="replace", newline=""))
    return path.open(encoding="utf-8-sig", errors="replace", newline="")


# The fault of a row, and whether it repeats an earlier one.
_Verdict = tuple[str | None, bool]


def _take_storm(row: Row, tables: _Tables) -> _Verdict:
    if not is_number(row["Key"]):
        return f"no number of a storm: '{row['Key']}'", False
    again = row["Key"] in tables.names
    tables.names[row["Key"]] = row["Name"]
    return None, again


def _take_advisory(row: Row, tables: _Tables) -> _Verdict:
    if not is_number(row["Key"]):
        return f"no number of a storm: '{row['Key']}'", False
    key = row["Key"], _time(row["Date"])
    if _position(row) is None:
        tables.advisories.setdefault(key, None)
        return "no position", False
    again = tables.advisories.get(key) is not None
    tables.advisories[key] = row
    return None, again


def _take_forecast(row: Row, tables: _Tables) -> _Verdict:
    key, valid = (row["Key"], _time(row["Date"])), _time(row["FcstDate"])
    if key not in tables.advisories:
        return "its advisory is missing", False
    if _position(row) is None:
        return "no position", False
    if not key[1] < valid <= key[1] + _FURTHEST:
        return "expected for a time that is not within six days after the advisory", False
    steps = tables.forecasts.setdefault(key, {})
    again = valid in steps
    steps[valid] = row
    return None, again


def _take_radii(row: Row, tables: _Tables) -> _Verdict:
    key = row["Key"], _time(row["Date"])
    valid = _time(row["FcstDate"]) if "FcstDate" in row else key[1]
    known = valid in tables.forecasts.get(key, {}) if "FcstDate" in row else tables.advisories.get(key) is not None
    if not known:
        return "there is no position that the radii are of", False
    wind, radii = _parse_integer(row["WindField"]), [_parse_integer(row[quadrant]) for quadrant in _QUADRANTS]
    if wind not in WINDS_KT:
        return f"wind of '{row['WindField']}' kt, which is none of 34, 50 and 64", False
    if any(radius is None or radius < 0 for radius in radii):
        return "radii are missing", False
    winds = tables.radii.setdefault((*key, valid), {})
    again = wind in winds
    winds[wind] = radii
    return None, again


def _advisory(tables: _Tables, key: _AdvisoryKey, row: Row | None) -> Advisory:
    number, time = key
    called = (row and row["Name"]) or tables.names.get(number) or None
    analysed = _fix(number, time, row, tables.radii.get((*key, time)), called) if row else None
    steps = sorted(tables.forecasts.get(key, {}).items(), key=lambda step: step[0])
    forecast = [_fix(number, valid, step, tables.radii.get((*key, valid)), called) for valid, step in steps]
    counted = _parse_integer(row["Adv"]) if row else None
    said = f"{SOURCE}, advisory{'' if counted is None else f' {counted}'} of {time:%Y-%m-%d %H:%M} UTC"
    return Advisory(number, called, season_of(number), counted, time, analysed, forecast, said)


def _fix(number: str, time: datetime, row: Row, winds: dict[int, list[int | None]] | None, called: str | None) -> Fix:
    longitude, latitude = _position(row) or (0.0, 0.0)
    radii: list[int | None] = []
    for wind in WINDS_KT:
        radii += (winds or {}).get(wind) or [
            _parse_integer(row.get(f"{quadrant}{wind}", "")) for quadrant in _QUADRANTS
        ]
    return Fix(
        event_id=number,
        season=season_of(number),
        basin=basin_of(number, longitude),
        time=time,
        longitude=longitude,
        latitude=latitude,
        wind_kt=_parse_integer(row["Wind"]),
        pressure_hpa=_parse_integer(row.get("Pressure", "")),
        status=row.get("Status") or None,
        source=SOURCE,
        name=called,
        gust_kt=_parse_integer(row["Gust"]),
        radii=twelve(radii),
        wind_minutes=NHC.minutes,
        wind_agency=advisory_agency(number).name,
    )


def _position(row: Row) -> tuple[float, float] | None:
    """Return longitude and latitude."""
    try:
        longitude, latitude = float(row["Lon"]), float(row["Lat"])
    except ValueError:
        return None
    return (normalise(longitude), latitude) if abs(longitude) <= 360 and abs(latitude) <= 90 else None


def _time(text: str) -> datetime:
    """Parse a time. Raises ValueError."""
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        raise ValueError(f"'{text}' is no time such as 2017-08-30 15:00:00") from None


def _parse_integer(text: str | None) -> int | None:
    try:
        return round(float(text or ""))
    except (ValueError, OverflowError):
        return None
