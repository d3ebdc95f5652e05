"""What a statement fetches: where in a row what is, and the rows themselves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from libs.catalogue.model import Column
from libs.pg.sql import Sql
from services.features.rows.rings import is_nothing_else, may_have_short_rings

Row = Any
"""A fetched row, as its Layout says."""

OMITTED = ""
"""In a row for a geometry that cannot be given: it lies outside longitude and latitude, or PostGIS fails on it."""

_NOT_FINITE = ("NaN", "Infinity", "nan", "inf")
"""Of coordinates as PostGIS writes them: no format has such a number."""

Conversion = Callable[[Sequence[str | None]], list[str | None]]
"""Makes RFC 3339 of times as PostgreSQL writes them."""

GeometriesOf = Callable[[range, Sequence[str | None]], Sql]
"""Makes the statement of the geometries of some of the rows, from their places and, where there is a key, their keys.

Rows are `(position, geometry)`, positions counted from one.
"""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where in a row what is: `[id] [geometry] properties... [sort values]...`, each part where present.

    Sort values that the row has already are not fetched again.
    """

    key: str | None
    """The column that the id is the value of; None where there is none."""
    has_geometry: bool
    properties: tuple[Column, ...]
    raw_json: tuple[bool, ...]
    """For each property: whether its value is JSON text to embed rather than a value to encode."""
    times: tuple[tuple[int, Conversion], ...]
    """Places in the row of times as PostgreSQL writes them, and what makes RFC 3339 of each."""
    numeric_id: bool = False
    """Whether ids are numbers, be they fetched as text or not."""
    large_id: bool = False
    """Whether ids may be whole numbers that JavaScript cannot tell apart, beyond 2^53."""
    composite: bool = False
    """Whether several columns are the id together."""
    crs: str | None = None
    """The identifier of the CRS of the geometry; None: CRS84."""
    collection_id: str = ""
    lonlat: tuple[str, ...] = ()
    """What rows call the numbers of a point, which is given as WKT then; none where geometries are given whole."""
    has_id: bool = field(init=False)
    """Whether the row begins with an id."""

    def __post_init__(self) -> None:
        # looked at thirty times for a page
        object.__setattr__(self, "has_id", self.key is not None or self.composite)


@dataclass(frozen=True, slots=True)
class Rows:
    """Fetched rows; where their features come from the cache, these, and the rows are keys and row versions alone."""

    layout: Layout
    rows: Sequence[Row]
    sort_values: tuple[int, ...] = ()
    """Places in a row of the values that a cursor is made of."""
    features: Sequence[bytes] | None = None
    """The feature of each row in GeoJSON."""

    @property
    def omitted(self) -> int:
        """How many of the rows have a geometry that is not given."""
        if not self.layout.has_geometry or self.features is not None:
            return 0
        texts = [row[self.layout.has_id] for row in self.rows]
        omitted = texts.count(OMITTED)
        joined = "".join([text or "" for text in texts])
        if not any(word in joined for word in _NOT_FINITE) and not may_have_short_rings(joined):
            return omitted
        return omitted + sum(_is_lost(text) for text in texts if text)


def _is_lost(text: str) -> bool:
    return any(word in text for word in _NOT_FINITE) or is_nothing_else(text)


@dataclass(frozen=True, slots=True)
class RowPlan:
    """A statement and what its rows are."""

    statement: Sql
    layout: Layout
    sort_values: tuple[int, ...] = ()
    """Places in the row of the values that a cursor is made of."""
    reversed: bool = False
    """Rows come last to first."""
    apart: Callable[[], tuple[Sql, GeometriesOf]] | None = None
    """Where a geometry may fail: makes the statement of the rows without it, and that of some of the geometries."""
