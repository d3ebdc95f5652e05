"""Best tracks of the National Hurricane Center: HURDAT2, as its text file or as a table with a header (CSV).

Source: Landsea and Franklin, The revised Atlantic and Northeast Pacific hurricane databases (HURDAT2), format of 2023:
a heading per storm (`AL112017, IRMA, 66,`) and below it a line per fix; -999 and -99 stand for what is not known.
"""

import csv
import gzip
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, TextIO, cast

from deploy.loader.geometry.antimeridian import normalise
from deploy.loader.records.target import Batch
from deploy.loader.source import Document, DocumentError, Findings, Rejected, Source
from deploy.loader.sources.best_track_batches import TARGETS, batches
from deploy.loader.storms.atcf import basin_of, is_number, season_of
from deploy.loader.storms.best_tracks import Fix, Radii, twelve

_NOBODY = {"UNNAMED", "INVEST", ""}
_LANDFALL = "L"
_COLUMNS = {"Key", "Name", "DateTime", "Record", "Status", "Lat", "Lon", "Wind", "Pressure"}
_RADII = tuple(f"{quadrant}{wind}" for wind in (34, 50, 64) for quadrant in ("NE", "SE", "SW", "NW"))


class _Said(NamedTuple):
    """A line, as text but for time and place (longitude, latitude)."""

    number: str
    name: str
    time: datetime
    record: str
    status: str
    place: tuple[float, float]
    wind: str
    pressure: str


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Batches of whole storms. Raises DocumentError."""
    for document in documents:
        yield from batches(fixes(document, findings), findings, source="HURDAT2, derived from wind radii")


def fixes(document: Document, findings: Findings) -> Iterator[Fix]:
    """Every fix, by storm, in the order of the document. Raises DocumentError."""
    opener = gzip.open if document.path.suffix == ".gz" else open
    with cast("TextIO", opener(document.path, "rt", encoding="utf-8", newline="")) as file:
        rows = csv.reader(file)
        first = next(rows, [])
        if set(first) >= _COLUMNS:
            # tables may be in order of time, with the storms of a day beside each other
            yield from sorted(_of_table(first, rows, findings), key=lambda fix: fix.event_id)
        elif first and is_number(first[0].strip()):
            yield from _of_text(first, rows, document, findings)
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
            place = float(row["Lon"]), float(row["Lat"])
        except (KeyError, ValueError):
            findings.rejected.append(Rejected(" ".join(values[:3]), "no time or no position"))
            continue
        said = _Said(row["Key"], row["Name"], time, row["Record"], row["Status"], place, row["Wind"], row["Pressure"])
        yield from _fix(said, radii, findings)


def _of_text(heading: list[str], rows: Iterator[list[str]], document: Document, findings: Findings) -> Iterator[Fix]:
    number, name = heading[0].strip(), heading[1].strip()
    for values in rows:
        row = [value.strip() for value in values]
        if row and is_number(row[0]):
            number, name = row[0], row[1]
            continue
        findings.read += 1
        try:
            time = datetime.strptime(f"{row[0]} {row[1]}", "%Y%m%d %H%M").replace(tzinfo=UTC)
            said = _Said(number, name, time, row[2], row[3], (_degrees(row[5]), _degrees(row[4])), row[6], row[7])
        except (IndexError, ValueError, KeyError):
            line = ",".join(values)[:80]
            raise DocumentError(f"{document.address} has a line that is none of HURDAT2: {line}") from None
        yield from _fix(said, row[8:20], findings)


def _fix(said: _Said, radii: Sequence[str], findings: Findings) -> Iterator[Fix]:
    if not is_number(said.number):
        findings.rejected.append(Rejected(f"{said.time:%Y-%m-%d %H:%M}", "no number of a storm"))
        return
    longitude, name = normalise(said.place[0]), said.name.strip()
    yield Fix(
        event_id=said.number,
        season=season_of(said.number),
        basin=basin_of(said.number, longitude),
        time=said.time,
        longitude=longitude,
        latitude=said.place[1],
        wind_kt=_known(said.wind),
        pressure_hpa=_known(said.pressure),
        status=said.status.strip() or None,
        source="HURDAT2",
        name=None if name in _NOBODY else "-".join(part.capitalize() for part in name.split("-")),
        radii=_radii(radii),
        landfall=True if said.record.strip() == _LANDFALL else None,
    )


def _radii(texts: Sequence[str]) -> Radii:
    """In tables an empty cell beside others of the same wind is a 0."""
    known = [_known(text) for text in texts]
    known += [None] * (12 - len(known))
    winds = [known[start : start + 4] for start in (0, 4, 8)]
    return twelve(
        [
            0 if radius is None and any(each is not None for each in wind) else radius
            for wind in winds
            for radius in wind
        ]
    )


def _degrees(text: str) -> float:
    """28.0N, 94.8W. Raises ValueError, KeyError."""
    return float(text[:-1]) * {"N": 1, "S": -1, "E": 1, "W": -1}[text[-1:]]


def _known(text: str) -> int | None:
    try:
        value = round(float(text))
    except ValueError:
        return None
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
