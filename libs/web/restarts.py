"""Requests that meet a restart of what they stand on go elsewhere or wait for its end, and are asked again."""

from collections.abc import Awaitable, Callable

from aiohttp import web
from aiohttp.typedefs import Handler
from prometheus_client import Counter

from libs.ogc.errors import Restarting
from libs.web.middleware import has_begun

RESTARTED: web.AppKey[Callable[[], Awaitable[bool]]] = web.AppKey("restarted")
"""Waits for what has just gone; whether it is back. False at once where it is not worth waiting."""

_ASKED_AGAIN = Counter(
    "dams_asked_again_total", "Requests that waited for a restart of the database, and were asked again"
)


@web.middleware
async def asked_again(request: web.Request, handler: Handler) -> web.StreamResponse:
    """The handler's response; of another attempt where a restart interrupted the first.

    The whole request begins anew, so that nothing in its answer is of before the restart, the version of the data
    neither: once at another server, where there may be one, and once more after waiting for the end of the restart. An
    answer of which the client has the beginning is not asked for again.
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
