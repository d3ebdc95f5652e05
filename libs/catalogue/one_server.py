"""Requests that read one server each, of a database that has replicas."""

from aiohttp import web
from aiohttp.typedefs import Handler

from libs.pg.replicas import one_server


@web.middleware
async def on_one_server(request: web.Request, handler: Handler) -> web.StreamResponse:
    """A request reads one server from its first statement to its last, or goes on at the primary."""
    with one_server():
        return await handler(request)
