"""Redirect a former identifier of an event, for all resources of the event."""

from aiohttp import web

from libs.ogc.errors import NotFound
from libs.ogc.link import path_segment
from libs.web.app import Call
from libs.web.base_url import base_url
from services.features.answer import Answer
from services.features.resources import ALIASES
from services.features.sending import send


async def redirect_alias(call: Call, product: str = "") -> web.StreamResponse:
    """Return the redirection to the event of the requested alias, with the query string of the request.

    `product` is the last part of the path below the event, such as `bundle`. Raises NotFound if the requested event is
    no alias.
    """
    name = call.path["eventId"]
    merged = await call.request.app[ALIASES].event_of(name)
    if not merged:
        raise NotFound(f"No collection has features of an event '{name}'.")
    query = call.request.query_string
    path = f"/events/{path_segment(merged)}{'/' + product if product else ''}{'?' + query if query else ''}"
    return await send(call.request, Answer.redirect(f"{base_url(call.request)}{path}"))
