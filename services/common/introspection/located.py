"""Where the rows of a geometry column are: their extent, and how far beyond ±180 their longitudes go."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from libs.catalogue.model import GeometryColumn
from libs.geo.longitudes import MOST_TURNS, WEB_MERCATOR, can_be_given, reaches_antimeridian, turned_ends, turns_of

_DEGREES = (0, 4326)
"""SRIDs of columns whose numbers are taken for longitudes and latitudes."""
_TURNED = (*_DEGREES, WEB_MERCATOR)
_MOST = 361.0
"""Without an SRID: what goes further is in another CRS."""


def may_lie_anywhere(column: GeometryColumn) -> GeometryColumn:
    """A column of which nothing is known yet; a geography never has longitudes beyond ±180, but may cross it."""
    if column.is_geography:
        may = column.dimension != 0
        return replace(column, crosses=may, partial=may)
    if column.srid not in _TURNED:
        return column
    return replace(column, turns=MOST_TURNS, partial=True)


def located(column: GeometryColumn, rows: Sequence[tuple[Any, ...]]) -> GeometryColumn:
    """The column with the box of the first row: west, south, east, north in degrees, as stored; of geographies that
    cross the antimeridian beyond 180. A fifth value says whether there are rows beyond, which have no usable place.

    Without a row, or with one that fits no CRS that is known, nothing is known of the column.
    """
    unknown = may_lie_anywhere(replace(column, bbox=None))
    if not rows or any(not isinstance(value, float) for value in rows[0][:4]):
        return unknown
    (west, south, east, north), beyond = rows[0][:4], any(rows[0][4:])
    if not (south <= 90 and north >= -90):
        return unknown
    if unknown.turns:
        # without a declared SRID the rows may be in any: only a box that fits degrees is one
        if column.srid == 0 and not (west >= -_MOST and east <= _MOST and south >= -91 and north <= 91):
            return unknown
        turns = turns_of(west, east)
        column = replace(column, turns=turns, partial=beyond or not can_be_given((west, south, east, north)))
        if turns:
            west, east = turned_ends(west, east)
    if unknown.crosses:
        crosses = reaches_antimeridian(east)
        column = replace(column, crosses=crosses, partial=crosses or beyond)
        west, east = turned_ends(west, east)
    elif beyond and column.is_geography:
        column = replace(column, partial=True)
    if not (west <= 180 and east >= -180):
        return replace(column, bbox=None)
    # outwards, so that a box of these numbers has every feature
    box = (max(-180.0, _below(west)), max(-90.0, _below(south)), min(180.0, -_below(-east)), min(90.0, -_below(-north)))
    return replace(column, bbox=box)


def _below(degrees: float) -> float:
    """The largest number of five decimals, a metre, that is not above this one."""
    rounded = round(degrees, 5)
    return rounded if rounded <= degrees else round(rounded - 1e-5, 5)
