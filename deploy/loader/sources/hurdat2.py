"""Best tracks of the National Hurricane Center: HURDAT2, as its text file or as a table with a header (CSV).

Source: Landsea and Franklin, The revised Atlantic and Northeast Pacific hurricane databases (HURDAT2), format of 2023:
a heading per storm (`AL112017, IRMA, 66,`) and below it a line per fix; -999 and -99 mean unknown.
"""

import csv
import gzip
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import NamedTuple, TextIO, cast

from deploy.loader.documents.faults import FAULTS, reason
from deploy.loader.geometry.antimeridian import normalise
from deploy.loader.records.target import Batch
from deploy.loader.source import Document, DocumentError, Findings, Rejected, Source
from deploy.loader.sources.best_track_batches import TARGETS, batches
from deploy.loader.storms.atcf import basin_of, is_number, season_of
from deploy.loader.storms.best_tracks import Fix, Radii, twelve
from deploy.loader.storms.winds import NHC

_NOBODY = {"UNNAMED", "INVEST", ""}
_LANDFALL = "L"
_HIGHEST = 2000
"""Highest plausible value of winds in kt, pressures in hPa and radii in nautical miles."""
_COLUMNS = {"Key", "Name", "DateTime", "Record", "Status", "Lat", "Lon", "Wind", "Pressure"}
_RADII = tuple(f"{quadrant}{wind}" for wind in (34, 50, 64) for quadrant in ("NE", "SE", "SW", "NW"))


class _Said(NamedTuple):
    """A line as text, except time and position (longitude, latitude)."""

    number: str
    name: str
    time: datetime
    record: str
    status: str
    place: tuple[float, float]
    wind: str
    pressure: str


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield batches of whole storms. Raises DocumentError."""
    for document in documents:
        yield from batches(fixes(document, findings), findings, source="HURDAT2, derived from wind radii")


def fixes(document: Document, findings: Findings) -> Iterator[Fix]:
    """Yield every fix, by storm, in the order of the document. Raises DocumentError."""
    opener = gzip.open if document.path.suffix == ".gz" else open
    with cast("TextIO", opener(document.path, "rt", encoding="utf-8-sig", errors="replace", newline="")) as file:
        rows = csv.reader(file)
        first = next(rows, [])
        if set(first) >= _COLUMNS:
            # tables may be sorted by time, so that storms of one day alternate
            yield from sorted(_of_table(first, rows, findings), key=lambda fix: fix.event_id)
        elif first and is_number(first[0].strip()):
            yield from _of_text(first, rows, findings)
        else:
            raise DocumentError(
                f"{document.address} is not HURDAT2: it begins neither with a storm nor with its columns"
            )


def _of_table(columns: Sequence[str], rows: Iterator[list[str]], findings: Findings) -> Iterator[Fix]:
    for values in rows:
        row = dict(zip(columns, values, strict=False))
        findings.read += 1
        radii = [row.get(name, "") for name in _RADII]
        try:
            time = datetime.fromisoformat(row["DateTime"]).replace(tzinfo=UTC)
            place = _place(row["Lon"], row["Lat"])
            named, record, status = row["Name"], row["Record"], row["Status"]
            said = _Said(row["Key"], named, time, record, status, place, row["Wind"], row["Pressure"])
            fix = _fix(said, radii)
        except FAULTS as error:
            findings.rejected.append(Rejected(" ".join(values[:3]), reason(error)))
            continue
        yield fix


def _of_text(heading: list[str], rows: Iterator[list[str]], findings: Findings) -> Iterator[Fix]:
    """Yield the fixes of a text. Reject the lines below an invalid heading, because they belong to an unknown storm."""
    number, name = "", ""
    for values in chain([heading], rows):
        row = [value.strip() for value in values]
        if not any(row):
            continue
        if _is_heading(row):
            number, name = row[0], row[1]
            if not is_number(number):
                findings.read += 1
                findings.rejected.append(Rejected(",".join(row), f"'{number}' is no number of a storm"))
            continue
        findings.read += 1
        try:
            time = datetime.strptime(f"{row[0]} {row[1]}", "%Y%m%d %H%M").replace(tzinfo=UTC)
            said = _Said(number, name, time, row[2], row[3], (_degrees(row[5]), _degrees(row[4])), row[6], row[7])
            fix = _fix(said, row[8:20])
        except FAULTS as error:
            findings.rejected.append(Rejected(f"{number} {','.join(row)[:60]}", reason(error)))
            continue
        yield fix


def _is_heading(row: Sequence[str]) -> bool:
    """Return whether a line is the heading of a storm, readable or not; a line of a fix begins with its day."""
    return len(row) in {3, 4} and not (len(row[0]) == 8 and row[0].isdecimal())


def _fix(said: _Said, radii: Sequence[str]) -> Fix:
    """Return a fix. Raises ValueError."""
    if not is_number(said.number):
        raise ValueError(f"'{said.number}' is no number of a storm")
    if not (abs(said.place[1]) <= 90 and abs(said.place[0]) <= 360):
        raise ValueError(f"{said.place[0]}, {said.place[1]} is no place")
    longitude, name = normalise(said.place[0]), said.name.strip()
    return Fix(
        event_id=said.number,
        season=season_of(said.number),
        basin=basin_of(said.number, longitude),
        time=said.time,
        longitude=longitude,
        latitude=said.place[1],
        wind_kt=_parse_number(said.wind),
        pressure_hpa=_parse_number(said.pressure),
        status=said.status.strip() or None,
        source="HURDAT2",
        name=None if name in _NOBODY else "-".join(part.capitalize() for part in name.split("-")),
        radii=_radii(radii),
        landfall=True if said.record.strip() == _LANDFALL else None,
        wind_minutes=NHC.minutes,
        wind_agency=NHC.name,
        # NHC is the regional agency as well
        regional_agency=NHC.name,
        regional_wind_kt=_parse_number(said.wind),
        regional_wind_minutes=NHC.minutes,
        regional_class=said.status.strip() or None,
    )


def _radii(texts: Sequence[str]) -> Radii:
    """Parse radii; in tables, an empty cell beside others of the same wind is 0."""
    known = [_parse_number(text) for text in texts]
    known += [None] * (12 - len(known))
    winds = [known[start : start + 4] for start in (0, 4, 8)]
    return twelve(
        [
            0 if radius is None and any(each is not None for each in wind) else radius
            for wind in winds
            for radius in wind
        ]
    )


def _place(longitude: str, latitude: str) -> tuple[float, float]:
    """Parse a position. Raises ValueError."""
    try:
        return float(longitude), float(latitude)
    except ValueError:
        raise ValueError(f"'{longitude}', '{latitude}' is no position") from None


def _degrees(text: str) -> float:
    """Parse 28.0N, 94.8W. Raises ValueError."""
    sign = {"N": 1, "S": -1, "E": 1, "W": -1}.get(text[-1:])
    if sign is None:
        raise ValueError(f"'{text}' is no position such as 28.0N")
    return float(text[:-1]) * sign


def _parse_number(text: str) -> int | None:
    """Parse a number; None for an empty cell or a negative number. Raises ValueError, OverflowError."""
    value = round(float(text)) if text.strip() else -1
    if value > _HIGHEST:
        raise ValueError(f"{text} is no wind, pressure or radius")
    return value if value >= 0 else None


SOURCE = Source(
    name="hurdat2",
    title="Best tracks of the Atlantic and the East Pacific, HURDAT2",
    licence="public domain (United States government work)",
    licence_url="https://www.weather.gov/disclaimer",
    attribution="NOAA National Hurricane Center, HURDAT2",
    rhythm=timedelta(days=365),
    targets=TARGETS,
    read=read,
    documents="the text file of HURDAT2 (hurdat2-….txt), or a table with the columns Key, Name, DateTime, …",
)
