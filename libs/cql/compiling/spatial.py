"""The S_ functions.

Literals are in CRS84: degrees, longitude before latitude, edges straight in that plane. The literal is transformed to
the column's SRID, never the column, so that the GiST index stays usable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import LiteralString

import shapely
from pygeofilter import ast

from libs.cql.compiling.geometry_literals import CRS84_SRID, GeometryLiteral, literal_sql, rectangle
from libs.cql.compiling.operands import Expr, condition, describe
from libs.cql.errors import fault
from libs.cql.nodes import OP_NAMES, place_of
from libs.cql.projected import fit
from libs.cql.queryable import Queryable
from libs.geo.boxes import Box
from libs.geo.crs_areas import boxes_in, is_projected, keeps_boxes
from libs.geo.longitudes import WEB_MERCATOR, width_of_world, wrap_shape
from libs.geo.shape_sql import in_lonlat, simple_shape
from libs.geo.short_ways import short_way
from libs.ogc.bbox import BBox
from libs.pg.column_types import Kind
from libs.pg.sql import Sql, all_of, any_of, binds, join, sql

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
# the coordinates of a row that crosses the antimeridian go around the other side
_OTHER_SIDE = sql("'SRID=4326;LINESTRING(0 -90, 0 90)'::geometry")
_COVERING = (ast.GeometryContains, ast.GeometryEquals)


def spatial(node: ast.SpatialComparisonPredicate, left: object, right: object) -> Expr:
    """Compile an S_ function. Raises CqlError for operands that are not geometries, and literals outside CRS84."""
    a, b = _operand(node, left, 0), _operand(node, right, 1)
    found = condition(relation(type(node), a, b))
    if any(_is_mixed(side) for side in (a, b)):
        # below NOT a row that cannot be transformed is unknown, though its box does not meet the literal
        return replace(found, exact=relation(type(node), a, b, by_index=False))
    return found


def _operand(node: ast.SpatialComparisonPredicate, operand: object, index: int) -> Expr | GeometryLiteral:
    if isinstance(operand, GeometryLiteral):
        return operand
    if isinstance(operand, Expr) and operand.kind is Kind.GEOMETRY:
        return operand
    name = OP_NAMES[type(node)].upper()
    raise fault(f"{describe(operand)}, but {name} takes geometries", place_of(node, index))


def relation(kind: type, a: Expr | GeometryLiteral, b: Expr | GeometryLiteral, *, by_index: bool = True) -> Sql:
    """Return the spatial relation of one of `SPATIAL_NODES` between two geometries.

    Without `by_index` it is unknown for each row of several SRIDs that cannot be transformed.
    """
    if isinstance(a, GeometryLiteral) and isinstance(b, Expr):
        # The column first: for some relations, PostGIS uses only an index of the first operand.
        kind, a, b = _FLIPPED.get(kind, kind), b, a
    if kind is ast.GeometryDisjoint:
        return sql("NOT ({intersects})", intersects=relation(ast.GeometryIntersects, a, b, by_index=False))
    if any(_is_mixed(side) for side in (a, b)):
        return _convert_operands_first(kind, (a, b), mixed=True, by_index=by_index)
    if kind is ast.GeometryIntersects and isinstance(b, GeometryLiteral):
        parts = _parts(a, b)
        if len(parts) > 1:
            return any_of(relation(kind, column, part) for column, part in parts)
    return _relate(kind, a, b)


def _relate(kind: type, a: Expr | GeometryLiteral, b: Expr | GeometryLiteral) -> Sql:
    if any(_is_worked_out(side) for side in (a, b)):
        return _convert_operands_first(kind, (a, b))
    srid = _srid(a) if isinstance(a, Expr) else CRS84_SRID
    if isinstance(a, Expr) and isinstance(b, GeometryLiteral) and kind in _COVERING and _is_cut(b, srid):
        # A geometry in this CRS cannot cover a place outside the CRS's area.
        return sql("({column}) IS NULL AND NULL", column=a.sql)
    is_boxed = isinstance(b, GeometryLiteral) and bool(b.boxes) and keeps_boxes(srid)
    if kind is ast.GeometryIntersects and is_boxed:
        # GEOS compares rectangles without a topology, so no row can raise an error.
        shape, box = _in_srid(a, srid), _in_srid(b, srid)
        return _in_box(shape, box) if _may_be_unknown(a) else sql(_FUNCTIONS[kind], a=shape, b=box)
    return _robust(kind, (a, b), srid)


def _is_mixed(side: Expr | GeometryLiteral) -> bool:
    """Return whether each row may have its own SRID."""
    return isinstance(side, Expr) and _column(side).srid is None and not _column(side).is_geography


def _is_worked_out(side: Expr | GeometryLiteral) -> bool:
    """Return whether stored rows are converted before comparing: turned around the Earth, or cut at ±180°."""
    return isinstance(side, Expr) and bool(_column(side).turns or _column(side).crosses)


def _convert_operands_first(
    kind: type, sides: Sequence[Expr | GeometryLiteral], *, mixed: bool = False, by_index: bool = True
) -> Sql:
    """Return the relation of rows that are converted before comparing, each only once although it is named repeatedly.

    With `mixed` they are converted to longitude and latitude, for rows of several SRIDs; else rows have one SRID.
    """
    placed, known = list(sides), []
    for place, side in enumerate(sides):
        if not isinstance(side, Expr) or not (_is_mixed(side) if mixed else _is_worked_out(side)):
            continue
        column = replace(_column(side), sql_type="geometry", srid=_srid(side), crosses=False)
        if not mixed:
            column = replace(column, turns=())
        shape = in_lonlat(side.sql, None) if mixed else _planar(side)
        name = Sql((f"{'degrees' if mixed else 'placed'}_{place}",))
        placed[place] = replace(side, sql=sql("{name}.g", name=name), queryable=column)
        known.append(sql("(SELECT {shape} AS g OFFSET 0) AS {name}", shape=shape, name=name))
    once = sql("(SELECT {relation} FROM {known})", relation=relation(kind, *placed), known=join(", ", known))
    near = _may_be_near(sides) if by_index else None
    return all_of([near, once]) if near else once


def _parts(a: Expr | GeometryLiteral, b: GeometryLiteral) -> list[tuple[Expr | GeometryLiteral, GeometryLiteral]]:
    """Return what each box of a literal is compared with.

    If rows lie beyond ±180, move the literal to them, so that an index is used and the literal is not cut.
    """
    boxes = [GeometryLiteral(box, b.place, (box,)) for box in b.boxes] if len(b.boxes) > 1 else [b]
    if not isinstance(a, Expr) or not _column(a).turns:
        return [(a, box) for box in boxes]
    return [(_as_stored(a), replace(box, turn=turn)) for box in boxes for turn in (0, *_column(a).turns)]


def _is_cut(literal: GeometryLiteral, srid: int) -> bool:
    if literal.is_stored_in(srid):
        return False
    return is_projected(srid) and fit(literal.shape, srid, is_box=bool(literal.boxes))[1]


def _robust(kind: type, sides: Sequence[Expr | GeometryLiteral], srid: int) -> Sql:
    """Return the relation in a form that raises no error for any row, which would fail the whole request.

    An invalid polygon (GEOS: "side location conflict") is repaired first, a surface becomes its polygons. For
    coordinates that are not finite, the relation is unknown.
    """
    placed = [_in_srid(side, srid) for side in sides]
    doubtful = [isinstance(side, Expr) and _may_be_invalid(_column(side)) for side in sides]
    finite = [
        sql(_FINITE, g=text)
        for side, text in zip(sides, placed, strict=True)
        if isinstance(side, Expr) and not _is_of_points(_column(side))
    ]
    shapes = [_to_simple(side, text) for side, text in zip(sides, placed, strict=True)]
    relation = sql(_FUNCTIONS[kind], a=shapes[0], b=shapes[1])
    if not finite:
        return relation
    if any(doubtful):
        checks = [sql("ST_IsValid({g})", g=shape) for shape, doubt in zip(shapes, doubtful, strict=True) if doubt]
        a, b = (_repair(shape) if doubt else shape for shape, doubt in zip(shapes, doubtful, strict=True))
        relation = sql(
            "CASE WHEN {valid} THEN {plain} ELSE {careful} END",
            valid=join(" AND ", checks),
            plain=relation,
            careful=sql(_FUNCTIONS[kind], a=a, b=b),
        )
    # PostGIS cannot use an index through CASE: this condition on boxes uses it.
    return sql(
        "{near} AND CASE WHEN {finite} THEN {relation} END",
        near=sql("{a} && {b}", a=placed[0], b=placed[1]),
        finite=join(" AND ", finite),
        relation=relation,
    )


def _in_box(shape: Sql, box: Sql) -> Sql:
    """Return whether a geometry of any type intersects a box: for types that GEOS rejects, PostGIS measures slowly."""
    return sql(
        "{shape} && {box} AND CASE WHEN GeometryType({shape}) IN ('POINT', 'LINESTRING', 'MULTIPOINT',"
        " 'MULTILINESTRING') OR (GeometryType({shape}) IN ('POLYGON', 'MULTIPOLYGON') AND ST_IsValid({shape}))"
        " THEN ST_Intersects({shape}, {box}) ELSE ST_DWithin({shape}, {box}, 0) END",
        shape=shape,
        box=box,
    )


def _repair(shape: Sql) -> Sql:
    """Return a valid geometry; a place covered by several parts of an area belongs to the area, and is not a hole."""
    return sql(
        "CASE GeometryType({g}) WHEN 'MULTIPOLYGON'"
        " THEN (SELECT ST_UnaryUnion(ST_Collect(ST_MakeValid(part.geom))) FROM ST_Dump({g}) AS part)"
        " ELSE ST_MakeValid({g}) END",
        g=shape,
    )


def _to_simple(side: Expr | GeometryLiteral, placed: Sql) -> Sql:
    """Return the geometry in a type that GEOS knows, without overlapping areas in collections."""
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
    """Return whether the column may hold curves, surfaces or collections."""
    return isinstance(side, Expr) and not _SIMPLE_FEATURES.match(_type_of(_column(side)))


def _may_be_near(sides: Sequence[Expr | GeometryLiteral]) -> Sql | None:
    """Return whether the stored box of a row meets the literal: an index serves this if all rows have one SRID.

    Returns None for two columns.
    """
    a, b = sides
    if not isinstance(a, Expr) or not isinstance(b, GeometryLiteral):
        return None
    if _column(a).row_srids and _is_mixed(a):
        boxes = [shapely.bounds(shape) for shape in b.boxes or (b.shape,)]
        return _rows_meet(a, [(box[0], box[1], box[2], box[3]) for box in boxes])
    srid = _srid(a)
    literals = [_in_srid(replace(b, turn=turn), srid) for turn in (0, *_column(a).turns)]
    return sql("({near})", near=any_of(_boxes_meet(a, srid, literals)))


def _rows_meet(column: Expr, boxes: Sequence[Box]) -> Sql:
    """Return whether the stored box of a row meets a box in longitude and latitude, for rows of several known SRIDs.

    The boxes of each SRID are compared with every row, of any SRID, so that the index is used. This finds too
    many rows, never too few.
    """
    queryable = _column(column)
    placed: list[Box] = []
    for srid in dict.fromkeys(srid or CRS84_SRID for srid in queryable.row_srids):
        width = width_of_world(srid)
        turns = queryable.turns if srid in (CRS84_SRID, WEB_MERCATOR) else ()
        for west, south, east, north in boxes_in(boxes, srid):
            placed += [(west + turn * width, south, east + turn * width, north) for turn in (0, *turns)]
    if not placed:
        return sql("({a} IS NULL AND NULL)", a=column.sql)
    meets: LiteralString = "{a} && ST_MakeEnvelope({box})"
    return sql("({near})", near=any_of(sql(meets, a=column.sql, box=binds(box, "float8")) for box in placed))


def _boxes_meet(column: Expr, srid: int, literals: Iterable[Sql]) -> list[Sql]:
    """Return whether the stored box of a row meets the box of a literal; always true for a row with another SRID."""
    if _is_mixed(column):
        elsewhere = sql("ST_SRID({a}) NOT IN (0, 4326)", a=column.sql)
        return [elsewhere, *(sql("{a} && {b}", a=column.sql, b=literal) for literal in literals)]
    shape = _in_srid(_as_stored(column), srid)
    met = [sql("{a} && {b}", a=shape, b=literal) for literal in literals]
    return [*met, sql("{a} && {b}", a=shape, b=_OTHER_SIDE)] if _column(column).crosses else met


def is_near(column: Expr, box: BBox) -> Sql:
    """Return whether the box of a row meets a box in longitude and latitude: only the part that an index serves."""
    if _column(column).row_srids and _is_mixed(column):
        return _rows_meet(column, [(part.west, part.south, part.east, part.north) for part in box.parts()])
    srid = _srid(column)
    parts = [
        replace(GeometryLiteral(rectangle(part), None, (rectangle(part),)), turn=turn)
        for part in box.parts()
        for turn in (0, *_column(column).turns)
    ]
    return any_of(_boxes_meet(column, srid, (_in_srid(part, srid) for part in parts)))


def in_lonlat_srid(side: Expr | GeometryLiteral) -> Sql:
    """Return a geometry in longitude and latitude, in a type that GEOS knows."""
    return _to_simple(side, _in_srid(side, CRS84_SRID))


def placed_in_lonlat(column: Expr) -> tuple[Expr, Sql | None]:
    """Return the column in longitude and latitude under a name, and the FROM item with this name.

    Returns the column itself and None if it needs no conversion.
    """
    shape = _in_srid(column, CRS84_SRID)
    if shape == column.sql:
        return column, None
    queryable = replace(_column(column), sql_type="geometry", srid=CRS84_SRID, turns=(), crosses=False)
    source = sql("(SELECT {shape} AS g OFFSET 0) AS in_lonlat", shape=shape)
    return replace(column, sql=sql("in_lonlat.g"), queryable=queryable), source


def as_geography(column: Expr) -> Sql | None:
    """Return the column as stored if it is a geography of WGS 84; else None."""
    queryable = _column(column)
    return column.sql if queryable.is_geography and queryable.srid in (None, 0, CRS84_SRID) else None


def is_of_points(column: Expr) -> bool:
    """Return whether the column holds only points."""
    return _is_of_points(_column(column))


def _as_stored(column: Expr) -> Expr:
    """Return the column, compared in its stored longitudes."""
    return replace(column, queryable=replace(_column(column), turns=(), crosses=False))


_LINES_AND_POINTS = re.compile(r"(?i)(multi)?(point|linestring)(zm?|m)?\Z")
_POINTS = re.compile(r"(?i)(multi)?point(zm?|m)?\Z")
_SIMPLE_FEATURES = re.compile(r"(?i)(multi)?(point|linestring|polygon)(zm?|m)?\Z")
# a box does not show that corners are not numbers, a length does
_FINITE: LiteralString = (
    "{g} @ 'LINESTRING(-1e30 -1e30, 1e30 1e30)'::geometry AND ST_Length({g}) + ST_Perimeter({g}) < 'Infinity'"
)


def _may_be_invalid(column: Queryable) -> bool:
    """Return whether the column may hold polygons."""
    return not _LINES_AND_POINTS.match(_type_of(column))


def _is_of_points(column: Queryable) -> bool:
    return _POINTS.match(_type_of(column)) is not None


def _type_of(column: Queryable) -> str:
    """Return the declared type of its geometries; empty if there is none."""
    declared = re.search(r"\((\w+)", column.sql_type)
    return column.geometry_type or (declared[1] if declared else "")


def _column(side: Expr) -> Queryable:
    assert side.queryable is not None  # noqa: S101  # every geometry is a column
    return side.queryable


def _srid(side: Expr) -> int:
    """Return the SRID to compare a column in."""
    column = _column(side)
    return CRS84_SRID if column.srid is None or column.is_geography else column.srid


def _in_srid(side: Expr | GeometryLiteral, srid: int) -> Sql:
    if isinstance(side, GeometryLiteral):
        return literal_sql(side, srid)
    text, own = _planar(side), _srid(side)
    if own == srid:
        return text
    if srid == CRS84_SRID:
        return in_lonlat(text, own)
    if srid == 0:
        return sql("ST_SetSRID({text}, 0)", text=in_lonlat(text, own))
    # without an SRID, coordinates are interpreted as longitude and latitude, like literals
    known = text if own else in_lonlat(text, own)
    return sql("ST_Transform({known}, {srid})", known=known, srid=Sql((str(srid),)))


def _planar(column: Expr) -> Sql:
    """Return the column as a geometry of one SRID.

    Geography has few relations, and its edges are geodesics. So it is compared as geometry, cut at the antimeridian; an
    index on `((column::geometry))` serves this. Rows of several SRIDs are converted to CRS84 one by one.
    """
    queryable = _column(column)
    if queryable.is_geography:
        shape = in_lonlat(sql("({column})::geometry", column=column.sql), queryable.srid or CRS84_SRID)
        return short_way(shape) if queryable.crosses else shape
    is_point = queryable.geometry_type == "Point"
    if queryable.srid is not None:
        return wrap_shape(column.sql, queryable.turns, is_point=is_point, srid=queryable.srid)
    shape = in_lonlat(column.sql, None)
    if not queryable.turns:
        return shape
    moved = wrap_shape(sql("stored.g"), queryable.turns, is_point=is_point)
    return sql("(SELECT {moved} FROM (SELECT {shape} AS g OFFSET 0) AS stored)", moved=moved, shape=shape)
