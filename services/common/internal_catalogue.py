"""GET /internal/catalogue: every collection with its columns, for the other services."""

from aiohttp import web

from libs.catalogue.catalogue import UNKNOWN
from libs.ogc.errors import Unavailable
from libs.web.conditional import check_preconditions
from libs.web.respond import body_response
from services.common.resources import KEEPER


async def get_internal_catalogue(request: web.Request) -> web.StreamResponse:
    """Return the catalogue's document, or 304. Raises Unavailable before the database has been read once."""
    keeper = request.app[KEEPER]
    if not keeper.document:
        raise Unavailable(UNKNOWN, cause="catalogue")
    headers = {"ETag": keeper.etag, "Cache-Control": "no-cache"}
    check_preconditions(request, headers)
    return body_response(keeper.document, media_type="application/json", headers=headers)
