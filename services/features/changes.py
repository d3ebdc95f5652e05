"""GET /changes and /collections/{collectionId}/changes: current versions, or a stream of each new version."""

from collections.abc import Mapping

from aiohttp import web

from libs.catalogue.model import Collection
from libs.catalogue.versions import DataVersion
from libs.ogc.errors import NotFound, Unavailable
from libs.ogc.link import Link
from libs.ogc.media_type import MediaType
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.conditional import conditional
from libs.web.respond import json_response, links_json
from services.features.answer import Answer
from services.features.part import EVENTS_TYPE
from services.features.resources import CATALOGUE, HUB, VERSIONS
from services.features.streaming.cloud_events import cloud_event
from services.features.streaming.hub import Listener

_LONGEST_ID = 100
# each response is a new stream, and no proxy may buffer it
_STREAM = Answer(
    {"Content-Type": EVENTS_TYPE, "Cache-Control": "no-store", "X-Accel-Buffering": "no", "Vary": "Accept"}
)


async def get_changes(call: Call) -> web.StreamResponse:
    """Return the changes of all collections."""
    return await _changes(call, call.request.app[CATALOGUE].collections, None)


async def get_collection_changes(call: Call) -> web.StreamResponse:
    """Return the changes of one collection."""
    collection = call.request.app[CATALOGUE].collection(call.path["collectionId"])
    return await _changes(call, {collection.id: collection}, collection.id)


async def _changes(call: Call, collections: Mapping[str, Collection], name: str | None) -> web.StreamResponse:
    call.query.check()
    versions = call.request.app[VERSIONS]
    if versions.server is None:
        raise Unavailable("The database cannot be reached at the moment; try again.", cause="database")
    found = {each.id: version for each in collections.values() if (version := versions.version(each)) is not None}
    if name is not None and not found:
        raise NotFound(f"Nothing tells when collection '{name}' changes: it has no data version.")
    if call.media_type == EVENTS_TYPE:
        return await _stream(call, name)
    return conditional(call.request, _now(call, found), cache_control="no-cache")


def _now(call: Call, found: Mapping[str, DataVersion]) -> web.Response:
    base, request = base_url(call.request), call.request
    address = f"{base}{request.rel_url.raw_path}"
    links = [
        Link(f"{address}?f=json", "self", MediaType.JSON),
        Link(f"{address}?f=sse", "alternate", EVENTS_TYPE, "Event stream of new versions"),
        Link(f"{base}/asyncapi", "service-meta", "application/asyncapi+json", "Streams of changes (AsyncAPI)"),
    ]
    changes = [cloud_event(base, each.token, name, each.token, each.since) for name, each in found.items()]
    return json_response({"changes": changes, "links": links_json(links)})


async def _stream(call: Call, name: str | None) -> web.StreamResponse:
    request, hub = call.request, call.request.app[HUB]
    hub.check_room()
    response = web.StreamResponse(status=_STREAM.status, headers=_STREAM.headers)
    await response.prepare(request)
    if request.method == "HEAD" or request.transport is None:
        return response
    # an EventSource that reconnects sends the id of its last event; other clients may put it into the address
    last_id = request.headers.get("Last-Event-ID") or call.query.values["last-event-id"]
    try:
        listener = Listener(response, request.transport, name, base_url(request))
        await hub.listen(listener, last_id[:_LONGEST_ID] if last_id else None)
    except ConnectionError:
        # the listener disconnected
        return response
    return response
