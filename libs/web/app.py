"""A service's aiohttp application: documented operations bound to handlers, with the common middleware."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

from aiohttp import web
from aiohttp.typedefs import Handler

from libs.ogc.errors import Fault, NotAcceptable
from libs.ogc.media_type import MediaType
from libs.ogc.service_part import ServicePart
from libs.web import protocol
from libs.web.accept_language import PARAMETER
from libs.web.base_url import SETTINGS
from libs.web.body_parameters import MOST_BYTES, body_parameters
from libs.web.build_id import SERVICE, page_build_id
from libs.web.compression import use_fast_compression
from libs.web.health import HEALTH_CHECKS, HEALTH_NOTES, PART, add_internal_routes
from libs.web.html import ENVIRONMENT, make_environment
from libs.web.languages import requested_language, speak
from libs.web.middleware import add_headers, handle_request
from libs.web.negotiation import negotiate
from libs.web.openapi import Operation, operations
from libs.web.part import PresentPart
from libs.web.query_params import QueryValues, is_added_to_tiles, is_tracking, read_query
from libs.web.respond import vary
from libs.web.settings import WebSettings

_INTEGER = re.compile(r"-?\d{1,18}\Z", re.ASCII)

# A percent-encoded filter of 16 kB fits into one line, as in the gateway; so does every header that the gateway
# accepts.
_LONG = {"max_line_size": 64 * 1024, "max_field_size": 64 * 1024}

_TRACKING = web.RequestKey("tracking", bool)
"""Set if third-party parameters in addresses are ignored; true if these include those of map libraries."""
_JOINED = web.RequestKey("joined", list[tuple[str, str]])


@dataclass(frozen=True, slots=True)
class Call:
    """A request to a documented operation: path parameters, checked query parameters, format.

    `path` has the path parameters (int if declared so). `query` has the query parameters with the faults found so far;
    the handler adds faults and then raises them with `query.check()`.
    """

    request: web.Request
    path: Mapping[str, Any]
    query: QueryValues
    media_type: str
    offers: tuple[str, ...]
    """The media types of the operation, the default first: the targets of `alternate` links."""

    @property
    def given(self) -> Mapping[str, str]:
        """The query parameters as sent; for a repeated one, the first value."""
        joined = self.request.get(_JOINED)
        return self.request.query if joined is None else dict(joined)


OperationHandler = Callable[[Call], Awaitable[web.StreamResponse]]


def make_app(
    settings: WebSettings,
    part: ServicePart,
    handlers: Mapping[str, OperationHandler],
    *,
    assets: Mapping[str, Handler] | None = None,
    templates: Path | None = None,
) -> web.Application:
    """Return the application that serves the operations of `part` with `handlers` (operationId to handler).

    `assets` are the handlers of the files that the part declares besides operations, by aiohttp's pattern of their
    paths, such as `/assets/{name}`. Raises ValueError if `part` and handlers do not name the same operations and
    assets: every route must be declared, and every declared path served.
    """
    protocol.install()
    use_fast_compression()
    app = web.Application(middlewares=[handle_request], client_max_size=MOST_BYTES, handler_args=_LONG)
    app[SETTINGS] = settings
    app[PART] = PresentPart(part, settings)
    app[SERVICE] = part.name
    page_build_id(part.name)  # read at start, not during the first request
    app[HEALTH_CHECKS], app[HEALTH_NOTES] = [], []
    # the OGC standards define status 400, and a limit above the maximum means the maximum
    lenient = settings.invalid_parameter_status == 400
    documented = {
        operation.operation_id: operation for operation in operations(dict(part.openapi), limit_to_maximum=lenient)
    }
    if documented.keys() != handlers.keys():
        raise ValueError(f"documented and served operations differ: {sorted(documented.keys() ^ handlers.keys())}")
    # the longest paths first: they are requested most, and aiohttp tries routes in order
    for operation_id, operation in sorted(documented.items(), key=lambda entry: -entry[1].path.count("/")):
        add_route = app.router.add_post if operation.method == "post" else app.router.add_get
        add_route(_route_path(operation), _bind(operation, handlers[operation_id]))
    assets = assets or {}
    if {path.partition("{")[0] for path in assets} != set(part.assets):
        raise ValueError(f"declared and served assets differ: {sorted(assets)}, {sorted(part.assets)}")
    for path, handler in assets.items():
        app.router.add_get(path, handler)
    add_internal_routes(app)
    app[ENVIRONMENT] = make_environment(settings.site_title, templates)
    app.on_response_prepare.append(add_headers)
    return app


def _route_path(operation: Operation) -> str:
    # an id may contain any character, escaped; aiohttp's "{name}" would not match braces
    return re.sub(r"\{(\w+)\}", r"{\1:[^/]+}", operation.path)


def _is_of_tiles(operation: Operation) -> bool:
    return operation.path.endswith(("/{z}/{x}/{y}", "/tilejson.json", "/style.json"))


def _ignores_tracking(request: web.Request, operation: Operation) -> bool:
    """Return whether the response is HTML; then tracking parameters of shared links are ignored."""
    if MediaType.HTML not in operation.media_types or not any(map(is_tracking, request.query)):
        return False
    f, accept = request.query.get("f"), request.headers.get("Accept")
    if f is not None or "f" not in operation.parameters:
        return f == "html" or operation.media_types[0] == MediaType.HTML
    try:
        return negotiate(operation.negotiated, None, accept) == MediaType.HTML
    except NotAcceptable:
        return False


def sent_parameters(request: web.Request) -> list[tuple[str, str]]:
    """Return the query parameters; for a page's form, only the fields that were filled in.

    A page for people ignores parameters that trackers add. Members of a list that were sent separately are joined.
    """
    if not request.rel_url.raw_query_string:
        return []
    pairs = request[_JOINED] if _JOINED in request else list(request.query.items())
    if _TRACKING in request:
        is_added = is_added_to_tiles if request[_TRACKING] else is_tracking
        pairs = [(name, text) for name, text in pairs if not is_added(name)]
    if request.query.get("f") != "html":
        return pairs
    # an empty list of properties is meaningful: no properties
    return [(name, text) for name, text in pairs if text or name == "properties"]


def _join_members(request: web.Request, lists: tuple[str, ...]) -> None:
    """Join the members of a list that were sent as separate parameters.

    Many generated clients write `bbox=1&bbox=2&bbox=3&bbox=4`, although the document asks for commas.
    """
    joined = {
        name: ",".join(texts)
        for name in lists
        if len(texts := request.query.getall(name, [])) > 1 and not any("," in text for text in texts)
    }
    if joined:
        others = [(name, text) for name, text in request.query.items() if name not in joined]
        request[_JOINED] = [*others, *joined.items()]


def _leave_out_language(request: web.Request, operation: Operation) -> None:
    """Remove the language from the parameters that links repeat: links lead to more than pages."""
    if PARAMETER in operation.parameters and PARAMETER in request.query:
        pairs = request[_JOINED] if _JOINED in request else list(request.query.items())
        request[_JOINED] = [(name, text) for name, text in pairs if name != PARAMETER]


def _is_text(escaped: str) -> bool:
    try:
        unquote_to_bytes(escaped).decode()
    except UnicodeDecodeError:
        return False
    return True


async def _sent(request: web.Request, operation: Operation, *, of_tiles: bool) -> list[tuple[str, str]]:
    """Return the parameters of the address, and for a search those of its body."""
    if request.rel_url.raw_query_string:
        if of_tiles or _ignores_tracking(request, operation):
            request[_TRACKING] = of_tiles
        _join_members(request, operation.lists)
    if operation.method != "post":
        return sent_parameters(request)
    request[_JOINED] = [*sent_parameters(request), *await body_parameters(request)]
    return request[_JOINED]


def _bind(operation: Operation, handler: OperationHandler) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    of_tiles = _is_of_tiles(operation)

    async def handle(request: web.Request) -> web.StreamResponse:
        sent = await _sent(request, operation, of_tiles=of_tiles)
        query = read_query(operation.parameters, operation.extra_parameters, sent)
        _leave_out_language(request, operation)
        if "%" in request.rel_url.raw_query_string and not _is_text(request.rel_url.raw_query_string):
            query.fault("query", "the query string holds escapes that are not UTF-8", "string_unicode")
        if "%" in request.rel_url.raw_path and not _is_text(request.rel_url.raw_path):
            # they would stay unescaped, and so name a resource that is really called "%FF"
            query.faults.append(Fault(("path",), "the path holds escapes that are not UTF-8", None, "string_unicode"))
            query.check()
        path: dict[str, Any] = {}
        for parameter in operation.path_parameters:
            text = request.match_info[parameter.name]
            if parameter.type != "integer":
                path[parameter.name] = text
            elif _INTEGER.match(text):
                path[parameter.name] = int(text)
            else:
                query.faults.append(
                    Fault(
                        ("path", parameter.name),
                        f"{parameter.name} must be a whole number",
                        text,
                        "int_parsing",
                    )
                )
        if query.faults and set(path) != {parameter.name for parameter in operation.path_parameters}:
            query.check()
        f = query.values.get("f")
        offers = operation.negotiated if f is None else operation.media_types
        # a single representation is better than none (RFC 9110, section 12.5.1)
        accept = request.headers.get("Accept") if len(offers) > 1 else None
        media_type = negotiate(offers, f, accept, has_f="f" in query.values)
        if media_type == MediaType.HTML:
            speak(requested_language(request))
        response = await handler(Call(request, path, query, media_type, operation.media_types))
        if len(operation.negotiated) > 1:
            response.headers.setdefault("Vary", vary(media_type))
        return response

    return handle
