"""Features as CSV (RFC 4180): id, geometry as WKT in CRS84, properties."""

import csv
from collections.abc import Iterable
from datetime import UTC, datetime
from io import StringIO
from itertools import count
from typing import Any

from libs.ogc.temporal import rfc3339
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
    width = plan.has_id + plan.has_geometry + len(plan.properties)
    cells = [[_cell(value) for value in tuple(row)[:width]] for row in rows]
    start = plan.has_id + plan.has_geometry
    for place, column in enumerate(plan.properties, start):
        if column.type == "number":
            # exact decimals travel as text, but a minus begins no formula
            for line in cells:
                if isinstance(line[place], str):
                    line[place] = line[place].removeprefix("'")
    if plan.has_geometry:
        for line in cells:
            geometry = line[plan.has_id]
            if geometry is not None and ("NaN" in geometry or "Inf" in geometry):
                line[plan.has_id] = None
    return _lines(cells)


def _lines(rows: Iterable[list[Any]]) -> bytes:
    text = StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode()


def _cell(value: Any) -> Any:
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    if isinstance(value, datetime):
        return rfc3339(value if value.tzinfo else value.replace(tzinfo=UTC))
    if isinstance(value, bool):
        return "true" if value else "false"
    return value
