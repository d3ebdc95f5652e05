"""GET /docs: the API explorer (Swagger UI) on the published OpenAPI document."""

from aiohttp import web

from libs.web.app import Call
from libs.web.html import page_response
from libs.web.languages import current
from services.viewer.pages.page_data import in_order
from services.viewer.resources import ASSETS, CATALOGUE

_LISTED = 100
"""Maximum number of collections on the page for browsers without scripts; the list of collections has all."""


async def get_api_explorer(call: Call) -> web.StreamResponse:
    """Return the explorer's page; its script reads `/openapi.json`. Without scripts it links to the resources."""
    call.query.check()
    collections = in_order((call.request.app[CATALOGUE].known or {}).values())[:_LISTED]
    assets = call.request.app[ASSETS]
    return page_response(
        call.request,
        "docs.html",
        {"built": assets.name, "words": assets.words(current()), "collections": collections},
        headers={"Cache-Control": "no-cache"},
    )
