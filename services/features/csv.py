"""Features as CSV (RFC 4180): id, geometry as WKT in CRS84, properties."""

import csv
from collections.abc import Iterable
from datetime import datetime
from io import StringIO
from typing import Any

from libs.ogc.temporal import rfc3339
from services.features.items_sql import RowPlan
from services.features.items_store import Row

# a spreadsheet takes a cell that begins with one of these for a formula
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def header(plan: RowPlan) -> bytes:
    """The line of column names."""
    names = [*(["id"] if plan.has_id else []), *(["geometry"] if plan.has_geometry else [])]
    properties = [column.name for column in plan.properties]
    # the feature id stands in the first column; a property of the same name keeps its own
    return _lines([[*names, *("id_1" if name in names else name for name in properties)]])


def lines(rows: Iterable[Row], plan: RowPlan) -> bytes:
    """One line for each row."""
    width = plan.has_id + plan.has_geometry + len(plan.properties)
    cells = [[_cell(value) for value in tuple(row)[:width]] for row in rows]
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
        return rfc3339(value) if value.tzinfo else value.isoformat()
    if isinstance(value, bool):
        return "true" if value else "false"
    return value
