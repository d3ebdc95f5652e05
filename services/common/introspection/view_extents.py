"""Extents of views: the server keeps no statistics of them, so they are read, within limits."""

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from libs.catalogue.model import Collection, GeometryColumn, TimeColumn
from libs.pg.pool import Database
from libs.pg.sql import Sql
from services.common.introspection.extents import box_in_degrees, ends_of
from services.common.introspection.extents_sql import ends_of_view, view_box

_LOG = logging.getLogger("dams.catalogue")


@dataclass(frozen=True, slots=True)
class _Read:
    """A view with its extents, as they were read in the given state of its relations."""

    state: object
    at: float
    bare: Collection
    filled: Collection


class ViewExtents:
    """Reads the extents of views: all rows or nothing, never a part of them.

    A column whose extent takes longer than `statement_ms` has none. At most `round_seconds` go into reading at a
    time, the others follow at the next; a view is read again when its relations have changed, but not within
    `least_seconds`, and every `trusted_seconds` in any case.
    """

    def __init__(
        self,
        database: Database,
        *,
        statement_ms: int = 250,
        round_seconds: float = 0.25,
        least_seconds: float = 30.0,
        trusted_seconds: float = 300.0,
    ) -> None:
        self._database = database
        self._statement_ms = statement_ms
        self._round_seconds = round_seconds
        self._least_seconds = least_seconds
        self._trusted_seconds = trusted_seconds
        self._known: dict[str, _Read] = {}

    async def filled_in(
        self, collections: tuple[Collection, ...], states: Mapping[str, object]
    ) -> tuple[Collection, ...]:
        """The collections, the views among them with the extents that are known of them. Raises Unavailable.

        `states` tells by collection id what a view's extents depend on.
        """
        views = {collection.id: collection for collection in collections if collection.kind == "view"}
        self._known = {identifier: self._known[identifier] for identifier in views if identifier in self._known}
        started = time.monotonic()
        # those first that nobody has looked at, or not for the longest time
        for view in sorted(views.values(), key=lambda view: self._read_at(view.id)):
            if time.monotonic() - started > self._round_seconds:
                break
            if self._due(view, states[view.id], started):
                filled = await self._filled(view, started + self._round_seconds)
                self._known[view.id] = _Read(states[view.id], time.monotonic(), view, filled)
        return tuple(self._with(collection) for collection in collections)

    def _read_at(self, identifier: str) -> float:
        known = self._known.get(identifier)
        return known.at if known else float("-inf")

    def _due(self, view: Collection, state: object, now: float) -> bool:
        known = self._known.get(view.id)
        if known is None or known.bare.shape != view.shape:
            return True
        age = now - known.at
        return age > self._trusted_seconds or (known.state != state and age > self._least_seconds)

    def _with(self, collection: Collection) -> Collection:
        known = self._known.get(collection.id)
        if known is None or known.bare.shape != collection.shape:
            return collection
        if known.bare is not collection:
            # the same object as long as nothing has changed
            filled = replace(collection, geometries=known.filled.geometries, times=known.filled.times)
            known = self._known[collection.id] = replace(known, bare=collection, filled=filled)
        return known.filled

    async def _filled(self, view: Collection, until: float) -> Collection:
        return replace(
            view,
            geometries=tuple([await self._with_box(view, column, until) for column in view.geometries]),
            times=tuple([await self._with_ends(view, column, until) for column in view.times]),
        )

    async def _with_box(self, view: Collection, column: GeometryColumn, until: float) -> GeometryColumn:
        if time.monotonic() > until:
            return column
        rows = await self._rows(view, view_box(view, column))
        return replace(column, bbox=box_in_degrees([row[1:] for row in rows], column.srid))

    async def _with_ends(self, view: Collection, column: TimeColumn, until: float) -> TimeColumn:
        if time.monotonic() > until:
            return column
        rows = await self._rows(view, ends_of_view(view, column))
        start, end, nulls = ends_of([(row[1], row[2]) for row in rows])
        return replace(column, start=start, end=end, nulls=nulls)

    async def _rows(self, view: Collection, statement: Sql) -> list[tuple]:  # type: ignore[type-arg]
        text, arguments = statement.render()
        try:
            async with self._database.connection() as connection, connection.transaction(readonly=True):
                await connection.execute("SELECT set_config('statement_timeout', $1, true)", str(self._statement_ms))
                return [tuple(row) for row in await connection.fetch(text, *arguments)]
        except Exception as error:
            # a slow or broken view costs only itself; without the database the last catalogue is better
            if await self._database.passes(error):
                raise
            _LOG.info("no extent", extra={"fields": {"collection": view.id, "cause": str(error.__cause__ or error)}})
            return []
