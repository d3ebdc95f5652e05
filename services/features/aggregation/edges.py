"""Where the years, months, ... seconds of a calendar begin, in UTC; and ranges of equal width. Pure."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import ROUND_FLOOR, Context, Decimal

_LAST = datetime.max.replace(tzinfo=UTC)
_FIFTEEN = Context(prec=15)
"""Digits of an edge: those that a double holds in any case, so that 4.5 + 0.46 is 4.96."""


def _months(count: int) -> Callable[[datetime], datetime]:
    def following(start: datetime) -> datetime:
        months = start.year * 12 + start.month - 1 + count
        return start.replace(year=months // 12, month=months % 12 + 1)

    return following


def _days(count: float) -> Callable[[datetime], datetime]:
    return lambda start: start + timedelta(days=count)


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _of_month(months: int) -> Callable[[datetime], datetime]:
    return lambda moment: _midnight(moment).replace(day=1, month=(moment.month - 1) // months * months + 1)


def _monday(moment: datetime) -> datetime:
    # of the year 1 there is no Monday before the first, which is one
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
"""Where the unit begins in which a moment lies, where the next begins, and about how many seconds it has."""
UNITS = tuple(_UNITS)


def suitable_unit(first: datetime, last: datetime, *, most: int = 60) -> str:
    """The shortest unit of which there are no more than about `most` between two moments; else the year."""
    seconds = (last - first).total_seconds()
    return next((name for name, (_, _, length) in _UNITS.items() if seconds / length <= most), "year")


def calendar_edges(unit: str, first: datetime, last: datetime, *, most: int) -> list[datetime] | None:
    """The beginnings of the units from that of `first` on, and the end of the one of `last`.

    None where there are more than `most` units. The end of the year 9999 is its last microsecond.
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
    """The edges of `number` ranges of equal length, to the microsecond; of fewer where they would be none."""
    span = (last - first) // timedelta(microseconds=1)
    return sorted({first + timedelta(microseconds=span * step // number) for step in range(number + 1)})


def equal_numbers(first: Decimal, last: Decimal, number: int) -> list[str]:
    """The edges of `number` ranges of equal width, the ends as they are."""
    span = last - first
    inner = [str(_FIFTEEN.plus(first + span * step / number)) for step in range(1, number)]
    return list(dict.fromkeys([str(first), *inner, str(last)]))


def multiples(width: Decimal, first: Decimal, last: Decimal, *, most: int) -> list[str] | None:
    """The multiples of `width` around two numbers; None where more than `most` ranges would be between them."""
    low, high = ((end / width).to_integral_value(ROUND_FLOOR) for end in (first, last))
    if high - low + 1 > most:
        return None
    return [str(width * step) for step in range(int(low), int(high) + 2)]
