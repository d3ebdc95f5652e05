"""The number of features of an event in each collection."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from libs.catalogue.model import Collection
from libs.ogc.errors import DomainError
from services.features.request.items_query import ItemsQuery
from services.features.request.of_event import query_of_event
from services.features.rows.items_store import ItemsStore

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
                matched = await store.matched(query)
            except DomainError:
                matched = None
        return EventPart(collection, query, matched) if matched != 0 else None

    return [found for found in await asyncio.gather(*map(part, collections)) if found is not None]
