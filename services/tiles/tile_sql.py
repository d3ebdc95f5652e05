"""SQL of a vector tile. Pure: a request in, a statement with binds out. PostGIS encodes (ST_AsMVT)."""

from libs.catalog.model import Column, GeometryColumn
from libs.pg.sql import EMPTY, Sql, all_of, any_of, bind, ident, join, sql
from libs.selection.selection import configured_order
from services.tiles.tile_matrix_sets import Box
from services.tiles.tile_region import BUFFER, EXTENT, cut, longest_straight, near
from services.tiles.tile_request import TileRequest

_INTEGERS = ("smallint", "integer", "bigint")
# on these a line between two places of one latitude or longitude stays straight
_CYLINDRICAL = (3857, 3395, 4326)
_WIDEST_ON_THE_SPHERE = 60
_PLAIN = {"integer", "bigint", "real", "double precision", "boolean", "text"}


def tile_statement(request: TileRequest) -> Sql | None:
    """The statement whose one value is the encoded tile; None where nothing can be in it."""
    boxes = near(request)
    if not boxes:
        return None
    columns = [sql("{shape} AS __geometry", shape=_shape(request))]
    key = _key(request)
    if key is not None:
        columns.append(sql("{name} AS __id", name=ident(key.name)))
    columns += [
        sql("{value} AS {name}", value=_property(request, column), name=ident(column.name))
        for column in request.selection.properties
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
    if column.is_geography:
        return any_of(_near_on_the_sphere(column, box) for box in boxes)
    shape = _in_one_crs(column) if _is_mixed(column) else ident(column.name)
    srid = 4326 if _is_mixed(column) else column.srid
    return any_of(sql("{shape} && {envelope}", shape=shape, envelope=_envelope(box, srid)) for box in boxes)


def _near_on_the_sphere(column: GeometryColumn, box: Box) -> Sql:
    left, bottom, right, top = box
    shape, envelope = ident(column.name), _envelope(box, 4326)
    exact = sql("{shape}::geometry && {envelope}", shape=shape, envelope=envelope)
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


def _shape(request: TileRequest) -> Sql:
    column, target = request.geometry, request.tile_matrix_set.srid
    shape = _in_one_crs(column)
    if column.type in ("Geometry", "CircularString", "CompoundCurve", "CurvePolygon", "MultiCurve", "MultiSurface"):
        # vector tiles know no curves
        shape = sql("ST_CurveToLine({shape})", shape=shape)
    if column.dimensions > 2 or column.type == "Geometry":
        shape = sql("ST_Force2D({shape})", shape=shape)
    source = column.srid or 4326
    if source != target:
        if column.dimension != 0:
            shape = _cut(shape, cut(request), bend=source == 4326 and target not in _CYLINDRICAL)
        shape = sql("ST_Transform({shape}, {target})", shape=shape, target=bind(target, "int4"))
    return sql(
        "ST_AsMVTGeom({shape}, {bounds}::box2d, {extent}, {buffer}, true)",
        shape=shape,
        bounds=_envelope(request.bounds, target),
        extent=bind(EXTENT, "int4"),
        buffer=bind(BUFFER, "int4"),
    )


def _cut(shape: Sql, boxes: list[Box], *, bend: bool) -> Sql:
    """What lies beyond the tile cut off before the transformation: some of it, such as a pole, has no finite place.

    With `bend`, long lines get corners in between, so that a parallel becomes the arc that it is.
    """
    pieces = [sql("ST_ClipByBox2D({shape}, {box}::box2d)", shape=shape, box=_envelope(box, 0)) for box in boxes]
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


def _property(request: TileRequest, column: Column) -> Sql:
    name = ident(column.name)
    if request.all_properties and column == _key(request):
        # the feature's id says it already, save for negative numbers, which ids cannot be
        return sql("CASE WHEN {name} < 0 THEN {name}::int8 END", name=name)
    if column.sql_type in _PLAIN:
        return name
    if column.sql_type == "smallint":
        return sql("{name}::int4", name=name)
    if column.type == "number":
        # money becomes a number by way of numeric alone
        return sql("{name}::numeric::float8" if column.sql_type == "money" else "{name}::float8", name=name)
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
    # with the relation's name before it, for a bare name would mean the property: an enumeration's or a date's text
    names = [(ident(selection.collection.name, term.column.name), term.descending) for term in sort]
    terms = [sql("{name} DESC NULLS LAST", name=name) if descending else name for name, descending in names]
    return sql(" ORDER BY {terms}", terms=join(", ", terms))
