"""DATE, TIMESTAMP and INTERVAL literals, shared by both languages."""

from __future__ import annotations

import re
from datetime import date, datetime

from pygeofilter import ast, values

from libs.cql.errors import Place, excerpt, fault
from libs.cql.nodes import Part, mark_place
from libs.ogc.temporal import parse_instant

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)


def date_literal(text: object, at: Place) -> date:
    """Parse an RFC 3339 full-date. Raises CqlError."""
    if not isinstance(text, str) or not _DATE.match(text):
        raise fault(f"'{excerpt(text)}' is not a date such as 2020-01-31", at)
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise fault(f"'{text}' does not exist in the calendar", at) from None


def timestamp_literal(text: object, at: Place) -> datetime:
    """Parse an RFC 3339 date-time, in UTC. Raises CqlError."""
    if not isinstance(text, str) or len(text) > 64:
        raise fault(f"'{excerpt(text)}' is not a timestamp such as 2020-01-31T12:00:00Z", at)
    if _DATE.match(text):
        raise fault(f"'{text}' is a date without a time; write DATE('{text}')", at)
    try:
        return parse_instant(text)
    except ValueError as error:
        raise fault(str(error), at) from None


def interval(start: Part, end: Part, at: Place) -> Part:
    """Return an interval, closed at both ends; `'..'` is open. Raises CqlError."""
    bounds = [_bound(start), _bound(end)]
    first, last = bounds
    if isinstance(first, date) and isinstance(last, date) and _day_or_instant_after(first, last):
        raise fault(f"the interval starts at {first} and ends before, at {last}", at)
    return mark_place(values.Interval(first, last), at, (start, end))


def _bound(part: Part) -> date | datetime | ast.Node | None:
    value = part.value
    if isinstance(value, str) and value == "..":
        return None
    if isinstance(value, ast.Attribute | ast.Function | date):
        return value
    if isinstance(value, str) and _DATE.match(value):
        return date_literal(value, part.at)
    if isinstance(value, str):
        return timestamp_literal(value, part.at)
    raise fault("an end of an interval is a date, a timestamp, '..' or a property", part.at)


def _day_or_instant_after(first: date, last: date) -> bool:
    """Return whether `first` is later; a date and a timestamp are compared by day."""
    if isinstance(first, datetime) and isinstance(last, datetime):
        return first > last
    return _day(first) > _day(last)


def _day(instant: date) -> date:
    return instant.date() if isinstance(instant, datetime) else instant
