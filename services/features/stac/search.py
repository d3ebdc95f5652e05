"""A page of items: events, then hazards, then impacts, each from one source after the other."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import orjson

from libs.ogc.errors import Fault, InvalidParameters, StoredValueError
from libs.pg.pool import Database
from services.features.formats.geojson import encode, features
from services.features.request.cursor import encode_cursor
from services.features.request.items_query import ItemsQuery
from services.features.rows.event_impacts import EventImpacts
from services.features.rows.items_store import ItemsStore
from services.features.stac.counted import Counted, counted
from services.features.stac.items import (
    EVENTS,
    HAZARDS,
    IMPACTS,
    ROLES,
    Event,
    Item,
    event_item,
    event_of,
    event_of_impact,
    hazard_item,
    impact_items,
)
from services.features.stac.sources import Source, Wanted, query_of, with_impacts

_EVENTS_AT_ONCE = 50
"""Events whose impacts are read at once."""
_MOST_READS = 20
"""Reads for one page; a page may end early, with a link to the next one."""
_TOKEN = re.compile(r"(\d{1,4})\.(\d{1,6})\.([A-Za-z0-9_-]*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Search:
    """A request for items."""

    wanted: Wanted
    limit: int
    collections: Sequence[str] = tuple(ROLES)
    ids: Sequence[str] | None = None
    token: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page begins: the part of the search, the page of its events, and the items of that to leave out."""

    part: int = 0
    skip: int = 0
    cursor: str | None = None

    def token(self) -> str:
        """Return it for a link."""
        return f"{self.part}.{self.skip}.{self.cursor or ''}"


@dataclass(frozen=True, slots=True)
class Page:
    """Items, and the token of the next page if there may be more."""

    items: Sequence[Item]
    next: str | None


class Items:
    """Reads pages of items."""

    def __init__(self, store: ItemsStore, impacts: EventImpacts, database: Database) -> None:
        self._store, self._impacts, self._database = store, impacts, database

    async def page(self, search: Search, sources: Sequence[Source], base: str) -> Page:
        """Return a page. Raises InvalidParameters and Unavailable."""
        request = _Request(search, base, computed=await self._impacts.are_computed())
        parts = [(kind, source) for kind in ROLES if kind in search.collections for source in sources]
        place, items, reads = _place(search.token), list[Item](), 0
        while place.part < len(parts) and len(items) < search.limit and reads < _MOST_READS:
            kind, source = parts[place.part]
            found, place = await self._part(request, (kind, source), place, search.limit - len(items))
            items += found
            reads += 1
        return Page(items, place.token() if place.part < len(parts) else None)

    async def _part(
        self, request: "_Request", part: tuple[str, Source], place: Place, limit: int
    ) -> tuple[list[Item], Place]:
        """Return up to `limit` items of one kind from one source, and where the search goes on."""
        (kind, source), search, base = part, request.search, request.base
        of_impacts, computed = kind == IMPACTS, request.computed
        wanted = replace(search.wanted, events=_events(kind, search.ids))
        rows = _EVENTS_AT_ONCE if of_impacts else limit
        query = query_of(source, wanted, limit=rows, cursor=place.cursor, base=base)
        if of_impacts:
            query = with_impacts(query, computed=computed)
        query = replace(query, limit=min(rows, self._store.chunk(query)))
        events, following = await self._events(query, zones=of_impacts, computed=computed)
        found = [item for each in events for item in each.items(kind, base)]
        if search.ids is not None:
            found = [item for item in found if item["id"] in search.ids]
        found = found[place.skip :]
        if len(found) > limit:
            return found[:limit], replace(place, skip=place.skip + limit)
        after = Place(place.part + 1) if following is None else Place(place.part, 0, following)
        return found, after

    async def _events(self, query: ItemsQuery, *, zones: bool, computed: bool) -> tuple[list["_Read"], str | None]:
        try:
            page, ends = await self._store.page(await self._store.resolve(query), "geojson")
        except StoredValueError:
            page, ends = await self._store.page(await self._store.leave_out_failing(query), "geojson")
        shown = orjson.loads(encode(features(page.rows, page.layout)))
        names = [str(feature["properties"]["event_id"]) for feature in shown]
        known = await counted(self._database, names, zones=zones) if computed and names else {}
        read = []
        for name, feature in zip(names, shown, strict=True):
            of_event = known.get(name)
            event = event_of(
                query.selection.collection,
                feature,
                of_event.countries if of_event else (),
                has_raster=of_event is not None and of_event.has_raster,
            )
            read.append(_Read(event, of_event))
        return read, None if ends.next is None else encode_cursor(ends.next, query.fingerprint)


@dataclass(frozen=True, slots=True)
class _Request:
    search: Search
    base: str
    computed: bool
    """Whether the database has tables of impacts."""


@dataclass(frozen=True, slots=True)
class _Read:
    event: Event
    counted: Counted | None

    def items(self, kind: str, base: str) -> Iterator[Item]:
        if kind == EVENTS:
            yield event_item(self.event, base)
        elif kind == HAZARDS:
            yield hazard_item(self.event, base)
        else:
            yield from impact_items(self.event, self.counted, base)


def _events(kind: str, ids: Sequence[str] | None) -> Sequence[str] | None:
    if ids is None:
        return None
    return sorted({event_of_impact(name) if kind == IMPACTS else name for name in ids})


def _place(token: str | None) -> Place:
    if token is None:
        return Place()
    found = _TOKEN.fullmatch(token)
    if found is None:
        raise InvalidParameters(
            [Fault(("query", "token"), "token is not one of this service; start without it", token)]
        )
    return Place(int(found[1]), int(found[2]), found[3] or None)
