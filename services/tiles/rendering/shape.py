"""SQL of where features are and how they are drawn: geometries in units of a tile. Pure."""

from libs.catalogue.model import GeometryColumn
from libs.geo.boxes import Box
from libs.geo.longitudes import turned
from libs.geo.lonlat_sql import in_lonlat
from libs.geo.short_ways import may_cross, short_way
from libs.pg.sql import Sql, any_of, bind, binds, ident, join, sql
from services.tiles.rendering.heavy import lightened
from services.tiles.request.region import BUFFER, EXTENT, longest_straight
from services.tiles.request.tile_request import TileRequest

# on these a line between two places of one latitude or longitude stays straight
_CYLINDRICAL = (3857, 3395, 4326)
_SURFACES = ("Geometry", "PolyhedralSurface", "Triangle", "Tin")
_WIDEST_ON_THE_SPHERE = 60
_MOST_CORNERS = 300
_EXTENT_AND_BUFFER = binds((EXTENT, BUFFER), "int4")
_CURVED = ("Geometry", "CircularString", "CompoundCurve", "CurvePolygon", "MultiCurve", "MultiSurface")


def drawn(request: TileRequest, shape: Sql) -> Sql:
    """The geometry as the tile encodes it, from `shape`, an expression of the tile's CRS; NULL where none is seen."""
    # the same binds wherever the tile's box is named
    bounds = _box2d(_envelope(request.region.bounds, request.region.tile_srid))
    if not may_hold_areas(request.geometry):
        return _in_tile_units(shape, bounds)
    # an area too small for the grid stays visible as one square unit, clockwise with y downwards as an outer ring is
    corner = sql("ST_PointN(ST_ExteriorRing(ST_GeometryN(ST_CollectionExtract({shape}, 3), 1)), 1)", shape=shape)
    place = _in_tile_units(corner, bounds)
    encoded = _in_tile_units(_bounded(request, shape), bounds)
    return sql(
        "COALESCE({encoded},"
        " ST_Translate('POLYGON((0 0, 1 0, 1 1, 0 1, 0 0))'::geometry, ST_X({place}), ST_Y({place})))",
        encoded=encoded,
        place=place,
    )


def may_hold_areas(column: GeometryColumn) -> bool:
    """Whether rows of the column can be polygons."""
    return column.dimension not in (0, 1)


def _bounded(request: TileRequest, shape: Sql) -> Sql:
    """An area as it is, save one that crosses itself and has many corners: that with fewer, or none at all.

    PostGIS makes areas valid for the tile in a time that grows with the square of their crossings, and cannot be
    interrupted there: 800 corners that all cross each other take five seconds, 8,000 take hours.
    """
    left, _, right, _ = request.region.bounds
    simpler = [
        sql("ST_Simplify({shape}, {units})", shape=shape, units=bind((right - left) / EXTENT * units, "float8"))
        for units in (1, 8)
    ]
    return sql(
        "CASE WHEN ST_NPoints({shape}) <= {most} OR ST_Dimension({shape}) < 2 OR ST_IsValid({shape}) THEN {shape}"
        " WHEN ST_NPoints({finer}) <= {most} THEN {finer} WHEN ST_NPoints({coarser}) <= {most} THEN {coarser} END",
        shape=shape,
        most=bind(_MOST_CORNERS, "int4"),
        finer=simpler[0],
        coarser=simpler[1],
    )


def _in_tile_units(shape: Sql, bounds: Sql) -> Sql:
    return sql(
        "ST_AsMVTGeom({shape}, {bounds}, {extent_and_buffer}, true)",
        shape=shape,
        bounds=bounds,
        extent_and_buffer=_EXTENT_AND_BUFFER,
    )


def projected(request: TileRequest) -> Sql:
    """The geometry in the tile's CRS, as far as it has a place there."""
    column = request.geometry
    if not column.crosses:
        return _projected(request, _on_earth(column))
    # worked out once for a row, not at each place where it is named
    return sql(
        "(SELECT {projected} FROM (SELECT {shape} AS g OFFSET 0) AS earth)",
        projected=_projected(request, sql("earth.g")),
        shape=_on_earth(column),
    )


def _projected(request: TileRequest, shape: Sql) -> Sql:
    column, target = request.geometry, request.region.tile_srid
    if may_hold_areas(column) and request.selection.collection.large_rows and request.region.cut:
        around = _hull(request.region.cut)
        shape = lightened(shape, ident(column.name), around, clip=request.region.srid == target)
    if column.type in _CURVED:
        # vector tiles know no curves
        shape = sql("ST_CurveToLine({shape})", shape=shape)
    if column.type in _SURFACES and not column.is_geography:
        shape = _polygons_of_surfaces(shape)
    if column.dimensions > 2 or column.type == "Geometry":
        shape = sql("ST_Force2D({shape})", shape=shape)
    source = request.region.srid
    if source != target:
        if column.dimension != 0:
            shape = _cut(shape, request.region.cut, bend=source == 4326 and target not in _CYLINDRICAL)
        shape = sql("ST_Transform({shape}, {target})", shape=shape, target=bind(target, "int4"))
        if column.dimension != 0 and not column.is_geography:
            shape = sql("CASE WHEN {finite} THEN {shape} END", finite=_is_finite(column, target), shape=shape)
    return shape


def _hull(boxes: list[Box]) -> Box:
    left, bottom, right, top = zip(*boxes, strict=True)
    return min(left), min(bottom), max(right), max(top)


def _is_finite(column: GeometryColumn, target: int) -> Sql:
    """Whether a geometry can be transformed: what is not finite is not cut off, and fails the whole statement."""
    name = ident(column.name)
    finite = sql("{name} @ 'LINESTRING(-1e30 -1e30, 1e30 1e30)'::geometry", name=name)
    if target in _CYLINDRICAL:
        return finite
    # a box does not show corners that are no numbers, a length does; some projections fail on them
    return sql("{finite} AND ST_Length({name}) + ST_Perimeter({name}) < 'Infinity'", finite=finite, name=name)


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
        return any_of(_near_on_the_sphere(column, box) for box in boxes)
    shape = _in_one_crs(column) if _is_mixed(column) else ident(column.name)
    # the operator compares numbers, whatever the SRIDs
    return any_of(sql("{shape} && {envelope}", shape=shape, envelope=_envelope(box, column.srid)) for box in boxes)


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
    # in a query of its own it is worked out once, not for each row
    return sql("(SELECT {envelope}::box2d)", envelope=envelope)


def _near_on_the_sphere(column: GeometryColumn, box: Box) -> Sql:
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
    """Whether the CRS of a row is one that the database does not know; None where the column can hold none."""
    if column.is_geography or not _is_mixed(column):
        return None
    return sql(
        "NOT EXISTS (SELECT FROM spatial_ref_sys AS known WHERE known.srid = ST_SRID({name})) AND ST_SRID({name}) <> 0",
        name=ident(column.name),
    )


def _is_mixed(column: GeometryColumn) -> bool:
    """Whether each row may have an SRID of its own; no index can help to find those near a tile."""
    return column.srid == 0 and column.type == "Geometry"


def _in_one_crs(column: GeometryColumn) -> Sql:
    """The geometry with an SRID that all rows share; one without is taken to be in longitude, latitude."""
    name = ident(column.name)
    if column.is_geography:
        return sql("{name}::geometry", name=name)
    if _is_mixed(column):
        return in_lonlat(name, None)
    return name if column.srid else in_lonlat(name, 0)


def _on_earth(column: GeometryColumn) -> Sql:
    """The same with longitudes within ±180."""
    if column.crosses:
        return short_way(_in_one_crs(column))
    return turned(_in_one_crs(column), column.turns, is_point=column.type == "Point", srid=column.srid)


def _cut(shape: Sql, boxes: list[Box], *, bend: bool) -> Sql:
    """What lies beyond the tile cut off before the transformation: some of it, such as a pole, has no finite place.

    With `bend`, long lines get corners in between, so that a parallel becomes the arc that it is.
    """
    pieces = [sql("ST_ClipByBox2D({shape}, {box})", shape=shape, box=_box2d(_envelope(box, 0))) for box in boxes]
    if len(pieces) == 1:
        parts = pieces[0]
    else:
        # the pieces meet at the antimeridian at the most; empty ones cannot be put together
        parts = sql(
            "(SELECT ST_CollectionHomogenize(ST_Collect(piece)) FROM unnest(ARRAY[{pieces}]) AS piece"
            " WHERE NOT ST_IsEmpty(piece))",
            pieces=join(", ", pieces),
        )
    step = longest_straight(boxes) if bend else None
    if step is None:
        return parts
    return sql("ST_Segmentize({parts}, {step})", parts=parts, step=bind(step, "float8"))
