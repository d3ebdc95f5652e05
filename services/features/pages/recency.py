"""The age of features, which of them are over, and their order on pages: newest first.

The map's model/in-force.js and words/time.js do the same.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from libs.catalogue.model import Collection
from libs.ogc.temporal import moment_of, parse_interval
from libs.selection.ids import listed_id
from libs.web.languages import gettext
from libs.web.page_text import format_age

_LIVE = timedelta(days=60)
"""Maximum age of data with active features. An archive has none, and fading all of it would show nothing."""
_FEW = 20_000
"""Number of rows that the database sorts without an index in a negligible time."""
_WITHDRAWN = "withdrawn"


def newest_first(collection: Collection) -> str | None:
    """Return the default order of a page, as in `sortby`; None if it is slow, or the operator configured another."""
    time = collection.time()
    column = collection.column(collection.time_issued or (time.name if time else ""))
    if column is None or not column.ordered or collection.sort or collection.kind == "function":
        return None
    rows = collection.rows if collection.item_count is None else collection.item_count
    quick = (column.indexed and column.not_null) or (rows is not None and rows <= _FEW)
    return f"-{listed_id(column.name)}" if quick else None


def is_live(collection: Collection) -> bool:
    """Return whether some features may be active: they have an end, and the data are recent."""
    pair = collection.period_columns()
    moments = [_last_moment(time.end) for time in pair if time.end] if pair else []
    return any(moment > datetime.now(UTC) - _LIVE for moment in moments if moment)


def tag_of_age(collection: Collection) -> str:
    """Return what a cached page depends on besides the data: the minute, if it shows ages."""
    return f"{datetime.now(UTC):%Y%m%d%H%M}" if is_live(collection) else ""


def end_of_validity(collection: Collection, properties: Mapping[str, Any]) -> datetime | None:
    """Return when a feature of a live collection ended or was withdrawn; None if it has not."""
    now, withdrawn = datetime.now(UTC), _last_moment(properties.get(_WITHDRAWN))
    if withdrawn is not None and withdrawn <= now:
        return withdrawn
    pair = collection.period_columns()
    end = _last_moment(properties.get(pair[1].name)) if pair and is_live(collection) else None
    return end if end is not None and end < now else None


def age(collection: Collection, properties: Mapping[str, Any]) -> str:
    """Return `issued 3 h ago, ended 2 days ago`; empty if unknown or long past."""
    time, issued = collection.time(), str(properties.get(collection.time_issued or ""))
    over, start = end_of_validity(collection, properties), properties.get(time.name) if time else None
    told = [gettext("issued %(time)s") % {"time": format_age(issued)}] if moment_of(issued) else []
    if over is not None:
        said = gettext("withdrawn %(time)s") if properties.get(_WITHDRAWN) else gettext("ended %(time)s")
        told.append(said % {"time": format_age(over.isoformat())})
    if not told and (moment := moment_of(start)) is not None and abs(datetime.now(UTC) - moment) < _LIVE:
        told.append(format_age(str(start)))
    return ", ".join(told)


def _last_moment(moment: Any) -> datetime | None:
    """Return the last moment of a date, or an instant itself; None for other values."""
    if not isinstance(moment, str):
        return None
    try:
        return parse_interval(moment).end
    except ValueError:
        return moment_of(moment)
