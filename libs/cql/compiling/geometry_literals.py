"""Geometries in filters, and the boxes that they share with the `bbox` parameter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import shapely
from shapely.affinity import translate
from shapely.geometry.base import BaseGeometry

from libs.cql.errors import Place, fault
from libs.cql.projected import fitted
from libs.geo.crs import CRS84, Crs, as_easting_northing, in_crs84
from libs.geo.crs_areas import is_projected
from libs.geo.longitudes import width_of_world
from libs.ogc.bbox import BBox
from libs.pg.column_types import Kind
from libs.pg.sql import Sql, bind, sql

CRS84_SRID = 4326


@dataclass(frozen=True, slots=True)
class GeometryLiteral:
    """A geometry as written, in CRS84.

    `boxes` are its rectangles if it is a box: one, or two across the antimeridian. `turn` moves it by this many turns
    around the Earth, to rows with longitudes beyond ±180. If it was written in another CRS, `native` has the geometry
    in that CRS and its SRID.
    """

    shape: BaseGeometry
    place: Place | None
    boxes: tuple[BaseGeometry, ...] = ()
    turn: int = 0
    native: tuple[BaseGeometry, int] | None = None
    kind = Kind.GEOMETRY


def geometry_literal(geojson: dict[str, Any], place: Place | None, crs: Crs = CRS84) -> GeometryLiteral:
    """Return the literal of a GeoJSON geometry with checked structure and coordinates in `crs`.

    Raises CqlError if it is invalid or has no place on Earth.
    """
    shape = as_easting_northing(shapely.force_2d(shapely.geometry.shape(geojson)), crs)
    if not shapely.is_valid(shape):
        reason = shapely.is_valid_reason(shape).replace("[", " at [")
        raise fault(f"the geometry is not valid: {reason}", place)
    return _placed(shape, place, crs)


def box_in(box: BBox, place: Place | None, crs: Crs) -> GeometryLiteral:
    """Return a box of easting and northing in `crs`. Raises CqlError if it has no place on Earth."""
    if crs.srid == CRS84_SRID:
        return box_literal(box, place)
    return _placed(rectangle(box), place, crs)


def _placed(shape: BaseGeometry, place: Place | None, crs: Crs) -> GeometryLiteral:
    if crs.srid == CRS84_SRID:
        return GeometryLiteral(shape, place)
    try:
        return GeometryLiteral(in_crs84(shape, crs), place, native=(shape, crs.srid))
    except ValueError as error:
        raise fault(f"the geometry {error}", place) from None


def box_literal(box: BBox, place: Place | None = None) -> GeometryLiteral:
    """Return a box; one that crosses the antimeridian becomes two boxes."""
    parts = tuple(rectangle(part) for part in box.parts())
    return GeometryLiteral(parts[0] if len(parts) == 1 else shapely.union_all(parts), place, boxes=parts)


def rectangle(box: BBox) -> BaseGeometry:
    """Return a box as a polygon; without width or height, as a line or point."""
    if box.west < box.east and box.south < box.north:
        return shapely.box(box.west, box.south, box.east, box.north)
    if box.west == box.east and box.south == box.north:
        return shapely.Point(box.west, box.south)
    return shapely.LineString([(box.west, box.south), (box.east, box.north)])


def literal_sql(side: GeometryLiteral, srid: int) -> Sql:
    """Return the literal in this SRID. Raises CqlError if it lies outside longitude and latitude."""
    if srid == 0:
        return _bound(_turned(side, side.shape, srid), 0)
    if side.native is not None and side.native[1] == srid:
        return _bound(_turned(side, side.native[0], srid), srid)
    west, south, east, north = shapely.bounds(side.shape)
    if west < -180 or east > 180 or south < -90 or north > 90:
        outside = f"longitudes {west:g} to {east:g}, latitudes {south:g} to {north:g}"
        raise fault(f"the geometry is outside longitude -180 to 180, latitude -90 to 90: it has {outside}", side.place)
    if srid == CRS84_SRID:
        return _bound(_turned(side, side.shape, srid), srid)
    shape = fitted(side.shape, srid, is_box=bool(side.boxes))[0] if is_projected(srid) else side.shape
    placed = sql("ST_Transform({shape}, {srid})", shape=_bound(shape, CRS84_SRID), srid=Sql((str(srid),)))
    if not side.turn:
        return placed
    return sql("ST_Translate({placed}, {by}, 0)", placed=placed, by=Sql((repr(side.turn * width_of_world(srid)),)))


def _turned(side: GeometryLiteral, shape: BaseGeometry, srid: int) -> BaseGeometry:
    if not side.turn:
        return shape
    return translate(shape, side.turn * width_of_world(srid))


def _bound(shape: BaseGeometry, srid: int) -> Sql:
    return sql(
        "ST_GeomFromWKB({wkb}, {srid})",
        wkb=bind(shapely.to_wkb(shape, flavor="iso"), "bytea"),
        srid=Sql((str(srid),)),
    )
