"""Geometries in filters, and the boxes that they share with the `bbox` parameter."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import shapely
from shapely.affinity import translate
from shapely.geometry.base import BaseGeometry

from libs.cql.errors import Place, fault
from libs.cql.projected import fit
from libs.geo.crs import CRS84, Crs, as_easting_northing, in_crs84
from libs.geo.crs_areas import is_projected
from libs.geo.longitudes import width_of_world
from libs.ogc.bbox import BBox
from libs.pg.column_types import Kind
from libs.pg.sql import Sql, bind, sql

CRS84_SRID = 4326


@dataclass(frozen=True, slots=True)
class GeometryLiteral:
    """A geometry as the client wrote it: easting, northing in `crs`.

    `boxes` are the rectangles it consists of where it is a box in CRS84: one, or two across the antimeridian. `turn`
    moves it by multiples of 360 degrees, to the rows with longitudes beyond ±180.
    """

    written: BaseGeometry
    place: Place | None
    boxes: tuple[BaseGeometry, ...] = ()
    turn: int = 0
    crs: Crs = CRS84
    kind = Kind.GEOMETRY

    @property
    def shape(self) -> BaseGeometry:
        """The geometry in CRS84. Raises CqlError if it cannot be transformed."""
        if self.crs.srid == CRS84_SRID:
            return self.written
        try:
            return _in_crs84(self.written, self.crs)
        except ValueError as error:
            raise fault(f"the geometry {error}", self.place) from None

    def is_stored_in(self, srid: int) -> bool:
        """Return whether a column of this SRID is compared with the numbers of the client, without a transformation."""
        return self.crs.srid == srid != CRS84_SRID


_in_crs84 = lru_cache(maxsize=64)(in_crs84)
"""One request needs a literal in CRS84 several times."""


def geometry_literal(geojson: dict[str, Any], place: Place | None, crs: Crs = CRS84) -> GeometryLiteral:
    """Return the literal of a GeoJSON geometry with checked structure and coordinates in `crs`.

    Raises CqlError when it is not valid.
    """
    shape = as_easting_northing(shapely.force_2d(shapely.geometry.shape(geojson)), crs)
    if not shapely.is_valid(shape):
        reason = shapely.is_valid_reason(shape).replace("[", " at [")
        raise fault(f"the geometry is not valid: {reason}", place)
    return GeometryLiteral(shape, place, crs=crs)


def box_in(box: BBox, place: Place | None, crs: Crs) -> GeometryLiteral:
    """Return a box of easting, northing in `crs`."""
    if crs.srid == CRS84_SRID:
        return box_literal(box, place)
    return GeometryLiteral(rectangle(box), place, crs=crs)


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
    """Return the literal in this SRID. Raises CqlError if it cannot be expressed in longitude and latitude."""
    if srid == 0:
        return _bind_shape(_turn(side, side.shape, srid), 0)
    if side.is_stored_in(srid):
        return _bind_shape(_turn(side, side.written, srid), srid)
    in_degrees = side.shape
    west, south, east, north = shapely.bounds(in_degrees)
    if west < -180 or east > 180 or south < -90 or north > 90:
        outside = f"longitudes {west:g} to {east:g}, latitudes {south:g} to {north:g}"
        raise fault(f"the geometry is outside longitude -180 to 180, latitude -90 to 90: it has {outside}", side.place)
    if srid == CRS84_SRID:
        return _bind_shape(_turn(side, in_degrees, srid), srid)
    shape = fit(in_degrees, srid, is_box=bool(side.boxes))[0] if is_projected(srid) else in_degrees
    placed = sql("ST_Transform({shape}, {srid})", shape=_bind_shape(shape, CRS84_SRID), srid=Sql((str(srid),)))
    if not side.turn:
        return placed
    return sql("ST_Translate({placed}, {by}, 0)", placed=placed, by=Sql((repr(side.turn * width_of_world(srid)),)))


def _turn(side: GeometryLiteral, shape: BaseGeometry, srid: int) -> BaseGeometry:
    if not side.turn:
        return shape
    return translate(shape, side.turn * width_of_world(srid))


def _bind_shape(shape: BaseGeometry, srid: int) -> Sql:
    return sql(
        "ST_GeomFromWKB({wkb}, {srid})",
        wkb=bind(shapely.to_wkb(shape, flavor="iso"), "bytea"),
        srid=Sql((str(srid),)),
    )
