"""What a facet is: a property, and how its values are put into buckets. Frozen values, checked before any SQL."""

from dataclasses import dataclass
from datetime import datetime

from libs.catalogue.model import Column, GeometryColumn
from libs.pg.sql import Sql

MOST_FACETS = 10
"""In one request."""
MOST_BUCKETS = 1000
"""Of a facet of terms, numbers or times."""
MOST_CELLS = 10_000
"""Of a facet of places."""
LONGEST_TERM = 1000
"""Characters that are shown of a text; what differs only behind them is still counted apart."""
DEFAULT_BUCKETS = 10
DEFAULT_CELL = 10.0
"""Degrees."""


@dataclass(frozen=True, slots=True)
class TermFacet:
    """A bucket for each value of a property, as many as `size`; those with the most features first."""

    name: str
    column: Column
    size: int = DEFAULT_BUCKETS
    sorting: str = "count_desc"
    least: int = 1
    """Features that a bucket has at the least; others are counted together."""


@dataclass(frozen=True, slots=True)
class NumberFacet:
    """Ranges of a number: `bins` of equal width, `quantiles`, ranges of `width`, or between `edges`; one of them."""

    name: str
    column: Column
    bins: int | None = None
    quantiles: int | None = None
    width: str | None = None
    edges: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TimeFacet:
    """Ranges of time, in UTC: of a calendar's `unit`, `bins` of equal length, `quantiles`, or between `edges`.

    Without any of them of the unit that suits the data. With `end`, features last from `column` to `end`, and count in
    each bucket that they meet.
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
    """Cells of degrees: squares of `size`, or hexagons whose sides are of `size`."""

    name: str
    geometry: GeometryColumn
    size: float = DEFAULT_CELL
    hexagons: bool = False
    placed: Sql | None = None
    """Of rows whose place the database can work out; None where it is all."""


Facet = TermFacet | NumberFacet | TimeFacet | PlaceFacet
