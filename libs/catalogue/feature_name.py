"""What a feature is called on a page. services/viewer/browser/words/feature-name.js says the same on the map."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from libs.catalogue.basins import BASIN, BASINS
from libs.catalogue.model import Collection
from libs.catalogue.name_columns import name_columns
from libs.ogc.temporal import day, moment_of

_STRENGTH = ("max_wind_kt", "wind_speed_kt", "wind_kt")


def feature_name(collection: Collection, id_: Any, properties: Mapping[str, Any]) -> str:
    """The text that names a feature: its own, or what, where and when it is.

    Storms, which are mostly nameless, are called by basin, time (UTC) and wind, for their titles repeat.
    """
    when = _when(collection, properties)
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


def _when(collection: Collection, properties: Mapping[str, Any]) -> str:
    """`20–24 Oct 2015` of a start and an end, `20 Oct 2015, 06:00 UTC` of a moment, `20 Oct 2015` of a day."""
    # the default where it is filled, else the first that is: as the map has it
    time = next((column for column in collection.times if column.start and column.end), collection.time())
    start = moment_of(properties.get(time.name)) if time else None
    if time is None or start is None:
        return ""
    pair = collection.lasting()
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
