"""GET /internal/catalogue: every collection with its columns, for the other services."""

from aiohttp import web

from libs.ogc.errors import Unavailable
from libs.web.respond import body_response, etag_matches
from services.common.resources import KEEPER


async def get_internal_catalogue(request: web.Request) -> web.StreamResponse:
    """The catalogue's document, or 304. Raises Unavailable before the database has been read once."""
    keeper = request.app[KEEPER]
    if not keeper.document:
        raise Unavailable("The list of collections is not known yet; try again in a moment.")
    headers = {"ETag": keeper.etag, "Cache-Control": "no-cache"}
    if etag_matches(request.headers.get("If-None-Match"), keeper.etag):
        return web.Response(status=304, headers=headers)
    return body_response(keeper.document, media_type="application/json", headers=headers)
