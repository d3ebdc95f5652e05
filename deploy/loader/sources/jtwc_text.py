"""Warnings of the Joint Typhoon Warning Center, as text (`wp2726web.txt`) or as JMV 3.0 data (`wp2726.tcw`).

The text has day and hour of its times only. JMV 3.0 begins with lines for machines, which have the year, and repeats
the text; the positions so far follow it. Format, from recorded products in public repositories: a line
`2026092912 03B MONTHA     004 …` with time, number, name and number of the warning; a line for each time step,
`T012 163N 0868E 065 R034 060 NE QD 080 SE QD 080 SW QD 040 NW QD …`, with hours ahead, tenths of degrees, winds in kt
and radii in nautical miles; and lines `0326092800 140N0890E  35` with year, month, day and hour of a past position.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from deploy.loader.geometry.antimeridian import normalise
from deploy.loader.source import Document, DocumentError
from deploy.loader.sources.nhc_text import format_name, nearest_time
from deploy.loader.storms.advisories import Advisory
from deploy.loader.storms.atcf import basin_of, number_of, season_of
from deploy.loader.storms.best_tracks import NO_RADII, WINDS_KT, Fix, Radii, twelve
from deploy.loader.storms.winds import JTWC

PLACE = r"(\d+(?:\.\d)?)([NS])\s+(\d+(?:\.\d)?)([EW])"
_TITLE = re.compile(
    r"(?P<status>[A-Z]+(?: [A-Z]+)*?)\s+(?P<number>\d\d[A-Z])\s*(?:\((?P<name>[^)\n]*)\))?"
    r"\s+WARNING\s+NR\s+(?P<count>\d+)"
)
ISSUED = re.compile(r"^[A-Z]{4}\d\d [A-Z]{4} (\d\d)(\d\d)(\d\d)\b", re.MULTILINE)
_NOW = re.compile(rf"WARNING POSITION:\s+(\d\d)(\d\d)(\d\d)Z\s*-+\s*NEAR\s+{PLACE}")
_AHEAD = re.compile(rf"^\s*(?:[A-Z]\.\s+)?(\d+) HRS, VALID AT:\s+(\d\d)(\d\d)(\d\d)Z\s*-+\s*{PLACE}", re.MULTILINE)
_WIND = re.compile(r"MAX SUSTAINED WINDS\s*-\s*(\d+) KT(?:,\s*GUSTS\s+(\d+) KT)?")
_RADII = re.compile(r"RADIUS OF (0\d\d) KT WINDS\s*-\s*((?:\d+ NM\s+[A-Z]+ QUADRANT\s*)+)")
_QUADRANT = re.compile(r"(\d+) NM\s+(NORTHEAST|SOUTHEAST|SOUTHWEST|NORTHWEST) QUADRANT")
_PRESSURE = re.compile(r"MINIMUM\s+CENTRAL\s+PRESSURE\s+AT\s+\d{6}Z\s+IS\s+(\d+)\s+MB")
_FINAL = re.compile(r"THIS\s+IS\s+THE\s+FINAL\s+WARNING\s+ON\s+THIS\s+SYSTEM")
_MACHINE = re.compile(r"^(\d{10}) (\d\d[A-Z]) (\S+)\s+(\d{3})\b", re.MULTILINE)
_STEP = re.compile(r"^T(\d{3})\s+(\d+)([NS])\s+(\d+)([EW])\s+(\d+)\b(.*)$", re.MULTILINE)
_ANY_STEP = re.compile(r"^T\d{3}\b", re.MULTILINE)
_STEP_RADII = re.compile(r"R(\d{3}) (\d+) NE QD (\d+) SE QD (\d+) SW QD (\d+) NW QD")
_PAST = re.compile(r"^\d\d(\d{8})\s+(\d+)([NS])\s*(\d+)([EW])\s+(\d+)\s*$", re.MULTILINE)
_STATUSES = ("EXTRATROPICAL", "SUBTROPICAL", "DISSIPAT")
_WORDS = {"DISSIPAT": "Dissipating"}
_HIGHEST_KT = 250
_TOLERANCE = timedelta(days=1)
"""Clock skew allowed: a warning of the future is refused, because it would block later ones."""


class _Step(NamedTuple):
    """A position at some hours after the warning's first one; place is longitude and latitude."""

    hours: int
    place: tuple[float, float]
    wind_kt: int | None
    gust_kt: int | None
    radii: Radii
    status: str | None


class _Warning(NamedTuple):
    number: str
    name: str | None
    status: str | None
    sequence: int
    time: datetime
    steps: list[_Step]


def is_warning(text: str) -> bool:
    """Return whether the text is or contains a numbered warning."""
    return _TITLE.search(text) is not None or _MACHINE.search(text) is not None


def read_warning(text: str, document: Document) -> Advisory:
    """Return the warning as an advisory. Raises DocumentError if a necessary part is missing or implausible."""
    text = text.replace("\r", "")
    try:
        warning = _merge(_of_machine(text), _of_prose(text, document.retrieved))
        past = _parse_past(text, warning)
    except (ValueError, OverflowError) as error:
        raise DocumentError(f"{document.address} has a value that no warning has: {error}") from None
    if warning is None or not warning.steps:
        raise DocumentError(f"{document.address} is no warning: its number, time or position is missing")
    if warning.time > document.retrieved + _TOLERANCE:
        raise DocumentError(f"{document.address}: its time, {warning.time:%Y-%m-%d %H:%M} UTC, is in the future")
    issued = ISSUED.search(text)
    time = nearest_time(warning.time, *map(int, issued.groups())) if issued else warning.time
    pressure = _PRESSURE.search(text)
    fixes = [_fix(warning, step) for step in warning.steps]
    if pressure:
        fixes[0] = fixes[0]._replace(pressure_hpa=int(pressure[1]))
    return Advisory(
        event_id=warning.number,
        name=warning.name,
        season=season_of(warning.number),
        number=warning.sequence,
        time=max(time, warning.time),
        analysed=fixes[0],
        forecast=fixes[1:],
        source=f"{JTWC.name}, warning {warning.sequence} of {max(time, warning.time):%Y-%m-%d %H:%M} UTC",
        final=_FINAL.search(text) is not None,
        past=tuple(fix for fix in past if fix.time < warning.time),
    )


def _merge(machine: _Warning | None, prose: _Warning | None) -> _Warning | None:
    """Return the lines for machines, with gusts, statuses and the whole name of the text of the same warning."""
    if machine is None or prose is None or (machine.number, machine.sequence) != (prose.number, prose.sequence):
        return machine or prose
    said = {step.hours: step for step in prose.steps}
    steps = [
        step._replace(gust_kt=said[step.hours].gust_kt, status=said[step.hours].status) if step.hours in said else step
        for step in machine.steps
    ]
    return machine._replace(steps=steps, name=prose.name or machine.name, status=prose.status)


def _of_machine(text: str) -> _Warning | None:
    """Return the warning of the lines for machines; None if there are none. Raises ValueError."""
    head = _MACHINE.search(text)
    if head is None:
        return None
    time = datetime.strptime(head[1], "%Y%m%d%H").replace(tzinfo=UTC)
    lines = text[head.end() :].split("AMP\n", maxsplit=1)[0]
    steps = []
    for found in _STEP.finditer(lines):
        radii = {int(wind): tuple(map(int, sizes)) for wind, *sizes in _STEP_RADII.findall(found[7])}
        place = _place(int(found[2]) / 10, found[3], int(found[4]) / 10, found[5])
        steps.append(_Step(int(found[1]), place, _wind(found[6]), None, _radii(radii), None))
    if len(steps) < len(_ANY_STEP.findall(lines)):
        raise ValueError("a time step is not readable")
    return _Warning(number_of(head[2], time), _name(head[3]), None, int(head[4]), time, _check_order(steps))


def _of_prose(text: str, retrieved: datetime) -> _Warning | None:
    """Return the warning of the text; None if a part is missing. The month is that nearest to the retrieval."""
    title, now = _TITLE.search(text), _NOW.search(text)
    if title is None or now is None:
        return None
    time = nearest_day(retrieved, *map(int, now.groups()[:3]))
    sections = list(_AHEAD.finditer(text))
    first = text[now.end() : sections[0].start() if sections else None]
    steps = [_prose_step(0, now.groups()[3:7], first)]
    for place, section in enumerate(sections):
        end = sections[place + 1].start() if place + 1 < len(sections) else len(text)
        words = text[section.end() : end].split("REMARKS:", maxsplit=1)[0].split("\n    ---", maxsplit=1)[0]
        steps.append(_prose_step(int(section[1]), section.groups()[4:8], words))
    status = title["status"].removeprefix("SUBJ ").strip().title()
    return _Warning(
        number_of(title["number"], time), _name(title["name"]), status, int(title["count"]), time, _check_order(steps)
    )


def _prose_step(hours: int, place: tuple[str, ...], words: str) -> _Step:
    wind = _WIND.search(words)
    radii = {int(limit): _quadrants(sizes) for limit, sizes in _RADII.findall(words)}
    status = next((_WORDS.get(each, each.title()) for each in _STATUSES if each in words), None) if hours else None
    return _Step(
        hours,
        _place(float(place[0]), place[1], float(place[2]), place[3]),
        _wind(wind[1]) if wind else None,
        _wind(wind[2]) if wind and wind[2] else None,
        _radii(radii),
        status,
    )


def _quadrants(text: str) -> tuple[int, ...]:
    sizes = {name: int(size) for size, name in _QUADRANT.findall(text)}
    return tuple(sizes.get(name, 0) for name in ("NORTHEAST", "SOUTHEAST", "SOUTHWEST", "NORTHWEST"))


def _radii(found: dict[int, tuple[int, ...]]) -> Radii:
    if not found:
        return NO_RADII
    return twelve([radius for wind in WINDS_KT for radius in found.get(wind, (None,) * 4)])


def _parse_past(text: str, warning: _Warning | None) -> list[Fix]:
    """Return the positions that follow the text. Raises ValueError."""
    if warning is None:
        return []
    fixes = []
    for day, latitude, north, longitude, east, wind in _PAST.findall(text):
        time = datetime.strptime(f"20{day}", "%Y%m%d%H").replace(tzinfo=UTC)
        place = _place(int(latitude) / 10, north, int(longitude) / 10, east)
        step = _Step(0, place, _wind(wind), None, NO_RADII, None)
        fixes.append(_fix(warning._replace(time=time, status=None), step))
    return fixes


def _fix(warning: _Warning, step: _Step) -> Fix:
    longitude, latitude = step.place
    return Fix(
        event_id=warning.number,
        season=season_of(warning.number),
        basin=basin_of(warning.number, longitude),
        time=warning.time + timedelta(hours=step.hours),
        longitude=longitude,
        latitude=latitude,
        wind_kt=step.wind_kt,
        pressure_hpa=None,
        status=step.status if step.hours else warning.status,
        source=JTWC.name,
        name=warning.name,
        gust_kt=step.gust_kt,
        radii=step.radii,
        wind_minutes=JTWC.minutes,
        wind_agency=JTWC.name,
    )


def nearest_day(time: datetime, day: int, hour: int, minute: int) -> datetime:
    """Return the time with this day of the month that is nearest to `time`. Raises ValueError."""
    around = [time + timedelta(days=offset) for offset in range(-31, 32)]
    found = [each.replace(hour=hour, minute=minute, second=0, microsecond=0) for each in around if each.day == day]
    if not found:
        raise ValueError(f"{day} is no day of a month")
    return min(found, key=lambda each: abs(each - time))


def _check_order(steps: list[_Step]) -> list[_Step]:
    """Return the steps. Raises ValueError if they do not begin with the position, or not follow each other in time."""
    hours = [step.hours for step in steps]
    if not hours or hours[0] != 0 or hours != sorted(set(hours)):
        raise ValueError(f"time steps of {hours} hours")
    return steps


def _name(text: str | None) -> str | None:
    name = (text or "").strip()
    return None if name.upper() in {"", "NONAME", "UNNAMED", "INVEST", "UNKNOWN"} else format_name(name)


def _place(latitude: float, north: str, longitude: float, east: str) -> tuple[float, float]:
    """Return longitude and latitude. Raises ValueError."""
    if latitude > 90 or longitude > 180:
        raise ValueError(f"{latitude}{north} {longitude}{east} is no place")
    return normalise(longitude * (1 if east == "E" else -1)), latitude * (1 if north == "N" else -1)


def _wind(text: str) -> int:
    """Return a wind in kt. Raises ValueError."""
    if int(text) > _HIGHEST_KT:
        raise ValueError(f"{text} is no wind in kt")
    return int(text)
