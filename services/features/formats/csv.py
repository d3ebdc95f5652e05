"""f=csv (RFC 4180, or another separator): the columns of `f=json`, the geometry as WKT."""

import csv
import re
from collections.abc import Iterable, Sequence
from functools import cache
from io import StringIO
from math import inf
from typing import Any

from libs.catalogue.model import Collection
from services.features.formats.flat import names_before, names_behind, positions, property_names
from services.features.formats.format import FeatureFormat, PageLinks
from services.features.rows.layout import Layout, Rows
from services.features.rows.rings import remove_short_rings_of_wkt

# spreadsheets read a cell that begins with one of these as a formula; the last four are full-width signs
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_UTC = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d(?:\.\d{1,3})?)\d*Z")
_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t"}
_NOT_FINITE = frozenset({inf, -inf, '"NaN"', '"Infinity"', '"-Infinity"'})


class Csv(FeatureFormat):
    """A header line, then one line per feature.

    With `bom=true`, for spreadsheets, an apostrophe precedes texts that look like formulas; ids are never changed.
    Times in UTC have the form `2018-02-06 12:30:00`, which spreadsheets recognise.
    """

    name = "csv"
    media_type = "text/csv"
    label = "CSV"
    title = "Features as rows in CSV"
    geometry_as = "wkt"
    of_rows = True
    extension = "csv"
    byte_order_mark = "\ufeff".encode()

    def __init__(self, *, for_spreadsheets: bool = False, separator: str = "comma") -> None:
        self.variant = separator
        self._separator = _SEPARATORS[separator]
        self._cell = _guard if for_spreadsheets else _plain
        self._time = _spreadsheet_time if for_spreadsheets else _plain

    def head(self, collection: Collection, layout: Layout, matched: int | None, links: PageLinks) -> bytes:
        names = [*names_before(layout), *property_names(layout), *names_behind(layout)]
        return self._lines([[self._cell(name) for name in names]])

    def rows(self, rows: Rows, *, first: bool) -> bytes:
        layout = rows.layout
        start = layout.has_id + layout.has_geometry
        width = start + len(layout.properties)
        columns = list(zip(*(row[:width] for row in rows.rows), strict=True))
        numbers = {place for place, column in enumerate(layout.properties, start) if column.type == "number"}
        if layout.numeric_id:
            numbers.add(0)
        times = dict(layout.times)
        cells: list[Sequence[Any]] = [[self._cell(layout.collection_id)] * len(rows.rows)]
        shapes: Sequence[str | None] = ()
        for place, values in enumerate(columns):
            if place in times:
                cells.append([*map(self._time, times[place](values))])
            elif layout.has_geometry and place == layout.has_id:
                shapes = values
            else:
                # exact decimals are fetched as text, but their minus starts no formula; an id is part of an address
                is_id = layout.has_id and place == 0
                cells.append([*map(_number if place in numbers else _plain if is_id else self._cell, values)])
        if layout.lonlat:
            cells += positions(shapes, layout)
        elif layout.has_geometry:
            cells.append([*map(_shape, shapes)])
        return self._lines(zip(*cells, strict=True))

    def _lines(self, rows: Iterable[Sequence[Any]]) -> bytes:
        text = StringIO()
        csv.writer(text, delimiter=self._separator, lineterminator="\r\n").writerows(rows)
        return text.getvalue().encode()


def _shape(text: str | None) -> str | None:
    return None if not text or "NaN" in text or "Inf" in text else remove_short_rings_of_wkt(text)


def _number(value: Any) -> Any:
    # numbers that JSON cannot represent are empty
    return None if value in _NOT_FINITE or value != value else value  # noqa: PLR0124


def _guard(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else _plain(value)


def _spreadsheet_time(value: Any) -> Any:
    """Return a time in UTC as spreadsheets recognise it; other values, such as intervals, stay."""
    found = _UTC.fullmatch(value) if isinstance(value, str) else None
    return f"{found[1]} {found[2]}" if found else value


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value


@cache
def csv_of(*, for_spreadsheets: bool, separator: str) -> Csv:
    """Return the format with these options."""
    return Csv(for_spreadsheets=for_spreadsheets, separator=separator)


FORMAT = csv_of(for_spreadsheets=False, separator="comma")
