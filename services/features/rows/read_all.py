"""Read all rows that a query selects from one snapshot, in chunks."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from libs.pg.snapshot import Snapshot
from services.features.request.cursor import PageEnds
from services.features.request.items_query import ItemsQuery
from services.features.request.order import row_identity
from services.features.rows.items_sql import items_plan
from services.features.rows.items_store import ItemsStore, LargePage
from services.features.rows.layout import Rows

ALL = 2**62
"""A limit larger than any table."""
_TABLES = ("table", "partitioned table", "materialized view")


async def read_all(store: ItemsStore, snapshot: Snapshot, query: ItemsQuery, geometry_as: str) -> AsyncGenerator[Rows]:
    """Yield the rows in chunks; at least one chunk, which may be empty. Raises Unavailable.

    Tables with a key are read in its order, so that a failing geometry affects only itself. Others are read once, with
    a database cursor. Rows are sorted if the query has `sortby`.
    """
    collection, by_sort = query.selection.collection, bool(query.selection.sort)
    if not by_sort:
        query = replace(query, order=row_identity(collection) if collection.id_columns else ())
    query = replace(query, limit=ALL)
    if not by_sort and collection.kind in _TABLES and collection.id_columns and not collection.key_repeats:
        async for rows in store.read_from(snapshot).chunks(LargePage(query, PageEnds()), geometry_as):
            yield rows
        return
    plan, come = items_plan(query, limit=ALL, geometry_as=geometry_as, ordered=by_sort), False
    async with aclosing(snapshot.walk(plan.statement, store.chunk(query))) as chunks:
        async for found in chunks:
            come = True
            yield Rows(plan.layout, found)
    if not come:
        yield Rows(plan.layout, [])
