"""Format numbers, times, boxes and formats for people: filters of the templates."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from babel.dates import format_date, format_timedelta
from babel.numbers import format_decimal
from babel.units import format_unit

from libs.ogc.link import path_segment
from libs.ogc.media_type import LABELS
from libs.ogc.temporal import day as english_day
from libs.ogc.temporal import moment_of
from libs.web.accept_language import ENGLISH
from libs.web.languages import current, gettext

_EPSG = re.compile(r"http://www\.opengis\.net/def/crs/(\w+)/[\w.]+/(\w+)\Z")


def format_label(media_type: str) -> str:
    """Convert `application/geo+json` to `GeoJSON`; a type without a name stays unchanged."""
    return LABELS.get(media_type, media_type)


def count(number: int) -> str:
    """Convert 1707 to `1,707`, in the language of the response."""
    return f"{number:,}" if current() is ENGLISH else str(format_decimal(number, locale=current().tag))


def day(moment: str) -> str:
    """Convert an RFC 3339 time to `31 Jan 2018`, in UTC; other texts stay unchanged."""
    found = moment_of(moment)
    if current() is ENGLISH or found is None:
        return english_day(moment)
    return str(format_date(found.astimezone(UTC), "d MMM y", locale=current().tag))


def clock(moment: str) -> str:
    """Convert an RFC 3339 time to `31 Jan 2018, 06:00 UTC`; a date to its day."""
    found = moment_of(moment)
    return day(moment) if found is None or "T" not in moment else f"{day(moment)}, {found:%H:%M} UTC"


_AGES = ((60, 60, "min"), (48, 3600, "h"), (60, 86400, "days"), (24, 2629800, "months"), (0, 31557600, "years"))
"""Maximum number of each unit, its length in seconds, its name."""
_OF_BABEL = {2629800: 30 * 86400, 31557600: 365 * 86400}
"""Babel's length of months and years, in seconds."""
_LONG = frozenset({"ar"})
"""Languages for which Babel has no short words for some ages."""


def format_age(moment: str, present: datetime | None = None) -> str:
    """Return the age of a time at `present`, in one unit: `3 h ago`, `2 years ago`; `in 3 h` for a future time.

    The map's words/time.js does the same.
    """
    found = moment_of(moment)
    if found is None:
        return moment
    seconds = ((present or datetime.now(UTC)) - found).total_seconds()
    if abs(seconds) < 60:
        return gettext("just now")
    size, unit = next((size, unit) for most, size, unit in _AGES if not most or abs(seconds) < most * size)
    number = int(abs(seconds) // size)
    if current() is not ENGLISH:
        # whole units: Babel would round them up
        since = timedelta(seconds=number * _OF_BABEL.get(size, size) * (-1 if seconds > 0 else 1))
        form: Literal["short", "long"] = "long" if current().tag in _LONG else "short"
        return str(format_timedelta(since, locale=current().tag, add_direction=True, format=form, threshold=1))
    words = f"{number} {unit if number != 1 else unit.removesuffix('s')}"
    return f"{words} ago" if seconds > 0 else f"in {words}"


def degrees(box: list[float]) -> str:
    """Convert west, south, east, north in degrees to `179.6° W – 178.8° E, 65.9° S – 83° N`."""
    west, south, east, north = box
    ways, rises = (gettext("E"), gettext("W")), (gettext("N"), gettext("S"))
    return f"{_angle(west, ways)} – {_angle(east, ways)}, {_angle(south, rises)} – {_angle(north, rises)}"


def _angle(value: float, sides: tuple[str, str]) -> str:
    size = f"{abs(value):.2f}".rstrip("0").rstrip(".")
    return f"{size}° {sides[value < 0]}" if size != "0" else "0°"


def crs_label(uri: str) -> str:
    """Convert `http://www.opengis.net/def/crs/EPSG/0/3857` to `EPSG:3857`; other texts stay unchanged."""
    found = _EPSG.match(uri)
    return uri if found is None else found.group(2) if found.group(1) == "OGC" else ":".join(found.groups())


def shell(text: str) -> str:
    """Return `text` as one word of a POSIX shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def span(seconds: int) -> str:
    """Return a duration in its largest whole unit: `minute`, `6 hours`."""
    units = (("week", 604800), ("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1))
    unit, size = next((unit, size) for unit, size in units if seconds % size == 0 and (seconds or size == 1))
    number = seconds // size
    if current() is not ENGLISH:
        return str(format_unit(number, f"duration-{unit}", locale=current().tag))
    return unit if number == 1 else f"{number} {unit}s"


FILTERS: Mapping[str, Callable[..., Any]] = {
    "format_label": format_label,
    "count": count,
    "day": day,
    "clock": clock,
    "ago": format_age,
    "degrees": degrees,
    "crs_label": crs_label,
    "shell": shell,
    "span": span,
    # texts of collections: those of the hazard collections have translations (services/viewer/build/hazard_words.py)
    "said": lambda text: gettext(str(text or "")),
    # Jinja's own `urlencode` keeps slashes, which ids may contain
    "segment": lambda value: path_segment(str(value)),
}
