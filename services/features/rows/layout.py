"""The layout of fetched rows: the index of each value, and the rows themselves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from libs.catalogue.model import Column
from libs.pg.sql import Sql
from services.features.rows.rings import is_nothing_else, may_have_short_rings

Row = Any
"""A fetched row, as its Layout describes."""

OMITTED = ""
"""Replaces a geometry that cannot be returned: it lies outside longitude and latitude, or PostGIS fails on it."""

_NOT_FINITE = ("NaN", "Infinity", "nan", "inf")
"""Coordinates that are not finite, as PostGIS writes them; no format has such numbers."""

Conversion = Callable[[Sequence[str | None]], list[str | None]]
"""Converts times from PostgreSQL's text to RFC 3339."""

GeometriesOf = Callable[[range, Sequence[str | None]], Sql]
"""Returns the statement for the geometries of some rows, from their indices and, with a key, their keys.

It selects `(position, geometry)`; positions start at one.
"""


@dataclass(frozen=True, slots=True)
class Layout:
    """The order of a row's values: `[id] [geometry] properties... [sort values]...`, each part if present.

    Sort values that are in the row already are not fetched again.
    """

    key: str | None
    """The column of the id; None without one."""
    has_geometry: bool
    properties: tuple[Column, ...]
    raw_json: tuple[bool, ...]
    """For each property: whether its value is JSON text to embed, not a value to encode."""
    times: tuple[tuple[int, Conversion], ...]
    """Indices of times in PostgreSQL's text, and the conversion of each to RFC 3339."""
    numeric_id: bool = False
    """Whether ids are numbers, also if they are fetched as text."""
    large_id: bool = False
    """Whether ids may be integers beyond 2^53, which JavaScript cannot represent exactly."""
    composite: bool = False
    """Whether the id consists of several columns."""
    crs: str | None = None
    """Identifier of the geometry's CRS; None: CRS84."""
    collection_id: str = ""
    lonlat: tuple[str, ...] = ()
    """Names of a point's coordinates in flat rows, which is then fetched as WKT; empty for whole geometries."""
    has_id: bool = field(init=False)
    """Whether the row begins with an id."""

    def __post_init__(self) -> None:
        # computed once: a page uses it thirty times
        object.__setattr__(self, "has_id", self.key is not None or self.composite)


@dataclass(frozen=True, slots=True)
class Rows:
    """Fetched rows. If `features` are cached ones, the rows hold only keys and row versions."""

    layout: Layout
    rows: Sequence[Row]
    sort_values: tuple[int, ...] = ()
    """Indices in a row of the values for a cursor."""
    features: Sequence[bytes] | None = None
    """The GeoJSON feature of each row."""

    @property
    def omitted(self) -> int:
        """Number of rows whose geometry is omitted."""
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
    """A statement and the layout of its rows."""

    statement: Sql
    layout: Layout
    sort_values: tuple[int, ...] = ()
    """Indices in the row of the values for a cursor."""
    reversed: bool = False
    """Whether rows are fetched last to first."""
    apart: Callable[[], tuple[Sql, GeometriesOf]] | None = None
    """If geometries may fail: returns the statement of the rows without them, and the one of some geometries."""


_SECONDS = 19
"""Length of a time without fraction and zone, in characters."""


def rfc3339_times(texts: Sequence[str | None]) -> list[str | None]:
    """Convert timestamps in ISO style, in UTC if they have a zone, such as `2024-05-01 12:30:00.25+00`.

    Infinity, and years that RFC 3339 does not allow, become None. Times are fetched as text: making date objects in the
    driver and formatting them again takes a third of a page's time. Most columns hold only whole seconds, and are
    converted in one step.
    """
    present = [text for text in texts if text is not None]
    number, joined = len(present), "\n".join(present)
    zone = "+00" if joined.endswith("+00") else ""
    length = _SECONDS + len(zone)
    # infinity has no colons; all other exceptions are longer: years BC or of more than four digits, fractions
    whole_seconds = joined.count(":") == 2 * number and len(joined) == (length + 1) * number - 1
    if not whole_seconds:
        return [None if text is None else _rfc3339_time(text) for text in texts]
    joined = joined.replace(" ", "T")
    done = joined.replace("+00", "Z") if zone else f"{joined.replace(chr(10), f'Z{chr(10)}')}Z"
    if number == len(texts):
        return [*done.split("\n")]
    each = iter(done.split("\n"))
    return [None if text is None else next(each) for text in texts]


def _rfc3339_time(text: str) -> str | None:
    if text[4:5] != "-" or text.endswith("C"):
        return None
    return f"{text[:10]}T{text[11:].partition('+')[0]}Z"


def rfc3339_dates(texts: Sequence[str | None]) -> list[str | None]:
    """Convert dates in ISO style; infinity, and years that RFC 3339 does not allow, become None."""
    return [text if text is not None and len(text) == 10 else None for text in texts]
