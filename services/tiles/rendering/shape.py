"""SQL of where features are and how they are drawn: geometries in units of a tile. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from libs.catalogue.model import GeometryColumn
from libs.geo.boxes import Box
from libs.geo.longitudes import WEB_MERCATOR, wrap_shape
from libs.geo.shape_sql import in_lonlat
from libs.geo.short_ways import may_cross, short_way
from libs.pg.sql import Sql, any_of, bind, binds, ident, join, sql
from services.tiles.rendering.areas import NO_MANY, STRAIGHT, dot, drawn_area
from services.tiles.rendering.clipping import clip, is_crowded
from services.tiles.request.region import BUFFER, EXTENT, longest_straight
from services.tiles.request.tile_request import TileRequest

_SURFACES = ("Geometry", "PolyhedralSurface", "Triangle", "Tin")
_WIDEST_ON_THE_SPHERE = 60
_TO_THE_MIDDLE = 0.001
_MOST_ADDED = 100_000
"""Corners that the long edges of a geometry may get: one from far beyond the Earth would get any number of them."""
_EXTENT_AND_BUFFER = binds((EXTENT, BUFFER), "int4")
_CURVED = ("Geometry", "CircularString", "CompoundCurve", "CurvePolygon", "MultiCurve", "MultiSurface")


def drawn_points(request: TileRequest, shape: Sql) -> Sql:
    """Points as the tile encodes them, from `shape`, an expression in the CRS of the tile; NULL off the tile."""
    if request.region.of_points and request.region.antimeridian[0]:
        left, _, right, _ = request.region.bounds
        # what is at 180° is at -180°, on the left edge: clients take the right edge for the neighbour's
        first = right - (right - left) / EXTENT / 2 if request.region.antimeridian[1] else max(right, 0.0)
        shape = sql(
            "(SELECT CASE WHEN ST_X(place.g) >= {first} THEN ST_Translate(place.g, {world}, 0) ELSE place.g END"
            " FROM (SELECT {shape} AS g OFFSET 0) AS place)",
            shape=shape,
            first=bind(first, "float8"),
            world=bind(2 * left, "float8"),
        )
    return _in_tile_units(shape, request)


def drawing(request: TileRequest, shape: Sql, *, is_one_of_many: Sql = NO_MANY) -> Sql:
    """A query of what the tile draws of a row: `drawn`, in units of the tile or NULL, `simplified`, and `part`.

    `shape` names a 2D geometry in the CRS of the tile. A collection has a row for each dimension that it holds, for a
    feature of a vector tile has one; `part` is 1 in the first row.
    """
    column, tile = request.geometry, request.region.bounds
    area = drawn_area(sql("part.g"), tile, request.region.antimeridian, is_one_of_many=is_one_of_many)
    line = _drawn_line(request, sql("part.g"))
    if column.dimension == 2:
        return sql(
            "SELECT area.*, 1 AS part FROM (SELECT {shape} AS g) AS part, LATERAL ({area}) AS area",
            shape=shape,
            area=area,
        )
    if column.dimension == 1:
        return sql(
            "SELECT line.*, 1 AS part FROM (SELECT {shape} AS g) AS part, LATERAL ({line}) AS line",
            shape=shape,
            line=line,
        )
    return sql(
        "SELECT piece.drawn, piece.simplified, part.number AS part FROM unnest(CASE GeometryType({shape})"
        " WHEN 'GEOMETRYCOLLECTION' THEN ARRAY[ST_CollectionExtract({shape}, 3), ST_CollectionExtract({shape}, 2),"
        " ST_CollectionExtract({shape}, 1)] ELSE ARRAY[{shape}] END) WITH ORDINALITY AS part(g, number)"
        " CROSS JOIN LATERAL ({area} WHERE ST_Dimension(part.g) = 2 UNION ALL {line} WHERE ST_Dimension(part.g) = 1"
        " UNION ALL SELECT {point}, false WHERE coalesce(ST_Dimension(part.g), 0) = 0) AS piece",
        shape=shape,
        area=area,
        line=line,
        point=_in_tile_units(sql("part.g"), request),
    )


def _drawn_line(request: TileRequest, shape: Sql) -> Sql:
    """The query of a line: one shorter than a unit is drawn one unit long."""
    short = sql("ST_MakeLine(ST_PointN(ring, 1), ST_PointN(ring, 2))")
    return sql(
        "SELECT coalesce(whole.g, short.g) AS drawn, whole.g IS NULL AND short.g IS NOT NULL AS simplified"
        " FROM (SELECT {whole} AS g OFFSET 0) AS whole CROSS JOIN LATERAL"
        " (SELECT {short} AS g FROM ST_ExteriorRing(CASE WHEN whole.g IS NULL THEN {dot} END) AS ring OFFSET 0)"
        " AS short",
        whole=_in_tile_units(_straighten(shape, request), request),
        short=short,
        dot=dot(shape, request.region.bounds),
    )


def _straighten(shape: Sql, request: TileRequest) -> Sql:
    """Without corners that are nearly on a line, such as those that long edges got before they were projected."""
    left, _, right, _ = request.region.bounds
    return sql("ST_Simplify({shape}, {off}, true)", shape=shape, off=bind((right - left) / EXTENT * STRAIGHT, "float8"))


def _in_tile_units(shape: Sql, request: TileRequest) -> Sql:
    return sql(
        "ST_AsMVTGeom({shape}, {bounds}, {extent_and_buffer}, true)",
        shape=shape,
        bounds=_box2d(_envelope(request.region.bounds, request.region.tile_srid)),
        extent_and_buffer=_EXTENT_AND_BUFFER,
    )


def is_anchored(request: TileRequest) -> Sql:
    """Whether the first corner of an area lies in the tile itself, without its buffer: true in one tile of a matrix."""
    left, bottom, right, top = request.region.bounds
    column = request.geometry
    # a little to the middle of its part, for a corner on the edge of a tile belongs to the tile that has the area
    corner = sql(
        "(SELECT ST_SetSRID(ST_Point("
        "ST_X(first.g) + ((ST_XMin(part.g) + ST_XMax(part.g)) / 2 - ST_X(first.g)) * {some},"
        " ST_Y(first.g) + ((ST_YMin(part.g) + ST_YMax(part.g)) / 2 - ST_Y(first.g)) * {some}), ST_SRID(first.g))"
        " FROM (SELECT ST_GeometryN({shape}, 1) AS g OFFSET 0) AS part"
        " CROSS JOIN LATERAL (SELECT ST_StartPoint(ST_ExteriorRing(part.g)) AS g OFFSET 0) AS first)",
        shape=_on_earth(column),
        some=bind(_TO_THE_MIDDLE, "float8"),
    )
    near = any_of(sql("corner.g && {box}", box=_envelope(box, column.srid or 4326)) for box in request.region.near)
    return sql(
        "(SELECT ST_X(place.g) >= {left} AND ST_X(place.g) < {right} AND ST_Y(place.g) > {bottom}"
        " AND ST_Y(place.g) <= {top} FROM (SELECT CASE WHEN {near} THEN ST_Transform(corner.g, {srid}) END AS g"
        " FROM (SELECT {corner} AS g OFFSET 0) AS corner OFFSET 0) AS place)",
        left=bind(left, "float8"),
        right=bind(right, "float8"),
        bottom=bind(bottom, "float8"),
        top=bind(top, "float8"),
        near=near,
        srid=bind(request.region.tile_srid, "int4"),
        corner=corner,
    )


def project(request: TileRequest) -> Sql:
    """The geometry in the tile's CRS, as far as it has a place there."""
    column = request.geometry
    if not column.crosses:
        return _project(request, _on_earth(column))
    # worked out once for a row, not at each place where it is named
    return sql(
        "(SELECT {projected} FROM (SELECT {shape} AS g OFFSET 0) AS earth)",
        projected=_project(request, sql("earth.g")),
        shape=_on_earth(column),
    )


def _project(request: TileRequest, shape: Sql) -> Sql:
    column, target = request.geometry, request.region.tile_srid
    if column.type in _CURVED:
        # vector tiles know no curves
        shape = sql("ST_CurveToLine({shape})", shape=shape)
    if column.type in _SURFACES and not column.is_geography:
        shape = _polygons_of_surfaces(shape)
    if column.dimensions > 2 or column.type == "Geometry":
        shape = sql("ST_Force2D({shape})", shape=shape)
    if column.dimension != 0 and not column.is_geography:
        shape = sql(
            "CASE WHEN {finite} THEN {shape} ELSE {rest} END",
            finite=is_finite(column),
            shape=shape,
            rest=finite_corners(shape),
        )
    if request.region.srid != target:
        if column.dimension != 0:
            shape = _cut(shape, request)
        shape = sql("ST_Transform({shape}, {target})", shape=shape, target=bind(target, "int4"))
    return shape


def is_finite(column: GeometryColumn) -> Sql:
    """Whether all corners of a row are numbers that can be drawn: others fail the statement, or are drawn anywhere."""
    name = ident(column.name)
    # a box does not show corners that are no numbers, a length does
    return sql(
        "({name} @ 'LINESTRING(-1e30 -1e30, 1e30 1e30)'::geometry"
        " AND ST_Length({name}) + ST_Perimeter({name}) < 'Infinity')",
        name=name,
    )


def finite_corners(shape: Sql) -> Sql:
    """Lines and areas without the corners whose coordinates are not finite; NULL where too few are left."""
    return sql(
        "(SELECT CASE WHEN ST_Dimension({shape}) = 1 THEN ST_Collect(line)"
        " ELSE ST_BuildArea(ST_Collect(ST_AddPoint(line, ST_StartPoint(line)))) END FROM"
        " (SELECT ST_MakeLine(corner.geom ORDER BY corner.path) AS line FROM ST_DumpPoints({shape}) AS corner"
        " WHERE ST_X(corner.geom) BETWEEN -1e30 AND 1e30 AND ST_Y(corner.geom) BETWEEN -1e30 AND 1e30"
        " GROUP BY corner.path[1:cardinality(corner.path) - 1] HAVING count(*) > 1) AS lines)",
        shape=shape,
    )


def _polygons_of_surfaces(shape: Sql) -> Sql:
    # tried on the type first: what a row is rarely is gets its own query only then
    return sql(
        "CASE WHEN GeometryType({shape}) IN ('POLYHEDRALSURFACE', 'TIN', 'TRIANGLE') THEN"
        " (SELECT ST_Collect(CASE GeometryType(part.geom) WHEN 'TRIANGLE'"
        " THEN ST_MakePolygon(ST_ExteriorRing(part.geom)) ELSE part.geom END) FROM ST_Dump({shape}) AS part)"
        " ELSE {shape} END",
        shape=shape,
    )


def is_near(request: TileRequest) -> Sql:
    """Whether a row can be seen in the tile: the bounding box operator alone, which the index answers."""
    column, boxes = request.geometry, request.region.near
    if column.is_geography:
        return any_of(_is_near_on_sphere(column, box) for box in boxes)
    # the operator compares numbers and ignores SRIDs
    if not column.is_mixed:
        return _meets(ident(column.name), boxes, column.srid)
    near = _meets(_in_one_crs(column), boxes, column.srid)
    if not column.row_srids:
        return near
    stored: list[Box] = []
    for srid in dict.fromkeys(srid or 4326 for srid in column.row_srids):
        turns = request.region.turns if srid in (4326, WEB_MERCATOR) else ()
        stored += replace(request.region, srid=srid, turns=turns).near
    # the index finds rows whose numbers fit any of the SRIDs
    return sql("({stored}) AND ({near})", stored=_meets(ident(column.name), stored, 0), near=near)


def _meets(shape: Sql, boxes: Sequence[Box], srid: int) -> Sql:
    return any_of(sql("{shape} && {envelope}", shape=shape, envelope=_envelope(box, srid)) for box in boxes)


def middle(column: GeometryColumn) -> tuple[Sql, Sql]:
    """Easting and northing of where a feature is, roughly, in the column's own CRS; for large areas by their header."""
    shape = sql("{name}::geometry", name=ident(column.name)) if column.is_geography else ident(column.name)
    if column.type == "Point":
        return sql("ST_X({shape})", shape=shape), sql("ST_Y({shape})", shape=shape)
    box = sql("{shape}::box2d::box3d", shape=shape)
    easting = sql("(ST_XMin({box}) + ST_XMax({box})) / 2", box=box)
    return (
        sql("CASE WHEN {may} THEN 180 ELSE {easting} END", may=may_cross(shape), easting=easting)
        if column.crosses
        else easting,
        sql("(ST_YMin({box}) + ST_YMax({box})) / 2", box=box),
    )


def _envelope(box: Box, srid: int) -> Sql:
    return sql("ST_MakeEnvelope({box}, {srid})", box=binds(box, "float8"), srid=bind(srid, "int4"))


def _box2d(envelope: Sql) -> Sql:
    # a separate query computes it once, not for each row
    return sql("(SELECT {envelope}::box2d)", envelope=envelope)


def _is_near_on_sphere(column: GeometryColumn, box: Box) -> Sql:
    left, bottom, right, top = box
    shape, envelope = ident(column.name), _envelope(box, 4326)
    exact = sql("{shape}::geometry && {envelope}", shape=shape, envelope=envelope)
    if column.crosses:
        # of a row that does, the numbers tell a box on the other side of the Earth
        exact = sql("({exact} OR {may})", exact=exact, may=may_cross(sql("{shape}::geometry", shape=shape)))
    if right - left > _WIDEST_ON_THE_SPHERE:
        return exact
    # for the index: PostGIS takes the shorter way round between two corners, along a great circle, so a wide box
    # would be another one there, and a parallel has to be followed by short steps
    return sql(
        "{shape} && ST_Segmentize({around}, {step})::geography AND {exact}",
        shape=shape,
        around=_envelope((max(left, -180.0), max(bottom, -90.0), min(right, 180.0), min(top, 90.0)), 4326),
        step=bind((right - left) / 16, "float8"),
        exact=exact,
    )


def is_nowhere(column: GeometryColumn) -> Sql | None:
    """Whether a row has a place in no tile; None where the column can hold none such.

    The CRS of such a row is unknown to the database, or it is a point beyond the poles.
    """
    if column.type == "Point" and column.partial and column.srid == 4326 and not column.is_geography:
        # two boxes, which the index answers
        return sql(
            "({name} && 'LINESTRING(-1e30 90.001, 1e30 1e30)'::geometry"
            " OR {name} && 'LINESTRING(-1e30 -1e30, 1e30 -90.001)'::geometry)",
            name=ident(column.name),
        )
    # the database knows the SRIDs that were learned from the rows
    if not column.is_mixed or column.row_srids:
        return None
    return sql(
        "NOT EXISTS (SELECT FROM spatial_ref_sys AS known WHERE known.srid = ST_SRID({name})) AND ST_SRID({name}) <> 0",
        name=ident(column.name),
    )


def _in_one_crs(column: GeometryColumn) -> Sql:
    """The geometry with an SRID that all rows share; one without is taken to be in longitude, latitude."""
    name = ident(column.name)
    if column.is_geography:
        return sql("{name}::geometry", name=name)
    if column.is_mixed:
        return in_lonlat(name, None)
    return name if column.srid else in_lonlat(name, 0)


def _on_earth(column: GeometryColumn) -> Sql:
    """The same with longitudes within ±180."""
    if column.crosses:
        return short_way(_in_one_crs(column))
    return wrap_shape(_in_one_crs(column), column.turns, is_point=column.type == "Point", srid=column.srid)


def _cut(shape: Sql, request: TileRequest) -> Sql:
    """What lies beyond the tile cut off before the transformation: some of it, such as a pole, has no finite place.

    Long edges get corners in between: a straight edge of the stored CRS is a curve in the tile's. They get them before
    the cut, at places that neighbours share, so that the curve is the same in both; the edges of the cut, afterwards.
    """
    boxes = request.region.cut
    step = longest_straight(request.region)
    # each is named several times below, and worked out once
    stored = sql("(SELECT {shape} AS g OFFSET 0) AS stored", shape=shape)
    if step is None:
        return sql("(SELECT {parts} FROM {stored})", parts=_parts(sql("stored.g"), boxes), stored=stored)
    return sql(
        "(SELECT {bent_again} FROM (SELECT {parts} AS g FROM (SELECT {bent} AS g FROM {stored} OFFSET 0) AS long"
        " OFFSET 0) AS cut)",
        stored=stored,
        bent=_bend(sql("stored.g"), step),
        parts=_parts(sql("long.g"), boxes),
        bent_again=_bend(sql("cut.g"), step),
    )


def _bend(shape: Sql, step: float) -> Sql:
    """With corners along long edges; as it is if they would be too many, or if its edges are crowded."""
    return sql(
        "CASE WHEN ST_Length({shape}) + ST_Perimeter({shape}) < {longest}"
        " AND NOT {crowded} THEN ST_Segmentize({shape}, {step}) ELSE {shape} END",
        shape=shape,
        crowded=is_crowded(shape, bind(step, "float8")),
        step=bind(step, "float8"),
        longest=bind(step * _MOST_ADDED, "float8"),
    )


def _parts(shape: Sql, boxes: list[Box]) -> Sql:
    """The pieces of a geometry in some boxes, as one geometry."""
    pieces = [clip(shape, _box2d(_envelope(box, 0))) for box in boxes]
    if len(pieces) == 1:
        return pieces[0]
    # the pieces meet at the antimeridian at most; empty ones cannot be put together
    return sql(
        "(SELECT ST_CollectionHomogenize(ST_Collect(piece)) FROM unnest(ARRAY[{pieces}]) AS piece"
        " WHERE NOT ST_IsEmpty(piece))",
        pieces=join(", ", pieces),
    )
