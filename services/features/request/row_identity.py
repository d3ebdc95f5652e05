"""The row identity of a collection: terms that distinguish its rows, so that a page can start after one of them. Pure.

Without a guaranteed key, it is the physical location of a row in its table. Views and foreign tables have none: there
it is a hash of the row's content. Rows with the same hash are counted.
"""

from functools import lru_cache

from libs.catalogue.model import Collection, Column
from libs.pg.column_types import TEMPORAL, Kind, column_type
from libs.pg.sql import ident, join, sql
from libs.selection.selection import SortTerm

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
    """Whether several rows may be equal in this order."""
    return bool(order) and order[-1].column is _CONTENT


def told_in_part(collection: Collection) -> list[str]:
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
    return SortTerm(_CONTENT, expression=text.joined())
