"""Extents of views, and of tables without estimates: read from the rows, within limits."""

import time
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace

from libs.catalogue.model import Collection, GeometryColumn, TimeColumn
from libs.geo.boxes import Box
from libs.pg.pool import Database
from libs.pg.sql import Sql
from services.common.introspection.bounded import TooSlowError, pause_after, rows_within
from services.common.introspection.extents import ends_of
from services.common.introspection.extents_sql import SMALL, box_of_index, ends_of_view, usable_boxes, view_box
from services.common.introspection.located import locate

_LARGE = 500_000_000
_MANY = 1_000_000
"""Size in bytes and number of rows of a table that can usually be read in a quarter of a second."""

_Column = GeometryColumn | TimeColumn


@dataclass(frozen=True, slots=True)
class _Read:
    """A column of a view with its extent, read in the given state of the view's relations."""

    state: object
    at: float
    shape: str
    seconds: float
    """Duration of the read in seconds."""
    column: _Column | None
    """None if it took too long, or failed."""
    failures: int = 0
    """Number of reads in a row that gave no extent."""


def _columns(collection: Collection) -> tuple[_Column, ...]:
    """Return the columns whose extent must be read from the rows."""
    # times first: an index may have them at once
    every: tuple[_Column, ...] = (*collection.times, *collection.geometries)
    if collection.kind == "function":
        return ()
    if collection.kind in ("view", "foreign table") or collection.row_security:
        return every
    return tuple(column for column in every if _is_read(collection, column))


def _is_read(table: Collection, column: _Column) -> bool:
    if isinstance(column, TimeColumn):
        return column.is_period or (column.start is None and column.end is None)
    # smaller tables have been read, and estimates do not shrink after deletions
    return column.bbox is None or (_size(table) > SMALL and (not _is_large(table) or _needs_index(table, column)))


def _size(table: Collection) -> int:
    return (table.rows or 0) * (table.row_bytes or 0)


def _is_large(table: Collection) -> bool:
    return _size(table) >= _LARGE or (table.rows or 0) >= _MANY


def _needs_index(table: Collection, column: GeometryColumn) -> bool:
    """Return whether the table is too large to read, but an index may have the extent."""
    of_one = table.kind in ("table", "materialized view") and table.sources == (table.oid,)
    return _is_large(table) and of_one and not (table.row_security or column.is_geography or column.is_mixed)


class ViewExtents:
    """Reads the extents of views, and of tables without estimates, from all rows or not at all.

    A column that exceeds `statement_ms` has no extent. After `round_seconds` no further column is started; the others
    follow in the next round. A column is read again when the view's relations have changed, but not within
    `least_seconds`, later if it is slow, and in any case every `trusted_seconds`. One whose read failed is tried
    again, with longer and longer pauses.
    """

    def __init__(
        self,
        database: Database,
        *,
        statement_ms: int = 250,
        round_seconds: float = 0.25,
        least_seconds: float = 3.0,
        trusted_seconds: float = 300.0,
    ) -> None:
        self._database = database
        self._statement_ms = statement_ms
        self._round_seconds = round_seconds
        self._least_seconds = least_seconds
        self._trusted_seconds = trusted_seconds
        # by view and column
        self._known: dict[tuple[str, str], _Read] = {}
        # by view: the original, its columns, and both combined
        self._filled: dict[str, tuple[Collection, tuple[_Column, ...], Collection]] = {}

    async def fill_in(
        self, collections: tuple[Collection, ...], states: Mapping[str, object], locked: Set[str] = frozenset()
    ) -> tuple[Collection, ...]:
        """Return the collections, views with their known extents. Raises Unavailable.

        `states` has by collection id the state that a view's extents depend on. Collections with an id in `locked`
        cannot be read, and keep their extents.
        """
        columns = {(view.id, column.name): (view, column) for view in collections for column in _columns(view)}
        self._known = {key: known for key, known in self._known.items() if key in columns}
        started = time.monotonic()
        # never-read columns first, then the least recently read
        for key in sorted(columns, key=self._read_at):
            if time.monotonic() - started > self._round_seconds:
                break
            view, column = columns[key]
            if view.id not in locked and self._due(key, view.shape, states[view.id], started):
                begun = time.monotonic()
                try:
                    read = await self._read(view, column)
                except TooSlowError:
                    read = None
                ended = time.monotonic()
                before = self._known.get(key)
                failures = (before.failures if before else 0) + 1 if read is None else 0
                self._known[key] = _Read(states[view.id], ended, view.shape, ended - begun, read, failures)
        self._filled = {collection.id: self._with(collection) for collection in collections if _columns(collection)}
        return tuple(
            self._filled[collection.id][-1] if collection.id in self._filled else collection
            for collection in collections
        )

    def _read_at(self, key: tuple[str, str]) -> float:
        known = self._known.get(key)
        return known.at if known else float("-inf")

    def _due(self, key: tuple[str, str], shape: str, state: object, now: float) -> bool:
        known = self._known.get(key)
        if known is None or known.shape != shape:
            return True
        age = now - known.at
        pause = pause_after(known.seconds, known.failures, self._least_seconds)
        return age > self._trusted_seconds or ((known.state != state or known.column is None) and age > pause)

    def _with(self, view: Collection) -> tuple[Collection, tuple[_Column, ...], Collection]:
        own = {column.name for column in _columns(view)}
        every: tuple[_Column, ...] = (*view.times, *view.geometries)
        columns = tuple(self._with_known_extent(view, column) if column.name in own else column for column in every)
        before = self._filled.get(view.id)
        if before is not None and before[0] is view and before[1] == columns:
            # the same object until an extent changes
            return before
        times = tuple(column for column in columns if isinstance(column, TimeColumn))
        geometries = tuple(column for column in columns if isinstance(column, GeometryColumn))
        return view, columns, replace(view, times=times, geometries=geometries)

    def _with_known_extent(self, view: Collection, column: _Column) -> _Column:
        known = self._known.get((view.id, column.name))
        return known.column if known is not None and known.column is not None and known.shape == view.shape else column

    async def _read(self, view: Collection, column: _Column) -> _Column:
        if isinstance(column, GeometryColumn):
            *wider, narrowest = usable_boxes(column)
            for usable in wider:
                try:
                    return await self._locate(view, column, usable)
                except TooSlowError:
                    # PROJ may have failed on a row: of fewer rows it may not
                    continue
            return await self._locate(view, column, narrowest)
        rows = await self._rows(view, ends_of_view(view, column))
        start, end, nulls = ends_of([(row[1], row[2]) for row in rows])
        return replace(column, start=start, end=end, nulls=nulls)

    async def _locate(self, view: Collection, column: GeometryColumn, usable: Box) -> GeometryColumn:
        if _needs_index(view, column):
            rows = await self._rows(view, box_of_index(view, column, usable))
            if rows or column.bbox is not None:
                return locate(column, [row[1:] for row in rows]) if rows else column
        rows = await self._rows(view, view_box(view, column, usable))
        return locate(column, [row[1:] for row in rows])

    async def _rows(self, view: Collection, statement: Sql) -> list[tuple]:  # type: ignore[type-arg]
        return await rows_within(self._database, statement, self._statement_ms, view.id, "no extent")
