"""The S_ functions, and the boxes they share with the `bbox` parameter.

Literals are in CRS84: degrees, longitude before latitude, edges straight in that plane. It is the literal
that is transformed to the column's SRID, never the column, so that the GiST index stays usable.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, LiteralString

import shapely
from pygeofilter import ast
from shapely.affinity import translate
from shapely.geometry.base import BaseGeometry

from libs.cql.compiling.operands import Expr, condition, describe
from libs.cql.errors import Place, fault
from libs.cql.nodes import OP_NAMES, place_of
from libs.cql.projected import fitted
from libs.cql.queryable import Queryable
from libs.geo.crs import CRS84, Crs, as_easting_northing, in_crs84
from libs.geo.crs_areas import is_projected, keeps_boxes
from libs.geo.longitudes import TURN, turned
from libs.geo.lonlat_sql import in_lonlat
from libs.geo.simple_shapes import simple_shape
from libs.ogc.bbox import BBox
from libs.pg.column_types import Kind
from libs.pg.sql import Sql, all_of, any_of, bind, join, sql

CRS84_SRID = 4326


@dataclass(frozen=True, slots=True)
class GeometryLiteral:
    """A geometry as written, in CRS84.

    `boxes` are the rectangles it consists of where it is a box: one, or two across the antimeridian. `turn` moves it by
    so many times around the Earth, to where rows with longitudes beyond ±180 are. `native` is the same as the client
    wrote it, and the SRID, where that is of another CRS.
    """

    shape: BaseGeometry
    place: Place | None
    boxes: tuple[BaseGeometry, ...] = ()
    turn: int = 0
    native: tuple[BaseGeometry, int] | None = None
    kind = Kind.GEOMETRY


_FUNCTIONS: dict[type, LiteralString] = {
    ast.GeometryIntersects: "ST_Intersects({a}, {b})",
    ast.GeometryContains: "ST_Contains({a}, {b})",
    ast.GeometryWithin: "ST_Within({a}, {b})",
    ast.GeometryTouches: "ST_Touches({a}, {b})",
    ast.GeometryCrosses: "ST_Crosses({a}, {b})",
    ast.GeometryOverlaps: "ST_Overlaps({a}, {b})",
    ast.GeometryEquals: "ST_Equals({a}, {b})",
}
SPATIAL_NODES = (*_FUNCTIONS, ast.GeometryDisjoint)
_FLIPPED = {ast.GeometryContains: ast.GeometryWithin, ast.GeometryWithin: ast.GeometryContains}
_COVERING = (ast.GeometryContains, ast.GeometryEquals)


def geometry_literal(geojson: dict[str, Any], place: Place | None, crs: Crs = CRS84) -> GeometryLiteral:
    """A GeoJSON geometry whose structure has been checked, with coordinates of `crs`.

    Raises CqlError when it is not valid, or has no place on Earth.
    """
    shape = as_easting_northing(shapely.force_2d(shapely.geometry.shape(geojson)), crs)
    if not shapely.is_valid(shape):
        reason = shapely.is_valid_reason(shape).replace("[", " at [")
        raise fault(f"the geometry is not valid: {reason}", place)
    return _placed(shape, place, crs)


def box_in(box: BBox, place: Place | None, crs: Crs) -> GeometryLiteral:
    """A box of easting, northing in `crs`. Raises CqlError when it has no place on Earth."""
    if crs.srid == CRS84_SRID:
        return box_literal(box, place)
    return _placed(_rectangle(box), place, crs)


def _placed(shape: BaseGeometry, place: Place | None, crs: Crs) -> GeometryLiteral:
    if crs.srid == CRS84_SRID:
        return GeometryLiteral(shape, place)
    try:
        return GeometryLiteral(in_crs84(shape, crs), place, native=(shape, crs.srid))
    except ValueError as error:
        raise fault(f"the geometry {error}", place) from None


def box_literal(box: BBox, place: Place | None = None) -> GeometryLiteral:
    """A box; one that crosses the antimeridian becomes the two boxes on its sides."""
    parts = tuple(_rectangle(part) for part in box.parts())
    return GeometryLiteral(parts[0] if len(parts) == 1 else shapely.union_all(parts), place, boxes=parts)


def _rectangle(box: BBox) -> BaseGeometry:
    """A box as a polygon; without width or height, as the line or point it is."""
    if box.west < box.east and box.south < box.north:
        return shapely.box(box.west, box.south, box.east, box.north)
    if box.west == box.east and box.south == box.north:
        return shapely.Point(box.west, box.south)
    return shapely.LineString([(box.west, box.south), (box.east, box.north)])


def spatial(node: ast.SpatialComparisonPredicate, left: object, right: object) -> Expr:
    """An S_ function. Raises CqlError for what is no geometry, or a literal outside CRS84."""
    a, b = _operand(node, left, 0), _operand(node, right, 1)
    return condition(relation(type(node), a, b))


def _operand(node: ast.SpatialComparisonPredicate, operand: object, index: int) -> Expr | GeometryLiteral:
    if isinstance(operand, GeometryLiteral):
        return operand
    if isinstance(operand, Expr) and operand.kind is Kind.GEOMETRY:
        return operand
    name = OP_NAMES[type(node)].upper()
    raise fault(f"{describe(operand)}, but {name} takes geometries", place_of(node, index))


def relation(kind: type, a: Expr | GeometryLiteral, b: Expr | GeometryLiteral) -> Sql:
    """The spatial relation of one of `SPATIAL_NODES` between two geometries."""
    if isinstance(a, GeometryLiteral) and isinstance(b, Expr):
        # The column first: PostGIS looks for an index of the second operand in some of these only.
        return relation(_FLIPPED.get(kind, kind), b, a)
    if kind is ast.GeometryDisjoint:
        return sql("NOT ({intersects})", intersects=relation(ast.GeometryIntersects, a, b))
    if kind is ast.GeometryIntersects and isinstance(b, GeometryLiteral):
        parts = _parts(a, b)
        if len(parts) > 1:
            return any_of(relation(kind, column, part) for column, part in parts)
    srid = _srid(a) if isinstance(a, Expr) else CRS84_SRID
    if isinstance(a, Expr) and isinstance(b, GeometryLiteral) and kind in _COVERING and _is_cut(b, srid):
        # A geometry of this CRS cannot cover what lies beyond the CRS's area.
        return sql("({column}) IS NULL AND NULL", column=a.sql)
    is_boxed = isinstance(b, GeometryLiteral) and bool(b.boxes) and keeps_boxes(srid)
    if kind is ast.GeometryIntersects and is_boxed:
        # GEOS decides on rectangles without building a topology, so that no row can raise an error.
        shape, box = _in_srid(a, srid), _in_srid(b, srid)
        return _in_box(shape, box) if _may_be_unknown(a) else sql(_FUNCTIONS[kind], a=shape, b=box)
    return _robust(kind, (a, b), srid)


def _parts(a: Expr | GeometryLiteral, b: GeometryLiteral) -> list[tuple[Expr | GeometryLiteral, GeometryLiteral]]:
    """What each part of a literal that consists of several boxes is compared with.

    Where rows lie beyond ±180 the literal is brought to them, so that an index serves and nothing is cut.
    """
    boxes = [GeometryLiteral(box, b.place, (box,)) for box in b.boxes] if len(b.boxes) > 1 else [b]
    if not isinstance(a, Expr) or not _column(a).turns:
        return [(a, box) for box in boxes]
    return [(_as_stored(a), replace(box, turn=turn)) for box in boxes for turn in (0, *_column(a).turns)]


def _is_cut(literal: GeometryLiteral, srid: int) -> bool:
    if literal.native is not None and literal.native[1] == srid:
        return False
    return is_projected(srid) and fitted(literal.shape, srid, is_box=bool(literal.boxes))[1]


def _robust(kind: type, sides: Sequence[Expr | GeometryLiteral], srid: int) -> Sql:
    """The relation, such that no row raises an error, which would fail every filter that comes across it.

    A polygon that is not valid (GEOS: "side location conflict") is taken as repaired, a surface as its polygons. Of
    what has coordinates that are not finite the relation is unknown.
    """
    placed = [_in_srid(side, srid) for side in sides]
    near = _near_turned(sides, srid)
    doubtful = [isinstance(side, Expr) and _may_be_invalid(_column(side)) for side in sides]
    finite = [
        sql(_FINITE, g=text)
        for side, text in zip(sides, placed, strict=True)
        if isinstance(side, Expr) and not _is_of_points(_column(side))
    ]
    shapes = [_known(side, text) for side, text in zip(sides, placed, strict=True)]
    relation = sql(_FUNCTIONS[kind], a=shapes[0], b=shapes[1])
    if not finite:
        return all_of([near, relation]) if near else relation
    if any(doubtful):
        checks = [sql("ST_IsValid({g})", g=shape) for shape, doubt in zip(shapes, doubtful, strict=True) if doubt]
        a, b = (
            sql("ST_MakeValid({g})", g=shape) if doubt else shape for shape, doubt in zip(shapes, doubtful, strict=True)
        )
        relation = sql(
            "CASE WHEN {valid} THEN {plain} ELSE {careful} END",
            valid=join(" AND ", checks),
            plain=relation,
            careful=sql(_FUNCTIONS[kind], a=a, b=b),
        )
    # PostGIS cannot see through CASE: the index serves the boxes.
    return sql(
        "{near} AND CASE WHEN {finite} THEN {relation} END",
        near=near or sql("{a} && {b}", a=placed[0], b=placed[1]),
        finite=join(" AND ", finite),
        relation=relation,
    )


def _in_box(shape: Sql, box: Sql) -> Sql:
    """Whether something of any kind intersects a box: what GEOS does not take is measured by PostGIS itself, slowly."""
    return sql(
        "{shape} && {box} AND CASE WHEN GeometryType({shape}) IN ('POINT', 'LINESTRING', 'MULTIPOINT',"
        " 'MULTILINESTRING') OR (GeometryType({shape}) IN ('POLYGON', 'MULTIPOLYGON') AND ST_IsValid({shape}))"
        " THEN ST_Intersects({shape}, {box}) ELSE ST_DWithin({shape}, {box}, 0) END",
        shape=shape,
        box=box,
    )


def _known(side: Expr | GeometryLiteral, placed: Sql) -> Sql:
    """What is placed, of a kind that GEOS knows; collections of areas without areas over each other."""
    if not _may_be_unknown(side):
        return placed
    shape = sql("({simple})", simple=simple_shape(placed))
    return sql(
        "(CASE WHEN GeometryType({g}) = 'GEOMETRYCOLLECTION' AND ST_Dimension({g}) = 2"
        " THEN ST_UnaryUnion(ST_MakeValid({shape})) ELSE {shape} END)",
        g=placed,
        shape=shape,
    )


def _may_be_unknown(side: Expr | GeometryLiteral) -> bool:
    """Whether the column may hold curves, surfaces or collections."""
    return isinstance(side, Expr) and not _SIMPLE_FEATURES.match(_type_of(_column(side)))


def _near_turned(sides: Sequence[Expr | GeometryLiteral], srid: int) -> Sql | None:
    """Where rows lie beyond ±180, a condition on boxes that an index serves: of a literal's, turned; None elsewhere."""
    a, b = sides
    if not isinstance(a, Expr) or not isinstance(b, GeometryLiteral) or not _column(a).turns:
        return None
    shape, turns = _in_srid(_as_stored(a), srid), (0, *_column(a).turns)
    boxes = (sql("{a} && {b}", a=shape, b=_in_srid(replace(b, turn=turn), srid)) for turn in turns)
    return sql("({near})", near=any_of(boxes))


def near(column: Expr, box: BBox) -> Sql:
    """Whether the box of a row meets a box of longitude and latitude: what an index serves, and no more than that."""
    srid = _srid(column)
    parts = [
        replace(GeometryLiteral(_rectangle(part), None, (_rectangle(part),)), turn=turn)
        for part in box.parts()
        for turn in (0, *_column(column).turns)
    ]
    shape = _in_srid(_as_stored(column), srid)
    return any_of(sql("{a} && {b}", a=shape, b=_in_srid(part, srid)) for part in parts)


def in_lonlat_srid(side: Expr | GeometryLiteral) -> Sql:
    """A geometry in longitude and latitude, of a kind that GEOS knows."""
    return _known(side, _in_srid(side, CRS84_SRID))


def as_geography(column: Expr) -> Sql | None:
    """The column as it is stored, where that is a geography of WGS 84; else None."""
    queryable = _column(column)
    return column.sql if queryable.is_geography and queryable.srid in (None, 0, CRS84_SRID) else None


def is_of_points(column: Expr) -> bool:
    """Whether the column holds nothing but points."""
    return _is_of_points(_column(column))


def _as_stored(column: Expr) -> Expr:
    """A column whose rows are compared where they are stored."""
    return replace(column, queryable=replace(_column(column), turns=()))


_LINES_AND_POINTS = re.compile(r"(?i)(multi)?(point|linestring)(zm?|m)?\Z")
_POINTS = re.compile(r"(?i)(multi)?point(zm?|m)?\Z")
_SIMPLE_FEATURES = re.compile(r"(?i)(multi)?(point|linestring|polygon)(zm?|m)?\Z")
# a box does not show corners that are no numbers, a length does
_FINITE: LiteralString = (
    "{g} @ 'LINESTRING(-1e30 -1e30, 1e30 1e30)'::geometry AND ST_Length({g}) + ST_Perimeter({g}) < 'Infinity'"
)


def _may_be_invalid(column: Queryable) -> bool:
    """Whether the column may hold polygons."""
    return not _LINES_AND_POINTS.match(_type_of(column))


def _is_of_points(column: Queryable) -> bool:
    return _POINTS.match(_type_of(column)) is not None


def _type_of(column: Queryable) -> str:
    """The declared type of its geometries; empty where there is none."""
    declared = re.search(r"\((\w+)", column.sql_type)
    return column.geometry_type or (declared[1] if declared else "")


def _column(side: Expr) -> Queryable:
    assert side.queryable is not None  # noqa: S101  # every geometry is a column
    return side.queryable


def _srid(side: Expr) -> int:
    """The SRID to compare a column in."""
    column = _column(side)
    return CRS84_SRID if column.srid is None or column.is_geography else column.srid


def _in_srid(side: Expr | GeometryLiteral, srid: int) -> Sql:
    if isinstance(side, GeometryLiteral):
        return _literal(side, srid)
    text, own = _planar(side), _srid(side)
    if own == srid:
        return text
    if srid == CRS84_SRID:
        return in_lonlat(text, own)
    if srid == 0:
        return sql("ST_SetSRID({text}, 0)", text=in_lonlat(text, own))
    # without an SRID, coordinates are taken for longitudes and latitudes, as literals beside them are
    known = text if own else in_lonlat(text, own)
    return sql("ST_Transform({known}, {srid})", known=known, srid=Sql((str(srid),)))


def _planar(column: Expr) -> Sql:
    """The column as a geometry of one SRID.

    Few relations exist for geography, and its edges are geodesics: it is compared as geometry, which an
    index on `((column::geometry))` serves. Rows of several SRIDs are brought to CRS84 one by one.
    """
    queryable = _column(column)
    if queryable.is_geography:
        shape = sql("({column})::geometry", column=column.sql)
        return in_lonlat(shape, queryable.srid or CRS84_SRID)
    shape = in_lonlat(column.sql, None) if queryable.srid is None else column.sql
    return turned(shape, queryable.turns, is_point=queryable.geometry_type == "Point")


def _literal(side: GeometryLiteral, srid: int) -> Sql:
    if srid == 0:
        return _bound(_turned(side), 0)
    if side.native is not None and side.native[1] == srid:
        return _bound(*side.native)
    west, south, east, north = shapely.bounds(side.shape)
    if west < -180 or east > 180 or south < -90 or north > 90:
        outside = f"longitudes {west:g} to {east:g}, latitudes {south:g} to {north:g}"
        raise fault(f"the geometry is outside longitude -180 to 180, latitude -90 to 90: it has {outside}", side.place)
    if srid == CRS84_SRID:
        return _bound(_turned(side), srid)
    shape = fitted(side.shape, srid, is_box=bool(side.boxes))[0] if is_projected(srid) else side.shape
    return sql("ST_Transform({shape}, {srid})", shape=_bound(shape, CRS84_SRID), srid=Sql((str(srid),)))


def _turned(side: GeometryLiteral) -> BaseGeometry:
    if not side.turn:
        return side.shape
    return translate(side.shape, side.turn * TURN)


def _bound(shape: BaseGeometry, srid: int) -> Sql:
    return sql(
        "ST_GeomFromWKB({wkb}, {srid})",
        wkb=bind(shapely.to_wkb(shape, flavor="iso"), "bytea"),
        srid=Sql((str(srid),)),
    )
