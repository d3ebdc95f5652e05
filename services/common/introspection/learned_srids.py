"""SRIDs of columns that declare none, learned from their rows."""

import logging
import time
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace

from libs.catalogue.model import Collection, GeometryColumn
from libs.geo.crs import crs_of
from libs.geo.crs_areas import is_known
from libs.ogc.crs import crs_uri
from libs.pg.pool import Database
from libs.pg.row_srids import SridOfRows, advice, srids_of_rows, usable_srids
from services.common.introspection.bounded import TooSlowError, pause_after, rows_within
from services.common.introspection.located import may_lie_anywhere

_LOG = logging.getLogger("dams.catalogue")
_MANY = 1_000_000
"""Number of rows of a table that can usually be read in a quarter of a second."""
_SAMPLED = ("table", "materialized view", "partitioned table")


@dataclass(frozen=True, slots=True)
class _Read:
    """The SRIDs of a column, read in the given state of its relations or later."""

    state: object
    at: float
    seconds: float
    srids: tuple[int, ...] | None
    """None if it took too long, or failed."""


class LearnedSrids:
    """Reads the SRIDs of all rows; of tables that are too large for `statement_ms`, those of a sample.

    After `round_seconds` no further column is started; the others follow in the next round. A column is read again when
    its rows have changed, but not within `least_seconds`, later if it is slow.
    """

    def __init__(
        self,
        database: Database,
        *,
        statement_ms: int = 250,
        round_seconds: float = 0.25,
        least_seconds: float = 3.0,
    ) -> None:
        self._database = database
        self._statement_ms = statement_ms
        self._round_seconds = round_seconds
        self._least_seconds = least_seconds
        self._known: dict[tuple[str, str], _Read] = {}
        self._filled: dict[str, tuple[Collection, tuple[GeometryColumn, ...], Collection]] = {}
        self._said: dict[tuple[str, str], str] = {}

    async def fill_in(
        self, collections: tuple[Collection, ...], states: Mapping[str, object], locked: Set[str] = frozenset()
    ) -> tuple[Collection, ...]:
        """Return the collections with the SRIDs of their rows, the same object as before for an unchanged one.

        `states` has by id a state of the rows at most as old as the last read. Collections with an id in `locked`
        cannot be read, and keep their SRIDs. Raises Unavailable.
        """
        columns = {
            (collection.id, column.name): (collection, column)
            for collection in collections
            if collection.kind != "function"
            for column in collection.geometries
            if column.srid == 0 and not column.is_geography
        }
        self._known = {key: known for key, known in self._known.items() if key in columns}
        started = time.monotonic()
        # never-read columns first, then the least recently read
        for key in sorted(columns, key=lambda key: known.at if (known := self._known.get(key)) else float("-inf")):
            if time.monotonic() - started > self._round_seconds:
                break
            collection, column = columns[key]
            if collection.id not in locked and self._is_due(key, states.get(collection.id), started):
                begun = time.monotonic()
                srids = await self._read(collection, column)
                ended = time.monotonic()
                self._known[key] = _Read(states.get(collection.id), ended, ended - begun, srids)
        undeclared = {identifier for identifier, _ in columns}
        self._filled = {
            collection.id: self._with(collection) for collection in collections if collection.id in undeclared
        }
        return tuple(
            self._filled[collection.id][-1] if collection.id in self._filled else collection
            for collection in collections
        )

    def _is_due(self, key: tuple[str, str], state: object, now: float) -> bool:
        known = self._known.get(key)
        if known is None:
            return True
        pause = pause_after(known.seconds, int(known.srids is None), self._least_seconds)
        return (known.state != state or known.srids is None) and now - known.at > pause

    async def _read(self, collection: Collection, column: GeometryColumn) -> tuple[int, ...] | None:
        is_sampled = collection.kind in _SAMPLED and bool(collection.rows)
        if not is_sampled or (collection.rows or 0) <= _MANY:
            try:
                return self._usable(collection, column, await self._rows(collection, column))
            except TooSlowError:
                if not is_sampled:
                    return None
        try:
            return self._usable(collection, column, await self._rows(collection, column, sampled_of=collection.rows))
        except TooSlowError:
            return None

    async def _rows(
        self, collection: Collection, column: GeometryColumn, *, sampled_of: int | None = None
    ) -> list[SridOfRows]:
        statement = srids_of_rows(collection.schema, collection.name, column.name, sampled_of=sampled_of)
        found = await rows_within(self._database, statement, self._statement_ms, collection.id, "no SRIDs")
        return [SridOfRows(*row) for row in found]

    def _usable(self, collection: Collection, column: GeometryColumn, rows: list[SridOfRows]) -> tuple[int, ...]:
        key = (collection.id, column.name)
        if collection.kind in _SAMPLED:
            said = advice(collection.schema, collection.name, column.name, rows)
            sentence, statement = said or ("", None)
            if sentence and self._said.get(key) != sentence:
                _LOG.warning(sentence, extra={"fields": {"collection": collection.id, "statement": statement}})
            self._said[key] = sentence
        srids = usable_srids(rows)
        return srids if all(srid == 0 or is_known(srid) for srid in srids) else ()

    def _with(self, collection: Collection) -> tuple[Collection, tuple[GeometryColumn, ...], Collection]:
        columns = tuple(self._apply_srids(collection, column) for column in collection.geometries)
        before = self._filled.get(collection.id)
        if before is not None and before[0] is collection and before[1] == columns:
            # the same object as long as nothing has changed
            return before
        if columns == collection.geometries:
            return collection, columns, collection
        # the CRSs of responses depend on it
        srids = [column.row_srids or column.srid for column in columns]
        return collection, columns, replace(collection, geometries=columns, shape=f"{collection.shape}.{srids}")

    def _apply_srids(self, collection: Collection, column: GeometryColumn) -> GeometryColumn:
        known = self._known.get((collection.id, column.name))
        if known is None or not known.srids:
            return column
        if len(known.srids) > 1 or known.srids == (0,):
            return may_lie_anywhere(replace(column, row_srids=known.srids))
        srid = known.srids[0]
        uri = crs_uri(srid)
        is_offered = uri is None or crs_of(uri) is not None
        return may_lie_anywhere(replace(column, srid=srid, turns=(), partial=False, crs_offered=is_offered))
