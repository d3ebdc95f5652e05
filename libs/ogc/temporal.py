"""The `datetime` parameter of OGC API Features (/req/core/fc-time-definition, RFC 3339)."""

import re
import time as clock
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import lru_cache

_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})\Z", re.ASCII)
_TIMESTAMP = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2})?\Z", re.ASCII
)
_BLANK_BEFORE_OFFSET = re.compile(r".*:\d{2}(\.\d+)? \d{2}:\d{2}\Z", re.ASCII)
_YEAR_ZERO, _LEAP_YEAR = "0000-", "0004-"


@dataclass(frozen=True, slots=True)
class Interval:
    """A closed interval in UTC; `None` is an open end. An instant has `start == end`.

    A date is its whole day: `start` is its midnight, `end` its last microsecond.
    """

    start: datetime | None
    end: datetime | None


def parse_interval(text: str) -> Interval:
    """Parse `2020-01-01T00:00:00Z`, `2020-01-01`, `start/end`, `../end`, `start/..` or an empty end.

    A start in the year 0000 before an end counts as open: QGIS writes that. Raises ValueError with a sentence for the
    client.
    """
    parts = text.split("/")
    if len(parts) == 1:
        if text in ("", ".."):
            raise ValueError("must be an RFC 3339 date-time, a date, or an interval start/end")
        first, last = _bounds(text)
        return Interval(first, last)
    if len(parts) != 2:
        raise ValueError("must have one '/' between the start and the end of an interval")
    if set(parts) <= {"", ".."}:
        # /req/core/fc-time-definition: only one end may be open
        raise ValueError("must have a start or an end: an interval that is open at both ends says nothing")
    if parts[0].startswith(_YEAR_ZERO) and parts[1] not in ("", ".."):
        # check the rest of the start, with a leap year that exists
        leap = parts[0].replace(_YEAR_ZERO, _LEAP_YEAR, 1)
        try:
            _bounds(leap)
        except ValueError as error:
            raise ValueError(str(error).replace(leap, parts[0])) from None
        parts[0] = ".."
    start = None if parts[0] in ("", "..") else _bounds(parts[0])[0]
    end = None if parts[1] in ("", "..") else _bounds(parts[1])[1]
    if start is not None and end is not None and start > end:
        raise ValueError(f"start {parts[0]} is after end {parts[1]}")
    return Interval(start, end)


def _bounds(text: str) -> tuple[datetime, datetime]:
    """Return first and last microsecond of `text`; GDAL writes a date as `2020-02-01T`."""
    if _DATE.match(text.removesuffix("T")):
        text = text.removesuffix("T")
        try:
            midnight = datetime.combine(date.fromisoformat(text), time(), UTC)
        except ValueError:
            raise ValueError(f"'{text}' does not exist in the calendar") from None
        return midnight, midnight.replace(hour=23, minute=59, second=59, microsecond=999_999)
    instant = parse_instant(text)
    return instant, instant


def parse_instant(text: str) -> datetime:
    """Parse an RFC 3339 date-time, to the microsecond; without a zone it is in UTC already.

    Raises ValueError with a sentence for the client.
    """
    match = _TIMESTAMP.match(text)
    if not match and _BLANK_BEFORE_OFFSET.match(text):
        raise ValueError(f"'{text}' has a blank before its offset; in an address write + as %2B")
    if not match:
        raise ValueError(f"'{text}' is not an RFC 3339 date-time such as 2020-01-31T12:00:00Z, nor a date")
    day, hour, minute, second, fraction, zone = match.groups()
    microsecond = int(((fraction or "0") + "000000")[:6])
    # RFC 3339 allows leap seconds, Python does not: use the second that follows 59
    leap = int(second) == 60
    try:
        moment = datetime.combine(
            date.fromisoformat(day),
            time(int(hour), int(minute), 59 if leap else int(second), microsecond, _offset(zone)),
        )
        return (moment + timedelta(seconds=1 if leap else 0)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"'{text}' does not exist in the calendar") from None


def moment_of(value: object) -> datetime | None:
    """Return a property's value as a time in UTC; a date begins at midnight. None for values that are not times."""
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def day(moment: str) -> str:
    """Convert an RFC 3339 time to `31 Jan 2018`, in UTC; other texts stay unchanged."""
    found = moment_of(moment)
    return moment if found is None else f"{found.day} {found:%b} {found.year}"


def _offset(zone: str | None) -> timezone:
    if zone is None or zone in "Zz":
        return UTC
    hours, minutes = int(zone[1:3]), int(zone[4:6])
    if hours > 23 or minutes > 59:
        raise ValueError("offset out of range")
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if zone[0] == "-" else offset)


def in_utc_text(text: str) -> str:
    """Return a date-time or an interval in UTC with a trailing Z, as it was interpreted; other texts stay unchanged."""
    return "/".join(map(_moment_in_utc, text.split("/")))


def _moment_in_utc(part: str) -> str:
    try:
        return rfc3339(parse_instant(part))
    except ValueError:
        return part


def rfc3339(moment: datetime) -> str:
    """Return `moment` (with a zone) in UTC with a trailing Z, with the shortest fraction."""
    text = moment.astimezone(UTC).isoformat().removesuffix("+00:00")
    return f"{text.rstrip('0') if '.' in text else text}Z"


def now() -> str:
    """Return the current time for `timeStamp` members."""
    return _second(int(clock.time()))


@lru_cache(maxsize=4)
def _second(seconds: int) -> str:
    return rfc3339(datetime.fromtimestamp(seconds, UTC))
