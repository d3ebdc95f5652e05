"""SQL of items and item. Pure: values in, statement with binds out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import LiteralString

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.pg.column_types import Kind, base_type, types_where
from libs.pg.sql import EMPTY, Sql, all_of, any_of, bind, ident, join, sql
from libs.selection.selection import Selection, SortTerm
from services.features.request.cursor import Position
from services.features.request.items_query import ItemsQuery
from services.features.rows.geometry_sql import encoded_geometry
from services.features.rows.invalid_geometry import GeometryOf, geometries_of_keys
from services.features.rows.row_plan import RowPlan
from services.features.rows.times import Conversion, rfc3339_dates, rfc3339_times

_MARK = sql("item.tableoid, item.xmin, item.ctid")
CALENDAR: Mapping[str, Conversion] = {
    **dict.fromkeys(types_where(Kind.DATE), rfc3339_dates),
    **dict.fromkeys(types_where(Kind.TIMESTAMP), rfc3339_times),
}
"""Types that are fetched as text, and what makes it a value."""
_NATIVE = types_where(native=True)
_SAME_TEXT = types_where(Kind.INTEGER) | types_where(Kind.STRING, native=True) | CALENDAR.keys()
"""Types whose values are fetched as the text that PostgreSQL has for them, or have the same in Python."""
_TEMPLATES: Mapping[str, LiteralString] = {
    **dict.fromkeys(_NATIVE, "{name}"),
    # its shortest decimal form, not that of the double it becomes on the way
    "real": "{name}::text::float8",
    # JSON has no word for what is no finite number
    "numeric": "CASE WHEN {name} > '-Infinity' AND {name} < 'Infinity' THEN {name}::text END",
    **dict.fromkeys(types_where(by_numeric=True), "{name}::numeric::text"),
    **dict.fromkeys(types_where(Kind.JSON), "{name}::text"),
    **dict.fromkeys(CALENDAR, "{name}::text"),
}
"""How columns of each type are selected; others as text, or as what PostgreSQL makes of them in JSON."""


def items_plan(
    query: ItemsQuery,
    *,
    limit: int,
    geometry_as: str = "geojson",
    until: Position | None = None,
    marked: bool = False,
) -> RowPlan:
    """Up to `limit` rows from where the page starts, none of them beyond `until`; `marked`: with `_MARK` at the end."""
    order = query.order
    backwards = query.after is not None and query.after.backwards
    selection = query.selection
    conditions = list(selection.conditions)
    if query.after is not None:
        conditions.append(beyond(order, query.after))
    if until is not None:
        conditions.append(not_beyond(order, until))
    columns, head = _columns(selection, geometry_as, query.bbox_only, query.simplify)
    places, more = _sort_places(query, head)
    columns = join(", ", [part for part in (columns, *more, _MARK if marked else EMPTY) if part])
    statement = sql(
        "SELECT {columns} FROM {table} AS item WHERE {where}{order} LIMIT {limit}{offset}",
        columns=columns or sql("1"),
        table=selection.table,
        where=all_of(conditions),
        order=_order_by(query, backwards),
        limit=bind(limit, "int8"),
        offset=sql(" OFFSET {offset}", offset=bind(query.offset, "int8")) if query.offset else EMPTY,
    )

    def apart() -> tuple[Sql, GeometryOf]:
        without = replace(query, selection=replace(selection, geometry=None))
        bare = items_plan(without, limit=limit, until=until, marked=marked)
        geometry = _geometry(selection, geometry_as, query.bbox_only, query.simplify)
        if head[0]:
            return bare.statement, geometries_of_keys(selection, geometry)
        # what has no key has no cursor, so all that is left of the page is its place in the order
        return bare.statement, _geometries_by_place(query, geometry)

    return RowPlan(
        statement,
        *head,
        sort_values=places,
        reversed=backwards,
        apart=apart if head[1] else None,
        key=selection.collection.key,
    )


def _geometries_by_place(query: ItemsQuery, geometry: Sql) -> GeometryOf:
    def statement(rows: range, _: Sequence[str | None]) -> Sql:
        # the geometry is worked out above the limit: below it, those of the rows that are passed over would be, too
        return sql(
            "SELECT row_number() OVER (), {geometry} FROM (SELECT * FROM {table} AS item WHERE {where}{order}"
            " LIMIT {limit} OFFSET {offset}) AS item",
            geometry=geometry,
            table=query.selection.table,
            where=query.selection.where,
            order=_order_by(query, backwards=False),
            limit=bind(len(rows), "int8"),
            offset=bind(query.offset + rows.start, "int8"),
        )

    return statement


def marks_plan(query: ItemsQuery, *, limit: int, until: Position | None = None) -> RowPlan:
    """The same rows, of each its key, what a cursor is made of, and its mark."""
    bare = replace(query, selection=replace(query.selection, geometry=None, properties=()), bbox_only=False)
    return items_plan(bare, limit=limit, until=until, marked=True)


def rows_plan(query: ItemsQuery, keys: Sequence[object]) -> RowPlan:
    """The rows that have one of these keys, with their marks, as the query shows rows; in any order."""
    selection = query.selection
    key = selection.collection.column(selection.collection.key or "")
    if key is None:
        raise ValueError(f"{selection.collection.id} has no key")
    wanted = sql(
        "{key} = ANY({keys})",
        key=ident(key.name),
        keys=bind([str(value) for value in keys], "text[]", cast=f"{key.sql_type}[]"),
    )
    selection = replace(selection, conditions=(wanted,), sort=())
    # of tables with children several rows may have one key; the limit is there to be one
    return items_plan(replace(query, selection=selection, after=None, offset=0), limit=2 * len(keys), marked=True)


def places_statement(query: ItemsQuery, *, skip: int, number: int) -> Sql:
    """Sort values of `number` rows, `skip` rows behind where the page starts; without a key, rows of nothing."""
    conditions = list(query.selection.conditions)
    if query.after is not None:
        conditions.append(beyond(query.order, query.after))
    return sql(
        "SELECT {columns} FROM {table} AS item WHERE {where}{order} LIMIT {number} OFFSET {skip}",
        columns=join(", ", [_sort_value(term) for term in query.order] if query.resumable else []) or sql("1"),
        table=query.selection.table,
        where=all_of(conditions),
        order=_order_by(query, backwards=query.after is not None and query.after.backwards),
        number=bind(number, "int8"),
        skip=bind(query.offset + skip, "int8"),
    )


def item_plan(
    selection: Selection, *, bbox_only: bool, simplify: float | None, geometry_as: str = "geojson"
) -> Callable[[Sql], RowPlan]:
    """Makes the plan of the one row that a condition picks."""
    columns, head = _columns(selection, geometry_as, bbox_only, simplify)
    start = sql("SELECT {columns} FROM {table} WHERE ", columns=columns or sql("1"), table=selection.table).joined()
    end = sql(" LIMIT 1")

    def plan(condition: Sql) -> RowPlan:
        def apart() -> tuple[Sql, GeometryOf]:
            bare = item_plan(replace(selection, geometry=None), bbox_only=False, simplify=None)(condition)
            geometry = _geometry(selection, geometry_as, bbox_only, simplify)
            return bare.statement, geometries_of_keys(selection, geometry)

        return RowPlan(
            start + condition + end,
            *head,
            sort_values=(),
            apart=apart if head[0] and head[1] else None,
            key=selection.collection.key,
        )

    return plan


def count_statement(selection: Selection) -> Sql:
    """The number of rows that the selection matches."""
    return sql("SELECT count(*) FROM {table} WHERE {where}", table=selection.table, where=selection.where)


_Head = tuple[
    bool,
    bool,
    tuple[Column, ...],
    tuple[bool, ...],
    tuple[tuple[int, Conversion], ...],
]


def _columns(selection: Selection, geometry_as: str, bbox_only: bool, simplify: float | None) -> tuple[Sql, _Head]:
    """Key, geometry and properties, and how they are laid out."""
    collection = selection.collection
    if simplify is None and selection.properties is collection.columns:
        return _all_columns(collection, selection.geometry, geometry_as, bbox_only)
    return _some_columns(
        collection, selection.properties, selection.geometry, geometry_as, bbox_only=bbox_only, simplify=simplify
    )


def _geometry(selection: Selection, geometry_as: str, bbox_only: bool, simplify: float | None) -> Sql:
    if selection.geometry is None:
        return sql("NULL")
    return encoded_geometry(selection.geometry, geometry_as, bbox_only=bbox_only, simplify=simplify)


@lru_cache(maxsize=512)
def _all_columns(
    collection: Collection, geometry: GeometryColumn | None, geometry_as: str, bbox_only: bool
) -> tuple[Sql, _Head]:
    """What most requests want, put together once."""
    columns, head = _some_columns(
        collection, collection.columns, geometry, geometry_as, bbox_only=bbox_only, simplify=None
    )
    return columns.joined(), head


def _some_columns(
    collection: Collection,
    properties: tuple[Column, ...],
    geometry: GeometryColumn | None,
    geometry_as: str,
    *,
    bbox_only: bool,
    simplify: float | None,
) -> tuple[Sql, _Head]:
    columns, types = [], []
    if collection.key is not None:
        key = collection.column(collection.key)
        columns.append(_property(key))
        types.append(base_type(key.sql_type) if key is not None else "")
    if geometry is not None:
        columns.append(encoded_geometry(geometry, geometry_as, bbox_only=bbox_only, simplify=simplify))
    columns += [_property(column) for column in properties]
    raw = [column.type != "string" and base_type(column.sql_type) not in _NATIVE for column in properties]
    types += [*([""] if geometry is not None else []), *(base_type(column.sql_type) for column in properties)]
    times = tuple((place, CALENDAR[sql_type]) for place, sql_type in enumerate(types) if sql_type in CALENDAR)
    return join(", ", columns), (
        collection.key is not None,
        geometry is not None,
        properties,
        tuple(raw),
        times,
    )


def _sort_places(query: ItemsQuery, head: _Head) -> tuple[tuple[int, ...], list[Sql]]:
    """Where in the row the sort values are, and those that have to be fetched beside it."""
    if not query.resumable:
        return (), []
    has_id, has_geometry, properties, *_ = head
    key = query.selection.collection.key
    start = has_id + has_geometry
    at_hand = {column.name: start + place for place, column in enumerate(properties)}
    if has_id and key is not None:
        at_hand[key] = 0
    end = start + len(properties)
    places: list[int] = []
    more: list[Sql] = []
    for term in query.order:
        name = term.column.name
        if name in at_hand and base_type(term.column.sql_type) in _SAME_TEXT:
            places.append(at_hand[name])
        else:
            places.append(end + len(more))
            more.append(_sort_value(term))
    return tuple(places), more


def _property(column: Column | None) -> Sql:
    return sql("NULL") if column is None else sql(_property_template(column), name=ident(column.name))


def _property_template(column: Column) -> LiteralString:
    return _TEMPLATES.get(base_type(column.sql_type)) or (
        "{name}::text" if column.type == "string" else "to_json({name})::text"
    )


def _sort_value(term: SortTerm) -> Sql:
    """What a cursor is made of: the database's own text, which it reads back as the same value, whatever the type."""
    return sql("item.{name}::text", name=ident(term.column.name))


def _order_by(query: ItemsQuery, backwards: bool) -> Sql:
    terms = [_term(term, backwards) for term in query.order]
    if not query.resumable:
        # offsets count on one order; a parallel or synchronised scan has none of its own
        terms += _tie_breakers(query.selection)
    return sql(" ORDER BY {terms}", terms=join(", ", terms)) if terms else EMPTY


def _tie_breakers(selection: Selection) -> list[Sql]:
    collection = selection.collection
    names = collection.row_address or [column.name for column in collection.columns if column.ordered]
    return [sql("item.{name}", name=ident(name)) for name in names]


def _term(term: SortTerm, backwards: bool) -> Sql:
    # nulls come last whatever the direction; said only where it is not PostgreSQL's default, so that a plain
    # index serves the order. Qualified: a bare name would mean the output column of that name, a cast or a clash.
    name = sql("item.{name}", name=ident(term.column.name))
    if term.descending == backwards:
        return sql("{name} ASC NULLS FIRST", name=name) if backwards and not term.column.not_null else name
    if term.column.not_null or backwards:
        return sql("{name} DESC", name=name)
    return sql("{name} DESC NULLS LAST", name=name)


def beyond(order: Sequence[SortTerm], position: Position) -> Sql:
    """Rows after (or, backwards, before) a position in an order.

    Nulls come last. With one direction and no nulls it is a row comparison, which an index on the same columns
    answers by a range.
    """
    values = _bound(order, position)
    if _is_range(order, position):
        return _compared("<" if order[0].descending != position.backwards else ">", order, values)
    alternatives = []
    same: list[Sql] = []
    for term, value in zip(order, values, strict=True):
        name = ident(term.column.name)
        alternatives.append(all_of([*same, _one_beyond(name, value, term, position.backwards)]))
        same.append(
            sql("{name} IS NULL", name=name) if value is None else sql("{name} = {value}", name=name, value=value)
        )
    return any_of(alternatives)


def not_beyond(order: Sequence[SortTerm], position: Position) -> Sql:
    """The row at a position, and those before it (or, backwards, after it)."""
    if _is_range(order, position):
        descending = order[0].descending != position.backwards
        return _compared(">=" if descending else "<=", order, _bound(order, position))
    return sql("({beyond}) IS NOT TRUE", beyond=beyond(order, position))


def _bound(order: Sequence[SortTerm], position: Position) -> list[Sql | None]:
    return [
        None if value is None else bind(value, "text", cast=term.column.sql_type)
        for term, value in zip(order, position.values, strict=True)
    ]


def _is_range(order: Sequence[SortTerm], position: Position) -> bool:
    """Whether one comparison of rows tells what comes after the position."""
    one_way = len({term.descending for term in order}) == 1
    return one_way and all(term.column.not_null for term in order) and None not in position.values


def _compared(operator: LiteralString, order: Sequence[SortTerm], values: Sequence[Sql | None]) -> Sql:
    names = join(", ", [ident(term.column.name) for term in order])
    bound = join(", ", [value for value in values if value is not None])
    return sql("ROW({names}) " + operator + " ROW({bound})", names=names, bound=bound)


def _one_beyond(name: Sql, value: Sql | None, term: SortTerm, backwards: bool) -> Sql:
    if value is None:
        return sql("{name} IS NOT NULL", name=name) if backwards else sql("FALSE")
    template = "{name} < {value}" if term.descending != backwards else "{name} > {value}"
    compared = sql(template, name=name, value=value)
    if backwards or term.column.not_null:
        return compared
    return sql("{compared} OR {name} IS NULL", compared=compared, name=name)
