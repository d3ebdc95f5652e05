"""The values in the columns of a collection, read once per data version."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from libs.catalogue.model import Collection, Column
from libs.catalogue.versions import DataVersions
from libs.concurrency.single_flight import SingleFlight
from libs.ogc.errors import DomainError
from libs.pg.column_types import as_float8, base_type
from libs.pg.pool import Database, Statements
from libs.pg.sql import Sql, bind, ident, join, sql
from services.features.rows.columns import CALENDAR
from services.features.rows.geometry_sql import omitted_statement

_LOG = logging.getLogger("dams.features")
_MOST_VALUES = 40
"""Maximum number of distinct values of an enumeration."""
SECONDS = 5.0
_MOMENT = 0.3
_AGAIN_SECONDS = 60.0
"""Minimum time between two searches for suggestions, in seconds, however often the data change."""


@dataclass(frozen=True, slots=True)
class ValueRange:
    """Minimum and maximum of a column, or all of its values if they are few."""

    minimum: Any = None
    maximum: Any = None
    values: list[str] | None = None
    omitted: int = 0
    """For a geometry column: number of rows whose geometry is omitted."""


class ValueRanges:
    """Ranges of all columns of a collection, cached for its latest version."""

    def __init__(self, database: Database, versions: DataVersions) -> None:
        self._database = database
        self._versions = versions
        self._known: dict[str, tuple[str, dict[str, ValueRange]]] = {}
        self._searches: SingleFlight[dict[str, ValueRange] | None] = SingleFlight()
        self._next_search: dict[str, float] = {}

    async def close(self) -> None:
        """Cancel running searches."""
        await self._searches.close()

    async def ranges(self, collection: Collection) -> dict[str, ValueRange] | None:
        """Return ranges by column name. Empty for functions; None if the search fails or takes too long."""
        version = self._versions.version(collection)
        if version is None:
            return {}
        known = self._known.get(collection.id)
        if known is not None and known[0] == version.token:
            return known[1]
        return await self._searches.do(version.token, lambda: self._search(collection, version.token))

    async def recent(self, collection: Collection) -> Mapping[str, ValueRange] | None:
        """Return the ranges found last, for any version: suggestions may be old, but must be fast.

        Empty for functions; None if not known yet.

        A new search runs beside the request, which waits for it briefly, and only without an earlier result.
        """
        known, version = self._known.get(collection.id), self._versions.version(collection)
        if version is None:
            return known[1] if known is not None else {}
        if known is None or known[0] != version.token:
            now = asyncio.get_running_loop().time()
            if now >= self._next_search.get(collection.id, now):
                self._next_search[collection.id] = now + _AGAIN_SECONDS
                self._searches.start(version.token, lambda: self._search(collection, version.token))
            if known is None and (search := self._searches.find(version.token)) is not None:
                await asyncio.wait([search], timeout=_MOMENT)
                known = self._known.get(collection.id)
        return known[1] if known is not None else None

    async def _search(self, collection: Collection, token: str) -> dict[str, ValueRange] | None:
        try:
            found = await asyncio.wait_for(self._find(collection), SECONDS)
        except (DomainError, TimeoutError) as error:
            _LOG.warning("no ranges", extra={"fields": {"collection": collection.id, "cause": str(error)}})
            return None
        self._known[collection.id] = (token, found)
        return found

    async def _find(self, collection: Collection) -> dict[str, ValueRange]:
        table, database = ident(collection.schema, collection.name), self._database.of(collection.id)
        ordered = [column for column in collection.columns if _is_ordered(column)]
        result: dict[str, ValueRange] = {}
        if ordered:
            row = await database.fetchrow(
                sql(
                    "SELECT {ends} FROM {table}",
                    ends=join(", ", [part for column in ordered for part in _ends(column)]),
                    table=table,
                )
            )
            values = tuple(row) if row else ()
            for position, column in enumerate(ordered):
                ends = list(values[2 * position : 2 * position + 2])
                rfc3339 = CALENDAR.get(base_type(column.sql_type))
                result[column.name] = ValueRange(*(rfc3339(ends) if rfc3339 else ends))
        for geometry in collection.geometries:
            if geometry.partial:
                result[geometry.name] = ValueRange(omitted=await database.fetchval(omitted_statement(table, geometry)))
        few = await self._columns_with_few_values(collection)
        for column in collection.columns:
            if column.name in few and column.type == "string" and column.format is None:
                different = await self._values(database, table, column)
                if len(different) <= _MOST_VALUES:
                    result[column.name] = ValueRange(values=different)
        return result

    async def _columns_with_few_values(self, collection: Collection) -> set[str]:
        rows = await self._database.fetch(
            sql(
                "SELECT attname FROM pg_stats WHERE schemaname = {schema} AND tablename = {name}"
                " AND n_distinct BETWEEN 1 AND {most}",
                schema=bind(collection.schema, "text"),
                name=bind(collection.name, "text"),
                most=bind(_MOST_VALUES, "int4"),
            )
        )
        return {row[0] for row in rows}

    async def _values(self, database: Statements, table: Sql, column: Column) -> list[str]:
        rows = await database.fetch(
            sql(
                "SELECT DISTINCT {name}::text FROM {table} WHERE {name} IS NOT NULL ORDER BY 1 LIMIT {most}",
                name=ident(column.name),
                table=table,
                most=bind(_MOST_VALUES + 1, "int8"),
            )
        )
        return [row[0] for row in rows]


def _is_ordered(column: Column) -> bool:
    return column.type in ("integer", "number") or column.format in ("date", "date-time")


def _ends(column: Column) -> tuple[Sql, Sql]:
    name = ident(column.name)
    return _end(sql("min({name})", name=name), column), _end(sql("max({name})", name=name), column)


def _end(value: Sql, column: Column) -> Sql:
    """Return the value as features show it."""
    sql_type = base_type(column.sql_type)
    if sql_type in CALENDAR:
        return sql("{value}::text", value=value)
    if sql_type == "real":
        # casting it directly gives another double than its shortest decimal form
        return sql("{value}::text::float8", value=value)
    return as_float8(value, sql_type) if column.type == "number" else value
