"""Convert a domain error to a response: one table, one JSON form."""

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from aiohttp import web
from prometheus_client import Counter

from libs.ogc.errors import (
    CHANGING,
    DomainError,
    Fault,
    Gone,
    InvalidParameters,
    MalformedRequest,
    NotAcceptable,
    NotFound,
    TooSlow,
    Unavailable,
    Uncomputable,
    UnknownFunction,
)
from libs.ogc.media_type import MediaType
from libs.web.base_url import SETTINGS
from libs.web.html import page_response
from libs.web.languages import requested_language, speak
from libs.web.negotiation import prefers_html
from libs.web.respond import json_response

_LOG = logging.getLogger("dams.error")
_UNAVAILABLE = Counter("dams_unavailable_total", "Requests that were answered 503, by why", ["cause"])

_STATUS: Mapping[type[DomainError], int] = {NotFound: 404, NotAcceptable: 406, Gone: 410, Unavailable: 503}

_VALUELESS = {
    *("f", "limit", "offset", "cursor"),
    *("sortby", "properties", "geom-column", "datetime-column", "bbox-only", "filter-lang", "filter-crs"),
}
"""Parameters whose values are not compared with stored ones, although those in the second line name columns."""


_LONGEST_QUOTED = 500

_SLOW_FILTER = (
    "The database took too long to find what filter asks for; a bbox, a datetime or another condition of the filter"
    " leaves fewer rows to it, and LIKE is quicker without % at the start of its pattern."
)


def error_response(request: web.Request, error: Exception, request_id: str) -> web.StreamResponse:
    """Return the response to a request that failed; an unexpected error is logged and becomes a fixed sentence."""
    if isinstance(error, Uncomputable) and request.query.keys() <= _VALUELESS:
        error = Unavailable(
            "The collection holds a value that the database cannot compute with.", retry_after=60, cause="value"
        )
    if isinstance(error, UnknownFunction) and "filter" not in request.query:
        error = Unavailable(CHANGING)
    if isinstance(error, TooSlow) and "filter" in request.query:
        error = TooSlow(_SLOW_FILTER)
    if isinstance(error, InvalidParameters):
        detail: Any = [_with_sent_text(fault, request.query) for fault in error.faults]
        is_fixed = isinstance(error, MalformedRequest)
        return _render(request, 400 if is_fixed else request.app[SETTINGS].invalid_parameter_status, detail, {})
    if isinstance(error, DomainError):
        status = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 500)
        headers = {"Retry-After": str(error.retry_after)} if isinstance(error, Unavailable) else {}
        headers |= {"Link": error.link} if isinstance(error, Gone) else {}
        if isinstance(error, Unavailable):
            _UNAVAILABLE.labels(error.cause).inc()
        if status >= 500:
            _LOG.warning("unavailable", extra={"fields": {"request_id": request_id, "cause": str(error)}})
        return _render(request, status, str(error), headers)
    if isinstance(error, web.HTTPException):
        return _http_exception(request, error)
    _LOG.error("unhandled", exc_info=error, extra={"fields": {"request_id": request_id, "path": request.path}})
    sentence = f"The server made a mistake; it has been logged as request {request_id}."
    return _render(request, 500, sentence, {})


def _with_sent_text(fault: Fault, query: Mapping[str, str]) -> dict[str, object]:
    """Return a fault with the parameter's text, also if its finder, such as the database, did not have it."""
    told = fault.to_json()
    match fault.loc:
        case ("query", name) if fault.input is None and name in query:
            told["input"] = query[name][:_LONGEST_QUOTED]
    return told


def _http_exception(request: web.Request, error: web.HTTPException) -> web.StreamResponse:
    details = {
        404: f"There is no resource at {request.path}.",
        405: f"{request.method} is not allowed here; this service only answers GET, HEAD and OPTIONS.",
        413: "The request has a body larger than this service reads.",
    }
    headers = {name: value for name, value in error.headers.items() if name in ("Allow", "Retry-After")}
    return _render(request, error.status, details.get(error.status, error.reason), headers)


def _render(request: web.Request, status: int, detail: Any, headers: Mapping[str, str]) -> web.StreamResponse:
    headers = {**headers, "Cache-Control": "no-store", "Vary": "Accept"}
    # a person gets a page; a program, or a person who requested another format, gets the JSON
    if prefers_html(request.headers.get("Accept")) and request.query.get("f", "html") == "html":
        speak(requested_language(request))
        context = {"status": status, "phrase": HTTPStatus(status).phrase, "detail": detail}
        return page_response(request, "error.html", context, status=status, headers=headers)
    return json_response({"detail": detail}, media_type=MediaType.JSON, status=status, headers=headers)
