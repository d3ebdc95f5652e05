"""The name of a feature on a page, and the columns that name features.

services/viewer/browser/words/feature-name.js does the same on the map; the cases of tests/services/feature_names.json
test both.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from libs.catalogue.basins import BASIN, BASINS
from libs.catalogue.model import Collection
from libs.ogc.temporal import day, moment_of

_OWN = ("title", "name", "place")
_WORD = re.compile(r"(title|name|label|place|nom|nombre|nome|naam|namn|nazwa|bezeichnung)\Z", re.IGNORECASE | re.ASCII)
_PART = re.compile(
    r"(name|nom|nombre|nome)_|.*_(name|nom|nombre|nome|naam|namn|nazwa|bezeichnung)\Z",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)
_COMPOUND = re.compile(
    r"(?!(user|sur|fore|nick|file|path|host|layer|table|column|type)name\Z).{3,}(name|bezeichnung)\Z",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)
"""`StopName`, `schulname`; not `rename`."""
_STRENGTH = ("max_wind_kt", "wind_speed_kt", "wind_kt")


def name_columns(names: Iterable[str]) -> list[str]:
    """Return those of these columns whose text may name a feature, the likeliest first.

    >>> name_columns(["ID", "NAME_EN", "StopName", "station_name", "Name", "place"])
    ['place', 'Name', 'NAME_EN', 'station_name', 'StopName']
    """
    known = list(names)
    found = [name for name in _OWN if name in known]
    for pattern in (_WORD, _PART, _COMPOUND):
        found += [name for name in known if pattern.match(name) and name not in found]
    return found


def feature_name(collection: Collection, id_: Any, properties: Mapping[str, Any]) -> str:
    """Return the text that names a feature: its own name, or its kind, place and time.

    Most storms are unnamed, and their titles repeat: they get basin, time (UTC) and wind.
    """
    when = _format_time(collection, properties)
    if _text(properties.get(BASIN)):
        return _storm(properties, when)
    own = next((text for name in name_columns(properties) if (text := _text(properties.get(name)))), None)
    if own is not None:
        return own
    title = collection.title
    kind = title[:-1] if title.endswith("s") and not title.endswith("ss") and len(title) > 1 else title
    parts = [part for part in (_text(properties.get("country")), when) if part]
    return ", ".join([kind, *parts]) if parts else f"{kind} {'' if id_ is None else id_}".strip()


def _storm(properties: Mapping[str, Any], when: str) -> str:
    basin = _text(properties[BASIN])
    winds = (properties.get(name) for name in _STRENGTH)
    wind = next(
        (value for value in winds if isinstance(value, int | float | Decimal) and not isinstance(value, bool)), None
    )
    parts = (
        _text(properties.get("name")) or BASINS.get(basin, basin),
        when,
        "" if wind is None else f"{float(wind):.15g} kt",
    )
    return ", ".join(part for part in parts if part)


def _format_time(collection: Collection, properties: Mapping[str, Any]) -> str:
    """Return `20–24 Oct 2015` for a period, `20 Oct 2015, 06:00 UTC` for a moment, `20 Oct 2015` for a day."""
    # the default column if it is filled, else the first that is: the same as on the map
    filled = (column for column in collection.times if column.usual and column.start and column.end)
    time = next(filled, collection.time())
    start = moment_of(properties.get(time.name)) if time else None
    if time is None or start is None:
        return ""
    pair = collection.period_columns()
    end = moment_of(properties.get(pair[1].name)) if pair and pair[0] == time else None
    if end is not None:
        return _period(start, end)
    clock = f", {start:%H:%M} UTC" if "T" in str(properties[time.name]) else ""
    return day(start.isoformat()) + clock


def _period(start: datetime, end: datetime) -> str:
    first, last = day(start.isoformat()), day(end.isoformat())
    if first == last:
        return first
    if first[-8:] == last[-8:]:
        return f"{start.day}–{last}"
    return f"{first[:-5]} – {last}" if first[-4:] == last[-4:] else f"{first} – {last}"


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
