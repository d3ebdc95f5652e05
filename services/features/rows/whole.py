"""All rows that a query selects, some at a time, as one snapshot has them."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from libs.pg.snapshot import Snapshot
from services.features.request.cursor import PageEnds
from services.features.request.items_query import ItemsQuery
from services.features.request.row_identity import row_identity
from services.features.rows.items_sql import items_plan
from services.features.rows.items_store import ItemsStore, LargePage
from services.features.rows.layout import Rows

ALL = 2**62
"""As a limit: more rows than any table has."""
_TABLES = ("table", "partitioned table", "materialized view")


async def whole(store: ItemsStore, snapshot: Snapshot, query: ItemsQuery, geometry_as: str) -> AsyncGenerator[Rows]:
    """The rows, at least one chunk, perhaps empty. Raises Unavailable.

    Tables with a key are read by it, so that a geometry that fails costs itself alone; all else is read once, by a
    cursor. Rows are in order where the query says `sortby`.
    """
    collection, by_sort = query.selection.collection, bool(query.selection.sort)
    if not by_sort:
        query = replace(query, order=row_identity(collection) if collection.id_columns else ())
    query = replace(query, limit=ALL)
    if not by_sort and collection.kind in _TABLES and collection.id_columns and not collection.key_repeats:
        async for rows in store.within(snapshot).chunks(LargePage(query, PageEnds()), geometry_as):
            yield rows
        return
    plan, come = items_plan(query, limit=ALL, geometry_as=geometry_as, ordered=by_sort), False
    async with aclosing(snapshot.walk(plan.statement, store.chunk(query))) as chunks:
        async for found in chunks:
            come = True
            yield Rows(plan.layout, found)
    if not come:
        yield Rows(plan.layout, [])
