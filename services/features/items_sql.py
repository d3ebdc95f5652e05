"""SQL of items and item. Pure: values in, statement with binds out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import LiteralString

from libs.catalog.model import Column
from libs.pg.sql import EMPTY, Sql, all_of, any_of, bind, ident, join, sql
from libs.selection.selection import Selection, SortTerm
from services.features.cursor import Position
from services.features.geometry_sql import encoded_geometry
from services.features.items_query import ItemsQuery

_NATIVE = {
    "smallint", "integer", "bigint", "real", "double precision", "boolean", "text", "name", "uuid", "date",
    "timestamp with time zone", "timestamp without time zone",
}  # fmt: skip
_CALENDAR = {"date", "timestamp with time zone", "timestamp without time zone"}


@dataclass(frozen=True, slots=True)
class RowPlan:
    """How a fetched row is laid out: `[id] [geometry] properties... [sort values]...`, each part where present."""

    statement: Sql
    has_id: bool
    has_geometry: bool
    properties: tuple[Column, ...]
    raw_json: tuple[bool, ...]
    """For each property: whether its value is JSON text to embed rather than a value to encode."""
    sort_values: int
    reversed: bool = False
    """Rows come last to first."""


def items_plan(
    query: ItemsQuery, *, limit: int, geometry_as: str = "geojson", until: Position | None = None
) -> RowPlan:
    """Up to `limit` rows from where the page starts, none of them beyond `until`."""
    order = query.order
    backwards = query.after is not None and query.after.backwards
    selection = query.selection
    conditions = list(selection.conditions)
    if query.after is not None:
        conditions.append(beyond(order, query.after))
    if until is not None:
        conditions.append(sql("({beyond}) IS NOT TRUE", beyond=beyond(order, until)))
    columns, head = _columns(selection, geometry_as, query.bbox_only, query.simplify)
    columns += _sort_values(query)
    statement = sql(
        "SELECT {columns} FROM {table} AS item WHERE {where}{order} LIMIT {limit}{offset}",
        columns=join(", ", columns) if columns else sql("1"),
        table=selection.table,
        where=all_of(conditions),
        order=_order_by(query, backwards),
        limit=bind(limit, "int8"),
        offset=sql(" OFFSET {offset}", offset=bind(query.offset, "int8")) if query.offset else EMPTY,
    )
    return RowPlan(statement, *head, sort_values=len(order) if query.resumable else 0, reversed=backwards)


def places_statement(query: ItemsQuery, *, skip: int, number: int) -> Sql:
    """Sort values of `number` rows, `skip` rows behind where the page starts; without a key, rows of nothing."""
    conditions = list(query.selection.conditions)
    if query.after is not None:
        conditions.append(beyond(query.order, query.after))
    return sql(
        "SELECT {columns} FROM {table} AS item WHERE {where}{order} LIMIT {number} OFFSET {skip}",
        columns=join(", ", _sort_values(query)) or sql("1"),
        table=query.selection.table,
        where=all_of(conditions),
        order=_order_by(query, backwards=query.after is not None and query.after.backwards),
        number=bind(number, "int8"),
        skip=bind(query.offset + skip, "int8"),
    )


def item_plan(
    selection: Selection,
    condition: Sql,
    *,
    bbox_only: bool,
    simplify: float | None,
    geometry_as: str = "geojson",
) -> RowPlan:
    """The one row that `condition` picks."""
    columns, head = _columns(selection, geometry_as, bbox_only, simplify)
    statement = sql(
        "SELECT {columns} FROM {table} WHERE {condition} LIMIT 1",
        columns=join(", ", columns),
        table=selection.table,
        condition=condition,
    )
    return RowPlan(statement, *head, sort_values=0)


def count_statement(selection: Selection) -> Sql:
    """The number of rows that the selection matches."""
    return sql("SELECT count(*) FROM {table} WHERE {where}", table=selection.table, where=selection.where)


def _columns(
    selection: Selection, geometry_as: str, bbox_only: bool, simplify: float | None
) -> tuple[list[Sql], tuple[bool, bool, tuple[Column, ...], tuple[bool, ...]]]:
    columns = []
    key, geometry = selection.collection.key, selection.geometry
    if key is not None:
        columns.append(_property(selection.collection.column(key)))
    if geometry is not None:
        columns.append(encoded_geometry(geometry, geometry_as, bbox_only=bbox_only, simplify=simplify))
    raw = []
    for column in selection.properties:
        raw.append(column.type != "string" and column.sql_type.partition("(")[0] not in _NATIVE)
        columns.append(_property(column))
    return columns, (key is not None, geometry is not None, selection.properties, tuple(raw))


def _property(column: Column | None) -> Sql:
    return sql("NULL") if column is None else sql(_property_template(column), name=ident(column.name))


def _property_template(column: Column) -> LiteralString:
    template: LiteralString = "to_json({name})::text"
    if column.sql_type in _CALENDAR:
        # infinity, and years that neither RFC 3339 nor Python knows, have no JSON: they are null
        template = "CASE WHEN {name} >= '0001-01-01' AND {name} < '10000-01-01' THEN {name} END"
    elif column.sql_type == "real":
        # its shortest decimal form, not that of the double it becomes on the way
        template = "{name}::text::float8"
    elif column.sql_type in _NATIVE and not column.sql_type.startswith("character"):
        template = "{name}"
    elif column.type == "string" or column.sql_type in ("json", "jsonb"):
        template = "{name}::text"
    elif column.sql_type == "money":
        template = "{name}::numeric::text"
    elif column.sql_type.startswith("numeric") and column.type == "number":
        # JSON has no word for what is no finite number
        template = "CASE WHEN {name} > '-Infinity' AND {name} < 'Infinity' THEN {name}::text END"
    return template


def _sort_values(query: ItemsQuery) -> list[Sql]:
    """What a cursor is made of: the database's own text, which it reads back as the same value, whatever the type."""
    if not query.resumable:
        return []
    return [sql("item.{name}::text", name=ident(term.column.name)) for term in query.order]


def _order_by(query: ItemsQuery, backwards: bool) -> Sql:
    terms = [_term(term, backwards) for term in query.order]
    if not query.resumable:
        # offsets count on one order; a parallel or synchronised scan has none of its own
        terms += _tie_breakers(query.selection)
    return sql(" ORDER BY {terms}", terms=join(", ", terms)) if terms else EMPTY


def _tie_breakers(selection: Selection) -> list[Sql]:
    collection = selection.collection
    if collection.kind in ("table", "materialized view"):
        return [sql("item.ctid")]
    if collection.kind == "partitioned table":
        return [sql("item.tableoid"), sql("item.ctid")]
    return [sql("item.{name}", name=ident(column.name)) for column in collection.columns if column.ordered]


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
    descending = {term.descending != position.backwards for term in order}
    values = [
        None if value is None else bind(value, "text", cast=term.column.sql_type)
        for term, value in zip(order, position.values, strict=True)
    ]
    if len(descending) == 1 and all(term.column.not_null for term in order) and None not in values:
        names = join(", ", [ident(term.column.name) for term in order])
        bound = join(", ", [value for value in values if value is not None])
        template = "ROW({names}) < ROW({bound})" if descending.pop() else "ROW({names}) > ROW({bound})"
        return sql(template, names=names, bound=bound)
    alternatives = []
    same: list[Sql] = []
    for term, value in zip(order, values, strict=True):
        name = ident(term.column.name)
        alternatives.append(all_of([*same, _one_beyond(name, value, term, position.backwards)]))
        same.append(
            sql("{name} IS NULL", name=name) if value is None else sql("{name} = {value}", name=name, value=value)
        )
    return any_of(alternatives)


def _one_beyond(name: Sql, value: Sql | None, term: SortTerm, backwards: bool) -> Sql:
    if value is None:
        return sql("{name} IS NOT NULL", name=name) if backwards else sql("FALSE")
    template = "{name} < {value}" if term.descending != backwards else "{name} > {value}"
    compared = sql(template, name=name, value=value)
    if backwards or term.column.not_null:
        return compared
    return sql("{compared} OR {name} IS NULL", compared=compared, name=name)
