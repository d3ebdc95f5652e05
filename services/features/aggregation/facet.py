"""A facet: a property, and how its values are put into buckets. Frozen values, checked before any SQL."""

from dataclasses import dataclass
from datetime import datetime

from libs.catalogue.model import Column, GeometryColumn
from libs.pg.sql import Sql

MOST_FACETS = 10
"""Maximum number of facets in one request."""
MOST_BUCKETS = 1000
"""Maximum number of buckets of a term, number or time facet."""
MOST_CELLS = 10_000
"""Maximum number of cells of a place facet."""
LONGEST_TERM = 1000
"""Characters shown of a text. Texts that differ only after these are still counted separately."""
DEFAULT_BUCKETS = 10
DEFAULT_CELL = 10.0
"""Size of a cell, in degrees."""


@dataclass(frozen=True, slots=True)
class TermFacet:
    """One bucket per value of a property: the `size` values with the most features."""

    name: str
    column: Column
    size: int = DEFAULT_BUCKETS
    sorting: str = "count_desc"
    least: int = 1
    """Minimum number of features of a bucket; smaller buckets are counted together."""


@dataclass(frozen=True, slots=True)
class NumberFacet:
    """Ranges of a number, set by one of: `bins` of equal width, `quantiles`, ranges of `width`, or `edges`."""

    name: str
    column: Column
    bins: int | None = None
    quantiles: int | None = None
    width: str | None = None
    edges: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TimeFacet:
    """Ranges of time in UTC: a calendar `unit`, `bins` of equal length, `quantiles`, or `edges`.

    Without any of these, the unit that suits the data is used. With `end`, features last from `column` to `end` and
    count in each bucket that they overlap.
    """

    name: str
    column: Column
    end: Column | None = None
    unit: str | None = None
    bins: int | None = None
    quantiles: int | None = None
    edges: tuple[datetime, ...] = ()


@dataclass(frozen=True, slots=True)
class PlaceFacet:
    """Cells in degrees: squares of width `size`, or hexagons with sides of `size`."""

    name: str
    geometry: GeometryColumn
    size: float = DEFAULT_CELL
    hexagons: bool = False
    placed: Sql | None = None
    """Condition for rows whose place the database can compute; None if it can compute all."""


Facet = TermFacet | NumberFacet | TimeFacet | PlaceFacet
