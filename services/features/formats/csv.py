"""Features as CSV (RFC 4180): id, geometry as WKT in CRS84, properties.

A key that is named `id` is one column, the first: the identifier and the property are the same value.
"""

import csv
from collections.abc import Iterable, Sequence
from io import StringIO
from itertools import count
from typing import Any

from services.features.rows.row_plan import Row, RowPlan

# a spreadsheet takes a cell that begins with one of these for a formula
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def header(plan: RowPlan) -> bytes:
    """The line of column names."""
    names = [*(["id"] if plan.has_id else []), *(["geometry"] if plan.has_geometry else [])]
    # id and geometry stand first; properties of the same names keep columns of their own
    taken = {*names, *(column.name for column in plan.properties)}
    for place, column in enumerate(plan.properties):
        if place == _told_as_id(plan):
            continue
        names.append(column.name if column.name not in names else _free(column.name, taken))
    return _lines([names])


def _told_as_id(plan: RowPlan) -> int | None:
    """The place among the properties of a key named `id`, which the first column is already."""
    if not plan.has_id or plan.key != "id":
        return None
    return next((place for place, column in enumerate(plan.properties) if column.name == "id"), None)


def _free(name: str, taken: set[str]) -> str:
    return next(f"{name}_{number}" for number in count(1) if f"{name}_{number}" not in taken)


def lines(rows: Iterable[Row], plan: RowPlan) -> bytes:
    """One line for each row."""
    start = plan.has_id + plan.has_geometry
    width = start + len(plan.properties)
    columns = list(zip(*(row[:width] for row in rows), strict=True))
    numbers = {place for place, column in enumerate(plan.properties, start) if column.type == "number"}
    times = dict(plan.times)
    told = _told_as_id(plan)
    cells: list[Sequence[Any]] = []
    for place, values in enumerate(columns):
        if told is not None and place == start + told:
            continue
        if place in times:
            cells.append(times[place](values))
        elif plan.has_geometry and place == plan.has_id:
            cells.append([None if text is None or "NaN" in text or "Inf" in text else text for text in values])
        else:
            # exact decimals travel as text, but a minus begins no formula
            cells.append(values if place in numbers else [_cell(value) for value in values])
    return _lines(zip(*cells, strict=True))


def _lines(rows: Iterable[Sequence[Any]]) -> bytes:
    text = StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode()


def _cell(value: Any) -> Any:
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    if isinstance(value, bool):
        return "true" if value else "false"
    return value
