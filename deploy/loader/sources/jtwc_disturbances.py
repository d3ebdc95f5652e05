"""Disturbances in texts of the JTWC: formation alerts, and the significant tropical weather advisories of an ocean.

An alert (`wp9226web.txt`) is about one system, an advisory (`abpwweb.txt`, `abioweb.txt`) about all, as numbered items.
Both have its position, wind and the potential for the development of a tropical cyclone within 24 hours in sentences.
"""

import re
from datetime import datetime

from deploy.loader.documents.faults import FAULTS, reason
from deploy.loader.geometry.antimeridian import normalise
from deploy.loader.source import Document, DocumentError, Findings, Rejected
from deploy.loader.sources.jtwc_text import ISSUED, PLACE, nearest_day
from deploy.loader.storms.advisories import Advisory
from deploy.loader.storms.atcf import basin_of, number_of, season_of
from deploy.loader.storms.best_tracks import Fix
from deploy.loader.storms.identity import DISTURBANCE, is_invest
from deploy.loader.storms.winds import JTWC

_KIND = re.compile(r"TROPICAL\s+CYCLONE\s+FORMATION\s+ALERT|SIGNIFICANT\s+TROPICAL\s+WEATHER\s+ADVISORY")
_ITEM = re.compile(r"\(\d{1,2}\)\s+(?=[A-Z])")
_INVEST = re.compile(r"\bINVEST\s+(9\d[A-Z])\b")
_WHERE = re.compile(rf"(?<!PREVIOUSLY )\b(?:LOCATED|PERSISTED) NEAR {PLACE}")
_WHEN = re.compile(r"\bAT (\d\d)(\d\d)(\d\d)Z INDICATES")
_WIND = re.compile(r"WINDS (?:IN THE AREA )?(?:ARE|WERE) ESTIMATED (?:AT|TO BE) (\d+)(?: TO (\d+))? KNOTS")
_PRESSURE = re.compile(r"MINIMUM SEA LEVEL PRESSURE IS ESTIMATED TO BE NEAR (\d+) MB")
_POTENTIAL = re.compile(r"POTENTIAL FOR THE DEVELOPMENT OF A SIGNIFICANT TROPICAL CYCLONE[^.]*?\b(LOW|MEDIUM|HIGH)\b")
_OVER = "SUBJECT OF A TROPICAL CYCLONE WARNING"


def is_about_disturbances(text: str) -> bool:
    """Return whether the text is such an alert or advisory."""
    return _KIND.search(text) is not None


def read_disturbances(text: str, document: Document, findings: Findings) -> list[Advisory]:
    """Return a position of each system. Items that cannot be read are findings. Raises DocumentError."""
    text = text.replace("\r", "")
    issued = ISSUED.search(text)
    if issued is None:
        raise DocumentError(f"{document.address} has no time of issue")
    try:
        time = nearest_day(document.retrieved, *map(int, issued.groups()))
    except ValueError as error:
        raise DocumentError(f"{document.address} has no time of issue: {error}") from None
    found = []
    for item in _ITEM.split(" ".join(text.upper().split())):
        named = _INVEST.search(item)
        if named is None or _OVER in item:
            continue
        findings.read += 1
        try:
            found.append(_advisory(item, named[1], time))
        except FAULTS as error:
            findings.rejected.append(Rejected(f"{document.address} {named[1]}", reason(error)))
    return found


def _advisory(item: str, number: str, issued: datetime) -> Advisory:
    """Return the system's position. Raises ValueError."""
    where, when = _WHERE.search(item), _WHEN.search(item)
    if where is None:
        raise ValueError("it has no position")
    time = nearest_day(issued, *map(int, when.groups())) if when else issued
    latitude, north, longitude, east = where.groups()
    event_id = number_of(number, time)
    place = normalise(float(longitude) * (1 if east == "E" else -1)), float(latitude) * (1 if north == "N" else -1)
    if abs(place[1]) > 90 or float(longitude) > 180 or not is_invest(event_id):
        raise ValueError(f"{latitude}{north} {longitude}{east} is no place")
    wind, pressure, potential = _WIND.search(item), _PRESSURE.search(item), _POTENTIAL.search(item)
    status = f"{DISTURBANCE}, {potential[1].lower()} potential within 24 hours" if potential else DISTURBANCE
    fix = Fix(
        event_id=event_id,
        season=season_of(event_id),
        basin=basin_of(event_id, place[0]),
        time=time,
        longitude=place[0],
        latitude=place[1],
        wind_kt=int(wind[2] or wind[1]) if wind else None,
        pressure_hpa=int(pressure[1]) if pressure else None,
        status=status,
        source=JTWC.name,
        wind_minutes=JTWC.minutes,
        wind_agency=JTWC.name,
    )
    source = f"{JTWC.name}, position of {time:%Y-%m-%d %H:%M} UTC"
    return Advisory(event_id, None, fix.season, None, time, fix, [], source)
