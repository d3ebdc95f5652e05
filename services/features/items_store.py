"""Runs the SQL of items: pages of rows, and how many rows match."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from libs.catalog.versions import DataVersions
from libs.ogc.errors import DomainError
from libs.ogc.link import Link
from libs.pg.pool import Database
from libs.selection.values import cursor_text
from services.features.cursor import Position
from services.features.items_query import ItemsQuery
from services.features.items_sql import RowPlan, count_statement, items_plan

Row = Any
"""A fetched row, as its RowPlan lays it out."""

_COUNTS_KEPT = 4096


@dataclass(frozen=True, slots=True)
class Page:
    """Rows in the order of the query, and where the pages beside this one start."""

    rows: list[Row]
    next: Position | None
    prev: Position | None


@dataclass(frozen=True, slots=True)
class ItemsAnswer:
    """All that a representation of a page is made from."""

    query: ItemsQuery
    plan: RowPlan
    page: Page
    matched: int | None
    """Number of features that match, where it could be told in time."""
    links: tuple[Link, ...]


class ItemsStore:
    """Pages and counts of collections."""

    def __init__(self, database: Database, versions: DataVersions, *, count_seconds: float) -> None:
        self._database = database
        self._versions = versions
        self._count_seconds = count_seconds
        self._counts: OrderedDict[tuple[str, str], int] = OrderedDict()
        self._counting: dict[tuple[str, str], asyncio.Task[int]] = {}

    async def page(self, query: ItemsQuery, plan: RowPlan) -> Page:
        """The page that `plan` (made with one row more than the limit) fetches. Raises Unavailable."""
        rows = await self._database.fetch(plan.statement)
        more = len(rows) > query.limit
        rows = rows[: query.limit]
        if plan.reversed:
            rows.reverse()
        if not rows or not plan.sort_values:
            return Page(rows, None, None)
        last, first = _position(rows[-1], plan, False), _position(rows[0], plan, True)
        if plan.reversed:
            return Page(rows, last, first if more else None)
        return Page(rows, last if more else None, first if query.after or query.offset else None)

    async def row(self, plan: RowPlan) -> Row | None:
        """The one row of an item. Raises Unavailable."""
        return await self._database.fetchrow(plan.statement)

    async def matched(self, query: ItemsQuery) -> int | None:
        """The exact number of rows that match, or None where counting takes longer than its budget.

        Counted once per data version and filter; a count that outlasts the budget goes on for later requests.
        """
        version = self._versions.token(query.selection.collection)
        key = (version or "", query.fingerprint)
        if version is not None and key in self._counts:
            self._counts.move_to_end(key)
            return self._counts[key]
        task = self._counting.get(key)
        if task is None:
            task = self._counting[key] = asyncio.create_task(self._count(key, query))
            task.add_done_callback(lambda done: self._counted(key, done))
        try:
            return await asyncio.wait_for(asyncio.shield(task), self._count_seconds)
        except (TimeoutError, DomainError):
            return None

    async def _count(self, key: tuple[str, str], query: ItemsQuery) -> int:
        number = int(await self._database.fetchval(count_statement(query.selection)))
        # the rows may have changed while they were counted
        if key[0] and self._versions.token(query.selection.collection) == key[0]:
            self._counts[key] = number
            while len(self._counts) > _COUNTS_KEPT:
                self._counts.popitem(last=False)
        return number

    def _counted(self, key: tuple[str, str], task: asyncio.Task[int]) -> None:
        self._counting.pop(key, None)
        if not task.cancelled():
            # a failure was either told to somebody who waited or concerns nobody any more
            task.exception()


def _position(row: Row, plan: RowPlan, backwards: bool) -> Position:
    values = tuple(row)[-plan.sort_values :]
    return Position(tuple(cursor_text(value) for value in values), backwards)


def one_more(query: ItemsQuery, geometry_as: str) -> RowPlan:
    """The plan of a page, with the row that tells whether another page follows."""
    return items_plan(query, limit=query.limit + 1, geometry_as=geometry_as)
