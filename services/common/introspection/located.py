"""Locate the rows of a geometry column: their extent, and how far their longitudes go beyond ±180."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from libs.catalogue.model import GeometryColumn
from libs.geo.longitudes import MOST_TURNS, WEB_MERCATOR, can_be_given, reaches_antimeridian, turns_of, wrap_ends

_DEGREES = (0, 4326)
"""SRIDs of columns whose coordinates are longitude and latitude."""
_TURNED = (*_DEGREES, WEB_MERCATOR)
_MOST = 361.0
"""Limit without an SRID: coordinates beyond it belong to another CRS."""


def may_lie_anywhere(column: GeometryColumn) -> GeometryColumn:
    """Return a column with nothing known yet; a geography stays within ±180, but may cross the antimeridian."""
    if column.is_geography:
        may = column.dimension != 0
        return replace(column, crosses=may, partial=may)
    if column.srid not in _TURNED:
        return column
    return replace(column, turns=MOST_TURNS, partial=True)


def locate(column: GeometryColumn, rows: Sequence[tuple[Any, ...]]) -> GeometryColumn:
    """The column with the box of the first row: west, south, east, north in degrees, as stored; of geographies that
    cross the antimeridian beyond 180. A fifth value says whether there are rows beyond, which have no usable place.

    A geography that crosses the antimeridian has an east beyond 180. Without a row, or with a box outside any known
    CRS, the column stays unknown.
    """
    unknown = may_lie_anywhere(replace(column, bbox=None))
    if not rows or any(not isinstance(value, float) for value in rows[0][:4]):
        return unknown
    (west, south, east, north), beyond = rows[0][:4], any(rows[0][4:])
    if not (south <= 90 and north >= -90):
        return unknown
    if unknown.turns:
        # without a declared SRID, rows may be in any CRS: accept only a box that fits degrees
        if column.srid == 0 and not (west >= -_MOST and east <= _MOST and south >= -91 and north <= 91):
            return unknown
        turns = turns_of(west, east)
        column = replace(column, turns=turns, partial=beyond or not can_be_given((west, south, east, north)))
        if turns:
            west, east = wrap_ends(west, east)
    if unknown.crosses:
        crosses = reaches_antimeridian(east)
        column = replace(column, crosses=crosses, partial=crosses or beyond)
        west, east = wrap_ends(west, east)
    elif beyond and column.is_geography:
        column = replace(column, partial=True)
    if not (west <= 180 and east >= -180):
        return replace(column, bbox=None)
    # round outwards, so that the box contains every feature
    box = (
        max(-180.0, _round_down(west)),
        max(-90.0, _round_down(south)),
        min(180.0, -_round_down(-east)),
        min(90.0, -_round_down(-north)),
    )
    return replace(column, bbox=box)


def _round_down(degrees: float) -> float:
    """Return the largest number with five decimals (a metre) that is not above this one."""
    rounded = round(degrees, 5)
    return rounded if rounded <= degrees else round(rounded - 1e-5, 5)
