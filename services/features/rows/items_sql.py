"""Statements of items and item. Pure: values in, a statement with binds out."""

from collections.abc import Sequence
from dataclasses import replace

from libs.ogc.errors import StoredValueError
from libs.pg.column_types import Kind, column_type
from libs.pg.sql import EMPTY, Sql, all_of, bind, ident, join, sql
from libs.selection.selection import Selection, SortTerm
from services.features.request.cursor import Position
from services.features.request.items_query import AS_STORED, GeometryOptions, ItemsQuery
from services.features.request.order import condition_after, condition_at, condition_up_to, order_by, sort_expression
from services.features.rows.columns import columns_of, sort_places, sort_value
from services.features.rows.geometry_sql import encoded_geometry
from services.features.rows.layout import GeometriesOf, RowPlan

ROW_VERSION_COLUMNS = 3
_ROW_VERSION = sql("item.tableoid, item.xmin, item.ctid")
"""Table, transaction and location: PostgreSQL never changes a row in place, it writes a new version elsewhere."""


def items_plan(
    query: ItemsQuery,
    *,
    limit: int,
    geometry_as: str = "geojson",
    until: Position | None = None,
    with_version: bool = False,
    ordered: bool = True,
) -> RowPlan:
    """Select up to `limit` rows from the start of the page to `until`; `with_version` appends their row versions.

    Rows that are not `ordered` have the database's order.
    """
    backwards = query.after is not None and query.after.backwards
    selection = query.selection
    conditions = [*selection.conditions, *_window(query, until)]
    columns, layout = columns_of(selection, geometry_as, query.options)
    places, more = sort_places(query.order, layout) if query.resumable else ((), [])
    columns = join(", ", [part for part in (columns, *more, _ROW_VERSION if with_version else EMPTY) if part])
    statement = sql(
        "SELECT {columns} FROM {table} AS item WHERE {where}{order} LIMIT {limit}{offset}",
        columns=columns or sql("1"),
        table=selection.table,
        where=all_of(conditions),
        order=order_by(selection, query.order, backwards=backwards) if ordered else EMPTY,
        limit=bind(limit, "int8"),
        offset=_offset(query, 0),
    )

    shown = selection.geometry
    if shown is None:
        return RowPlan(statement, layout, places, backwards)

    def apart() -> tuple[Sql, GeometriesOf]:
        without = replace(query, selection=replace(selection, geometry=None))
        bare = items_plan(without, limit=limit, until=until, with_version=with_version)
        geometry = encoded_geometry(shown, geometry_as, query.options)
        if selection.collection.key and not selection.collection.key_repeats:
            return bare.statement, _geometries_by_key(selection, geometry)
        return bare.statement, _geometries_by_place(query, geometry, until)

    return RowPlan(statement, layout, places, backwards, apart)


def _window(query: ItemsQuery, until: Position | None) -> list[Sql]:
    """Return the conditions from the start of the page to `until`."""
    return [
        *([condition_after(query.order, query.after)] if query.after is not None else []),
        *([condition_up_to(query.order, until)] if until is not None else []),
    ]


def _offset(query: ItemsQuery, rows: int) -> Sql:
    """Skip `rows` rows of the page, and the equal rows before its start."""
    number = query.offset + rows
    if query.after is None or not query.after.alike:
        return sql(" OFFSET {number}", number=bind(number, "int8")) if number else EMPTY
    # some of the equal rows may have been deleted
    return sql(
        " OFFSET {number} + least({alike}, (SELECT count(*) FROM {table} AS item WHERE {where}))",
        number=bind(number, "int8"),
        alike=bind(query.after.alike, "int8"),
        table=query.selection.table,
        where=all_of([*query.selection.conditions, condition_at(query.order, query.after)]),
    )


def _geometries_by_key(selection: Selection, geometry: Sql) -> GeometriesOf:
    key = selection.collection.column(selection.collection.key or "")
    if key is None:
        raise StoredValueError

    def statement(_: range, keys: Sequence[str | None]) -> Sql:
        return sql(
            # match by position: Python and PostgreSQL may format the same value differently
            'SELECT "wanted position", {geometry} FROM {table} JOIN unnest({keys}) WITH ORDINALITY'
            ' AS wanted ("wanted key", "wanted position") ON {key} = "wanted key"',
            geometry=geometry,
            table=selection.table,
            key=ident(key.name),
            keys=bind([*keys], "text[]", cast=f"{key.sql_type}[]"),
        )

    return statement


def _geometries_by_place(query: ItemsQuery, geometry: Sql, until: Position | None) -> GeometriesOf:
    backwards = query.after is not None and query.after.backwards

    def statement(rows: range, _: Sequence[str | None]) -> Sql:
        # compute the geometry above the limit: below it, PostgreSQL would compute it for skipped rows as well
        return sql(
            "SELECT row_number() OVER (), {geometry} FROM (SELECT * FROM {table} AS item WHERE {where}{order}"
            " LIMIT {limit}{offset}) AS item",
            geometry=geometry,
            table=query.selection.table,
            where=all_of([*query.selection.conditions, *_window(query, until)]),
            order=order_by(query.selection, query.order, backwards=backwards),
            limit=bind(len(rows), "int8"),
            offset=_offset(query, rows.start),
        )

    return statement


def cursor_statement(query: ItemsQuery) -> Sql:
    """Select only the values of the query's cursor: fails if they do not have the columns' types."""
    values = query.after.values if query.after is not None else ()
    return sql(
        "SELECT {values}",
        values=join(
            ", ",
            [bind(value, "text", cast=term.column.sql_type) for term, value in zip(query.order, values, strict=True)],
        ),
    )


def row_at_statement(query: ItemsQuery, position: Position) -> Sql:
    """Select the sort values of the row at a position with digests; no row if it has changed since."""
    conditions = []
    for place, (term, value) in enumerate(zip(query.order, position.values, strict=True)):
        text, name = sort_value(term), sort_expression(term)
        if place in position.digested:
            digest = bind(value, "text")
            conditions.append(sql("md5(convert_to({text}, 'UTF8')) = {digest}", text=text, digest=digest))
        elif value is None:
            conditions.append(sql("{name} IS NULL", name=name))
        else:
            conditions.append(sql("{name} = {value}", name=name, value=bind(value, "text", cast=term.column.sql_type)))
    return sql(
        "SELECT {values} FROM {table} AS item WHERE {where} LIMIT 1",
        values=join(", ", [sort_value(term) for term in query.order]),
        table=query.selection.table,
        where=all_of(conditions),
    )


def versions_plan(query: ItemsQuery, *, limit: int, until: Position | None = None) -> RowPlan:
    """Return the plan of the same rows with only their keys, cursor values and row versions."""
    bare = replace(query, selection=replace(query.selection, geometry=None, properties=()))
    return items_plan(bare, limit=limit, until=until, with_version=True)


def rows_of_keys_plan(query: ItemsQuery, keys: Sequence[object]) -> RowPlan:
    """Return the plan of the rows with these keys, with their versions, in the query's columns and in any order."""
    selection = query.selection
    key = selection.collection.column(selection.collection.key or "")
    if key is None:
        raise ValueError(f"{selection.collection.id} has no key")
    wanted = sql(
        "{key} = ANY({keys})",
        key=ident(key.name),
        keys=bind([str(value) for value in keys], "text[]", cast=f"{key.sql_type}[]"),
    )
    by_key = replace(query, selection=replace(selection, conditions=(wanted,)), order=(), after=None, offset=0)
    # in a table with children, several rows may have one key; the limit is only a safeguard
    return items_plan(by_key, limit=2 * len(keys), with_version=True)


def places_statement(query: ItemsQuery, *, number: int) -> Sql:
    """Select one row: an array of the values of each sort term in `number` rows from the start of the page.

    Without a row identity, an array of NULL. Fetching as many rows would take the driver five times as long as arrays.
    """
    values = [_sort_text(term) for term in query.order] if query.resumable else [sql("NULL::text")]
    names = [ident(f"value {place}") for place in range(len(values))]
    return sql(
        "SELECT {arrays} FROM"
        " (SELECT {columns} FROM {table} AS item WHERE {where}{order} LIMIT {number}{offset}) AS row",
        arrays=join(", ", [sql("coalesce(array_agg({name}), '{{}}')", name=name) for name in names]),
        columns=join(
            ", ", [sql("{value} AS {name}", value=value, name=name) for value, name in zip(values, names, strict=True)]
        ),
        table=query.selection.table,
        where=all_of([*query.selection.conditions, *_window(query, None)]),
        order=order_by(query.selection, query.order, backwards=query.after is not None and query.after.backwards),
        number=bind(number, "int8"),
        offset=_offset(query, 0),
    )


def _sort_text(term: SortTerm) -> Sql:
    # Python converts integers to text, as it does for rows: PostgreSQL takes three times as long
    return sort_expression(term) if column_type(term.column.sql_type).kind is Kind.INTEGER else sort_value(term)


def item_plan(
    selection: Selection, condition: Sql, options: GeometryOptions = AS_STORED, *, geometry_as: str = "geojson"
) -> RowPlan:
    """Return the plan of the one row that a condition selects."""
    columns, layout = columns_of(selection, geometry_as, options)
    statement = sql(
        "SELECT {columns} FROM {table} WHERE {condition} LIMIT 1",
        columns=columns or sql("1"),
        table=selection.table,
        condition=condition,
    )

    shown = selection.geometry
    if shown is None:
        return RowPlan(statement, layout)

    def apart() -> tuple[Sql, GeometriesOf]:
        bare = item_plan(replace(selection, geometry=None), condition)
        geometry = encoded_geometry(shown, geometry_as, options)
        only = sql(
            "SELECT 1, {geometry} FROM {table} WHERE {condition} LIMIT 1",
            geometry=geometry,
            table=selection.table,
            condition=condition,
        )
        return bare.statement, lambda _, __: only

    return RowPlan(statement, layout, apart=apart)


def count_statement(selection: Selection) -> Sql:
    """Count the rows that the selection matches."""
    return sql("SELECT count(*) FROM {table} WHERE {where}", table=selection.table, where=selection.where)
