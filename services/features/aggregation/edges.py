"""Edges of facet ranges: starts of calendar units (year to second, in UTC), and ranges of equal width. Pure."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import ROUND_FLOOR, Context, Decimal

_LAST = datetime.max.replace(tzinfo=UTC)
_FIFTEEN = Context(prec=15)
"""Rounds an edge to 15 significant digits, which every double holds: 4.5 + 0.46 gives 4.96."""


def _months(count: int) -> Callable[[datetime], datetime]:
    def add_months(start: datetime) -> datetime:
        months = start.year * 12 + start.month - 1 + count
        return start.replace(year=months // 12, month=months % 12 + 1)

    return add_months


def _days(count: float) -> Callable[[datetime], datetime]:
    return lambda start: start + timedelta(days=count)


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _of_month(months: int) -> Callable[[datetime], datetime]:
    return lambda moment: _midnight(moment).replace(day=1, month=(moment.month - 1) // months * months + 1)


def _monday(moment: datetime) -> datetime:
    # the year 1 begins on a Monday, so no earlier Monday is ever needed
    return _midnight(moment) - timedelta(days=moment.weekday())


_UNITS: Mapping[str, tuple[Callable[[datetime], datetime], Callable[[datetime], datetime], float]] = {
    "second": (lambda moment: moment.replace(microsecond=0), lambda start: start + timedelta(seconds=1), 1),
    "minute": (
        lambda moment: moment.replace(second=0, microsecond=0),
        lambda start: start + timedelta(minutes=1),
        60,
    ),
    "hour": (
        lambda moment: moment.replace(minute=0, second=0, microsecond=0),
        lambda start: start + timedelta(hours=1),
        3600,
    ),
    "day": (_midnight, _days(1), 86_400),
    "week": (_monday, _days(7), 604_800),
    "month": (_of_month(1), _months(1), 2_629_746),
    "quarter": (_of_month(3), _months(3), 7_889_238),
    "year": (_of_month(12), _months(12), 31_556_952),
}
"""By unit: the start of the unit around a moment, the start of the next unit, and its approximate length in seconds."""
UNITS = tuple(_UNITS)


def suitable_unit(first: datetime, last: datetime, *, most: int = 60) -> str:
    """Return the shortest unit that divides the time between two moments into about `most` parts, or the year."""
    seconds = (last - first).total_seconds()
    return next((name for name, (_, _, length) in _UNITS.items() if seconds / length <= most), "year")


def calendar_edges(unit: str, first: datetime, last: datetime, *, most: int) -> list[datetime] | None:
    """Return the starts of the units from the one around `first`, and the end of the one around `last`.

    Returns None for more than `most` units. The end of the year 9999 is its last microsecond.
    """
    begin, following, length = _UNITS[unit]
    if (last - first).total_seconds() / length > most + 2:
        return None
    edges = [begin(first)]
    while edges[-1] <= last:
        try:
            edges.append(following(edges[-1]))
        except (OverflowError, ValueError):
            edges.append(_LAST)
            break
    return edges if len(edges) <= most + 1 else None


def equal_times(first: datetime, last: datetime, number: int) -> list[datetime]:
    """Return the edges of up to `number` ranges of equal length, to the microsecond; fewer if some would be empty."""
    span = (last - first) // timedelta(microseconds=1)
    return sorted({first + timedelta(microseconds=span * step // number) for step in range(number + 1)})


def equal_numbers(first: Decimal, last: Decimal, number: int) -> list[str]:
    """Return the edges of `number` ranges of equal width; the first and last edge are exact."""
    span = last - first
    inner = [str(_FIFTEEN.plus(first + span * step / number)) for step in range(1, number)]
    return list(dict.fromkeys([str(first), *inner, str(last)]))


def multiples(width: Decimal, first: Decimal, last: Decimal, *, most: int) -> list[str] | None:
    """Return the multiples of `width` around two numbers; None if they would form more than `most` ranges."""
    low, high = ((end / width).to_integral_value(ROUND_FLOOR) for end in (first, last))
    if high - low + 1 > most:
        return None
    return [str(width * step) for step in range(int(low), int(high) + 2)]
