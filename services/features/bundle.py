"""GET /events/{eventId}/bundle: the features of an event as zipped GeoPackage and Shapefiles."""

from hashlib import blake2b

from aiohttp import web

from libs.catalogue.modules import of_events
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.build_id import SERVICE, build_id
from libs.web.conditional import NotModified, etag_matches
from services.features.answer import Answer
from services.features.event_alias import redirect_alias
from services.features.exporting.bundles import MOST_FEATURES, Content
from services.features.resources import BUNDLES, CATALOGUE, IMPACTS, STORE, VERSIONS
from services.features.rows.event_impacts import MadeZones
from services.features.rows.event_parts import EventPart, event_parts
from services.features.samples.source import file_name
from services.features.sending import send

ZIP = "application/zip"


async def get_bundle(call: Call) -> web.StreamResponse:
    """Return all features of an event as one file; an alias of the event is redirected."""
    call.query.check()
    app, request, event = call.request.app, call.request, call.path["eventId"]
    known, base = of_events(app[CATALOGUE].collections.values()), base_url(request)
    found = await event_parts(app[STORE], known, event, MOST_FEATURES, base=base)
    parts = [part for part in found if part.matched]
    if not parts:
        return await redirect_alias(call, "bundle")
    name = file_name(event)
    disposition = f'attachment; filename="{name}.zip"'
    answer = Answer({"Content-Type": ZIP, "Cache-Control": "no-cache", "Content-Disposition": disposition})
    if request.method == "HEAD":
        return await send(request, answer)
    zones = await app[IMPACTS].made_zones(event)
    export = await app[BUNDLES].open(_key(call, event, parts, zones), Content(event, name, parts, zones))
    try:
        if export.tag is not None:
            answer = answer.with_headers({"ETag": export.tag, "Accept-Ranges": "bytes"})
            if etag_matches(request.headers.get("If-None-Match"), export.tag):
                raise NotModified(answer.headers)
        return await send(request, answer.with_body(export))
    finally:
        if export.file is not None:
            export.file.close()


def _key(call: Call, event: str, parts: list[EventPart], zones: MadeZones) -> str | None:
    """A digest of all that decides the content; None if the state of some data is unknown."""
    app = call.request.app
    versions = [app[VERSIONS].of_features(part.collection) for part in parts]
    tokens = [version.token for version in versions if version is not None]
    if len(tokens) < len(versions):
        return None
    collections = [part.collection.id for part in parts]
    content = (build_id(app[SERVICE]), base_url(call.request), event, collections, tokens, zones.digest)
    return blake2b(repr(content).encode(), digest_size=12).hexdigest()
