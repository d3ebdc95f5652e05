"""GET /docs: the API explorer (Swagger UI) on the published OpenAPI document."""

from aiohttp import web

from libs.web.app import Call
from libs.web.html import page_response
from services.viewer.resources import ASSETS


async def get_api_explorer(call: Call) -> web.StreamResponse:
    """The explorer's page; its script reads `/openapi.json`."""
    call.query.check()
    return page_response(
        call.request,
        "docs.html",
        {"built": call.request.app[ASSETS].name},
        headers={"Cache-Control": "no-cache"},
    )
