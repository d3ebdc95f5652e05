"""GET /events/{eventId}: the features of all collections that belong to one event."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from libs.catalogue.model import Collection
from libs.catalogue.modules import EVENT_KEY, of_events
from libs.ogc.errors import NotFound
from libs.ogc.link import Link, path_segment
from libs.ogc.media_type import MediaType
from libs.ogc.temporal import now
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.conditional import conditional
from libs.web.html import page_response
from libs.web.respond import json_response, links_json, representations
from services.features.answer import Answer, Pieces
from services.features.event_alias import redirect_alias
from services.features.formats.geojson import encode, features
from services.features.pages.event_page import DRAWN, Event, event_of, page_context, sort_by_weight
from services.features.pages.impact_page import event_impact, impact_state
from services.features.request.items_query import GeometryOptions, ItemsQuery
from services.features.resources import CATALOGUE, IMPACTS, STORE
from services.features.rows.event_parts import EventPart, event_parts
from services.features.rows.items_store import ItemsStore
from services.features.samples.programs import programs_of
from services.features.samples.source import Source, file_name
from services.features.sending import send
from services.features.stac.items import EVENTS
from services.features.stac.sources import sources

GEOJSON = "application/geo+json"
_TOLD = 1000
"""Maximum number of features of each collection that the page reads."""
_MOST = 10_000
"""Maximum number of features of each collection in the bundle."""


async def get_event(call: Call) -> web.StreamResponse:
    """Return name, time, place and collections of an event as a page, or its features as GeoJSON.

    A former identifier of the event is redirected.
    """
    call.query.check()
    app, name = call.request.app, call.path["eventId"]
    bundle = call.media_type == GEOJSON
    known = of_events(app[CATALOGUE].collections.values())
    parts = await event_parts(app[STORE], known, name, _MOST if bundle else _TOLD, base=base_url(call.request))
    if not parts:
        return await redirect_alias(call)
    if bundle:
        return await _bundle(call, name, parts)
    seen = [await _read_part(app[STORE], part) for part in parts]
    told = sort_by_weight([(part, found) for part, found in seen if part.matched != 0])
    if not told:
        raise _no_event(name)
    parts = [part for part, _ in told]
    event = event_of(name, told)
    base = base_url(call.request)
    computed = await app[IMPACTS].find(name)
    has_raster = computed is not None and computed.has_raster
    links = links_json(
        [
            *_links(call, base, name),
            *_stac(base, name, [part.collection for part in parts]),
            *_products(base, name, is_computed=computed is not None, has_raster=has_raster),
        ],
        call.media_type,
    )
    document = _document(event, parts, base, links, call.media_type)
    if call.media_type == MediaType.HTML:
        files = {"geojson": f"{base}/events/{path_segment(name)}?f=geojson"}
        programs = programs_of(Source(event.title, file_name(name), files))
        has_impacts = any(part.collection.impact_source is not None for part in parts)
        trouble = await app[IMPACTS].trouble() if has_impacts else None
        impact = event_impact(computed, trouble) if computed else None
        context = {
            **page_context(event, told, is_counted=impact is not None),
            "document": document,
            "links": links,
            "programs": programs,
            "impact": impact,
            "impact_state": impact_state(computed, trouble) if has_impacts else None,
            "has_raster": has_raster,
        }
        return conditional(call.request, page_response(call.request, "event.html", context))
    return conditional(call.request, json_response(document))


def _no_event(event: str) -> NotFound:
    return NotFound(f"No collection has features of an event '{event}'.")


async def _read_part(store: ItemsStore, part: EventPart) -> tuple[EventPart, list[dict[str, Any]]]:
    """Return the part and its features; if the count timed out, count the features read. Raises Unavailable."""
    page, _ = await store.page(*_part_query(part))
    found = features(page.rows, page.layout)
    if part.matched is None and len(found) < part.query.limit:
        part = replace(part, matched=len(found))
    return part, found


def _part_query(part: EventPart) -> tuple[ItemsQuery, str]:
    # read shapes if there are few features, else only boxes
    if part.matched is not None and part.matched <= DRAWN:
        return part.query, "drawing"
    options = GeometryOptions(bbox_only=True, base=part.query.options.base)
    return replace(part.query, options=options), "geojson"


def _links(call: Call, base: str, name: str) -> list[Link]:
    address = f"{base}/events/{path_segment(name)}"
    return [
        *representations(address, call.media_type, call.offers),
        Link(f"{base}/map?{urlencode({'event': name})}", "preview", MediaType.HTML, "The event on the map"),
    ]


def _stac(base: str, name: str, collections: Sequence[Collection]) -> list[Link]:
    if not sources(collections):
        return []
    address = f"{base}/stac/collections/{EVENTS}/items/{path_segment(name)}"
    return [Link(address, "related", GEOJSON, "The event as a STAC item")]


def _products(base: str, name: str, *, is_computed: bool, has_raster: bool) -> list[Link]:
    """Return links to the products of the event; to its impact once that is computed."""
    address = f"{base}/events/{path_segment(name)}"
    files = Link(f"{address}/bundle", "enclosure", "application/zip", "Shapefiles and GeoPackage")
    if not is_computed:
        return [files]
    return [
        files,
        Link(f"{address}/impact", "related", MediaType.JSON, "People in its zones"),
        Link(f"{address}/facilities", "related", MediaType.JSON, "Facilities in its zones"),
        *([Link(f"{address}/intensity.tif", "related", "image/tiff", "Wind or shaking")] if has_raster else []),
    ]


def _document(
    event: Event, parts: Sequence[EventPart], base: str, links: list[dict[str, Any]], media_type: str
) -> dict[str, Any]:
    extent = {
        **({"spatial": {"bbox": [list(event.box)]}} if event.box else {}),
        **({"temporal": {"interval": [[event.start, event.end]]}} if event.start else {}),
    }
    return {
        "id": event.id,
        "title": event.title,
        "links": links,
        **({"extent": extent} if extent else {}),
        "collections": [
            {
                "id": part.collection.id,
                "title": part.collection.title,
                **({} if part.matched is None else {"numberMatched": part.matched}),
                "links": links_json(_part_links(part.collection, event.id, base), media_type),
            }
            for part in parts
        ],
    }


def _part_links(collection: Collection, event: str, base: str) -> list[Link]:
    address, query = f"{base}/collections/{path_segment(collection.id)}", urlencode({EVENT_KEY: event})
    return [
        Link(f"{address}/items?{query}", "items", GEOJSON, "Features as GeoJSON"),
        Link(f"{address}/items?{query}&f=html", "items", MediaType.HTML, "Features as a page"),
        Link(f"{address}/export?{query}&f=gpkg", "enclosure", "application/geopackage+sqlite3", "GeoPackage"),
        Link(f"{address}/export?{query}&f=csv", "enclosure", "text/csv", "CSV"),
    ]


async def _bundle(call: Call, name: str, parts: Sequence[EventPart]) -> web.StreamResponse:
    """Return all features in one FeatureCollection; `collectionId` names the collection of each.

    Raises NotFound if there are none.
    """
    pieces = _pieces(call, name, parts)
    # an error before the first piece can still be returned with its own status
    first = await anext(pieces)
    answer = Answer(
        {
            "Content-Type": GEOJSON,
            "Cache-Control": "no-cache",
            "Vary": "Accept",
            "Content-Disposition": f'inline; filename="{file_name(name)}.geojson"',
        },
        Pieces(_chain(first, pieces)),
    )
    return await send(call.request, answer)


async def _chain(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for piece in rest:
        yield piece


async def _pieces(call: Call, name: str, parts: Sequence[EventPart]) -> AsyncIterator[bytes]:
    store, base = call.request.app[STORE], base_url(call.request)
    head = {"type": "FeatureCollection", "id": name, "timeStamp": now(), "links": links_json(_links(call, base, name))}
    start, number = encode(head)[:-1] + b',"features":[', 0
    for part in parts:
        async for rows in store.chunks(await store.large(part.query), "geojson"):
            encoded = [encode(_of_collection(part.collection, each)) for each in features(rows.rows, rows.layout)]
            if encoded:
                yield start + b",".join(encoded)
                start, number = b",", number + len(encoded)
    if not number:
        raise _no_event(name)
    yield (b"" if start == b"," else start) + b'],"numberReturned":%d}' % number


def _of_collection(collection: Collection, feature: dict[str, Any]) -> dict[str, Any]:
    # collections may use the same ids
    own = {"id": f"{collection.id}/{feature['id']}"} if feature.get("id") is not None else {}
    return {**feature, **own, "properties": {"collectionId": collection.id, **feature["properties"]}}
