"""Read extents of collections at a cost that does not grow with their rows."""

import asyncio
import logging
import time
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from libs.catalogue.database_state import DatabaseStates
from libs.catalogue.model import Collection, GeometryColumn, TimeColumn
from libs.ogc.temporal import rfc3339
from libs.pg.pool import Database
from libs.pg.sql import bind, join, sql
from services.common.introspection.extents_sql import (
    Key,
    Query,
    box_query,
    mixed_box_query,
    sampled_times,
    time_query,
    usable_boxes,
)
from services.common.introspection.located import locate

_LOG = logging.getLogger("dams.catalogue")
_BATCH = 100

Found = dict[Key, list[tuple[Any, ...]]]
"""The rows of each query."""
Ends = tuple[str | None, str | None, bool]
"""First and last moment, and whether there are rows without one."""
Sampled = tuple[list[str], bool]
"""Moments from the statistics, and whether there are rows without one."""

# An estimate changes with the statistics that it uses.
_ANALYSED = """
SELECT oid::bigint, (pg_stat_get_analyze_count(oid) + pg_stat_get_autoanalyze_count(oid))::text
FROM pg_class WHERE relkind IN ('r', 'm', 'p')
"""


@dataclass(frozen=True, slots=True)
class _Known:
    """A collection with its extents, read in the given state of its relations."""

    state: object
    bare: Collection
    filled: Collection


class Extents:
    """Reads extents again only if rows or statistics may have changed.

    Boxes come from the root of the GiST index or from statistics (ST_EstimatedExtent), times from the two ends of a
    btree index, else from statistics. Unknown extents are None. Everything is read again from time to time, because a
    replica counts no changes.
    """

    def __init__(self, database: Database, *, trusted_seconds: float = 300.0) -> None:
        self._database = database
        self._database_states = DatabaseStates(database)
        self._trusted_seconds = trusted_seconds
        self._known: dict[str, _Known] = {}
        self._read_at = 0.0
        self.states: Mapping[str, object] = {}
        """The state that the extents of each collection depend on, by id, at the last read."""
        self.counted: Mapping[str, object] = {}
        """The same for collections where every change gives another state."""

    async def fill_in(
        self, collections: tuple[Collection, ...], locked: Set[str] = frozenset()
    ) -> tuple[Collection, ...]:
        """Return the collections with the extents of their geometry and datetime columns. Raises Unavailable.

        Collections with an id in `locked` cannot be read, and keep their extents.
        """
        if time.monotonic() - self._read_at > self._trusted_seconds:
            self._known, self._read_at = {}, time.monotonic()
        # read the states before the extents: then an extent is never older than its state
        state = await self._database_states.read()
        versions = state.relations
        analysed = {row[0]: row[1] for row in await self._database.fetch(sql(_ANALYSED))}
        states = {
            collection.id: (
                state.identity,
                collection.shape,
                [(versions.get(oid), analysed.get(oid)) for oid in collection.sources or (collection.oid,)],
            )
            for collection in collections
        }
        self.states = states
        self.counted = {
            collection.id: states[collection.id]
            for collection in collections
            if collection.sources
            and not collection.row_security
            # a view is also among its sources, and does not store rows
            and all(versions.get(oid, "") is not None for oid in collection.sources)
        }
        known = {
            collection.id: found
            for collection in collections
            if (found := self._known.get(collection.id)) is not None
            and (found.state == states[collection.id] or (collection.id in locked and found.bare is collection))
        }
        unknown = [collection for collection in collections if collection.id not in known]
        read = await self._read([collection for collection in unknown if collection.id not in locked])
        for collection in collections:
            found = known.get(collection.id)
            if collection.id in locked and found is None:
                # read it again when the lock is released
                known[collection.id] = _Known(None, collection, collection)
            elif found is None or found.bare is not collection:
                extents = read[collection.id] if found is None else found.filled
                known[collection.id] = _Known(states[collection.id], collection, _with(collection, extents))
        # drop removed collections
        self._known = known
        return tuple(known[collection.id].filled for collection in collections)

    async def _read(self, collections: Sequence[Collection]) -> dict[str, Collection]:
        # concurrently: most of the work is the server's, and thousands of tables take a second
        boxes, ends, sampled = await asyncio.gather(
            self._each(
                ((collection.id, column.name), queries)
                for collection in collections
                for column in collection.geometries
                if (queries := _box_queries(collection, column))
            ),
            self._each(
                ((collection.id, column.name), [query])
                for collection in collections
                for column in collection.times
                if (query := time_query(collection, column)) is not None
            ),
            self._read_samples(collections),
        )
        return {
            collection.id: replace(
                collection,
                geometries=tuple(
                    locate(column, boxes.get((collection.id, column.name), [])) for column in collection.geometries
                ),
                times=tuple(
                    _with_ends(column, ends_of(ends[key]) if key in ends else _span(*sampled.get(key, ([], False))))
                    for column in collection.times
                    for key in [(collection.id, column.name)]
                ),
            )
            for collection in collections
        }

    async def _each(self, queries: Iterable[tuple[Key, Sequence[Query]]]) -> Found:
        """Run many small queries as a few; where a batch fails, one by one: a bad table costs only itself.

        For each key the first query that succeeds counts.
        """
        waiting = list(queries)
        found: Found = {}
        for start in range(0, len(waiting), _BATCH):
            batch = waiting[start : start + _BATCH]
            try:
                found.update(await self._run([(key, first) for key, (first, *_) in batch]))
            except Exception:
                for key, alternatives in batch:
                    found.update(await self._find_first(key, alternatives))
        return found

    async def _find_first(self, key: Key, alternatives: Sequence[Query]) -> Found:
        for query in alternatives:
            try:
                return await self._run([(key, query)])
            except Exception as error:
                # a slow or broken table costs only itself; without the database the last catalogue is better
                if await self._database.passes(error):
                    raise
                cause = str(error)
        _LOG.warning("no extent", extra={"fields": {"collection": key[0], "cause": cause}})
        return {}

    async def _run(self, batch: Sequence[tuple[Key, Query]]) -> Found:
        union = join(
            " UNION ALL ",
            [sql("({query})", query=query(bind(at, "int4"))) for at, (_, query) in enumerate(batch)],
        )
        found: Found = {}
        for row in await self._database.fetch(union):
            found.setdefault(batch[row[0]][0], []).append(tuple(row)[1:])
        return found

    async def _read_samples(self, collections: Sequence[Collection]) -> dict[Key, Sampled]:
        wanted = {
            (collection.schema, collection.name, column.name): (collection.id, column.name)
            for collection in collections
            for column in collection.times
            if collection.kind != "view" and not column.is_period and not _is_indexed(collection, column)
        }
        if not wanted:
            return {}
        found: dict[Key, Sampled] = {}
        try:
            rows = await self._database.fetch(sampled_times(list(wanted)))
        except Exception as error:
            if await self._database.passes(error):
                raise
            _LOG.warning("no statistics", extra={"fields": {"cause": str(error)}})
            return found
        for row in rows:
            key = wanted[(row["schema"], row["name"], row["attribute"])]
            values, nulls = found.get(key, ([], False))
            found[key] = [*values, *row["values"]], nulls or row["nulls"]
        return found


def _box_queries(collection: Collection, column: GeometryColumn) -> list[Query]:
    """Return the queries for a box, each for fewer rows than the one before."""
    if column.row_srids and column.is_mixed:
        mixed = mixed_box_query(collection, column)
        return [mixed] if mixed is not None else []
    queries = (box_query(collection, column, usable) for usable in usable_boxes(column))
    return [query for query in queries if query is not None]


def _is_indexed(collection: Collection, column: TimeColumn) -> bool:
    property_ = collection.column(column.name)
    return property_ is not None and property_.indexed


def _with(collection: Collection, extents: Collection) -> Collection:
    """Return `collection` with the extents of another one with the same columns."""
    return replace(collection, geometries=extents.geometries, times=extents.times)


def _with_ends(column: TimeColumn, ends: Ends) -> TimeColumn:
    return replace(column, start=ends[0], end=ends[1], nulls=ends[2])


def ends_of(rows: Sequence[tuple[bool | None, datetime | None]]) -> Ends:
    """Return first and last moment of the rows of `time_query`, None if open, and whether rows have none."""
    moments = {first: moment for first, moment in rows if moment is not None}
    nulls = any(first is None for first, _ in rows)
    start, end = moments.get(True), moments.get(False)
    return _moment(start) if start else None, _moment(end) if end else None, nulls


def _span(texts: Iterable[str], nulls: bool) -> Ends:
    moments = []
    for text in texts:
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            # infinity, and years that neither RFC 3339 nor Python supports, are open ends
            year = 1 if text.startswith("-") or text.endswith("BC") else 9999
            moment = datetime(year, 1, 1, tzinfo=UTC)
        moments.append(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    return (_moment(min(moments)), _moment(max(moments)), nulls) if moments else (None, None, nulls)


def _moment(value: datetime) -> str | None:
    # infinity arrives as the first or last moment of Python's calendar: an open end
    if value.year in (1, 9999):
        return None
    return rfc3339(value if value.tzinfo else value.replace(tzinfo=UTC))
