"""Internal resources of every service: health, metrics, part. The gateway never exposes them."""

from collections.abc import Awaitable, Callable

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from libs.web.part import PresentPart
from libs.web.respond import json_response

HealthCheck = Callable[[web.Application], Awaitable[str | None]]
"""Checks one dependency; returns its fault, or None."""

HEALTH_CHECKS = web.AppKey("health_checks", list[HealthCheck])
HEALTH_NOTES = web.AppKey("health_notes", list[Callable[[], str | None]])
"""Return a fault, or None, of an optional dependency: responses are slower without it, but the service is healthy."""
PART = web.AppKey("part", PresentPart)


def add_internal_routes(app: web.Application) -> None:
    """Add `/internal/health`, its `/live` and `/ready`, `/internal/metrics` and `/internal/part`."""
    app.router.add_get("/internal/health", _health)
    app.router.add_get("/internal/health/ready", _health)
    app.router.add_get("/internal/health/live", live)
    app.router.add_get("/internal/metrics", _metrics)
    app.router.add_get("/internal/part", _part)


async def _health(request: web.Request) -> web.StreamResponse:
    missing = [wrong for check in request.app[HEALTH_CHECKS] if (wrong := await check(request.app))]
    if missing:
        return json_response({"status": "unavailable", "detail": missing}, status=503)
    notes = [wrong for note in request.app[HEALTH_NOTES] if (wrong := note())]
    return json_response({"status": "ok", **({"detail": notes} if notes else {})})


async def live(_: web.Request) -> web.StreamResponse:
    """Return 200 as long as the process answers: restarting it would not bring the database back."""
    return json_response({"status": "ok"})


async def _metrics(_: web.Request) -> web.StreamResponse:
    return web.Response(body=generate_latest(), headers={"Content-Type": CONTENT_TYPE_LATEST})


async def _part(request: web.Request) -> web.StreamResponse:
    return request.app[PART].answer(request)
