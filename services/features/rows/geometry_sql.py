"""SQL of a feature's geometry: any stored geometry as GeoJSON or WKT."""

from dataclasses import replace

from libs.catalogue.model import GeometryColumn
from libs.geo.crs import CRS84, Crs
from libs.geo.longitudes import WEB_MERCATOR, wrap_shape
from libs.geo.shape_sql import SIMPLE, in_lonlat, simple_shape
from libs.geo.short_ways import short_way
from libs.pg.sql import EMPTY, Sql, bind, ident, sql
from services.features.request.items_query import AS_STORED, GeometryOptions
from services.features.rows.layout import OMITTED

_PLANE = 2
"""Dimensions of a column without heights and measures."""
_MOST_MENDED = 500
_MOST_DRAWN = 500
"""Maximum number of positions of a geometry on a page's small map."""
_MOST_THINNED = 200_000
"""Maximum number of positions to thin; the time grows faster than their number, and is some tenths of a second here."""
_MANY_CORNERS = 5000
_CROWDED = 25_000.0
"""Limit for the square of the edges' length over the area that they lie in, as for tiles."""
_PIXELS = 800
_NARROWEST_MAP = 40
"""Width of the narrowest map, in degrees."""
_PLAIN = (AS_STORED, replace(AS_STORED, lonlat=True))
_GEOJSON = {"geojson", "drawing"}
_ONE_PART = {"Point", "LineString", "Polygon"}
_AREAS = {"Polygon", "MultiPolygon"}
_WORLD = sql("'SRID=4326;LINESTRING(-180.0000000005 -90.0000000005, 180.0000000005 90.0000000005)'::geometry")
_AROUND = sql("'SRID=4326;LINESTRING(-181 -91, 181 91)'::geometry")
_FINITE = sql("'LINESTRING(-1e30 -1e30, 1e30 1e30)'::geometry")
_ANYWHERE = sql("'SRID=4326;LINESTRING(-1e30 -90.0000000005, 1e30 90.0000000005)'::geometry")
_AROUND_ANYWHERE = sql("'SRID=4326;LINESTRING(-1e30 -91, 1e30 91)'::geometry")


def encoded_geometry(column: GeometryColumn, geometry_as: str, options: GeometryOptions = AS_STORED) -> Sql:
    """Return the geometry as text in the CRS of `options`, with its axis order; `geometry_as` is the encoding.

    Encodings are `geojson`, `wkt`, `wkb` and `drawing`: GeoJSON for a small map, thinned to one pixel of it, or the box
    if too many positions remain.

    The result is NULL for a geometry that is null, empty, or outside CRS84 (a column without SRID may hold anything).
    It is OMITTED instead if the column is known to have rows outside, or if the geometry cannot be transformed to the
    other CRS. The text may still contain coordinates that are not finite.
    """
    as_text, crs = geometry_as != "wkb", options.crs
    shape = lonlat_shape(column, as_text=as_text)
    # of a point there is nothing to thin
    is_plain = options in _PLAIN and (geometry_as != "drawing" or column.type == "Point")
    # RFC 7946, section 3.1.6; other encodings return rings as stored
    is_turned = geometry_as in _GEOJSON and (column.type in _AREAS or column.type not in SIMPLE)
    if shape == ident(column.name) and is_plain:
        return _text(shape, _rings_turned(shape, column.type) if is_turned else shape, geometry_as, column)
    stored, drawn = sql("SELECT {shape} AS g", shape=shape), sql("shape.g")
    if geometry_as == "drawing":
        drawn = _thin(_box(drawn))
        return sql(
            "(SELECT {text} FROM ({stored} OFFSET 0) AS shape)",
            text=_text(sql("shape.g"), drawn, geometry_as, column),
            stored=stored,
        )
    is_moved = crs.srid != CRS84.srid
    if is_moved:
        stored = _in_crs(column, stored, crs, as_text=as_text)
    if options.simplify is not None:
        stored = sql(
            "SELECT stored.*, {simpler} AS simpler FROM ({stored} OFFSET 0) AS stored",
            simpler=_simpler(options.simplify),
            stored=stored,
        )
        drawn = _valid(column)
    if options.bbox_only:
        # a single part lies on one side or spans the world; only longitudes wrap around
        is_one = is_moved or (column.type in _ONE_PART and not column.is_cut)
        drawn = sql("ST_Envelope({shape})", shape=drawn) if is_one else _box(drawn)
    if options.bbox_only or options.simplify is not None:
        drawn = _rings_turned(drawn, "Polygon" if options.bbox_only else column.type)
    elif is_turned:
        drawn = _rings_turned(drawn, column.type)
    # files have easting or longitude first, independent of the CRS
    if crs.northing_first and geometry_as != "wkb":
        drawn = sql("ST_FlipCoordinates({drawn})", drawn=drawn)
    text = _moved_text(drawn, geometry_as) if is_moved else _text(sql("shape.g"), drawn, geometry_as, column)
    # OFFSET 0 stops the planner from repeating the expression wherever its value is used
    return sql("(SELECT {text} FROM ({stored} OFFSET 0) AS shape)", text=text, stored=stored)


def _in_crs(column: GeometryColumn, in_crs84: Sql, crs: Crs, *, as_text: bool) -> Sql:
    """A query of one row: `g`, the geometry in another CRS; NULL where it is outside of longitude and latitude."""
    if column.srid == crs.srid and not column.is_geography:
        # unchanged, to the last digit
        name = ident(column.name)
        plain = _with_known_heights(name, column) if as_text else name
        shape = _turn(column, plain if column.type in SIMPLE else simple_shape(plain))
        return sql("SELECT {shape} AS g, {name} IS NOT NULL AS is_stored", shape=shape, name=name)
    return sql(
        "SELECT g IS NOT NULL AND NOT ST_IsEmpty(g) AS is_stored,"
        " CASE WHEN g @ {world} AND g && {around} THEN ST_Transform(g, {srid}) END AS g"
        " FROM ({in_crs84} OFFSET 0) AS degrees",
        in_crs84=in_crs84,
        world=_WORLD,
        around=_AROUND,
        srid=Sql((str(crs.srid),)),
    )


def _moved_text(drawn: Sql, geometry_as: str) -> Sql:
    # four decimals of a metre are 0.1 mm; PROJ returns absurd numbers for some positions it cannot transform
    return sql(
        "CASE WHEN ST_IsEmpty(shape.g) THEN NULL WHEN ST_XMin(shape.g) > -1e9 AND ST_XMax(shape.g) < 1e9"
        " AND ST_YMin(shape.g) > -1e9 AND ST_YMax(shape.g) < 1e9 THEN {text}"
        " WHEN shape.is_stored THEN {omitted} END",
        text=_encode(drawn, geometry_as, 4),
        omitted=_bind_omitted(geometry_as),
    )


def _encode(drawn: Sql, geometry_as: str, decimals: int) -> Sql:
    # option 0 leaves out the CRS, as RFC 7946 requires
    if geometry_as == "wkb":
        # to the last digit
        return sql("ST_AsBinary({drawn})", drawn=drawn)
    places = Sql((str(decimals),))
    if geometry_as == "wkt":
        return sql("ST_AsText({drawn}, {places})", drawn=drawn, places=places)
    return sql("ST_AsGeoJSON({drawn}, {places}, 0)", drawn=drawn, places=places)


def _bind_omitted(geometry_as: str) -> Sql:
    return bind(OMITTED.encode(), "bytea") if geometry_as == "wkb" else bind(OMITTED, "text")


def omitted_statement(table: Sql, column: GeometryColumn) -> Sql:
    """The number of rows whose geometry lies outside longitude and latitude, or is nowhere for want of numbers."""
    name = ident(column.name)
    return sql(
        "SELECT count(*) FROM (SELECT ST_IsEmpty({plain}) AS is_empty,"
        # PROJ fails on non-finite numbers
        " CASE WHEN {plain} @ {finite} AND {plain} && {finite} THEN {shape} END AS g FROM {table} OFFSET 0) AS shape"
        " WHERE NOT is_empty AND (g IS NULL OR NOT g @ {world})",
        plain=sql("{name}::geometry", name=name) if column.is_geography else name,
        finite=_FINITE,
        shape=lonlat_shape(column),
        table=table,
        world=_ANYWHERE if column.as_stored else _WORLD,
    )


def _rings_turned(drawn: Sql, geometry_type: str) -> Sql:
    """Return outer rings counterclockwise, as RFC 7946 requires; lines, which the function also turns, unchanged."""
    turned = sql("ST_ForcePolygonCCW({shape})", shape=drawn)
    if geometry_type in _AREAS:
        return turned
    if geometry_type in SIMPLE:
        return drawn
    return sql("CASE WHEN ST_Dimension({shape}) = 2 THEN {turned} ELSE {shape} END", shape=drawn, turned=turned)


def _box(drawn: Sql) -> Sql:
    """Return the box of a shape; cut in two at the antimeridian if its parts lie on both sides.

    RFC 7946 sections 5.2 and 3.1.9. The box leaves out the widest gap of longitudes between parts. Without such a gap,
    it is one whole box as wide as the world.
    """
    # the stored boxes show at once that nearly no geometry touches both sides
    return sql(
        "CASE WHEN shape.g && 'SRID=4326;LINESTRING(180 -90, 180 90)'::geometry"
        " AND shape.g && 'SRID=4326;LINESTRING(-180 -90, -180 90)'::geometry THEN coalesce((SELECT ST_Collect("
        "ST_Envelope(ST_MakeLine(ST_MakePoint(east, south), ST_MakePoint(180, north))),"
        " ST_Envelope(ST_MakeLine(ST_MakePoint(-180, south), ST_MakePoint(west, north))))"
        " FROM (SELECT max(ST_XMax(part.geom)) OVER (ORDER BY ST_XMin(part.geom)) AS west,"
        " lead(ST_XMin(part.geom)) OVER (ORDER BY ST_XMin(part.geom)) AS east,"
        " min(ST_YMin(part.geom)) OVER () AS south, max(ST_YMax(part.geom)) OVER () AS north"
        " FROM ST_Dump({drawn}) AS part) AS stretch"
        " WHERE west < east ORDER BY east - west DESC, west LIMIT 1), ST_Envelope({drawn}))"
        " ELSE ST_Envelope({drawn}) END",
        drawn=drawn,
    )


def _thin(box: Sql) -> Sql:
    """Return the shape without details below a pixel of a small map; its box if nothing or too much remains.

    Uses Douglas-Peucker only, which cannot fail: a drawing needs no valid areas.
    """
    return sql(
        "coalesce((SELECT thin.g FROM (VALUES (1), (4), (16)) AS pixels (number) CROSS JOIN LATERAL"
        " (SELECT CASE WHEN ST_NPoints(shape.g) <= {few} THEN shape.g WHEN ST_NPoints(shape.g) <= {most_thinned}"
        " AND strpos(ST_AsText(shape.g), 'NaN') = 0 THEN ST_Simplify(shape.g, pixels.number * greatest("
        "ST_XMax(shape.g) - ST_XMin(shape.g), 2 * (ST_YMax(shape.g) - ST_YMin(shape.g)), {narrowest}) / {pixels})"
        " END AS g OFFSET 0) AS thin"
        " WHERE NOT ST_IsEmpty(thin.g) AND ST_NPoints(thin.g) <= {most} ORDER BY pixels.number LIMIT 1), {box})",
        few=bind(_MOST_DRAWN // 10, "int4"),
        most=bind(_MOST_DRAWN, "int4"),
        most_thinned=bind(_MOST_THINNED, "int4"),
        narrowest=bind(float(_NARROWEST_MAP), "float8"),
        pixels=bind(float(_PIXELS), "float8"),
        box=box,
    )


def _simpler(tolerance: float) -> Sql:
    """Return `g` with fewer corners, none of them moved further than `tolerance` degrees."""
    # GEOS loops forever on coordinates that are not numbers, and cannot be interrupted there. If very many edges lie
    # close together, it compares each with all around it for minutes: for these, parts may cross.
    return sql(
        "CASE WHEN strpos(ST_AsText(g), 'NaN') > 0 THEN NULL WHEN ST_NPoints(g) <= {corners}"
        " OR (ST_Length(g) + ST_Perimeter(g)) ^ 2"
        " <= {crowded} * (ST_XMax(g) - ST_XMin(g)) * (ST_YMax(g) - ST_YMin(g))"
        " THEN ST_SimplifyPreserveTopology(g, {tolerance}) ELSE ST_Simplify(g, {tolerance}, true) END",
        corners=bind(_MANY_CORNERS, "int4"),
        crowded=bind(_CROWDED, "float8"),
        tolerance=bind(tolerance, "float8"),
    )


def _valid(column: GeometryColumn) -> Sql:
    """Return the simplified geometry in the column's type, repaired if simplifying made it invalid."""
    # repair time grows with the square of the number of crossings, and cannot be interrupted
    valid = sql(
        "CASE WHEN ST_NPoints(shape.simpler) > {most} OR ST_IsValid(shape.simpler) THEN shape.simpler"
        " ELSE (SELECT CASE WHEN ST_IsEmpty(g) THEN shape.simpler ELSE g END FROM (SELECT"
        " ST_CollectionExtract(ST_MakeValid(shape.simpler), ST_Dimension(shape.simpler) + 1) AS g OFFSET 0) AS mended)"
        " END",
        most=bind(_MOST_MENDED, "int4"),
    )
    return sql("ST_Multi({valid})", valid=valid) if column.type.startswith("Multi") else valid


def _text(shape: Sql, drawn: Sql, geometry_as: str, column: GeometryColumn) -> Sql:
    # nine decimals of a degree are 0.1 mm
    text = _encode(drawn, geometry_as, 9)
    # Half of the last decimal is added on each side: a transformation may miss 180 by that. The operator compares the
    # stored boxes, in single precision. An empty geometry has none; from PostGIS 3.5 on it is within any box.
    return sql(
        "CASE WHEN {shape} @ {world} AND {shape} && {around} THEN {text}{omitted} END",
        shape=shape,
        world=_ANYWHERE if column.as_stored else _WORLD,
        around=_AROUND_ANYWHERE if column.as_stored else _AROUND,
        text=text,
        omitted=sql(
            " WHEN ST_IsEmpty({shape}) THEN NULL WHEN {stored} IS NOT NULL THEN {omitted}",
            shape=shape,
            stored=ident(column.name),
            omitted=_bind_omitted(geometry_as),
        )
        if column.partial
        # a row may have an SRID that the database does not know
        else sql(
            " WHEN {shape} IS NULL AND {stored} IS NOT NULL THEN {omitted}",
            shape=shape,
            stored=ident(column.name),
            omitted=_bind_omitted(geometry_as),
        )
        if column.is_mixed
        else EMPTY,
    )


def lonlat_shape(column: GeometryColumn, *, as_text: bool = False) -> Sql:
    """The geometry in longitude and latitude, of a type that GEOS supports; not cut to the world, not checked.

    With `as_text` it drops the heights if one is not finite: neither GeoJSON nor WKT can express that.
    """
    name = ident(column.name)
    shape = sql("{name}::geometry", name=name) if column.is_geography else name
    if as_text:
        shape = _with_known_heights(shape, column)
    if column.type not in SIMPLE:
        shape = simple_shape(shape)
    if column.srid == WEB_MERCATOR:
        # before the transformation, which moves each corner separately
        return in_lonlat(_turn(column, shape), column.srid)
    # in a column without an SRID, each row may have its own
    return _turn(column, in_lonlat(shape, column.srid or None, stored=name))


def _with_known_heights(shape: Sql, column: GeometryColumn) -> Sql:
    """The shape, without its heights where one of them is NaN or infinite: longitude and latitude are still known."""
    if column.dimensions <= _PLANE and column.type != "Geometry":
        return shape
    if column.type == "Point":
        # NaN is beyond infinity
        return sql("CASE WHEN abs(ST_Z({g})) >= 'Infinity' THEN ST_Force2D({g}) ELSE {g} END", g=shape)
    return sql(
        "CASE WHEN ST_Zmflag({g}) < 2 THEN {g} WHEN CASE WHEN GeometryType({g}) IN"
        " ('POINT', 'MULTIPOINT', 'GEOMETRYCOLLECTION') THEN ST_AsText({g}) ~ 'NaN|Inf|inf|nan'"
        " ELSE ST_3DLength({g}) + ST_3DPerimeter({g}) >= 'Infinity' END THEN ST_Force2D({g}) ELSE {g} END",
        g=shape,
    )


def _turn(column: GeometryColumn, shape: Sql) -> Sql:
    """Return the shape within ±180, in longitude and latitude or in Web Mercator, if the column needs that."""
    if column.as_stored:
        return shape
    if column.crosses:
        return short_way(shape)
    return wrap_shape(shape, column.turns, is_point=column.type == "Point", srid=column.srid)
