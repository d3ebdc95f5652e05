"""SQL of a vector tile. Pure: a request in, a statement with binds out. PostGIS encodes (ST_AsMVT)."""

from libs.catalog.model import Column, GeometryColumn
from libs.pg.sql import EMPTY, Sql, all_of, any_of, bind, ident, join, sql
from libs.selection.selection import configured_order
from services.tiles.tile_matrix_sets import Box, transformed, within_domain
from services.tiles.tile_request import TileRequest

EXTENT = 4096
BUFFER = 64
"""Tile units beyond the edge that are drawn too, so that strokes meet across tiles."""

_INTEGERS = ("smallint", "integer", "bigint")
_PLAIN = {"integer", "bigint", "real", "double precision", "boolean", "text"}


def tile_statement(request: TileRequest) -> Sql | None:
    """The statement whose one value is the encoded tile; None where nothing can be in it."""
    boxes = _boxes_in_column_crs(request)
    if not boxes:
        return None
    columns = [sql("{shape} AS __geometry", shape=_shape(request, boxes))]
    key = _key(request)
    if key is not None:
        columns.append(sql("{name} AS __id", name=ident(key.name)))
    columns += [
        sql("{value} AS {name}", value=_property(column), name=ident(column.name))
        for column in request.selection.properties
        if not (request.all_properties and key is not None and column.name == key.name)
    ]
    rows = sql(
        "SELECT {columns} FROM {table} WHERE {where}{order} LIMIT {limit}",
        columns=join(", ", columns),
        table=request.selection.table,
        where=all_of([*request.selection.conditions, _near(request.geometry, boxes)]),
        order=_order(request),
        limit=bind(request.limit, "int8"),
    )
    template = (
        "SELECT ST_AsMVT(tile, {layer}, {extent}, '__geometry', '__id') FROM ({rows}) AS tile"
        if key is not None
        else "SELECT ST_AsMVT(tile, {layer}, {extent}, '__geometry') FROM ({rows}) AS tile"
    )
    layer = bind(request.selection.collection.id, "text")
    return sql(template, layer=layer, extent=bind(EXTENT, "int4"), rows=rows)


def _key(request: TileRequest) -> Column | None:
    """The key where it is whole-numbered, as ids of vector tile features must be."""
    collection = request.selection.collection
    key = collection.column(collection.key) if collection.key else None
    return key if key is not None and key.sql_type in _INTEGERS else None


def _boxes_in_column_crs(request: TileRequest) -> list[Box]:
    """The tile with its buffer, in the CRS of the geometry column: one box, two across the antimeridian, or none."""
    left, bottom, right, top = request.bounds
    across, up = (right - left) * BUFFER / EXTENT, (top - bottom) * BUFFER / EXTENT
    target, source = request.tile_matrix_set.srid, request.geometry.srid or 4326
    buffered = (left - across, bottom - up, right + across, top + up)
    box = transformed(buffered, target, source)
    if box is None:
        # too near the edge of the projection for its buffer
        box = transformed(request.bounds, target, source)
    if source != 4326:
        return [box] if box is not None else []
    if box is None:
        # far out on the projection's plane: everything in its domain may come near
        boxes = [(-180.0, -90.0, 180.0, 90.0)]
    elif box[0] <= box[2]:
        boxes = [box]
    else:
        boxes = [(box[0], box[1], 180.0, box[3]), (-180.0, box[1], box[2], box[3])]
    return within_domain(boxes, target) if target != 4326 else boxes


def _envelope(box: Box, srid: int) -> Sql:
    left, bottom, right, top = (bind(number, "float8") for number in box)
    return sql(
        "ST_MakeEnvelope({left}, {bottom}, {right}, {top}, {srid})",
        left=left,
        bottom=bottom,
        right=right,
        top=top,
        srid=bind(srid, "int4"),
    )


def _near(column: GeometryColumn, boxes: list[Box]) -> Sql:
    # the bounding box operator alone: the index answers it, and ST_AsMVTGeom clips exactly
    shape = _in_one_crs(column) if _is_mixed(column) else ident(column.name)
    template = "{shape} && {envelope}::geography" if column.is_geography else "{shape} && {envelope}"
    srid = 4326 if _is_mixed(column) else column.srid
    return any_of(sql(template, shape=shape, envelope=_envelope(box, srid)) for box in boxes)


def _is_mixed(column: GeometryColumn) -> bool:
    """Whether each row may have an SRID of its own; no index can help to find those near a tile."""
    return column.srid == 0 and column.type == "Geometry"


def _in_one_crs(column: GeometryColumn) -> Sql:
    """The geometry with an SRID that all rows share; one without is taken to be in longitude, latitude."""
    name = ident(column.name)
    if column.is_geography:
        return sql("{name}::geometry", name=name)
    if _is_mixed(column):
        return sql(
            "CASE ST_SRID({name}) WHEN 0 THEN ST_SetSRID({name}, 4326) ELSE ST_Transform({name}, 4326) END", name=name
        )
    return sql("ST_SetSRID({name}, 4326)", name=name) if column.srid == 0 else name


def _shape(request: TileRequest, boxes: list[Box]) -> Sql:
    column, target = request.geometry, request.tile_matrix_set.srid
    shape = _in_one_crs(column)
    if column.type in ("Geometry", "CircularString", "CompoundCurve", "CurvePolygon", "MultiCurve", "MultiSurface"):
        # vector tiles know no curves
        shape = sql("ST_CurveToLine({shape})", shape=shape)
    if column.dimensions > 2 or column.type == "Geometry":
        shape = sql("ST_Force2D({shape})", shape=shape)
    if (column.srid or 4326) != target:
        if column.dimension != 0:
            # what lies beyond the tile is cut off before it is transformed: some of it, such as a pole, has no
            # finite place in the other CRS
            shape = sql("ST_ClipByBox2D({shape}, {box}::box2d)", shape=shape, box=_envelope(_around(boxes), 0))
        shape = sql("ST_Transform({shape}, {target})", shape=shape, target=bind(target, "int4"))
    return sql(
        "ST_AsMVTGeom({shape}, {bounds}::box2d, {extent}, {buffer}, true)",
        shape=shape,
        bounds=_envelope(request.bounds, target),
        extent=bind(EXTENT, "int4"),
        buffer=bind(BUFFER, "int4"),
    )


def _around(boxes: list[Box]) -> Box:
    """One box that holds all, a little larger, so that the cut lies outside the tile's buffer."""
    left, bottom = min(box[0] for box in boxes), min(box[1] for box in boxes)
    right, top = max(box[2] for box in boxes), max(box[3] for box in boxes)
    margin_x, margin_y = (right - left) * 0.05, (top - bottom) * 0.05
    return left - margin_x, bottom - margin_y, right + margin_x, top + margin_y


def _property(column: Column) -> Sql:
    name = ident(column.name)
    if column.sql_type in _PLAIN:
        return name
    if column.sql_type == "smallint":
        return sql("{name}::int4", name=name)
    if column.type == "number":
        return sql("{name}::float8", name=name)
    if column.format == "date-time":
        # vector tiles have no type for time: the same text as in the features
        return sql("""to_char({name}, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')""", name=name)
    return sql("{name}::text", name=name)


def _order(request: TileRequest) -> Sql:
    """What is kept where the tile has too many features, the most important first."""
    selection = request.selection
    sort = selection.sort or configured_order(selection.collection, selection.collection.importance)
    if not sort:
        return EMPTY
    terms = [
        sql("{name} DESC NULLS LAST", name=ident(term.column.name)) if term.descending else ident(term.column.name)
        for term in sort
    ]
    return sql(" ORDER BY {terms}", terms=join(", ", terms))
