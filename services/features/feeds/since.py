"""Parse `last=P1D`: a time that ends now, with an ISO 8601 duration."""

import re
from datetime import UTC, datetime, timedelta

_DURATION = re.compile(
    r"P(?=.)(?:(?P<weeks>\d{1,4})W|(?:(?P<days>\d{1,5})D)?(?:T(?=.)(?:(?P<hours>\d{1,5})H)?(?:(?P<minutes>\d{1,6})M)?)?)\Z",
    re.ASCII,
)


def duration(text: str) -> timedelta:
    """Return the duration in `P1D`, `PT6H`, `P1DT12H` or `P2W`. Raises ValueError with the end of a sentence.

    Months and years have no fixed length. Seconds would make a different feed each second.
    """
    found = _DURATION.match(text)
    parts = {name: int(number) for name, number in found.groupdict().items() if number} if found else {}
    length = timedelta(**parts)
    if not length:
        raise ValueError("must be a duration of weeks, days, hours and minutes, such as P1D, PT6H or P2W")
    return length


def start_of_last(length: timedelta, moment: datetime | None = None) -> datetime:
    """Return the start of a time of this length that ends now, to the minute, so that responses within it are equal."""
    now = (moment or datetime.now(UTC)).replace(second=0, microsecond=0)
    earliest = datetime(1, 1, 1, tzinfo=UTC)
    return now - length if now - earliest > length else earliest
