"""Runs the SQL of items: pages of rows, large pages in chunks, and how many rows match."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any

from libs.ogc.link import Link
from libs.pg.pool import Database
from services.features.counts import Counts
from services.features.cursor import Position
from services.features.items_query import ItemsQuery
from services.features.items_sql import RowPlan, items_plan, places_statement

Row = Any
"""A fetched row, as its RowPlan lays it out."""

_CHUNK_BYTES = 2_000_000
"""What a chunk may take in the database's own encoding; as Python values and text it is a few times as much."""
_CHUNK_ROWS = range(20, 2001)
_UNKNOWN_ROWS = 200
"""The first chunk where the size of a row is unknown, as it is of views; the next ones go by what it was."""


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
class LargePage:
    """The ends of a page that is fetched in chunks, found without fetching it."""

    query: ItemsQuery
    """The same page read forwards."""
    until: Position | None
    """Its last row, where another page follows."""
    more: bool
    """Whether another page follows."""
    before: bool
    """Whether a page comes before."""

    def ends(self, first: Row | None) -> PageEnds:
        """Where the pages beside it start; `first` is its first row."""
        if first is None or not self.query.resumable:
            return PageEnds(more=self.more)
        previous = _position(first, len(self.query.order), backwards=True) if self.before else None
        return PageEnds(self.until, previous, self.more)


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

    def counted(self, query: ItemsQuery) -> int | None:
        """The number of rows that match, where it need not be counted."""
        return self._counts.known(query.selection, query.fingerprint)

    async def matched(self, query: ItemsQuery) -> int | None:
        """The exact number of rows that match, or None where counting takes longer than its budget."""
        return await self._counts.matched(query.selection, query.fingerprint)

    def chunk(self, query: ItemsQuery) -> int:
        """How many rows fit a chunk."""
        width = query.selection.collection.row_bytes
        return _UNKNOWN_ROWS if width is None else _fitting(width)

    async def large(self, query: ItemsQuery) -> LargePage:
        """The ends of a page that is larger than a chunk. Raises Unavailable."""
        if query.after is None or not query.after.backwards:
            places = await self._database.fetch(places_statement(query, skip=query.limit - 1, number=2))
            more = len(places) == 2
            until = _position(places[0], len(query.order), backwards=False) if more and query.resumable else None
            return LargePage(query, until, more, bool(query.after or query.offset))
        last, before = await asyncio.gather(
            self._database.fetch(places_statement(query, skip=0, number=1)),
            self._database.fetch(places_statement(query, skip=query.limit, number=1)),
        )
        if not last:
            return LargePage(query, None, more=False, before=False)
        width = len(query.order)
        start = _position(before[0], width, backwards=False) if before else None
        until = _position(last[0], width, backwards=False)
        return LargePage(replace(query, after=start), until, more=True, before=bool(before))

    async def chunks(self, page: LargePage, geometry_as: str) -> AsyncIterator[tuple[RowPlan, list[Row]]]:
        """The rows of a large page, some at a time; at least one chunk, perhaps empty.

        Each chunk is a query of its own that starts behind the last row of the one before (without a key, at an
        offset), so that no connection is held while the client reads. The page ends with the row at `until`,
        whatever was inserted meanwhile; without one, at the limit.
        """
        rest, wanted = page.query, page.query.limit
        size, known = self.chunk(rest), rest.selection.collection.row_bytes is not None
        while True:
            if page.until is None:
                # the last page ends at the limit too, however fast rows are added behind it
                size = min(size, wanted)
            plan = items_plan(rest, limit=size, geometry_as=geometry_as, until=page.until)
            rows = await self._database.fetch(plan.statement)
            yield plan, rows
            wanted -= len(rows)
            if len(rows) < size or (page.until is None and wanted <= 0):
                return
            if rest.resumable:
                rest = replace(rest, after=_position(rows[-1], plan.sort_values, backwards=False), offset=0)
            else:
                rest = replace(rest, offset=rest.offset + len(rows))
            if not known:
                size = _fitting(_width(rows))


def _fitting(width: int) -> int:
    """How many rows of so many bytes fit a chunk."""
    return min(max(_CHUNK_BYTES // max(width, 1), _CHUNK_ROWS.start), _CHUNK_ROWS.stop - 1)


def _width(rows: list[Row]) -> int:
    """About how many bytes a row takes, text being nearly all of it; half, for what is stored is denser."""
    return sum(len(value) for row in rows for value in row if isinstance(value, str | bytes)) // (2 * len(rows))


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
