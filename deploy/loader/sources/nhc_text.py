"""The forecast/advisory of the National Hurricane Center as text (product TCM), as broadcast and on its pages.

Source: NHC, Tropical Cyclone Forecast/Advisory, product description: positions in degrees and tenths, winds in kt,
radii by quadrant in nautical miles, times as day/hour UTC.
"""

import html
import re
from datetime import UTC, datetime, timedelta

from deploy.loader.geometry.antimeridian import normalise
from deploy.loader.source import DocumentError
from deploy.loader.storms.advisories import Advisory
from deploy.loader.storms.atcf import basin_of, season_of
from deploy.loader.storms.best_tracks import NO_RADII, WINDS_KT, Fix, Radii, twelve
from deploy.loader.storms.winds import NHC, advisory_agency

_TITLE = re.compile(
    r"^(?P<status>HURRICANE|(?:SUB|EXTRA)?TROPICAL (?:STORM|DEPRESSION|CYCLONE|LOW)"
    r"|(?:POST-TROPICAL|POTENTIAL TROPICAL) CYCLONE"
    r"|REMNANTS OF|REMNANT LOW(?: OF)?|(?:SUPER )?TYPHOON|TROPICAL DISTURBANCE)\s+(?P<name>\S[^\n]*?)"
    r"\s+(?:SPECIAL\s+)?FORECAST/ADVISORY\s+NUMBER\s+(?P<number>\d+)",
    re.MULTILINE,
)
_NUMBERED = re.compile(r"FORECAST/ADVISORY\s+NUMBER")
_STORM = re.compile(r"\b((?:AL|EP|CP)\d{2})(\d{4}|\d{2})\b")
_ISSUED = re.compile(
    r"^(\d{2})(\d{2}) ?(?:UTC|Z) \w{3} (JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC) (\d{2}) (\d{4}|\d{2})\b",
    re.MULTILINE,
)
_CENTURY = 50
"""A two-digit year from here on belongs to the last century: the oldest of these texts are from 1998."""
MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_PLACE = r"(\d+\.\d)([NS]) +(\d+\.\d)([EW])"
_WHEN = r"(\d{2})/(\d{2})(\d{2})Z"
_NOW = re.compile(
    rf"^(?!REPEAT)[A-Z -]*(?:CENTER LOCATED|DISSIPATING|DISSIPATED) NEAR +{_PLACE} AT {_WHEN}", re.MULTILINE
)
_AHEAD = re.compile(rf"^(?:FORECAST|OUTLOOK) VALID {_WHEN} *(?:\.\.\.)? *(?:{_PLACE})?(?P<remark>.*)$", re.MULTILINE)
_WIND = re.compile(r"MAX(?: SUSTAINED)? WINDS? +(\d+) KT(?:\.\.\.GUSTS| WITH GUSTS TO) +(\d+) KT")
_PRESSURE = re.compile(r"MINIMUM CENTRAL PRESSURE +(\d+) MB")
_RADII = re.compile(r"^(34|50|64) KT\.+ *(\d+)NE +(\d+)SE +(\d+)SW +(\d+)NW", re.MULTILINE)
_LAST = re.compile(r"THIS IS THE LAST\s+(?:FORECAST/)?ADVISORY")
_TAG = re.compile(r"<[^>]*>")
_STATUSES = {"DISSIPATED": "Dissipated", "EXTRATROP": "Extratropical", "POST-TROP": "Post-Tropical"}


def is_text(text: str) -> bool:
    """Return whether the text is or contains such a product."""
    return _NUMBERED.search(text) is not None


def read_text(text: str, address: str) -> Advisory:
    """Return the advisory in a product. Raises DocumentError if a necessary part is missing."""
    plain = html.unescape(_TAG.sub("", text)) if "<" in text else text
    plain = "\n".join(line.strip() for line in plain.replace("\r", "").split("\n"))
    title, storm = (
        _require_match(_TITLE, plain, "heading", address),
        _require_match(_STORM, plain, "number of the storm", address),
    )
    issued, now = _require_match(_ISSUED, plain, "time", address), _require_match(_NOW, plain, "position", address)
    hour, minute, month, day, year = issued.groups()
    try:
        time = datetime(_year(year), MONTHS.index(month) + 1, int(day), int(hour), int(minute), tzinfo=UTC)
    except ValueError:
        raise DocumentError(f"{address} has no valid time of issue: {issued[0]}") from None
    number, name, advisory = f"{storm[1]}{_year(storm[2])}", format_name(title["name"]), int(title["number"])
    sections = list(_AHEAD.finditer(plain))
    first = plain[now.end() : sections[0].start() if sections else None]
    season = season_of(number)
    said = f"NHC, advisory {advisory} of {time:%Y-%m-%d %H:%M} UTC"

    def fix(at: datetime, place: tuple[str, ...], words: str, status: str | None) -> Fix:
        wind, pressure = _WIND.search(words), _PRESSURE.search(words)
        longitude, latitude = _position(place)
        return Fix(
            event_id=number,
            season=season,
            basin=basin_of(number, longitude),
            time=at,
            longitude=longitude,
            latitude=latitude,
            wind_kt=int(wind[1]) if wind else None,
            pressure_hpa=int(pressure[1]) if pressure else None,
            status=status,
            source="NHC",
            name=name,
            gust_kt=int(wind[2]) if wind else None,
            radii=_radii(words),
            wind_minutes=NHC.minutes,
            wind_agency=advisory_agency(number).name,
        )

    analysed = fix(time, now.groups()[:4], first, title["status"].title())
    forecast = []
    for place, section in enumerate(sections):
        groups = section.groups()
        if groups[3] is None:
            continue
        end = sections[place + 1].start() if place + 1 < len(sections) else len(plain)
        # text after the last position is not about it
        words = plain[section.end() : end].split("\n\n")[0]
        status = next((said for word, said in _STATUSES.items() if word in section["remark"]), None)
        forecast.append(fix(nearest_time(time, *map(int, groups[:3])), groups[3:7], words, status))
    final = _LAST.search(plain) is not None
    return Advisory(number, name, season, advisory, time, analysed, forecast, said, final)


def _require_match(pattern: re.Pattern[str], text: str, what: str, address: str) -> re.Match[str]:
    found = pattern.search(text)
    if found is None:
        raise DocumentError(f"{address} is no forecast/advisory: its {what} is missing")
    return found


def _year(text: str) -> int:
    if len(text) == 4:
        return int(text)
    return int(text) + (1900 if int(text) >= _CENTURY else 2000)


def format_name(name: str) -> str:
    """Format a name as Irma, Two-E."""
    return "-".join(part.capitalize() for part in name.split("-"))


def _position(place: tuple[str, ...]) -> tuple[float, float]:
    latitude, north, longitude, east = place
    return (
        normalise(float(longitude) * (1 if east == "E" else -1)),
        float(latitude) * (1 if north == "N" else -1),
    )


def _radii(words: str) -> Radii:
    found = {int(row[0]): tuple(map(int, row[1:])) for row in _RADII.findall(words)}
    if not found:
        return NO_RADII
    return twelve([radius for wind in WINDS_KT for radius in found.get(wind, (None,) * 4)])


def nearest_time(time: datetime, day: int, hour: int, minute: int) -> datetime:
    """Return the time with this day of the month that is nearest to the advisory."""
    days = (time + timedelta(days=offset) for offset in range(-3, 12))
    for each in days:
        if each.day == day:
            return each.replace(hour=hour, minute=minute)
    raise DocumentError(f"day {day} is not near {time:%Y-%m-%d}")
