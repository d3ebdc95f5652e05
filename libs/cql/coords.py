"""The predicate of `coords`, a geometry in WKT (OGC API EDR): rows that meet it, or lie within a distance of it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

import shapely
from pygeofilter import ast
from shapely.affinity import translate
from shapely.geometry.base import BaseGeometry

from libs.cql.compiling.compiler import column_of
from libs.cql.compiling.distance import METRES, column_within
from libs.cql.compiling.geometry_literals import CRS84_SRID, geometry_literal
from libs.cql.compiling.spatial import relation
from libs.cql.errors import CqlError, one_of
from libs.cql.parsing.geometry_literals import whole_wkt
from libs.cql.queryable import Queryable
from libs.geo.crs import CRS84, Crs
from libs.pg.sql import Sql

_MEASURED = re.compile(r"\s*(?:MULTI)?(?:POINT|LINESTRING|POLYGON)\s*Z?M\b", re.IGNORECASE)
_TURN = 360.0


def metres_of(unit: str) -> float | None:
    """Return the length of a unit such as `km` in metres, in capitals or not; None if it is unknown."""
    return METRES.get(unit.casefold())


def coords_predicate(
    queryable: Queryable, wkt: str, types: Collection[str], *, metres: float | None = None, crs: Crs = CRS84
) -> Sql:
    """Return a condition for rows that meet the geometry, or that are at most `metres` from it on the ellipsoid.

    `types` are the accepted types of GeoJSON. Edges are straight in longitude and latitude. Longitudes from -540 to 540
    continue across the antimeridian. Raises CqlError for a text that is not such a geometry.
    """
    if _MEASURED.match(wkt):
        raise CqlError("the geometry has measures (M); send times as datetime")
    geojson = whole_wkt(wkt)
    if geojson["type"] not in types:
        wanted = one_of(tuple(name.upper() for name in types))
        raise CqlError(f"the geometry must be a {wanted}, found {geojson['type'].upper()}")
    literal = geometry_literal(geojson, None, crs)
    if crs.srid == CRS84_SRID:
        literal = replace(literal, written=_within_world(literal.written))
    column = column_of(queryable)
    if metres is None:
        return relation(ast.GeometryIntersects, column, literal)
    return column_within(column, literal, metres)


def _within_world(shape: BaseGeometry) -> BaseGeometry:
    """Return the same places with longitudes within ±180, in pieces if it crosses the antimeridian."""
    west, south, east, north = shapely.bounds(shape)
    if south < -90 or north > 90:
        raise CqlError(f"the geometry is outside latitude -90 to 90: it has {south:g} to {north:g}")
    if west >= -180 and east <= 180:
        return shape
    if west < -180 - _TURN or east > 180 + _TURN:
        raise CqlError(f"the geometry is outside longitude -540 to 540: it has {west:g} to {east:g}")
    pieces = [
        translate(
            shapely.intersection(shape, shapely.box(turn * _TURN - 180, -90, turn * _TURN + 180, 90)), -turn * _TURN
        )
        for turn in (-1, 0, 1)
    ]
    dimension = shapely.get_dimensions(shape)
    # where it only touches the antimeridian, a piece is a point of a line or an edge of an area
    return shapely.union_all([piece for piece in pieces if shapely.get_dimensions(piece) == dimension])
