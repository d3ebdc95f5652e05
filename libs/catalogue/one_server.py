"""Make each request read a single server of a database with replicas."""

from aiohttp import web
from aiohttp.typedefs import Handler

from libs.ogc.errors import Restarting
from libs.pg.replicas import one_server


@web.middleware
async def on_one_server(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Read one server from the first statement of a request to the last, or continue on the primary.

    If the replica disconnects and the primary is unavailable too, another replica may work. So does this same replica
    after its promotion: an operator ends its sessions for that, and it accepts new ones at once.
    """
    with one_server() as choice:
        try:
            return await handler(request)
        except Restarting as error:
            error.elsewhere = choice.began_at_replica
            raise
