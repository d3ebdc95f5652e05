"""The features of one event in each collection, and the event that an alias names."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from libs.catalogue.model import Collection
from libs.catalogue.modules import EVENT_KEY
from libs.ogc.errors import DomainError, InvalidParameters
from libs.pg.pool import Database
from libs.pg.sql import bind, sql
from libs.web.query_params import QueryValues
from services.features.request.items_query import ItemsQuery, parse_items
from services.features.rows.items_store import ItemsStore


def query_of_event(collection: Collection, event: str, *, limit: int, base: str = "") -> ItemsQuery | None:
    """The features of the event; None where the collection cannot have it: its events are numbers, say."""
    values: dict[str, object] = defaultdict(lambda: None, limit=limit)
    query = QueryValues(values, extra={EVENT_KEY: event})
    try:
        return parse_items(collection, query, {EVENT_KEY: event}, base=base)
    except InvalidParameters:
        return None


_AT_ONCE = 4
"""Collections read concurrently for one request, so that it does not take all connections."""


@dataclass(frozen=True, slots=True)
class EventPart:
    """A collection's features of an event."""

    collection: Collection
    query: ItemsQuery
    matched: int | None
    """Number of features; None if they could not be counted."""


async def event_parts(
    store: ItemsStore, collections: Iterable[Collection], event: str, limit: int, *, base: str = ""
) -> list[EventPart]:
    """Collections with features of this event, in order, plus those that could not be checked in time.

    Each part has a query for its features, `limit` of them. base: as of `geometry_options`.
    """
    turns = asyncio.Semaphore(_AT_ONCE)

    async def part(collection: Collection) -> EventPart | None:
        query = query_of_event(collection, event, limit=limit, base=base)
        if query is None:
            return None
        async with turns:
            try:
                matched = await store.count(query)
            except DomainError:
                matched = None
        return EventPart(collection, query, matched) if matched != 0 else None

    return [found for found in await asyncio.gather(*map(part, collections)) if found is not None]


# databases filled by other programs do not have this function, and a role may not be allowed to call it
_HAS = sql(
    "SELECT count(*) > 0 AS has FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace "
    "WHERE n.nspname = 'dams' AND p.proname = 'event_of_alias' "
    "AND has_schema_privilege(n.oid, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE')"
)


class EventAliases:
    """Aliases of events, recorded by the loader of the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def event_of(self, identifier: str) -> str | None:
        """Return the event that has this identifier as an alias; None without one. Raise Unavailable."""
        (has,) = await self._database.fetch(_HAS)
        # PostgreSQL cannot store U+0000
        if not has["has"] or "\0" in identifier:
            return None
        (row,) = await self._database.fetch(
            sql("SELECT dams.event_of_alias({alias}) AS event", alias=bind(identifier, "text"))
        )
        return None if row["event"] is None else str(row["event"])
