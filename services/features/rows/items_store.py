"""Runs the SQL of items: pages of rows, large pages in chunks, and how many rows match."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace

from libs.catalogue.model import Collection
from libs.ogc.errors import Fault, InvalidParameters, Uncomputable
from libs.pg.pool import Database
from services.features.request.cursor import PageEnds, Position
from services.features.request.items_query import ItemsQuery
from services.features.rows.counts import Counts
from services.features.rows.feature_cache import FeatureCache
from services.features.rows.fetching import fetch_rows
from services.features.rows.items_sql import cursor_statement, items_plan, places_statement
from services.features.rows.layout import Row, RowPlan, Rows

_CHUNK_BYTES = 2_000_000
"""What a chunk may take in the database's own encoding; as Python values and text it is a few times as much."""
_CHUNK_ROWS = range(20, 2001)
_UNKNOWN_ROWS = 200
"""The first chunk where the size of a row is unknown, as it is of views; the next ones go by what it was."""


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

    def ends(self, first: Rows) -> PageEnds:
        """Where the pages beside it start; `first` are its first rows."""
        if not first.rows or not self.query.resumable:
            return PageEnds(more=self.more)
        previous = _position(first.rows[0], first.sort_values, backwards=True) if self.before else None
        return PageEnds(self.until, previous, self.more)


class ItemsStore:
    """Pages and counts of collections.

    `geometry_as` is how PostGIS encodes geometries. With `features`, they may come from the cache of encoded features.
    """

    def __init__(self, database: Database, counts: Counts, cache: FeatureCache | None) -> None:
        self._database = database
        self._counts = counts
        self._cache = cache

    async def page(self, query: ItemsQuery, geometry_as: str, *, features: bool = False) -> tuple[Rows, PageEnds]:
        """A page in the order of the query, and where the pages beside it start. Raises Unavailable."""
        # one row more than are wanted tells whether another page follows
        plan = items_plan(query, limit=query.limit + 1, geometry_as=geometry_as)
        found = await self._rows(query, plan, limit=query.limit + 1, features=features)
        more = len(found.rows) > query.limit
        page = replace(found, rows=found.rows[: query.limit], features=found.features and found.features[: query.limit])
        if plan.reversed:
            page = replace(page, rows=page.rows[::-1], features=page.features and page.features[::-1])
        return page, _ends(query, page, more)

    async def row(self, collection: Collection, plan: RowPlan) -> Row | None:
        """The one row of an item. Raises Unavailable."""
        rows = await fetch_rows(self._database.of(collection.id), collection, plan)
        return rows[0] if rows else None

    async def _rows(
        self, query: ItemsQuery, plan: RowPlan, *, limit: int, features: bool, until: Position | None = None
    ) -> Rows:
        if features and self._cache is not None:
            return await self._cache.rows(query, plan, limit=limit, until=until)
        collection = query.selection.collection
        rows = await fetch_rows(self._database.of(collection.id), collection, plan)
        return Rows(plan.layout, rows, plan.sort_values)

    async def refuse_cursor(self, query: ItemsQuery) -> None:
        """Raises InvalidParameters where it is the cursor that the database cannot read."""
        if query.after is None:
            return
        try:
            await self._database.fetch(cursor_statement(query))
        except Uncomputable:
            fault = Fault(("query", "cursor"), "cursor is damaged; start again without it")
            raise InvalidParameters([fault]) from None

    def known_count(self, query: ItemsQuery) -> int | None:
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
        places, database = range(len(query.order)), self._database.of(query.selection.collection.id)
        if query.after is None or not query.after.backwards:
            last = await database.fetch(places_statement(query, skip=query.limit - 1, number=2))
            more = len(last) == 2
            until = _position(last[0], places, backwards=False) if more and query.resumable else None
            return LargePage(query, until, more, bool(query.after or query.offset))
        last, before = await asyncio.gather(
            database.fetch(places_statement(query, skip=0, number=1)),
            database.fetch(places_statement(query, skip=query.limit, number=1)),
        )
        if not last:
            return LargePage(query, None, more=False, before=False)
        start = _position(before[0], places, backwards=False) if before else None
        until = _position(last[0], places, backwards=False)
        return LargePage(replace(query, after=start), until, more=True, before=bool(before))

    async def chunks(self, page: LargePage, geometry_as: str, *, features: bool = False) -> AsyncIterator[Rows]:
        """The rows of a large page, some at a time; at least one chunk, perhaps empty.

        Each chunk is a query of its own that starts behind the last row of the one before (without a key, at an
        offset), so that no connection is held while the client reads. The page ends with the row at `until`,
        whatever was inserted meanwhile; without one, at the limit.
        """
        rest, wanted = page.query, page.query.limit
        size, known = self.chunk(rest), rest.selection.collection.row_bytes is not None
        while True:
            # Never more than are wanted: a database that does not see the end in its index would look for more rows
            # before it to the end of the table. Rows that were added meanwhile come a few at a time.
            limit = min(size, wanted) if wanted > 0 else _CHUNK_ROWS.start
            plan = items_plan(rest, limit=limit, geometry_as=geometry_as, until=page.until)
            found = await self._rows(rest, plan, limit=limit, features=features, until=page.until)
            yield found
            number = len(found.rows)
            wanted -= number
            if number < limit or (page.until is None and wanted <= 0):
                return
            if rest.resumable:
                last = _position(found.rows[-1], found.sort_values, backwards=False)
                if last == page.until:
                    return
                rest = replace(rest, after=last, offset=0)
            else:
                rest = replace(rest, offset=rest.offset + number)
            if not known:
                size = _fitting(_width(found))


def _fitting(width: int) -> int:
    """How many rows of so many bytes fit a chunk."""
    return min(max(_CHUNK_BYTES // max(width, 1), _CHUNK_ROWS.start), _CHUNK_ROWS.stop - 1)


def _width(found: Rows) -> int:
    """About how many bytes a row takes, text being nearly all of it; half, for what is stored is denser."""
    if found.features is not None:
        return sum(map(len, found.features)) // (2 * len(found.features))
    texts = (value for row in found.rows for value in row if isinstance(value, str | bytes))
    return sum(map(len, texts)) // (2 * len(found.rows))


def _ends(query: ItemsQuery, page: Rows, more: bool) -> PageEnds:
    if not page.rows or not page.sort_values:
        return PageEnds(more=more)
    if query.after is not None and query.after.backwards:
        follows, precedes = True, more
    else:
        follows, precedes = more, query.after is not None or query.offset > 0
    return PageEnds(
        _position(page.rows[-1], page.sort_values, backwards=False) if follows else None,
        _position(page.rows[0], page.sort_values, backwards=True) if precedes else None,
        more,
    )


def _position(row: Row, places: Sequence[int], *, backwards: bool) -> Position:
    values = (row[place] for place in places)
    return Position(tuple(None if value is None else str(value) for value in values), backwards)
