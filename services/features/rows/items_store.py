"""Run the SQL of items: pages of rows, large pages in chunks, and the number of matching rows."""

from collections.abc import AsyncGenerator, Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from libs.catalogue.model import Collection
from libs.ogc.errors import Fault, InvalidParameters, StoredValueError, Uncomputable
from libs.pg.pool import Database
from libs.pg.snapshot import Snapshot
from services.features.request.cursor import PageEnds, Position
from services.features.request.items_query import ItemsQuery
from services.features.rows.counts import Counts
from services.features.rows.failing_rows import FailingRows, calls_postgis, fetch_rows
from services.features.rows.feature_cache import FeatureCache
from services.features.rows.items_sql import (
    count_statement,
    cursor_statement,
    items_plan,
    places_statement,
    row_at_statement,
)
from services.features.rows.layout import Row, RowPlan, Rows
from services.features.rows.page_ends import RowsOfPage, name_places, number_alike, page_ends, position_of

_CHUNK_BYTES = 2_000_000
"""Size of a chunk in the database's encoding, in bytes; Python values and text take a few times as much."""
_CHUNK_ROWS = range(20, 2001)
_UNKNOWN_ROWS = 200
"""Rows of the first chunk if the row size is unknown, as for views; later chunks use the measured size."""

_Page = TypeVar("_Page")


@dataclass(frozen=True, slots=True)
class LargePage:
    """A page that is fetched in chunks: its ends and its rows' identities, found without fetching the rows."""

    query: ItemsQuery
    """The same page, read forwards."""
    ends: PageEnds
    """The starts of the adjacent pages."""
    until: Position | None = None
    """Position of its last row."""
    rows: RowsOfPage | None = None
    """The page's rows, if they have an identity; rows inserted later are excluded."""
    number: int = 0
    """Number of rows of the page."""


class ItemsStore:
    """Pages and counts of collections.

    `geometry_as` is how PostGIS encodes geometries. With `features`, features can be cached ones.
    """

    def __init__(
        self, database: Database | Snapshot, counts: Counts, cache: FeatureCache | None, failing: FailingRows
    ) -> None:
        self._database = database
        self._counts = counts
        self._cache = cache
        self._failing = failing

    def read_from(self, snapshot: Snapshot) -> "ItemsStore":
        """Return a store that reads the same from a snapshot."""
        return ItemsStore(snapshot, self._counts, None, self._failing)

    async def page(self, query: ItemsQuery, geometry_as: str, *, features: bool = False) -> tuple[Rows, PageEnds]:
        """Return a page in the order of the query, and the starts of the adjacent pages. Raises Unavailable."""
        # fetch one row more, to see whether another page follows
        limit = query.limit + 1
        plan = items_plan(query, limit=limit, geometry_as=geometry_as)
        found = await self._rows(query, plan, limit=limit, features=features)
        ends = page_ends(query, found.rows, found.sort_values)
        page = replace(found, rows=found.rows[: query.limit], features=found.features and found.features[: query.limit])
        if plan.reversed:
            page = replace(page, rows=page.rows[::-1], features=page.features and page.features[::-1])
        return page, ends

    async def page_and_count(
        self, query: ItemsQuery, geometry_as: str, *, features: bool = False
    ) -> tuple[tuple[Rows, PageEnds], int | None]:
        """Return a page with its ends, and the number of matching rows: None if not requested, or not known in time.

        Raises Unavailable, and InvalidParameters if the database cannot read the cursor.
        """
        page = self.page(query, geometry_as, features=features)
        return await self._with_count(query, page, lambda found: (len(found[0].rows), found[1].more))

    async def large_and_count(self, query: ItemsQuery) -> tuple[LargePage, int | None]:
        """Return the same for a page that is larger than a chunk."""
        return await self._with_count(query, self.large(query), lambda page: (page.number, page.ends.more))

    async def _with_count(
        self, query: ItemsQuery, page: Coroutine[Any, Any, _Page], end: Callable[[_Page], tuple[int, bool]]
    ) -> tuple[_Page, int | None]:
        """`end` returns a page's number of rows and whether others follow: after the last page, no count is needed."""
        known = self._counts.recall(query.selection, query.fingerprint) if query.counted else None
        key = self._counts.key(query.selection, query.fingerprint)
        try:
            found = await page
        except Uncomputable:
            await self._refuse_cursor(query)
            raise
        if known is not None or not query.counted:
            return found, known
        number, more = end(found)
        if more or query.after is not None or (query.offset and not number):
            return found, await self.count(query)
        self._counts.learn(query.selection, query.fingerprint, key, query.offset + number)
        return found, query.offset + number

    async def row(self, collection: Collection, plan: RowPlan) -> Row | None:
        """Return the one row of an item. Raises Unavailable."""
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

    async def resolve(self, query: ItemsQuery) -> ItemsQuery:
        """Return the query without rows on which it is known to fail, and with the full values of its cursor's digests.

        Raises Unavailable, and InvalidParameters if the row at the cursor has changed or was deleted.
        """
        selection = self._failing.exclude_known(query.selection)
        if selection is not query.selection:
            query = replace(query, selection=selection)
        if query.after is None or not query.after.digested:
            return query
        try:
            rows = await self._database.of(query.selection.collection.id).fetch(row_at_statement(query, query.after))
        except Uncomputable:
            rows = []
        if not rows:
            # continuing elsewhere would lose or repeat rows
            sentence = "cursor starts behind a row that has changed or is gone; start again without it"
            raise InvalidParameters([Fault(("query", "cursor"), sentence)])
        return replace(query, after=replace(query.after, values=tuple(rows[0]), digested=frozenset()))

    async def leave_out_failing(self, query: ItemsQuery) -> ItemsQuery:
        """Return the query without the rows on which it fails; `resolve` leaves them out from now on.

        Raises StoredValueError if they cannot be found, or if the rows are not at fault.
        """
        selection = query.selection
        found = await self._failing.find(self._database.of(selection.collection.id), selection)
        return replace(query, selection=found)

    async def exclude_failing(self, query: ItemsQuery) -> ItemsQuery:
        """Do the same after testing whether such rows exist: for responses that cannot be restarted."""
        selection = self._failing.exclude_known(query.selection)
        query = replace(query, selection=selection)
        if selection.failing or not calls_postgis(selection):
            return query
        try:
            await self._database.of(selection.collection.id).fetch(count_statement(selection))
        except StoredValueError:
            return await self.leave_out_failing(query)
        return query

    async def _refuse_cursor(self, query: ItemsQuery) -> None:
        """Raise InvalidParameters if the database cannot read the cursor."""
        if query.after is None:
            return
        try:
            await self._database.fetch(cursor_statement(query))
        except Uncomputable:
            fault = Fault(("query", "cursor"), "cursor is damaged; start again without it")
            raise InvalidParameters([fault]) from None

    async def count(self, query: ItemsQuery) -> int | None:
        """Return the exact number of matching rows; None if counting exceeds its budget."""
        return await self._counts.count(query.selection, query.fingerprint)

    def chunk(self, query: ItemsQuery) -> int:
        """Return the number of rows that fit a chunk."""
        width = query.selection.collection.row_bytes
        return _UNKNOWN_ROWS if width is None else _rows_per_chunk(width)

    async def large(self, query: ItemsQuery) -> LargePage:
        """Return the ends of a page that is larger than a chunk. Raises Unavailable."""
        database = self._database.of(query.selection.collection.id)
        (arrays,) = await database.fetch(places_statement(query, number=query.limit + 1))
        found, places = len(arrays[0]), range(len(query.order))
        number = min(found, query.limit)
        if not query.resumable or number == 0:
            return LargePage(query, PageEnds(more=found > query.limit), number=number)

        def row(at: int) -> tuple[object, ...]:
            return tuple(array[at] for array in arrays)

        if query.by_content:
            rows = [row(at) for at in range(found)]
        else:
            # only the first and the last row of the page are used
            rows = [row(0)] * found
            rows[number - 1] = row(number - 1)
        ends = page_ends(query, rows, places)
        backwards = query.after is not None and query.after.backwards
        named = [arrays[place] for place in name_places(query, places)]
        names = RowsOfPage([array[number - 1 :: -1] for array in named] if backwards else named, number)
        last = position_of(row(0 if backwards else number - 1), places)
        if not backwards:
            return LargePage(query, ends, last, names, number)
        # read forwards, starting after the row before the page; the number of equal rows is then the limit
        start = None
        if found > number:
            before = position_of(row(number), places)
            start = replace(before, alike=int(before == position_of(row(number - 1), places)))
        return LargePage(replace(query, after=start), ends, last, names, number)

    async def chunks(self, page: LargePage, geometry_as: str, *, features: bool = False) -> AsyncGenerator[Rows]:
        """Yield the rows of a large page in chunks; at least one chunk, which may be empty.

        Each chunk is its own query, which starts after the last row of the previous one, or at an offset if rows have
        no identity. So no connection is in use while the client reads. Rows inserted later are left out: the page
        never exceeds its limit, and never has rows of the next page.
        """
        expected = page.rows.from_start() if page.rows is not None else None
        rest, left = page.query, page.query.limit
        size, known = self.chunk(rest), rest.selection.collection.row_bytes is not None
        least = 1
        while True:
            # Not more rows than are left: a database that does not find the end in its index would search on to the end
            # of the table. If rows were inserted, fetch a few more at once instead of one by one.
            limit = min(size, max(left, least))
            plan = items_plan(rest, limit=limit, geometry_as=geometry_as, until=page.until)
            found = await self._rows(rest, plan, limit=limit, features=features, until=page.until)
            number, places = len(found.rows), name_places(rest, found.sort_values) if rest.resumable else ()
            kept = expected.select(found, places) if expected is not None else found
            yield kept
            left -= len(kept.rows)
            if len(kept.rows) < number:
                least = _CHUNK_ROWS.start
            if number < limit or left <= 0:
                return
            if rest.resumable:
                last = position_of(found.rows[-1], found.sort_values)
                if rest.by_content and expected is not None and expected.repeats(found.rows[-1], places):
                    alike = number_alike(found.rows, found.sort_values)
                    before = rest.after
                    if alike == number and before is not None and before.values == last.values:
                        alike += before.alike
                    last = replace(last, alike=alike)
                elif last == page.until:
                    return
                rest = replace(rest, after=last, offset=0)
            else:
                rest = replace(rest, offset=rest.offset + number)
            if not known:
                size = _rows_per_chunk(_width(found))


def _rows_per_chunk(width: int) -> int:
    """Return how many rows of `width` bytes fit a chunk."""
    return min(max(_CHUNK_BYTES // max(width, 1), _CHUNK_ROWS.start), _CHUNK_ROWS.stop - 1)


def _width(found: Rows) -> int:
    """Return the approximate size of a row in bytes: half of its text, because stored rows are denser."""
    if found.features is not None:
        return sum(map(len, found.features)) // (2 * len(found.features))
    texts = (value for row in found.rows for value in row if isinstance(value, str | bytes))
    return sum(map(len, texts)) // (2 * len(found.rows))
