"""How fetched rows are laid out, and what became of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from libs.catalogue.model import Column
from libs.pg.sql import Sql
from services.features.rows.invalid_geometry import GeometryOf
from services.features.rows.times import Conversion

Row = Any
"""A fetched row, as its RowPlan lays it out."""


@dataclass(frozen=True, slots=True)
class RowPlan:
    """How a fetched row is laid out: `[id] [geometry] properties... [sort values]...`, each part where present.

    Sort values that the row has already are not fetched again.
    """

    statement: Sql
    has_id: bool
    has_geometry: bool
    properties: tuple[Column, ...]
    raw_json: tuple[bool, ...]
    """For each property: whether its value is JSON text to embed rather than a value to encode."""
    times: tuple[tuple[int, Conversion], ...]
    """Places in the row of times as PostgreSQL writes them, and what makes RFC 3339 of each."""
    sort_values: tuple[int, ...]
    """Places in the row of the values that a cursor is made of."""
    reversed: bool = False
    """Rows come last to first."""
    apart: Callable[[], tuple[Sql, GeometryOf]] | None = None
    """Where a geometry may fail: makes the statement of the rows without it, and that of some of the geometries."""
    key: str | None = None
    """The column that the id is the value of."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """Rows as `plan` lays them out; where their features were at hand, these, and the rows are keys and marks alone."""

    plan: RowPlan
    rows: list[Row]
    texts: list[bytes] | None = None
    """The feature of each row in GeoJSON."""
