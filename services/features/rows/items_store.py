"""Runs the SQL of items: pages of rows, large pages in chunks, and how many rows match."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace

from libs.catalogue.model import Collection
from libs.ogc.errors import StoredValueError
from libs.pg.pool import Database
from services.features.formats.geojson import encoded
from services.features.request.cursor import Position
from services.features.request.items_query import ItemsQuery
from services.features.rows.counts import Counts
from services.features.rows.invalid_geometry import rows_without_sick_geometry
from services.features.rows.items_sql import items_plan, marks_plan, places_statement, rows_plan
from services.features.rows.kept_features import KeptFeatures, Mark, Shelf
from services.features.rows.row_plan import Fetched, Row, RowPlan

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

    fetched: Fetched
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

    def ends(self, rows: list[Row], plan: RowPlan) -> PageEnds:
        """Where the pages beside it start; `rows` are its first ones, as `plan` lays them out."""
        if not rows or not self.query.resumable:
            return PageEnds(more=self.more)
        previous = _position(rows[0], plan.sort_values, backwards=True) if self.before else None
        return PageEnds(self.until, previous, self.more)


class ItemsStore:
    """Pages and counts of collections."""

    def __init__(self, database: Database, counts: Counts, kept: KeptFeatures | None) -> None:
        self._database = database
        self._counts = counts
        self._kept = kept

    async def page(
        self, query: ItemsQuery, plan: RowPlan, marks: RowPlan | None = None, shelf: Shelf | None = None
    ) -> Page:
        """The page that `plan` (made with one row more than the limit) fetches; with a shelf, its features may be at
        hand, and `marks` is the plan that tells which. Raises Unavailable.
        """
        fetched = await self._fetched(query, plan, marks, shelf)
        rows, texts = fetched.rows[: query.limit], fetched.texts and fetched.texts[: query.limit]
        more = len(fetched.rows) > query.limit
        if fetched.plan.reversed:
            rows.reverse()
            if texts:
                texts.reverse()
        page, places = Fetched(fetched.plan, rows, texts), fetched.plan.sort_values
        if not rows or not places:
            return Page(page, PageEnds(more=more))
        return Page(page, _ends(query, rows[0], rows[-1], more, places))

    async def row(self, collection: Collection, plan: RowPlan) -> Row | None:
        """The one row of an item. Raises Unavailable."""
        rows = await self._rows(collection, plan)
        return rows[0] if rows else None

    async def _fetched(
        self, query: ItemsQuery, plan: RowPlan, marks_plan: RowPlan | None, shelf: Shelf | None
    ) -> Fetched:
        collection, kept = query.selection.collection, self._kept
        if kept is None or marks_plan is None or shelf is None:
            return Fetched(plan, await self._rows(collection, plan))
        if kept.likely(shelf):
            rows = await self._rows(collection, marks_plan)
            texts = await self._texts(kept, query, shelf, [_mark(row) for row in rows])
            if texts is not None:
                return Fetched(marks_plan, rows, texts)
            return Fetched(plan, await self._rows(collection, plan))
        rows = await self._rows(collection, plan)
        if kept.asked_before(shelf, [row[0] for row in rows]):
            kept.expect(shelf)
        return Fetched(plan, rows)

    async def _texts(
        self, kept: KeptFeatures, query: ItemsQuery, shelf: Shelf, marks: list[Mark]
    ) -> list[bytes] | None:
        """The features of these marks, those that are missing fetched now; None where that is not worth while, or a row
        has changed since its mark was fetched.
        """
        texts = kept.take(shelf, marks)
        absent = [mark[0] for mark, text in zip(marks, texts, strict=True) if text is None]
        if absent:
            if 2 * len(absent) > len(marks) and not kept.asked_before(shelf, absent):
                return None
            plan = rows_plan(query, absent)
            rows = await self._rows(query.selection.collection, plan)
            made = dict(zip(map(_mark, rows), encoded(rows, plan), strict=True))
            kept.keep(shelf, made)
            texts = [made.get(mark) if text is None else text for mark, text in zip(marks, texts, strict=True)]
        found = [text for text in texts if text is not None]
        return found if len(found) == len(marks) else None

    async def _rows(self, collection: Collection, plan: RowPlan) -> list[Row]:
        try:
            return await self._database.fetch(plan.statement)
        except StoredValueError:
            if plan.apart is None:
                raise
            without, geometry_of = plan.apart()
            return await rows_without_sick_geometry(
                self._database, collection, without, geometry_of, has_id=plan.has_id
            )

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
            last = await self._database.fetch(places_statement(query, skip=query.limit - 1, number=2))
            more = len(last) == 2
            until = _position(last[0], range(len(query.order)), backwards=False) if more and query.resumable else None
            return LargePage(query, until, more, bool(query.after or query.offset))
        last, before = await asyncio.gather(
            self._database.fetch(places_statement(query, skip=0, number=1)),
            self._database.fetch(places_statement(query, skip=query.limit, number=1)),
        )
        if not last:
            return LargePage(query, None, more=False, before=False)
        places = range(len(query.order))
        start = _position(before[0], places, backwards=False) if before else None
        until = _position(last[0], places, backwards=False)
        return LargePage(replace(query, after=start), until, more=True, before=bool(before))

    async def chunks(self, page: LargePage, geometry_as: str, shelf: Shelf | None) -> AsyncIterator[Fetched]:
        """The rows of a large page, some at a time; at least one chunk, perhaps empty. With a shelf, features are kept.

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
            marks = None if shelf is None else marks_plan(rest, limit=limit, until=page.until)
            fetched = await self._fetched(rest, plan, marks, shelf)
            yield fetched
            plan, rows = fetched.plan, fetched.rows
            wanted -= len(rows)
            if len(rows) < limit or (page.until is None and wanted <= 0):
                return
            if rest.resumable:
                last = _position(rows[-1], plan.sort_values, backwards=False)
                if last == page.until:
                    return
                rest = replace(rest, after=last, offset=0)
            else:
                rest = replace(rest, offset=rest.offset + len(rows))
            if not known:
                size = _fitting(_width(fetched))


def _fitting(width: int) -> int:
    """How many rows of so many bytes fit a chunk."""
    return min(max(_CHUNK_BYTES // max(width, 1), _CHUNK_ROWS.start), _CHUNK_ROWS.stop - 1)


def _width(fetched: Fetched) -> int:
    """About how many bytes a row takes, text being nearly all of it; half, for what is stored is denser."""
    if fetched.texts is not None:
        return sum(map(len, fetched.texts)) // (2 * len(fetched.texts))
    rows = fetched.rows
    return sum(len(value) for row in rows for value in row if isinstance(value, str | bytes)) // (2 * len(rows))


def _mark(row: Row) -> Mark:
    return (row[0], *row[-3:])


def _ends(query: ItemsQuery, first: Row, last: Row, more: bool, places: Sequence[int]) -> PageEnds:
    following, preceding = _position(last, places, backwards=False), _position(first, places, backwards=True)
    if query.after is not None and query.after.backwards:
        return PageEnds(following, preceding if more else None, more)
    return PageEnds(following if more else None, preceding if query.after or query.offset else None, more)


def _position(row: Row, places: Sequence[int], *, backwards: bool) -> Position:
    values = (row[place] for place in places)
    return Position(tuple(None if value is None else str(value) for value in values), backwards)


def one_more(query: ItemsQuery, geometry_as: str) -> RowPlan:
    """The plan of a page, with the row that tells whether another page follows."""
    return items_plan(query, limit=query.limit + 1, geometry_as=geometry_as)
