"""Requests that meet a restart of what they stand on wait for its end, and are asked again, once."""

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
    """The handler's response; of a second attempt where a restart interrupted the first.

    The whole request begins anew, so that nothing in its answer is of before the restart, the version of the data
    neither. An answer of which the client has the beginning is not asked for again.
    """
    try:
        return await handler(request)
    except Restarting:
        if has_begun(request) or not await request.app[RESTARTED]():
            raise
    _ASKED_AGAIN.inc()
    return await handler(request)
