"""Runs the SQL of items: pages of rows, large pages in chunks, and how many rows match."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any

from libs.ogc.link import Link
from libs.pg.pool import Database
from services.features.counts import Counts
from services.features.cursor import Position
from services.features.items_query import ItemsQuery
from services.features.items_sql import RowPlan, items_plan, last_and_next_statement

Row = Any
"""A fetched row, as its RowPlan lays it out."""

_CHUNK_BYTES = 2_000_000
"""What a chunk may take in the database's own encoding; as Python values and text it is a few times as much."""
_CHUNK_ROWS = range(20, 2001)


@dataclass(frozen=True, slots=True)
class PageEnds:
    """Where the pages beside a page start; `more` tells whether rows follow, also where there is no cursor."""

    next: Position | None = None
    prev: Position | None = None
    more: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """Rows in the order of the query."""

    rows: list[Row]
    ends: PageEnds


@dataclass(frozen=True, slots=True)
class ItemsAnswer:
    """What a representation is made from, beside the rows."""

    query: ItemsQuery
    plan: RowPlan
    matched: int | None
    """Number of features that match, where it could be told in time."""
    links: tuple[Link, ...]


class ItemsStore:
    """Pages and counts of collections."""

    def __init__(self, database: Database, counts: Counts) -> None:
        self._database = database
        self._counts = counts

    async def page(self, query: ItemsQuery, plan: RowPlan) -> Page:
        """The page that `plan` (made with one row more than the limit) fetches. Raises Unavailable."""
        rows = await self._database.fetch(plan.statement)
        more = len(rows) > query.limit
        rows = rows[: query.limit]
        if plan.reversed:
            rows.reverse()
        if not rows or not plan.sort_values:
            return Page(rows, PageEnds(more=more))
        return Page(rows, _ends(query, rows[0], rows[-1], more, plan.sort_values))

    async def row(self, plan: RowPlan) -> Row | None:
        """The one row of an item. Raises Unavailable."""
        return await self._database.fetchrow(plan.statement)

    async def matched(self, query: ItemsQuery) -> int | None:
        """The exact number of rows that match, or None where counting takes longer than its budget."""
        return await self._counts.matched(query.selection, query.fingerprint)

    def chunk(self, query: ItemsQuery) -> int:
        """How many rows fit a chunk. Rows without a total order come in one, for they cannot be resumed."""
        collection = query.selection.collection
        if collection.key is None or (query.after and query.after.backwards):
            return query.limit
        width = collection.row_bytes or 1000
        return min(max(_CHUNK_BYTES // width, _CHUNK_ROWS.start), _CHUNK_ROWS.stop - 1)

    async def following(self, query: ItemsQuery) -> Position | None:
        """Where the page after a large one starts, found without fetching either; None for no such page."""
        rows = await self._database.fetch(last_and_next_statement(query))
        return _position(rows[0], len(query.order), backwards=False) if len(rows) == 2 else None

    async def chunks(
        self, query: ItemsQuery, until: Position | None, geometry_as: str
    ) -> AsyncIterator[tuple[RowPlan, list[Row]]]:
        """The rows of a large page, some at a time; at least one chunk, perhaps empty.

        Each chunk is a query of its own that starts behind the last row of the one before, so that no connection
        is held while the client reads. The page ends with the row at `until`, whatever was inserted meanwhile.
        """
        size = self.chunk(query)
        rest, wanted = query, query.limit
        while True:
            if until is None:
                # the last page ends at the limit too, however fast rows are added behind it
                size = min(size, wanted)
            plan = items_plan(rest, limit=size, geometry_as=geometry_as, until=until)
            rows = await self._database.fetch(plan.statement)
            yield plan, rows
            wanted -= len(rows)
            if len(rows) < size or (until is None and wanted <= 0):
                return
            rest = replace(query, after=_position(rows[-1], plan.sort_values, backwards=False), offset=0)

    def preceding(self, query: ItemsQuery, first: Row) -> Position | None:
        """Where the page before one that begins with `first` ends; None for no such page."""
        return _position(first, len(query.order), backwards=True) if query.after or query.offset else None


def _ends(query: ItemsQuery, first: Row, last: Row, more: bool, width: int) -> PageEnds:
    following, preceding = _position(last, width, backwards=False), _position(first, width, backwards=True)
    if query.after is not None and query.after.backwards:
        return PageEnds(following, preceding if more else None, more)
    return PageEnds(following if more else None, preceding if query.after or query.offset else None, more)


def _position(row: Row, width: int, *, backwards: bool) -> Position:
    return Position(tuple(row)[-width:], backwards)


def one_more(query: ItemsQuery, geometry_as: str) -> RowPlan:
    """The plan of a page, with the row that tells whether another page follows."""
    return items_plan(query, limit=query.limit + 1, geometry_as=geometry_as)
