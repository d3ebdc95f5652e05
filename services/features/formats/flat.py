"""Rows of JSON and CSV: `collectionId`, `itemId`, the properties, then the geometry, on one level.

These names belong to the service. A property with such a name gets the first free number: `geometry_1`.
"""

import re
from collections.abc import Sequence
from itertools import count
from typing import Any

from services.features.formats.geojson import geometries, identifiers, properties
from services.features.rows.layout import Layout, Row

_COLLECTION, _ITEM, _GEOMETRY = "collectionId", "itemId", "geometry"
# finite numbers
_POINT = re.compile(r"POINT(?P<z> Z)?[ ZM]*\((?P<numbers>[-+.eE0-9 ]+)\)")


def names_before(layout: Layout) -> list[str]:
    """Return the names of the columns before the properties."""
    return [_COLLECTION, _ITEM] if layout.has_id else [_COLLECTION]


def names_behind(layout: Layout) -> list[str]:
    """Return the names of the columns after the properties: the geometry, or the coordinates of a point."""
    if not layout.has_geometry:
        return []
    return [*layout.lonlat] or [_GEOMETRY]


def property_names(layout: Layout) -> list[str]:
    """Return the names of the properties, all distinct."""
    ours = {*names_before(layout), *names_behind(layout)}
    taken = {column.name for column in layout.properties}
    return [column.name if column.name not in ours else _free(column.name, taken) for column in layout.properties]


def _free(name: str, taken: set[str]) -> str:
    return next(f"{name}_{number}" for number in count(1) if f"{name}_{number}" not in taken)


def positions(texts: Sequence[str | None], layout: Layout) -> list[list[str | None]]:
    """Return the coordinates of points in WKT as text, a list for each name in `layout.lonlat`; None if missing."""
    nothing: list[str | None] = [None] * len(layout.lonlat)
    each = [nothing if text is None else _numbers(text, nothing) for text in texts]
    return [[numbers[place] for numbers in each] for place in range(len(nothing))]


def _numbers(text: str, nothing: list[str | None]) -> list[str | None]:
    found = _POINT.fullmatch(text)
    if found is None:
        return nothing
    numbers: list[str | None] = [*found["numbers"].split(" ")]
    # without Z, the third number is a measure
    return [*numbers[: 3 if found["z"] else 2], None][: len(nothing)]


def flat_rows(rows: Sequence[Row], layout: Layout) -> list[dict[str, Any]]:
    """Return each row as one flat object, ready for `encode`."""
    before: list[Sequence[Any]] = [[layout.collection_id] * len(rows)]
    if layout.has_id:
        before.append(identifiers(rows, layout))
    behind: list[Sequence[Any]] = []
    if layout.lonlat:
        texts = positions([row[layout.has_id] for row in rows], layout)
        behind = [[None if text is None else float(text) for text in column] for column in texts]
    elif layout.has_geometry:
        behind = [geometries(rows, layout)]
    objects = properties(rows, layout, property_names(layout))
    firsts, lasts = names_before(layout), names_behind(layout)
    heads = zip(*before, strict=True)
    tails = zip(*behind, strict=True) if behind else [()] * len(rows)
    return [
        {**dict(zip(firsts, head, strict=True)), **members, **dict(zip(lasts, tail, strict=True))}
        for head, members, tail in zip(heads, objects, tails, strict=True)
    ]
