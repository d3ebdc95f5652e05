"""Features as CSV (RFC 4180): id, geometry as WKT in CRS84, properties."""

import csv
from collections.abc import Callable, Iterable
from io import StringIO
from itertools import count
from typing import Any

from services.features.items_sql import RowPlan
from services.features.items_store import Row

# a spreadsheet takes a cell that begins with one of these for a formula
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def header(plan: RowPlan) -> bytes:
    """The line of column names."""
    names = [*(["id"] if plan.has_id else []), *(["geometry"] if plan.has_geometry else [])]
    # id and geometry stand first; properties of the same names keep columns of their own
    taken = {*names, *(column.name for column in plan.properties)}
    for column in plan.properties:
        names.append(column.name if column.name not in names else _free(column.name, taken))
    return _lines([names])


def _free(name: str, taken: set[str]) -> str:
    return next(f"{name}_{number}" for number in count(1) if f"{name}_{number}" not in taken)


def lines(rows: Iterable[Row], plan: RowPlan) -> bytes:
    """One line for each row."""
    start = plan.has_id + plan.has_geometry
    width = start + len(plan.properties)
    cells = [[_cell(value) for value in row[:width]] for row in rows]
    for place, converted in _conversions(plan).items():
        for line, value in zip(cells, converted([line[place] for line in cells]), strict=True):
            line[place] = value
    return _lines(cells)


def _conversions(plan: RowPlan) -> dict[int, Callable[[list[Any]], list[Any]]]:
    """What becomes of the values of a column, by its place."""
    found: dict[int, Callable[[list[Any]], list[Any]]] = {**dict(plan.times)}
    if plan.has_geometry:
        found[plan.has_id] = _finite
    for place, column in enumerate(plan.properties, plan.has_id + plan.has_geometry):
        if column.type == "number":
            found[place] = _exact
    return found


def _finite(geometries: list[Any]) -> list[Any]:
    return [None if text is None or "NaN" in text or "Inf" in text else text for text in geometries]


def _exact(values: list[Any]) -> list[Any]:
    # exact decimals travel as text, but a minus begins no formula
    return [value.removeprefix("'") if isinstance(value, str) else value for value in values]


def _lines(rows: Iterable[list[Any]]) -> bytes:
    text = StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode()


def _cell(value: Any) -> Any:
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    if isinstance(value, bool):
        return "true" if value else "false"
    return value
