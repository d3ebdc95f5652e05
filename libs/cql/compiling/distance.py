"""S_DWITHIN: whether the distance of two geometries on the WGS 84 ellipsoid is at most a given distance.

CQL2 1.0 has no predicate for this and allows servers to add functions. Name and arguments are those of pygeofilter and
pygeoapi: `S_DWITHIN(geometry, geometry, distance[, 'units'])`. Edges are straight in longitude and latitude, as in the
other S_ functions: extra positions are added to them, and the geodesics between these are nearly straight.
"""

from __future__ import annotations

from math import asin, cos, degrees, isfinite, radians, sin
from typing import Any, LiteralString

import shapely
from pygeofilter import ast

from libs.cql.compiling.geometry_literals import CRS84_SRID, GeometryLiteral
from libs.cql.compiling.operands import Expr, Value, condition, describe
from libs.cql.compiling.spatial import as_geography, in_lonlat_srid, is_near, is_of_points, placed_in_lonlat, relation
from libs.cql.errors import excerpt, fault
from libs.cql.nodes import place_of
from libs.ogc.bbox import BBox
from libs.pg.column_types import NUMERIC, Kind
from libs.pg.sql import Sql, bind, sql

METRES = {
    **dict.fromkeys(("m", "meter", "meters", "metre", "metres"), 1.0),
    **dict.fromkeys(("km", "kilometer", "kilometers", "kilometre", "kilometres"), 1000.0),
    **dict.fromkeys(("ft", "foot", "feet"), 0.3048),
    **dict.fromkeys(("mi", "mile", "miles", "statute miles"), 1609.344),
    **dict.fromkeys(("nmi", "nautical mile", "nautical miles"), 1852.0),
}
"""Units of a distance in metres, in lower case: those of ECQL and their short names."""
_LEAST_RADIUS = 6_330_000.0
"""Radius in metres of the smallest sphere that fits the ellipsoid's curvature everywhere."""
_GEOCENTRIC = 0.2
"""Maximum difference between geodetic latitude and latitude on a sphere, in degrees."""
_MARGIN = 0.02
"""Margin around a box in degrees, for edges that are curves in the CRS of a column."""
_STEP = 0.5
"""Degrees between positions of an edge: at most half a kilometre between it and the geodesic."""
_BOUNDARY: LiteralString = (
    "CASE WHEN GeometryType({g}) IN ('POLYGON', 'MULTIPOLYGON') THEN ST_Boundary({g}) ELSE {g} END"
)


def within_distance(node: ast.Function, arguments: tuple[object, ...]) -> Expr:
    """Return the function as a condition. Raises CqlError for an invalid geometry, distance or unit."""
    a, b = (_geometry(node, argument, index) for index, argument in enumerate(arguments[:2]))
    metres = _metres(node, arguments)
    if isinstance(a, GeometryLiteral) and isinstance(b, Expr):
        a, b = b, a
    distance = bind(metres, "float8")
    if isinstance(a, Expr) and isinstance(b, GeometryLiteral):
        return condition(column_within(a, b, metres))
    apart = _is_within_distance(_lines(a), _lines(b), distance)
    return condition(sql("({meets}) OR {apart}", meets=relation(ast.GeometryIntersects, a, b), apart=apart))


def _geometry(node: ast.Function, operand: object, index: int) -> Expr | GeometryLiteral:
    if isinstance(operand, GeometryLiteral) or (isinstance(operand, Expr) and operand.kind is Kind.GEOMETRY):
        return operand
    raise fault(f"{describe(operand)}, but S_DWITHIN takes two geometries and a distance", place_of(node, index))


def _metres(node: ast.Function, arguments: tuple[object, ...]) -> float:
    distance = arguments[2]
    if isinstance(distance, Expr) and distance.kind in NUMERIC:
        raise fault("the distance of S_DWITHIN must be a number, not a property", place_of(node, 2))
    if isinstance(distance, Value) and distance.value is None:
        raise fault("the distance of S_DWITHIN cannot be computed", place_of(node, 2))
    if not isinstance(distance, Value) or distance.kind not in NUMERIC:
        raise fault(f"{describe(distance)}, but the distance of S_DWITHIN is a number", place_of(node, 2))
    unit = 1.0
    if len(arguments) > 3:
        word = arguments[3]
        named = METRES.get(str(word.value).lower()) if isinstance(word, Value) else None
        if named is None:
            shown = f"'{excerpt(word.value)}'" if isinstance(word, Value) else "this"
            known = "meters, kilometers, feet, 'statute miles', 'nautical miles'"
            raise fault(f"{shown} is no unit of S_DWITHIN; there are {known}", place_of(node, 3))
        unit = named
    metres = float(distance.value) * unit
    if metres < 0:
        raise fault("the distance of S_DWITHIN must not be below 0", place_of(node, 2))
    if not isfinite(metres):
        raise fault("the distance of S_DWITHIN is too large a number", place_of(node, 2))
    return metres


def column_within(column: Expr, literal: GeometryLiteral, metres: float) -> Sql:
    """Return whether a column is within a number of metres of a geometry."""
    distance = bind(metres, "float8")
    stored = as_geography(column)
    if stored is not None:
        # the index on the stored geography serves this
        return sql("ST_DWithin({a}, {b}, {distance})", a=stored, b=_geography(literal.shape), distance=distance)
    placed, source = placed_in_lonlat(column)
    apart = _is_within_distance(_lines(placed), _lines(literal), distance)
    if not (is_of_points(column) and literal.shape.geom_type in ("Point", "MultiPoint")):
        # lines do not measure a geometry inside the other one
        apart = sql("({meets}) OR {apart}", meets=relation(ast.GeometryIntersects, column, literal), apart=apart)
    box = _box_around(literal, metres)
    # PostGIS cannot use an index through OR and CASE: this condition on boxes uses it
    within = sql(
        "({near}) AND CASE WHEN {known} THEN {apart} END",
        near=is_near(placed, box),
        known=_is_in_world(in_lonlat_srid(placed)),
        apart=apart,
    )
    if source is None:
        return within
    return sql("({near}) AND (SELECT {within} FROM {source})", near=is_near(column, box), within=within, source=source)


def _is_in_world(shape: Sql) -> Sql:
    """Test whether the shape lies within longitude and latitude: geography would move it there."""
    return sql(
        "{g} @ 'SRID=4326;LINESTRING(-180.000001 -90.000001, 180.000001 90.000001)'::geometry"
        " AND ST_Length({g}) + ST_Perimeter({g}) < 'Infinity'",
        g=shape,
    )


def _is_within_distance(a: Sql, b: Sql, distance: Sql) -> Sql:
    return sql("ST_DWithin({a}, {b}, {distance})", a=a, b=b, distance=distance)


def _lines(side: Expr | GeometryLiteral) -> Sql:
    """Return points and lines as geography; areas as boundaries, because geography chooses the inside of an area."""
    if isinstance(side, GeometryLiteral):
        is_area = side.shape.geom_type in ("Polygon", "MultiPolygon")
        return _geography(shapely.boundary(side.shape) if is_area else side.shape)
    shape = in_lonlat_srid(side)
    if is_of_points(side):
        return sql("({shape})::geography", shape=shape)
    return sql(
        "ST_Segmentize({lines}, {step})::geography",
        lines=sql(_BOUNDARY, g=shape),
        step=bind(_STEP, "float8"),
    )


def _geography(shape: Any) -> Sql:
    if not shape.is_empty and shapely.get_dimensions(shape) > 0:
        shape = shapely.segmentize(shape, max(_STEP, shapely.length(shape) / 4000))
    return sql(
        "ST_GeomFromWKB({wkb}, {srid})::geography",
        wkb=bind(shapely.to_wkb(shape, flavor="iso"), "bytea"),
        srid=Sql((str(CRS84_SRID),)),
    )


def _box_around(literal: GeometryLiteral, metres: float) -> BBox:
    """Return a box around everything within the distance; west is greater across the antimeridian."""
    west, south, east, north = shapely.bounds(literal.shape)
    angle = degrees(metres / _LEAST_RADIUS) + _MARGIN
    low, high = max(-90.0, south - angle), min(90.0, north + angle)
    # the widest circle is the one nearest to a pole
    latitude = max(abs(south), abs(north)) + _GEOCENTRIC
    if latitude + angle >= 90.0:
        return BBox(-180.0, low, 180.0, high)
    wide = degrees(asin(min(1.0, sin(radians(angle)) / cos(radians(latitude))))) * 1.01
    west, east = west - wide, east + wide
    if east - west >= 360.0:
        return BBox(-180.0, low, 180.0, high)
    return BBox(west + 360.0 if west < -180.0 else west, low, east - 360.0 if east > 180.0 else east, high)
