"""SQL of a vector tile. Pure: a request in, a statement with binds out. PostGIS encodes (ST_AsMVT).

Each statement gives one row: `tile`, the encoded tile, `rows`, the number of rows that were read for it, and
`simplified`, the number of those that are drawn differently from how they are stored, by more than half a unit.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import LiteralString, NamedTuple

from libs.catalogue.model import Collection, Column
from libs.pg.column_types import SAFE_INTEGER, Kind, as_float8, base_type, column_type
from libs.pg.json_values import as_json
from libs.pg.sql import EMPTY, Sql, all_of, bind, ident, join, sql
from libs.selection.selection import SortTerm
from services.tiles.rendering.areas import MANY, NO_MANY
from services.tiles.rendering.reduction import COARSE, reduce
from services.tiles.rendering.shape import (
    drawing,
    drawn_points,
    is_anchored,
    is_finite,
    is_near,
    is_nowhere,
    project,
)
from services.tiles.request.region import EXTENT
from services.tiles.request.tile_request import TileRequest, tile_key
from services.tiles.styling.layers import ANCHOR, MARKED_BELOW
from services.tiles.styling.properties import has_marked_areas

_SAFE = Sql((str(SAFE_INTEGER),))
_DENSE = 4
"""How many times as many rows as if spread evenly are near the tiles that clients usually request."""
_CROWDING = 20
"""How many times as many rows as were they spread evenly are near where data are dense, as a rule."""


def tile_statement(request: TileRequest) -> Sql:
    """The tile of all features near it.

    Where there are more than the limit, `rows` is one more than that and `tile` is of no use, save where the request
    orders them: then it holds the first.
    """
    where = condition(request)
    limit = bind(request.limit, "int8")
    one_more = _select_first(request, where, sql("{limit} + 1", limit=limit))
    found = sql("near WHERE (SELECT count(*) FROM near) <= {limit}", limit=limit)
    if request.selection.sort:
        found = sql("near LIMIT {limit}", limit=limit)
    elif _is_hardly_full(request):
        # to look before encoding whether there are too many would cost a small tile a quarter of its time
        return rows_statement(request, one_more)
    return sql(
        "WITH near AS MATERIALIZED ({rows})"
        " SELECT {tile} AS tile, (SELECT count(*) FROM near) AS rows, {simplified} AS simplified FROM {features}",
        rows=one_more,
        tile=_encode(request),
        simplified=_count_simplified(request),
        features=_features(request, found),
    )


def is_probably_full(request: TileRequest) -> bool:
    """Return whether more rows than the limit are probably near, so that it saves time to estimate them first."""
    selection = request.selection
    rows = selection.collection.rows
    if rows is None or selection.conditions or selection.sort:
        return False
    matrix = request.tile_matrix_set.matrix(request.z)
    return rows * _DENSE > request.limit * matrix.columns * matrix.rows


def _is_hardly_full(request: TileRequest) -> bool:
    """Whether rows near the tile are probably fewer than its limit."""
    matrix, rows = request.tile_matrix_set.matrix(request.z), request.selection.collection.rows
    return rows is not None and rows * _CROWDING < request.limit * matrix.columns * matrix.rows


def chosen_statement(request: TileRequest, chosen: Sql, near: int = 0) -> Sql:
    """The tile of the rows that `chosen` gives, a query of identities; `near` is the number of rows near."""
    collection = request.selection.collection
    # rows of one table are fetched by their places in it
    template: LiteralString = "{table} WHERE {identity} = ANY(ARRAY({chosen}))"
    if _is_of_several_tables(collection):
        # where there are several the index finds those near again
        template = "{table} WHERE {where} AND ({identity}) IN ({chosen})"
        if near > request.limit * len(collection.sources):
            # or, where these are more, each table is read at all the places, and rows say whether they are meant
            template = (
                "(WITH chosen(feature) AS MATERIALIZED ({chosen}) SELECT * FROM {table}"
                " WHERE ctid = ANY(ARRAY(SELECT substring(feature FROM '[(].*')::tid FROM chosen))"
                " AND ({identity}) IN (SELECT feature FROM chosen)) AS found"
            )
    rows = sql(
        template,
        table=request.selection.table,
        where=condition(request),
        identity=identity(request) or EMPTY,
        chosen=chosen,
    )
    return _tile(request, rows)


def rows_statement(request: TileRequest, rows: Sql) -> Sql:
    """The tile of `rows`, a query of rows of the collection."""
    return _tile(request, sql("({rows}) AS chosen", rows=rows))


def count_statement(request: TileRequest) -> Sql:
    """The number of rows near the tile."""
    return sql(
        "SELECT count(*) FROM {table} WHERE {where}",
        table=request.selection.table,
        where=condition(request),
    )


def nowhere_statement(request: TileRequest) -> Sql | None:
    """Return a query for the number of rows in no tile, as their CRS is unknown; None if there can be none."""
    nowhere = is_nowhere(request.geometry)
    if nowhere is None:
        return None
    return sql(
        "SELECT count(*) FROM {table} WHERE {where}",
        table=request.selection.table,
        where=all_of([*request.selection.conditions, nowhere]),
    )


def estimate_statement(request: TileRequest) -> Sql:
    """Return a query for the planner's estimate of the rows near the tile, as JSON."""
    return sql(
        "EXPLAIN (FORMAT JSON) SELECT 1 FROM {table} WHERE {where}",
        table=request.selection.table,
        where=condition(request),
    )


def condition(request: TileRequest) -> Sql:
    """The condition on rows that the tile shows, as far as boxes tell; FALSE where nothing can be in the tile."""
    return all_of([*request.selection.conditions, is_near(request)])


def identity(request: TileRequest) -> Sql | None:
    """Return an expression that identifies a row of the collection within a statement; None if there is none."""
    collection = request.selection.collection
    if collection.row_address == ("ctid",):
        return sql("ctid")
    if _is_of_several_tables(collection):
        return sql("tableoid::text || ctid::text")
    return ident(collection.key) if collection.key and collection.kind not in ("function", "table") else None


def identities(request: TileRequest, rows: list[str]) -> Sql:
    """An array of identities that were read as text."""
    collection = request.selection.collection
    key = collection.column(collection.key or "")
    if collection.row_address == ("ctid",):
        return bind(rows, "text[]", cast="tid[]")
    if _is_of_several_tables(collection) or key is None:
        return bind(rows, "text[]")
    return bind(rows, "text[]", cast=f"{key.sql_type}[]")


def _is_of_several_tables(collection: Collection) -> bool:
    """Of a table with children (INHERITS) no key tells the rows apart; that of a partitioned table does."""
    return len(collection.row_address) > 1 and not (collection.kind == "partitioned table" and collection.key)


def order_by(request: TileRequest, sort: Iterable[SortTerm], *, nulls: bool = True) -> Sql:
    """The terms of an ORDER BY; without `nulls`, in words that an index on the first column answers."""
    # with the relation's name before it, for a bare name would mean what a statement calls so, such as `feature`
    names = [(ident(request.selection.collection.name, term.column.name), term.descending) for term in sort]
    terms = []
    for position, (name, descending) in enumerate(names):
        last = nulls or position > 0
        terms.append(sql("{name} DESC NULLS LAST" if last else "{name} DESC", name=name) if descending else name)
    return join(", ", terms)


def _select_first(request: TileRequest, where: Sql, limit: Sql) -> Sql:
    """Rows of the collection near the tile, in the order that the request gives, if it gives one."""
    selection = request.selection
    columns = join(", ", [part for part in (_lists(request).read, ident(request.geometry.name)) if part])
    if not selection.sort:
        return sql(
            "SELECT {columns} FROM {table} WHERE {where} LIMIT {limit}",
            columns=columns,
            table=selection.table,
            where=where,
            limit=limit,
        )
    first, collection = selection.sort[0], selection.collection
    # ties go to the key, as in items
    ties = collection.column(collection.key) if collection.key else None
    sort = [*selection.sort, *([SortTerm(ties)] if ties and ties.ordered else [])]
    template = sql("SELECT {columns} FROM {table} WHERE {where}", columns=columns, table=selection.table, where=where)
    if first.column.not_null or not first.descending:
        return sql(
            "{select} ORDER BY {order} LIMIT {limit}",
            select=template,
            order=order_by(request, sort, nulls=not first.column.not_null),
            limit=limit,
        )
    # an index has nulls first where it runs backwards: without them it can be used
    name = ident(collection.name, first.column.name)
    rest = order_by(request, sort[1:])
    return sql(
        "SELECT * FROM (({select} AND {name} IS NOT NULL ORDER BY {order} LIMIT {limit}) UNION ALL"
        " ({select} AND {name} IS NULL{rest} LIMIT {limit})) AS sorted LIMIT {limit}",
        select=template,
        name=name,
        order=order_by(request, sort, nulls=False),
        rest=sql(" ORDER BY {rest}", rest=rest) if rest else EMPTY,
        limit=limit,
    )


def _encode(request: TileRequest) -> Sql:
    return sql(
        "ST_AsMVT(tile.*, {layer}, {extent}, '__geometry', '__id')"
        if tile_key(request.selection.collection) is not None
        else "ST_AsMVT(tile.*, {layer}, {extent}, '__geometry')",
        layer=bind(request.selection.collection.id, "text"),
        extent=bind(EXTENT, "int4"),
    )


def _tile(request: TileRequest, rows: Sql) -> Sql:
    """The tile of a FROM item of rows."""
    return sql(
        "SELECT {tile} AS tile, {count} AS rows, {simplified} AS simplified FROM {features}",
        tile=_encode(request),
        # a collection may be several features of the tile
        count=sql("count(*) FILTER (WHERE drawing.part = 1)") if _may_be_several(request) else sql("count(*)"),
        simplified=_count_simplified(request),
        features=_features(request, rows),
    )


def _may_be_several(request: TileRequest) -> bool:
    return request.geometry.dimension is None


def _count_simplified(request: TileRequest) -> Sql:
    if request.geometry.dimension == 0:
        return sql("0")
    beside = sql("placed.{coarse}", coarse=ident(COARSE))
    if not request.geometry.is_geography:
        beside = sql("({beside} OR NOT placed.__finite)", beside=beside)
    return sql("count(*) FILTER (WHERE drawing.simplified OR drawing.part = 1 AND {beside})", beside=beside)


def _features(request: TileRequest, rows: Sql) -> Sql:
    """A FROM item of features as the encoder takes them: `tile`, a row of geometry, id and properties."""
    columns = _lists(request).written + _anchor(request)
    if request.geometry.dimension == 0:
        shape = project(request)
        return sql(
            "(SELECT {geometry} AS __geometry{columns} FROM {rows}) AS tile",
            geometry=drawn_points(request, shape),
            columns=columns,
            rows=rows,
        )
    request, rows = reduce(request, rows)
    finite = (
        EMPTY if request.geometry.is_geography else sql(", {finite} AS __finite", finite=is_finite(request.geometry))
    )
    # OFFSET 0 keeps the planner from working the shape out at each place where it is used
    return sql(
        "(SELECT *, {shape} AS __shape{finite}, {many} AS __many FROM {rows} OFFSET 0) AS placed"
        " CROSS JOIN LATERAL ({drawing} OFFSET 0) AS drawing"
        " CROSS JOIN LATERAL (SELECT drawing.drawn AS __geometry{columns}) AS tile",
        shape=project(request),
        finite=finite,
        rows=rows,
        # rows are counted only where areas depend on it
        many=NO_MANY if request.geometry.dimension == 1 else sql("count(*) OVER () > {many}", many=bind(MANY, "int4")),
        drawing=drawing(request, sql("placed.__shape"), is_one_of_many=sql("placed.__many")),
        columns=columns,
    )


def _anchor(request: TileRequest) -> Sql:
    """The property that says in which tile our style marks an area, after a comma; empty if it marks none."""
    if not request.all_properties or request.tile_matrix_set.matrix(request.z).zoom >= MARKED_BELOW:
        return EMPTY
    if not has_marked_areas(request.selection.collection, request.geometry):
        return EMPTY
    return sql(", NULLIF({is_here}, false) AS {name}", is_here=is_anchored(request), name=ident(ANCHOR))


class _Lists(NamedTuple):
    """Columns of a statement: as they are read, and as the encoder takes them, each after a comma."""

    read: Sql
    written: Sql


def _lists(request: TileRequest) -> _Lists:
    properties = request.selection.properties
    if properties is request.selection.collection.columns:
        return _all_lists(request.selection.collection, request.all_properties)
    return _some_lists(request.selection.collection, properties, request.all_properties)


@lru_cache(maxsize=512)
def _all_lists(collection: Collection, all_properties: bool) -> _Lists:
    """Return the lists that most requests need; they are made once."""
    lists = _some_lists(collection, collection.columns, all_properties)
    return _Lists(lists.read.merge_texts(), lists.written.merge_texts())


def _some_lists(collection: Collection, properties: tuple[Column, ...], all_properties: bool) -> _Lists:
    key = tile_key(collection)
    names = {column.name: ident(column.name) for column in properties}
    written = []
    if key is not None:
        names[key.name] = ident(key.name)
        written.append(sql(", {id} AS __id", id=_id(key)))
    for column in properties:
        value = _key_property(column, hidden=all_properties) if column == key else _property(column)
        written.append(sql(", {value} AS {name}", value=value, name=ident(column.name)))
    return _Lists(join(", ", names.values()), join("", written))


def _id(key: Column) -> Sql:
    name = ident(key.name)
    if not _is_large(key):
        return name
    return sql("CASE WHEN {name} <= {safe} THEN {name} END", name=name, safe=_SAFE)


def _is_large(key: Column) -> bool:
    """Return whether the key has values that JavaScript cannot distinguish."""
    return (column_type(key.sql_type).bits or 0) > SAFE_INTEGER.bit_length()


def _key_property(key: Column, *, hidden: bool) -> Sql:
    """The key as a property; with `hidden` only where the feature's id does not say it.

    Ids are no negative numbers, and none that JavaScript would take for another: those are texts, as in items.
    """
    name = ident(key.name)
    if not _is_large(key):
        return sql("CASE WHEN {name} < 0 THEN {name}::int8 END", name=name) if hidden else _property(key)
    # of the members of such an object ST_AsMVT makes properties, of numbers and of texts
    return sql(
        "CASE WHEN {shown} THEN jsonb_build_object({key},"
        " CASE WHEN {name} BETWEEN -{safe} AND {safe} THEN to_jsonb({name}) ELSE to_jsonb({name}::text) END) END",
        shown=sql("{name} < 0 OR {name} > {safe}", name=name, safe=_SAFE) if hidden else sql("TRUE"),
        name=name,
        safe=_SAFE,
        key=bind(key.name, "text"),
    )


def _property(column: Column) -> Sql:  # noqa: PLR0911 - one for each kind of type
    name = ident(column.name)
    known = column_type(column.sql_type)
    if known.kind is Kind.INTEGER and not known.in_tiles:
        return sql("{name}::int4" if known.bits is not None else "{name}::int8", name=name)
    if known.floating:
        # NULL for what is not finite, as in JSON; readers would take 1.1 in single precision for 1.100000023841858
        value = sql("{name}::text::float8", name=name) if base_type(column.sql_type) == "real" else name
        return sql("CASE WHEN {name} > '-Infinity' AND {name} < 'Infinity' THEN {value} END", name=name, value=value)
    if column.type == "number":
        return as_float8(name, column.sql_type)
    if column.format in ("date-time", "date"):
        return _time(name, column.sql_type)
    if known.kind is Kind.JSON:
        # the null of JSON is no text
        return sql("NULLIF(btrim({name}::text, E' \\t\\n\\r'), 'null')", name=name)
    if column.type in ("array", "object"):
        return as_json(name, base_type(column.sql_type))
    return name if known.in_tiles else sql("{name}::text", name=name)


def _time(name: Sql, sql_type: str) -> Sql:
    # vector tiles have no type for time: the same text as in the features, null where they have none
    text = sql("{name}::text", name=name)
    if sql_type.startswith("timestamp"):
        # the session's time zone is UTC: what follows the time is "+00". to_char would take twice as long
        bare = sql("left({text}, -3)", text=text) if sql_type.endswith("with time zone") else text
        text = sql("replace({bare}, ' ', 'T') || 'Z'", bare=bare)
    return sql("CASE WHEN {name} >= '0001-01-01' AND {name} < '10000-01-01' THEN {text} END", name=name, text=text)
