"""Steps around every request: id, errors, CORS, OPTIONS, access log, metrics."""

import asyncio
import logging
import time
from collections.abc import MutableMapping
from functools import cache
from uuid import uuid4

from aiohttp import web
from aiohttp.typedefs import Handler
from prometheus_client import Counter, Histogram

from libs.ogc.errors import Unavailable
from libs.tracing import spans
from libs.tracing.spans import trace_id
from libs.web.accept_language import ENGLISH
from libs.web.base_url import SETTINGS, forwarded_request_id
from libs.web.compression import compress_response
from libs.web.conditional import DATA_CACHE, NotModified, unchanged_response
from libs.web.errors import error_response
from libs.web.logs import log_request
from libs.web.surrogate_keys import surrogate_key

_LOG = logging.getLogger("dams.error")

REQUEST_ID = web.RequestKey("request_id", str)
_BEGUN = web.RequestKey("begun", web.StreamResponse)
_LIMIT = web.RequestKey("limit", asyncio.Timeout)

_SECONDS = Histogram(
    "dams_request_seconds",
    "Time until the response is ready, by route",
    ["route", "status"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
_BROKEN = Counter("dams_broken_answers_total", "Answers that failed after they had begun", ["route"])
_CANCELLED = Counter("dams_cancelled_requests_total", "Requests whose client went away before the answer", ["route"])

_TRACEPARENT = "traceparent"

_LEAST_SECONDS = 0.25
"""Minimum timeout in seconds: less than the gateway leaves for a second process, if the first one hangs."""

_OUR_WORDS = {"text/html", "application/json", "application/schema+json"}


@web.middleware
async def handle_request(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Return the response of the handler, or of its error; record it in logs and metrics."""
    tracing = spans.tracing()
    if tracing is None or request.path.startswith("/internal/"):
        return await _respond(request, handler)
    route = _route(request)
    attributes = {"http.request.method": request.method, "http.route": route, "url.path": request.path}
    parent = request.headers.get(_TRACEPARENT)
    with tracing.request(f"{request.method} {route}", parent, attributes) as span:
        response = await _respond(request, handler)
        tracing.record_status(span, response.status)
        return response


async def _respond(request: web.Request, handler: Handler) -> web.StreamResponse:
    started = time.perf_counter()
    request_id = forwarded_request_id(request) or uuid4().hex
    request[REQUEST_ID] = request_id
    route = _route(request)
    try:
        response = _preflight(request) or await _in_time(request, handler)
    except NotModified as unchanged:
        response = unchanged_response(unchanged)
    except ConnectionResetError:
        # the client disconnected mid-response: not our fault, and no client is left to answer
        _CANCELLED.labels(route).inc()
        return web.Response(status=499)
    except asyncio.CancelledError:
        _CANCELLED.labels(route).inc()
        raise
    except Exception as error:
        begun = request.get(_BEGUN)
        response = error_response(request, error, request_id) if begun is None else _break_off(request, begun, error)
    internal = route.startswith("/internal/")
    if not internal:
        await compress_response(request, response)
    seconds = time.perf_counter() - started
    _histogram(route, response.status).observe(seconds)
    if not internal:
        log_request(
            {
                "request_id": request_id,
                **({"trace_id": trace} if (trace := trace_id(request.headers.get(_TRACEPARENT))) else {}),
                "method": request.method,
                "path": request.raw_path,
                "status": response.status,
                "ms": round(seconds * 1000, 2),
            }
        )
    return response


async def _in_time(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Return the handler's response if it begins before the deadline. Raises Unavailable otherwise.

    One deadline covers all steps: their separate timeouts add up to more than a gateway waits.
    """
    limit = asyncio.timeout(_seconds_left(request))
    try:
        async with limit:
            request[_LIMIT] = limit
            try:
                return await handler(request)
            finally:
                del request[_LIMIT]
    except TimeoutError as error:
        if not limit.expired():
            raise
        raise Unavailable(
            "The answer took too long; ask for less, or try again.", retry_after=5, cause="deadline"
        ) from error


def _seconds_left(request: web.Request) -> float:
    """Return for how many seconds the request may wait.

    It is less if a hung process got the request first: the gateway sends the time of that, in seconds since 1970.
    Responses that are ready at once are still sent; others are refused before the client has waited for ten seconds.
    """
    whole = request.app[SETTINGS].request_timeout_seconds
    try:
        age = time.time() - float(request.headers.get("X-Request-Start", "nan"))
    except ValueError:
        return whole
    # otherwise the clocks of the two machines differ
    return max(whole - age, _LEAST_SECONDS) if 0 < age < 2 * whole else whole


def _break_off(request: web.Request, begun: web.StreamResponse, error: Exception) -> web.StreamResponse:
    """Close the connection in the middle of a response, so that it does not look complete."""
    _BROKEN.labels(_route(request)).inc()
    fields = {"request_id": request[REQUEST_ID], "cause": f"{type(error).__name__}: {error}"}
    _LOG.error("broken off", exc_info=error, extra={"fields": fields})
    if request.transport is not None:
        request.transport.abort()
    return begun


@cache
def _histogram(route: str, status: int) -> Histogram:
    return _SECONDS.labels(route, status)


def has_begun(request: web.Request) -> bool:
    """Return whether the client has received the start of a response."""
    return _BEGUN in request


async def add_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Add headers to every response (an `on_response_prepare` signal, so that it includes streams)."""
    request[_BEGUN] = response
    limit = request.get(_LIMIT)
    if limit is not None and not limit.expired():
        # no deadline for streams: they last as long as their clients read
        limit.reschedule(None)
    headers = response.headers
    headers["X-Request-Id"] = request.get(REQUEST_ID, "")
    # the data are public and there are no credentials: any web page may read them and all headers
    headers["Access-Control-Allow-Origin"] = "*"
    headers["Access-Control-Expose-Headers"] = "*"
    _for_cdns(request, headers)
    # our texts are English, unless a page says otherwise; data are in the language of their source
    if headers.get("Content-Type", "").partition(";")[0] in _OUR_WORDS:
        headers.setdefault("Content-Language", ENGLISH.tag)


def _for_cdns(request: web.Request, headers: MutableMapping[str, str]) -> None:
    """Add headers for a CDN: how long to cache the response, and the keys to purge it by.

    A CDN may cache longer than other caches if the service purges changed data from it (`DAMS_CDN_MAX_AGE_SECONDS`).
    """
    cache_control = headers.get("Cache-Control", "")
    if not cache_control.startswith("public, "):
        return
    collection = request.match_info.get("collectionId")
    if collection is not None:
        headers.setdefault("Surrogate-Key", surrogate_key(collection))
    seconds = request.app[SETTINGS].cdn_max_age_seconds
    if seconds and cache_control == DATA_CACHE and "Surrogate-Key" in headers:
        headers["CDN-Cache-Control"] = f"max-age={seconds}, stale-if-error=60"
    else:
        headers["CDN-Cache-Control"] = cache_control.removeprefix("public, ")


def _preflight(request: web.Request) -> web.Response | None:
    """Return the response to OPTIONS on any existing path."""
    refused = request.match_info.http_exception
    if request.method != "OPTIONS" or not isinstance(refused, web.HTTPMethodNotAllowed):
        return None
    known = refused.allowed_methods
    allowed = ", ".join(method for method in ("GET", "HEAD", "POST", "OPTIONS") if method in {*known, "OPTIONS"})
    return web.Response(
        status=204,
        headers={
            "Allow": allowed,
            "Access-Control-Allow-Methods": allowed,
            "Access-Control-Allow-Headers": request.headers.get("Access-Control-Request-Headers", "*"),
            "Access-Control-Max-Age": "86400",
        },
    )


def _route(request: web.Request) -> str:
    resource = request.match_info.route.resource
    return resource.canonical if resource is not None else "none"
