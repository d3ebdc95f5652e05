"""Requests that read one server each, of a database that has replicas."""

from aiohttp import web
from aiohttp.typedefs import Handler

from libs.ogc.errors import Restarting
from libs.pg.replicas import one_server


@web.middleware
async def on_one_server(request: web.Request, handler: Handler) -> web.StreamResponse:
    """A request reads one server from its first statement to its last, or goes on at the primary.

    Where its replica took leave and the primary is away, too, another replica may be there. So it is where this very
    replica is promoted: an operator ends its sessions then, and it takes new ones at once.
    """
    with one_server() as choice:
        try:
            return await handler(request)
        except Restarting as error:
            error.elsewhere = choice.began_at_replica
            raise
