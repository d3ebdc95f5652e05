"""Exact counts by facet, computed once per data version, selection and facet."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from hashlib import blake2b
from typing import Protocol

from cachetools import LRUCache

from libs.catalogue.versions import DataVersions
from libs.concurrency.single_flight import SingleFlight
from libs.ogc.errors import Fault, InvalidParameters, StoredValueError
from libs.pg.pool import Database
from libs.pg.shares import Shares
from libs.pg.sql import Sql
from libs.selection.selection import Selection
from services.features.aggregation import buckets, statements
from services.features.aggregation import edges as edges_of
from services.features.aggregation.buckets import Counted, Row
from services.features.aggregation.facet import (
    MOST_BUCKETS,
    MOST_CELLS,
    Facet,
    NumberFacet,
    PlaceFacet,
    TermFacet,
    TimeFacet,
)
from services.features.rows.failing_rows import FailingRows

_MOST_KEPT = 200_000
"""Maximum number of cached buckets. A cell takes about 500 bytes, any other bucket about 300."""
_LONG_TERM = 300
"""Characters from which a term counts as several buckets; a term has at most `LONGEST_TERM`."""
_WAIT_SECONDS = 5.0


class _Connection(Protocol):
    async def execute(self, query: str) -> str: ...
    async def fetch(self, query: str, *args: object) -> list[Row]: ...


class FacetCounts:
    """Counts by facet. A count serves all requests until the data change."""

    def __init__(
        self, database: Database, versions: DataVersions, failing: FailingRows, *, at_once: int, of_collection: int
    ) -> None:
        """Run at most `at_once` counts, `of_collection` of them for one collection: pages need connections too."""
        self._failing = failing
        self._database = database
        self._versions = versions
        self._turns = Shares(at_once, wait_seconds=_WAIT_SECONDS)
        self._turns_of = Shares(of_collection, wait_seconds=_WAIT_SECONDS)
        self._known: LRUCache[str, Counted] = LRUCache(_MOST_KEPT, getsizeof=_weight)
        self._counting: SingleFlight[dict[str, Counted]] = SingleFlight()

    async def close(self) -> None:
        """Cancel running counts."""
        await self._counting.close()

    async def count(self, selection: Selection, facets: Sequence[Facet]) -> tuple[list[Counted], int]:
        """Return the buckets of each facet, and the number of rows left out because a condition fails on them.

        All buckets show one state of the data, at least as new as the current version. Raises InvalidParameters if a
        facet would have too many buckets, Unavailable if counting takes too long.
        """
        selection = self._failing.exclude_known(selection)
        known = [
            _skip_unplaced(facet, self._failing.exclude_known(_require_place(selection, facet))) for facet in facets
        ]
        try:
            return await self._count_missing(selection, known), selection.failing
        except StoredValueError:
            others, sound = await self._sound(selection, facets)
            if others is selection and sound == known:
                raise
        return await self._count_missing(others, sound), others.failing

    async def _sound(self, selection: Selection, facets: Sequence[Facet]) -> tuple[Selection, list[Facet]]:
        """Return the selection without failing rows, and place facets that skip rows without a place."""
        database = self._database.of(selection.collection.id)
        with suppress(StoredValueError):
            selection = await self._failing.find(database, selection)
        sound = []
        for facet in facets:
            placing = self._failing.exclude_known(_require_place(selection, facet))
            if isinstance(facet, PlaceFacet):
                with suppress(StoredValueError):
                    placing = await self._failing.find(database, placing)
            sound.append(_skip_unplaced(facet, placing))
        return selection, sound

    async def _count_missing(self, selection: Selection, facets: Sequence[Facet]) -> list[Counted]:
        keys = [self._key(selection, facet) for facet in facets]
        found = {key: known for key in keys if (known := self._known.get(key)) is not None}
        missing = {key: facet for key, facet in zip(keys, facets, strict=True) if key not in found}
        if missing:
            name = "|".join(missing)
            found |= await self._counting.do(name, lambda: self._count(selection, missing))
        return [found[key] for key in keys]

    def _key(self, selection: Selection, facet: Facet) -> str:
        version = self._versions.version(selection.collection)
        text, args = (selection.table + selection.where).render()
        what = f"{text}{args!r}{replace(facet, name='')!r}"
        return f"{version.token if version else ''}:{blake2b(what.encode(), digest_size=15).hexdigest()}"

    async def _count(self, selection: Selection, facets: dict[str, Facet]) -> dict[str, Counted]:
        async with self._connection(selection) as connection:
            found = {key: await _Counter(connection, selection).count(facet) for key, facet in facets.items()}
        if self._versions.version(selection.collection) is not None:
            # do not cache if the rows changed during the count
            for key, facet in facets.items():
                if key == self._key(selection, facet):
                    self._known[key] = found[key]
        return found

    @asynccontextmanager
    async def _connection(self, selection: Selection) -> AsyncIterator[_Connection]:
        collection = selection.collection.id
        await self._turns_of.enter(collection)
        try:
            await self._turns.enter("")
            try:
                async with self._database.of(collection).connection(transaction=True) as connection:
                    # the minimum and maximum and the counts between them must come from the same rows
                    await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                    yield connection
            finally:
                self._turns.leave("")
        finally:
            self._turns_of.leave(collection)


def _require_place(selection: Selection, facet: Facet) -> Selection:
    """Return the selection with a condition that fails on the same rows as a place facet."""
    if not isinstance(facet, PlaceFacet):
        return selection
    return replace(selection, conditions=(*selection.conditions, statements.is_placed(facet.geometry)), failing=0)


def _skip_unplaced(facet: Facet, placing: Selection) -> Facet:
    if isinstance(facet, PlaceFacet) and placing.failing:
        return replace(facet, placed=placing.conditions[0])
    return facet


def _weight(counted: Counted) -> int:
    """Return the weight of a count in buckets of usual size; long terms weigh more."""
    return 1 + sum(1 + len(str(bucket.get("value", ""))) // _LONG_TERM for bucket in counted.buckets)


class _Counter:
    """Counts facets in one snapshot."""

    def __init__(self, connection: _Connection, selection: Selection) -> None:
        self._connection = connection
        self._selection = selection

    async def count(self, facet: Facet) -> Counted:
        if isinstance(facet, TermFacet):
            return buckets.term_buckets(facet, await self._fetch(statements.terms(self._selection, facet)))
        if isinstance(facet, NumberFacet):
            return await self._numbers(facet)
        return await (self._times(facet) if isinstance(facet, TimeFacet) else self._places(facet))

    async def _fetch(self, statement: Sql) -> list[Row]:
        text, args = statement.render()
        return await self._connection.fetch(text, *args)

    async def _numbers(self, facet: NumberFacet) -> Counted:
        if facet.edges:
            edges: Sequence[str] | None = facet.edges
        elif facet.quantiles is not None:
            found = await self._fetch(statements.number_quantiles(self._selection, facet.column, facet.quantiles))
            edges = list(dict.fromkeys(found[0][0] or ()))
        else:
            first, last = (await self._fetch(statements.number_ends(self._selection, facet.column)))[0]
            if first is None:
                edges = []
            elif facet.width is not None:
                edges = edges_of.multiples(Decimal(facet.width), Decimal(first), Decimal(last), most=MOST_BUCKETS)
            else:
                edges = edges_of.equal_numbers(Decimal(first), Decimal(last), facet.bins or 1)
        if edges is None:
            raise _excess_of_buckets(facet, MOST_BUCKETS, "a greater width")
        bounds = buckets.open_ranges(edges) if facet.edges else buckets.closed_ranges(edges) if edges else []
        thresholds = edges if facet.edges else edges[1:-1]
        rows = await self._fetch(statements.numbers(self._selection, facet.column, thresholds))
        return buckets.range_buckets(bounds, rows)

    async def _times(self, facet: TimeFacet) -> Counted:
        edges, unit = await self._time_edges(facet)
        if edges is None:
            raise _excess_of_buckets(facet, MOST_BUCKETS, "a longer unit or a shorter time")
        bounds = buckets.open_ranges(edges) if facet.edges else buckets.closed_ranges(edges) if edges else []
        thresholds = edges if facet.edges else edges[1:-1]
        more = {} if unit is None else {"interval": unit}
        if facet.end is not None:
            statement = statements.period_statement(self._selection, facet.column, facet.end, thresholds)
            return buckets.lasting_buckets(bounds, await self._fetch(statement), more)
        rows = await self._fetch(statements.times(self._selection, facet.column, thresholds))
        return buckets.range_buckets(bounds, rows, more)

    async def _time_edges(self, facet: TimeFacet) -> tuple[Sequence[datetime] | None, str | None]:
        """Return the edges ([] if there are no times, None if there are too many) and their unit."""
        if facet.edges:
            return facet.edges, None
        if facet.quantiles is not None:
            found = await self._fetch(statements.time_quantiles(self._selection, facet, facet.quantiles))
            return list(dict.fromkeys(found[0][0] or ())), None
        first, last = (await self._fetch(statements.time_ends(self._selection, facet)))[0]
        if first is None:
            return [], None
        if facet.bins is not None:
            return edges_of.equal_times(first, last, facet.bins), None
        unit = facet.unit or edges_of.suitable_unit(first, last)
        return edges_of.calendar_edges(unit, first, last, most=MOST_BUCKETS), unit

    async def _places(self, facet: PlaceFacet) -> Counted:
        rows = await self._fetch(statements.places(self._selection, facet))
        if sum(row[0] is not None for row in rows) > MOST_CELLS:
            raise _excess_of_buckets(facet, MOST_CELLS, "larger cells or a smaller bbox")
        return buckets.place_buckets(facet, rows)


def _excess_of_buckets(facet: Facet, most: int, instead: str) -> InvalidParameters:
    sentence = f"facets: '{facet.name}' would have more than {most} buckets; ask for {instead}"
    return InvalidParameters([Fault(("query", "facets"), sentence, facet.name, "too_many_buckets")])
