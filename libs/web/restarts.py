"""Repeat requests that meet a server restart: on another server, or after the restart."""

from collections.abc import Awaitable, Callable

from aiohttp import web
from aiohttp.typedefs import Handler
from prometheus_client import Counter

from libs.ogc.errors import Restarting
from libs.web.middleware import has_begun

RESTARTED: web.AppKey[Callable[[], Awaitable[bool]]] = web.AppKey("restarted")
"""Waits for a server that was just lost and returns whether it is back; False at once if waiting is pointless."""

_ASKED_AGAIN = Counter(
    "dams_asked_again_total", "Requests that waited for a restart of the database, and were asked again"
)


@web.middleware
async def retry_after_restart(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Return the handler's response, or that of another attempt if a restart interrupted the first.

    The whole request starts again, so that nothing in its response is from before the restart, including the data
    version. It is repeated once on another server, if there may be one, and once more after waiting for the restart. A
    response that the client has partly received is not repeated.
    """
    tried_elsewhere = waited = False
    while True:
        try:
            return await handler(request)
        except Restarting as error:
            if has_begun(request):
                raise
            if error.elsewhere and not tried_elsewhere:
                tried_elsewhere = True
            elif waited or not await request.app[RESTARTED]():
                raise
            else:
                waited = True
        _ASKED_AGAIN.inc()
