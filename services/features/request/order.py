"""The order of rows: the row identity that makes it total, ORDER BY, and the rows before and after a position. Pure.

The row identity is the terms that distinguish the rows of a collection, so that a page can start after one of them.
Without a guaranteed key, it is the physical location of a row in its table. Views and foreign tables have none: there
it is a hash of the row's content. Rows with the same hash are counted.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import LiteralString

from libs.catalogue.model import Collection, Column
from libs.pg.column_types import TEMPORAL, Kind, column_type
from libs.pg.sql import EMPTY, Sql, all_of, any_of, bind, ident, join, sql
from libs.selection.selection import Selection, SortTerm
from services.features.request.cursor import Position

_PLACE = {
    "ctid": Column("ctid", "tid", "string", not_null=True),
    "tableoid": Column("tableoid", "oid", "integer", not_null=True),
}
_CONTENT = Column("content", "bigint", "integer", not_null=True)


@lru_cache(maxsize=4096)
def row_identity(collection: Collection) -> tuple[SortTerm, ...]:
    """Return the terms that make an order total; none if nothing identifies the rows for long."""
    if collection.id_columns and not collection.key_repeats:
        return tuple(SortTerm(column) for column in collection.id_columns)
    if collection.kind in ("table", "materialized view"):
        # a child table (INHERITS) has its own row locations
        names = collection.row_address or ("tableoid", "ctid")
        return tuple(SortTerm(_PLACE[name]) for name in names)
    if collection.row_address:
        return tuple(SortTerm(_PLACE[name]) for name in collection.row_address)
    return (_content(collection),) if collection.pages_start_behind_rows else ()


def usual_order(collection: Collection) -> tuple[SortTerm, ...]:
    """Return an order by the first column that may be a key, if the order would otherwise be by hashes alone."""
    if collection.id_columns or not is_by_content(row_identity(collection)):
        return ()
    kinds = (Kind.INTEGER, Kind.UUID, *TEMPORAL)
    first = next((column for column in collection.columns if column_type(column.sql_type).kind in kinds), None)
    return (SortTerm(first),) if first is not None else ()


def is_by_content(order: tuple[SortTerm, ...]) -> bool:
    """Return whether several rows may be equal in this order."""
    return bool(order) and order[-1].column is _CONTENT


def partly_hashed_columns(collection: Collection) -> list[str]:
    """Return columns that the content hash covers only in part: they end an order, so that it is stable."""
    long = [column.name for column in collection.columns if column.ordered and _is_text(column)]
    return [*long, *(geometry.name for geometry in collection.geometries)]


def _is_text(column: Column) -> bool:
    return column_type(column.sql_type).kind is Kind.STRING


def _content(collection: Collection) -> SortTerm:
    # Hash only the box of a geometry, and only the beginning and the length of a text: the rest would have to be read
    # for each row, for each page. Other types, such as JSON, must be read anyway to become text.
    values = [
        *(
            sql("left(item.{name}::text, 500)" if _is_text(column) else "item.{name}", name=ident(column.name))
            for column in collection.columns
        ),
        *(
            sql("octet_length(item.{name}::text)", name=ident(column.name))
            for column in collection.columns
            if _is_text(column)
        ),
        *(sql("box2d(item.{name}::geometry)", name=ident(geometry.name)) for geometry in collection.geometries),
    ]
    text = sql("hashtextextended(ROW({values})::text, 0)", values=join(", ", values))
    return SortTerm(_CONTENT, expression=text.merge_texts())


def order_by(selection: Selection, order: Sequence[SortTerm], *, backwards: bool) -> Sql:
    """Return the clause with a leading space; empty without an order."""
    terms = [_term(term, backwards) for term in order]
    # offsets need a stable order; parallel and synchronised scans have none
    names: list[str] = []
    if not row_identity(selection.collection):
        names = [column.name for column in selection.collection.columns if column.ordered]
    elif is_by_content(tuple(order)):
        names = partly_hashed_columns(selection.collection)
    terms += [sql("item.{name} DESC" if backwards else "item.{name}", name=ident(name)) for name in names]
    return sql(" ORDER BY {terms}", terms=join(", ", terms)) if terms else EMPTY


def sort_expression(term: SortTerm) -> Sql:
    """Return the sort expression of a term. A bare name would mean the output column of that name."""
    return term.expression or sql("item.{name}", name=ident(term.column.name))


def _term(term: SortTerm, backwards: bool) -> Sql:
    # Nulls come last in both directions. Written out only if it differs from PostgreSQL's default, so that a plain
    # index serves the order.
    name = sort_expression(term)
    if term.descending == backwards:
        return sql("{name} ASC NULLS FIRST", name=name) if backwards and not term.column.not_null else name
    if term.column.not_null or backwards:
        return sql("{name} DESC", name=name)
    return sql("{name} DESC NULLS LAST", name=name)


def condition_after(order: Sequence[SortTerm], position: Position) -> Sql:
    """Return a condition for the rows after (or, backwards, before) a position in an order.

    Nulls come last. With one direction and no nulls, it is a row comparison: a range scan in an index on these columns.
    """
    values = _bind_position(order, position)
    if position.alike:
        # the offset counts the equal rows already returned
        return condition_up_to(order, replace(position, backwards=not position.backwards))
    if _is_range(order, position):
        return _compare("<" if order[0].descending != position.backwards else ">", order, values)
    alternatives = []
    same: list[Sql] = []
    for term, value in zip(order, values, strict=True):
        name = _bare(term)
        alternatives.append(all_of([*same, _column_after(name, value, term, position.backwards)]))
        same.append(
            sql("{name} IS NULL", name=name) if value is None else sql("{name} = {value}", name=name, value=value)
        )
    return any_of(alternatives)


def condition_up_to(order: Sequence[SortTerm], position: Position) -> Sql:
    """Return a condition for the row at a position and those before it (or, backwards, after it)."""
    position = replace(position, alike=0)
    if _is_range(order, position):
        descending = order[0].descending != position.backwards
        return _compare(">=" if descending else "<=", order, _bind_position(order, position))
    return sql("({beyond}) IS NOT TRUE", beyond=condition_after(order, position))


def condition_at(order: Sequence[SortTerm], position: Position) -> Sql:
    """Return a condition for the rows at a position."""
    return all_of(
        sql("{name} IS NOT DISTINCT FROM {value}", name=_bare(term), value=value or sql("NULL"))
        for term, value in zip(order, _bind_position(order, position), strict=True)
    )


def _bind_position(order: Sequence[SortTerm], position: Position) -> list[Sql | None]:
    return [
        None if value is None else bind(value, "text", cast=term.column.sql_type)
        for term, value in zip(order, position.values, strict=True)
    ]


def _is_range(order: Sequence[SortTerm], position: Position) -> bool:
    """Return whether one row comparison selects the rows after the position."""
    one_way = len({term.descending for term in order}) == 1
    return one_way and all(term.column.not_null for term in order) and None not in position.values


def _bare(term: SortTerm) -> Sql:
    return term.expression or ident(term.column.name)


def _compare(operator: LiteralString, order: Sequence[SortTerm], values: Sequence[Sql | None]) -> Sql:
    names = join(", ", [_bare(term) for term in order])
    bound = join(", ", [value for value in values if value is not None])
    return sql("ROW({names}) " + operator + " ROW({bound})", names=names, bound=bound)


def _column_after(name: Sql, value: Sql | None, term: SortTerm, backwards: bool) -> Sql:
    if value is None:
        return sql("{name} IS NOT NULL", name=name) if backwards else sql("FALSE")
    template = "{name} < {value}" if term.descending != backwards else "{name} > {value}"
    compared = sql(template, name=name, value=value)
    if backwards or term.column.not_null:
        return compared
    return sql("{compared} OR {name} IS NULL", compared=compared, name=name)
