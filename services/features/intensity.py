"""GET /events/{eventId}/intensity.tif: wind or shaking of an event as a cloud-optimised GeoTIFF."""

from aiohttp import web

from libs.catalogue.modules import of_events
from libs.ogc.errors import NotFound
from libs.ogc.link import path_segment
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.build_id import SERVICE, build_id
from libs.web.conditional import DATA_CACHE, NotModified, etag_matches
from services.features.answer import Answer
from services.features.resources import ALIASES, CATALOGUE, IMPACTS, STORE
from services.features.rows.event_parts import event_parts
from services.features.samples.source import file_name
from services.features.sending import send, send_part

GEOTIFF = "image/tiff; application=geotiff; profile=cloud-optimized"


async def get_intensity(call: Call) -> web.StreamResponse:
    """Return the raster, or the requested bytes of it; an alias of the event is redirected."""
    call.query.check()
    app, request, event = call.request.app, call.request, call.path["eventId"]
    found = await app[IMPACTS].raster(event)
    if found is None:
        return await _redirect(call, event)
    digest, tif = found
    answer = Answer(
        {
            "Content-Type": GEOTIFF,
            "Cache-Control": DATA_CACHE,
            "Content-Disposition": f'inline; filename="{file_name(event)}_intensity.tif"',
            "ETag": f'"{digest}-{build_id(app[SERVICE])}"',
            "Accept-Ranges": "bytes",
        },
        tif,
    )
    if etag_matches(request.headers.get("If-None-Match"), answer.headers["ETag"]):
        raise NotModified(answer.headers)
    return send_part(request, answer)


def has_strength(zone: str) -> bool:
    """Return whether a zone is one of wind or shaking, and not an area of a flood."""
    return zone.endswith(" kt") or zone.isupper()


async def _redirect(call: Call, event: str) -> web.StreamResponse:
    """A redirection where the event has another identifier now. Raise NotFound, which says why there is no raster."""
    app = call.request.app
    if not await event_parts(app[STORE], of_events(app[CATALOGUE].collections.values()), event, 1):
        if merged := await app[ALIASES].event_of(event):
            place = f"{base_url(call.request)}/events/{path_segment(merged)}/intensity.tif"
            return await send(call.request, Answer.redirect(place))
        raise NotFound(f"No collection has features of an event '{event}'.")
    known = await app[IMPACTS].summaries([event])
    head = known[0].headline if known else None
    if not known or (head is not None and has_strength(head["zone"])):
        # of an event with zones also where its tables are those of an earlier release
        raise NotFound(f"The raster of event '{event}' is not computed yet.")
    raise NotFound(f"Event '{event}' has no zones of wind or shaking, so there is no raster.")
