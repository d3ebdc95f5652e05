"""f=csv (RFC 4180): id, geometry as WKT in CRS84, properties.

A key that is named `id` is one column, the first: the identifier and the property are the same value.
"""

import csv
from collections.abc import Iterable, Sequence
from io import StringIO
from itertools import count
from math import inf
from typing import Any

from libs.catalogue.model import Collection
from services.features.formats.format import FeatureFormat, PageLinks
from services.features.rows.layout import Layout, Rows
from services.features.rows.rings import wkt_without_short_rings

# a spreadsheet takes a cell that begins with one of these for a formula
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NOT_FINITE = frozenset({inf, -inf, '"NaN"', '"Infinity"', '"-Infinity"'})


class Csv(FeatureFormat):
    """A line of names, then one line for each feature."""

    name = "csv"
    media_type = "text/csv"
    label = "CSV"
    title = "Features as CSV"
    geometry_as = "wkt"
    extension = "csv"
    byte_order_mark = "\ufeff".encode()

    def head(self, collection: Collection, layout: Layout, matched: int | None, links: PageLinks) -> bytes:
        names = [*(["id"] if layout.has_id else []), *(["geometry"] if layout.has_geometry else [])]
        # id and geometry stand first; properties of the same names keep columns of their own
        taken = {column.name for column in layout.properties}
        for place, column in enumerate(layout.properties):
            if place == _id_among_properties(layout):
                continue
            names.append(column.name if column.name not in names else _free(column.name, taken))
        return _lines([[_cell(name) for name in names]])

    def rows(self, rows: Rows, *, first: bool) -> bytes:
        layout = rows.layout
        start = layout.has_id + layout.has_geometry
        width = start + len(layout.properties)
        columns = list(zip(*(row[:width] for row in rows.rows), strict=True))
        numbers = {place for place, column in enumerate(layout.properties, start) if column.type == "number"}
        if layout.numeric_id:
            numbers.add(0)
        times = dict(layout.times)
        repeated = _id_among_properties(layout)
        cells: list[Sequence[Any]] = []
        for place, values in enumerate(columns):
            if repeated is not None and place == start + repeated:
                continue
            if place in times:
                cells.append(times[place](values))
            elif layout.has_geometry and place == layout.has_id:
                cells.append(
                    [
                        None if not text or "NaN" in text or "Inf" in text else wkt_without_short_rings(text)
                        for text in values
                    ]
                )
            else:
                # exact decimals travel as text, but a minus begins no formula
                cells.append([*map(_number if place in numbers else _cell, values)])
        return _lines(zip(*cells, strict=True))


FORMAT = Csv()


def _id_among_properties(layout: Layout) -> int | None:
    """The place among the properties of a key named `id`, which the first column is already."""
    if layout.key != "id":
        return None
    return next((place for place, column in enumerate(layout.properties) if column.name == "id"), None)


def _free(name: str, taken: set[str]) -> str:
    return next(f"{name}_{number}" for number in count(1) if f"{name}_{number}" not in taken)


def _lines(rows: Iterable[Sequence[Any]]) -> bytes:
    text = StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode()


def _number(value: Any) -> Any:
    # what is no number in JSON is none here
    return None if value in _NOT_FINITE or value != value else value  # noqa: PLR0124


def _cell(value: Any) -> Any:
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    if isinstance(value, bool):
        return "true" if value else "false"
    return value
