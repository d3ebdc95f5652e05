"""The gateway's internal port: health, metrics, and the merged parts of the services."""

from __future__ import annotations

from datetime import UTC, datetime

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from gateway.follow import Follower
from gateway.nginx.counts import Counts
from gateway.nginx.process import Nginx
from gateway.parts.publish import Publisher
from gateway.settings import SERVICES
from libs.web.conditional import NotModified, conditional, unchanged_response
from libs.web.health import live
from libs.web.respond import body_response, json_response

_SINCE = datetime.now(UTC).isoformat()
"""Start time of this program; nginx may have run for longer."""

_NGINX = web.AppKey("nginx", Nginx)
_FOLLOWER = web.AppKey("follower", Follower)
_COUNTS = web.AppKey("counts", Counts)
_PUBLISHER = web.AppKey("publisher", Publisher)


def make_internal_app(nginx: Nginx, publisher: Publisher, follower: Follower, counts: Counts) -> web.Application:
    """Return the application of the internal port, which nginx does not expose."""
    app = web.Application()
    app[_NGINX] = nginx
    app[_PUBLISHER] = publisher
    app[_FOLLOWER] = follower
    app[_COUNTS] = counts
    app.router.add_get("/internal/health", _health)
    app.router.add_get("/internal/health/ready", _health)
    app.router.add_get("/internal/health/live", live)
    app.router.add_get("/internal/metrics", _metrics)
    app.router.add_get("/internal/parts", _parts)
    return app


async def _health(request: web.Request) -> web.StreamResponse:
    """Return 200 if nginx runs and something is published. An unavailable service is not a fault of the gateway.

    `upstreams` are the processes that get requests.
    """
    publisher = request.app[_PUBLISHER]
    absent = [service for service in SERVICES if service not in publisher.services]
    if not request.app[_NGINX].is_running:
        return json_response({"status": "unavailable", "detail": ["nginx does not run"]}, status=503)
    if publisher.published is None:
        return json_response({"status": "unavailable", "detail": ["nothing is published yet"]}, status=503)
    return json_response({"status": "ok", "absent": absent, "since": _SINCE, "upstreams": request.app[_FOLLOWER].used})


async def _metrics(request: web.Request) -> web.StreamResponse:
    await request.app[_COUNTS].count()
    return web.Response(body=generate_latest(), headers={"Content-Type": CONTENT_TYPE_LATEST})


async def _parts(request: web.Request) -> web.StreamResponse:
    published = request.app[_PUBLISHER].published
    if published is None:
        body = {"detail": "No service has been heard of yet."}
        return json_response(body, status=503, headers={"Retry-After": "1"})
    answer = body_response(published.whole, media_type="application/json")
    try:
        return conditional(request, answer, cache_control="public, max-age=0")
    except NotModified as unchanged:
        return unchanged_response(unchanged)
