"""Working best tracks of warning centres: b-decks of the Automated Tropical Cyclone Forecasting system (ATCF).

Format: NRL, ATCF database formats, "best track": values separated by commas. A time has a line for each wind with
radii. Columns: basin, number, YYYYMMDDHH, …, BEST, …, latitude and longitude in tenths of degrees, wind in kt,
pressure in hPa, development level, wind of the radii, NEQ (a quadrant for each radius from north-east clockwise) or AAA
(one radius), four radii in nautical miles, …, and as the 28th the name.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from urllib.parse import urljoin

from deploy.loader.documents.faults import FAULTS, reason
from deploy.loader.geometry.antimeridian import normalise
from deploy.loader.records.target import Batch
from deploy.loader.source import Document, DocumentError, Findings, Rejected, Source
from deploy.loader.sources.advisory_batches import ADVISED
from deploy.loader.sources.best_track_batches import TARGETS, batches
from deploy.loader.sources.invest_batches import invest_batches
from deploy.loader.sources.nhc_text import format_name
from deploy.loader.storms.advisories import Advisory
from deploy.loader.storms.atcf import basin_of, is_number, season_of
from deploy.loader.storms.best_tracks import NO_RADII, WINDS_KT, Fix, Radii, twelve
from deploy.loader.storms.identity import DISTURBANCE, is_invest
from deploy.loader.storms.winds import JTWC, NHC, Agency

ADDRESS = "https://ftp.nhc.noaa.gov/atcf/btk/"
_FILE = re.compile(r"\bb((?:al|ep|cp|wp|io|sh|sl)9\d\d{4})\.dat\b", re.IGNORECASE)
_LISTING = re.compile(r"<(?:!doctype html|html|a href)", re.IGNORECASE)
_LARGEST = 4_000_000
_TENTHS = re.compile(r"(\d{1,4})([NSEW])\Z")
_HIGHEST_KT = 250
_PRESSURES = range(800, 1100)
_NOBODY = {"", "INVEST", "NONAME", "UNNAMED"}
_NHC_BASINS = ("AL", "EP", "CP", "SL")
_TOLERANCE = timedelta(days=1)


def systems(document: Document) -> Iterator[str]:
    """Yield the addresses of the files of systems under investigation in a listing of the folder. Raises DocumentError.

    Files of storms are not fetched: the centres' advisories are newer.
    """
    text = _text(document)
    if _LISTING.search(text[:4096]):
        years = {document.retrieved.year, document.retrieved.year + 1}
        for name in dict.fromkeys(found[0] for found in _FILE.finditer(text)):
            if int(name[5:9]) in years:
                yield urljoin(document.address, name)


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield batches of storms as best tracks, and of systems under investigation as disturbances.

    Of several files, invalid ones are findings. Raises DocumentError.
    """
    for document in documents:
        text = _text(document)
        if _LISTING.search(text[:4096]):
            if "://" not in document.address:
                raise DocumentError(f"{document.address} is a page for people, not a b-deck")
            continue
        try:
            fixes = _fixes(document, text, findings)
        except DocumentError as error:
            if len(documents) == 1:
                raise
            findings.rejected.append(Rejected(document.address, str(error)))
            continue
        storms = sorted((fix for fix in fixes if not is_invest(fix.event_id)), key=lambda fix: (fix.event_id, fix.time))
        yield from batches(storms, findings, source="ATCF, derived from wind radii")
        for centre in (NHC, JTWC):
            invests = [fix for fix in fixes if is_invest(fix.event_id) and fix.wind_agency == centre.name]
            yield from invest_batches([_advisory(fix, centre) for fix in invests], centre.name)
        newest = max(fix.time for fix in fixes)
        findings.issued = max(filter(None, (findings.issued, newest)))


def _fixes(document: Document, text: str, findings: Findings) -> list[Fix]:
    """Return the positions, each with the radii of all its lines. Raises DocumentError."""
    found: dict[tuple[str, datetime], Fix] = {}
    lines = [line for line in text.replace("\r", "").split("\n") if line.strip()]
    for place, line in enumerate(lines, start=1):
        findings.read += 1
        try:
            fix = _fix([value.strip() for value in line.split(",")])
            if fix.time > document.retrieved + _TOLERANCE:
                raise ValueError(f"its time, {fix.time:%Y-%m-%d %H:%M} UTC, is in the future")
        except FAULTS as error:
            findings.rejected.append(Rejected(f"{document.address}, line {place}", reason(error)))
            continue
        before = found.get((fix.event_id, fix.time))
        if before is not None:
            fix = fix._replace(
                radii=twelve([b if a is None else a for a, b in zip(fix.radii, before.radii, strict=True)])
            )
        found[fix.event_id, fix.time] = fix
    if not found:
        raise DocumentError(f"{document.address} is no b-deck: none of its {len(lines)} lines is a position")
    return list(found.values())


def _fix(row: list[str]) -> Fix:
    """Return the position of a line. Raises one of FAULTS."""
    number = f"{row[0].upper()}{row[1]}{row[2][:4]}"
    time = datetime.strptime(row[2], "%Y%m%d%H").replace(tzinfo=UTC)
    if row[0].upper() == "SH" and time.month >= 7:
        number = f"{number[:4]}{time.year + 1}"
    if not is_number(number):
        raise ValueError(f"'{number}' is no number of a storm")
    if row[4].upper() != "BEST":
        raise ValueError(f"a position of '{row[4]}', not of the best track")
    latitude, longitude = _degrees(row[6], "NS", 90), _degrees(row[7], "EW", 180)
    wind, pressure = int(row[8]), int(row[9]) if row[9] else 0
    if not 0 <= wind <= _HIGHEST_KT:
        raise ValueError(f"{wind} is no wind in kt")
    agency = _agency(number)
    level = row[10] if len(row) > 10 and row[10] else None
    name = row[27] if len(row) > 27 else ""
    return Fix(
        event_id=number,
        season=season_of(number),
        basin=basin_of(number, normalise(longitude)),
        time=time,
        longitude=normalise(longitude),
        latitude=latitude,
        wind_kt=wind or None,
        pressure_hpa=pressure if pressure in _PRESSURES else None,
        status=(f"{DISTURBANCE} ({level})" if level else DISTURBANCE) if is_invest(number) else level,
        source=f"ATCF, wind of {agency.name}",
        name=None if name.upper() in _NOBODY else format_name(name),
        radii=_radii(row[11:17]),
        wind_minutes=agency.minutes,
        wind_agency=agency.name,
    )


def _agency(number: str) -> Agency:
    return NHC if number.startswith(_NHC_BASINS) else JTWC


def _radii(row: list[str]) -> Radii:
    """Return the radii of a line, which are of one wind. Raises ValueError."""
    if len(row) < 6 or not row[0] or int(row[0]) not in WINDS_KT:
        return NO_RADII
    sizes = [int(value or 0) for value in row[2:6]]
    if row[1] == "AAA":
        sizes = [sizes[0]] * 4
    known: list[int | None] = [None] * 12
    start = 4 * WINDS_KT.index(int(row[0]))
    known[start : start + 4] = sizes
    return twelve(known)


def _degrees(text: str, letters: str, highest: int) -> float:
    """Return degrees of tenths such as 101N. Raises ValueError."""
    found = _TENTHS.match(text)
    if found is None or found[2] not in letters or int(found[1]) > 10 * highest:
        raise ValueError(f"'{text}' is no position in tenths of degrees")
    return int(found[1]) / 10 * (1 if found[2] == letters[0] else -1)


def _advisory(fix: Fix, centre: Agency) -> Advisory:
    source = f"{centre.name}, position of {fix.time:%Y-%m-%d %H:%M} UTC"
    return Advisory(fix.event_id, None, fix.season, None, fix.time, fix._replace(source=centre.name), [], source)


def _text(document: Document) -> str:
    if document.path.stat().st_size > _LARGEST:
        raise DocumentError(f"{document.address} is too long for a b-deck")
    return document.path.read_text(encoding="utf-8", errors="replace")


SOURCE = Source(
    name="atcf-decks",
    title="Systems under investigation and working best tracks, ATCF b-decks",
    licence="public domain (United States government work)",
    licence_url="https://www.weather.gov/disclaimer",
    attribution="NOAA National Hurricane Center; Joint Typhoon Warning Center",
    rhythm=timedelta(hours=6),
    asked=timedelta(minutes=30),
    targets=(*ADVISED, *(target for target in TARGETS if target not in ADVISED)),
    read=read,
    documents="b-decks (b….dat)",
    addresses=lambda _since: [ADDRESS],
    named=systems,
)
