"""Turn counted rows into the buckets of a facet. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from itertools import pairwise
from math import sqrt
from typing import Any

from libs.catalogue.model import Column
from libs.ogc.temporal import rfc3339
from libs.pg.column_types import Kind, base_type
from libs.selection.columns import column_queryable
from services.features.aggregation.facet import LONGEST_TERM, PlaceFacet, TermFacet
from services.features.rows.columns import CALENDAR

_LARGE = 2.0**63
"""The JSON encoder rejects integers from here on."""
Row = Sequence[Any]
Bucket = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Counted:
    """The buckets of a facet in their order, and the counts outside all buckets."""

    buckets: tuple[Bucket, ...]
    values: int
    """Features with a value."""
    nulls: int
    """Features without a value."""
    other: int = 0
    """Features in buckets that are left out."""
    other_buckets: int = 0
    more: Mapping[str, Any] = field(default_factory=dict)
    """Further members of the result, such as the calendar unit that was chosen."""


def term_buckets(facet: TermFacet, rows: Sequence[Row]) -> Counted:
    """Return the buckets of a term facet.

    A row is (value, number, number of distinct values, features with a value, features without).
    """
    if not rows:
        return Counted((), 0, 0)
    _, _, different, values, nulls = rows[0]
    shown = [(value, n) for value, n, *_ in rows if value is not None and n >= facet.least]
    names = _terms(facet.column, [value for value, _ in shown])
    buckets = tuple(_term(name, n) for name, (_, n) in zip(names, shown, strict=True))
    return Counted(buckets, values, nulls, values - sum(n for _, n in shown), different - len(buckets))


def _term(value: Any, count: int) -> Bucket:
    if isinstance(value, str) and len(value) > LONGEST_TERM:
        return {"value": value[:LONGEST_TERM], "valueCut": True, "count": count}
    return {"value": value, "count": count}


def _terms(column: Column, values: list[Any]) -> Sequence[Any]:
    rfc3339_of = CALENDAR.get(base_type(column.sql_type))
    if rfc3339_of is not None:
        return rfc3339_of(values)
    kind = column_queryable(column).kind
    return [as_number(value) for value in values] if kind is Kind.NUMBER else values


def as_number(text: str) -> float | int:
    """Convert PostgreSQL's text of a number to a JSON number: integers without a fraction, if 64 bits hold them."""
    number = float(text)
    return int(text) if abs(number) < _LARGE and "." not in text and "e" not in text.lower() else number


def range_buckets(
    bounds: Sequence[tuple[Any, Any]], rows: Iterable[Row], more: Mapping[str, Any] | None = None
) -> Counted:
    """Return buckets from rows of (index of a range, number of features); the index is None for no value.

    `bounds` are the lower and upper bound of each range; None is an open bound.
    """
    numbers: dict[int | None, int] = dict(rows)  # type: ignore[arg-type]  # each row has two columns
    nulls = numbers.pop(None, 0)
    counts = [numbers.get(place, 0) for place in range(len(bounds))]
    return Counted(_ranges(bounds, counts), sum(counts), nulls, more=more or {})


def lasting_buckets(
    bounds: Sequence[tuple[Any, Any]], rows: Iterable[Row], more: Mapping[str, Any] | None = None
) -> Counted:
    """Return the buckets of features with a start and an end.

    A row is (range of the start, range of the end, number of features); None is an open start or end. A feature counts
    in each range that it overlaps.
    """
    counts, values, nulls = [0] * len(bounds), 0, 0
    for first, last, n in rows:
        if first is None and last is None:
            nulls += n
            continue
        values += n
        for place in range(0 if first is None else first, len(bounds) if last is None else last + 1):
            counts[place] += n
    return Counted(_ranges(bounds, counts), values, nulls, more=more or {})


def _ranges(bounds: Sequence[tuple[Any, Any]], counts: Sequence[int]) -> tuple[Bucket, ...]:
    return tuple(
        {
            **({} if low is None else {"min": _bound(low)}),
            **({} if high is None else {"max": _bound(high)}),
            "count": count,
        }
        for (low, high), count in zip(bounds, counts, strict=True)
    )


def _bound(value: str | Decimal | datetime) -> str | float:
    return rfc3339(value) if isinstance(value, datetime) else as_number(str(value))


def closed_ranges(edges: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Return the ranges between edges that include the data; a single edge gives one range of width zero."""
    return list(pairwise(edges)) if len(edges) > 1 else [(edges[0], edges[0])]


def open_ranges(edges: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Return the ranges between edges, and the two open ranges below the first and above the last."""
    return list(pairwise((None, *edges, None)))


def place_buckets(facet: PlaceFacet, rows: Sequence[Row]) -> Counted:
    """Return the buckets of rows (column, row, number) of cells, from the southwest to the northeast."""
    nulls = sum(n for i, _, n in rows if i is None)
    cells = sorted((j, i, n) for i, j, n in rows if i is not None)
    buckets = tuple({"value": f"{i}/{j}", "count": n, **_cell(facet, i, j)} for j, i, n in cells)
    return Counted(buckets, sum(n for _, _, n in cells), nulls)


def _cell(facet: PlaceFacet, i: int, j: int) -> dict[str, Any]:
    size = facet.size
    if facet.hexagons:
        # the same grid as ST_Hexagon(size, i, j): flat at top and bottom, odd columns half a row further north
        x, y, half = 1.5 * size * i, sqrt(3) * size * (j + 0.5 * (i % 2)), sqrt(3) * size / 2
        corners = [
            (x - size, y),
            (x - size / 2, y - half),
            (x + size / 2, y - half),
            (x + size, y),
            (x + size / 2, y + half),
            (x - size / 2, y + half),
        ]
    else:
        west, south = i * size - 180, j * size - 90
        corners = [(west, south), (west + size, south), (west + size, south + size), (west, south + size)]
        x, y = west + size / 2, south + size / 2
    ring = [_on_earth(*corner) for corner in (*corners, corners[0])]
    return {"geometry": {"type": "Polygon", "coordinates": [ring]}, "centre": _on_earth(x, y)}


def _on_earth(x: float, y: float) -> list[float]:
    """Return the position, moved onto the edge of the world if it lies outside."""
    return [round(min(max(x, -180.0), 180.0), 9), round(min(max(y, -90.0), 90.0), 9)]
