"""Variables that nginx computes for each request, as `map` blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gateway.nginx.directives import EmptyBlock, Section, one
from gateway.nginx.headers import ALLOWED
from gateway.nginx.log import LOGGED, UTF8
from gateway.nginx.routes import ALIASES, PREFIX, Routes
from libs.web.accept_language import ENGLISH, LANGUAGE_RULES
from libs.web.content_coding import RULES, Coding, Rules

_A_FEATURE = r"~^/collections/[^/?]+/items/[^/?]+(\?.*)?$"
_IN_KEY = "accept(-encoding|-language|-datetime)?"
"""Headers whose meaning is part of the key of the cache."""


def variables(routes: Routes, codings: Sequence[Coding], alternative_service: str) -> object:
    """Return all of them in one block.

    `codings` are the content codings of texts and tiles besides gzip, best first; `alternative_service` is the
    `Alt-Svc` for clients with TLS.
    """
    return EmptyBlock(
        # Only addresses with an escape pay for patterns with escaped letters.
        _map("$service_uri", "$service", [("~%", "$service_of_escaped"), *_of(routes.patterns)], ""),
        _map("$service_uri", "$service_of_escaped", _of(routes.escaped), ""),
        # The address as the client escaped it: nginx's own $uri is unescaped, so that %2F in an id would become a
        # slash.
        _map(
            "$request_uri",
            "$service_uri",
            [
                *((f"~^{PREFIX}{pattern}$", name) for pattern, name in ALIASES),
                (f"~^{PREFIX}(/.*)$", "$1"),
                (rf"~^{PREFIX}(\?.*)?$", "/$1"),
            ],
            "",
        ),
        # No resource ends with a slash but the first.
        _map("$request_uri", "$without_slash", [(rf"~^{PREFIX}(/[^?]*[^/?])/+(\?.*)?$", "$1$2")], ""),
        # An address must be percent-encoded (RFC 3986 section 2); the services do not read others.
        _map("$request_uri", "$not_encoded", [(r"~[\x80-\xff]", "1")], ""),
        # It is used in links and in the published document, so it must be only a host and a port.
        _map(
            "$http_host",
            "$client_host",
            [
                (r"~^[A-Za-z0-9][A-Za-z0-9.\-]{0,252}(:[0-9]{1,5})?$", "$http_host"),
                (r"~^\[[0-9A-Fa-f:.]{2,45}\](:[0-9]{1,5})?$", "$http_host"),
                ("", "$server_addr:$server_port"),  # HTTP/1.0 has no Host
            ],
            "",
        ),
        _map(
            "$request_method",
            "$refused_method",
            [*((method, "") for method in ALLOWED.split(", ")), ("POST", "$refused_search")],
            "1",
        ),
        # searches whose parameters are too long for an address; they change nothing
        _map("$service_uri", "$refused_search", [(f"~{path}", "") for path in routes.searches], "1"),
        # A few encodings instead of the hundreds of values that browsers send.
        _map(
            "$service_uri", "$wanted_encoding", [(f"~{file}", "$file_encoding") for file in routes.files], "$encoding"
        ),
        _map(
            "$http_accept_encoding", "$file_encoding", _entries_of_coding(RULES["br"], "br", "$encoding"), "$encoding"
        ),
        *_encodings(codings),
        _map("$scheme", "$alternative_service", [("https", alternative_service.replace('"', r"\""))], ""),
        # When nginx revalidates its copy it sends the ETag of that, otherwise the client's.
        _map("$upstream_cache_etag", "$wanted_etag", [("", "$http_if_none_match")], "$upstream_cache_etag"),
        # Computed once: a second attempt still has the time of the first.
        _map("$msec", "$first_asked", [], "$msec"),
        _traces(),
        # A response to the client's own condition must not be sent to other clients.
        _map("$upstream_status", "$not_cached", [("304", "1")], ""),
        _parts_of_key(),
        # The cache status comes from here: the timing in a cached response describes an earlier request.
        _map(
            "$upstream_cache_status",
            "$server_timing",
            [("~^(HIT|STALE|UPDATING|REVALIDATED)$", "gateway;desc=$upstream_cache_status")],
            "$upstream_http_server_timing",
        ),
        _headers_of_responses(),
        # nginx does not ask patterns about a header that is absent.
        *(_map(said, logged, [("", ""), (UTF8, said)], "not UTF-8") for said, logged in LOGGED.items()),
        _representations(),
    )


def _parts_of_key() -> object:
    """The version in the key of the cache, and what no key contains."""
    return EmptyBlock(
        # Only features have versions: elsewhere, the header must not divide the cache.
        _map("$service_uri", "$wanted_version", [(_A_FEATURE, "$http_accept_datetime")], ""),
        # Responses that vary by something outside the cache key are not cached.
        _map(
            "$upstream_http_vary",
            "$varies_otherwise",
            [("", ""), (rf"~*^{_IN_KEY}(\s*,\s*{_IN_KEY})*$", "")],
            "1",
        ),
    )


def _headers_of_responses() -> object:
    """What responses vary by, and what pages of other origins may send."""
    return EmptyBlock(
        # One header, instead of the service's and a second one of `gzip_vary`. nginx compresses responses of these
        # statuses, and a 304 varies as the whole response would: caches take over its headers.
        _map(
            "$status $upstream_http_vary",
            "$whole_vary",
            [
                ("~*accept-encoding", "$upstream_http_vary"),
                ("~^(200|304|403|404) $", "Accept-Encoding"),
                ("~^(200|304|403|404) ", "$upstream_http_vary, Accept-Encoding"),
            ],
            "$upstream_http_vary",
        ),
        # Headers that a page of another origin wants to send; public data need no others kept out.
        _map(
            "$http_access_control_request_headers",
            "$allowed_headers",
            [("~^[A-Za-z0-9, _-]+$", "$http_access_control_request_headers")],
            "*",
        ),
    )


def _encodings(codings: Sequence[Coding]) -> Iterator[object]:
    """Yield the maps that choose the coding: the best one that the client accepts; some responses have only gzip."""
    accepted = "$http_accept_encoding"
    without_gzip = _coding_variable(codings)
    yield _map(accepted, "$encoding", _entries_of_coding(RULES["gzip"], _first_of(codings), without_gzip), without_gzip)
    for at, coding in enumerate(codings):
        otherwise = _coding_variable(codings[at + 1 :])
        yield _map(
            accepted, _coding_variable(codings[at:]), _entries_of_coding(RULES[coding], coding, otherwise), otherwise
        )
    for at, coding in enumerate(codings):
        otherwise = _first_of(codings[at + 1 :])
        rules = _entries_of_coding(RULES[coding], f"{coding}, gzip", otherwise)
        yield _map(accepted, _first_of(codings[at:]), rules, otherwise)


def _first_of(codings: Sequence[Coding]) -> str:
    return f"${'_or_'.join(codings)}_or_gzip" if codings else "gzip"


def _coding_variable(codings: Sequence[Coding]) -> str:
    """Return the variable with the coding for clients that do not accept gzip."""
    return f"$only_{'_or_'.join(codings)}" if codings else "identity"


def _representations() -> object:
    """Return the client's preferences that affect the response."""
    return EmptyBlock(
        # Without `f` the Accept header decides. ($arg_f would also match "F", which may be a property.)
        _map("$args", "$negotiated", [("~(^|&)f=[^&]", "")], "$http_accept"),
        # Four languages instead of the thousands of values that browsers send; empty except for pages.
        _map("$http_accept_language", "$language", [(f"~*{rule}", "$1") for rule in LANGUAGE_RULES], ENGLISH.tag),
        _map("$http_accept", "$takes_pages", [("~*text/html", "1")], ""),
        _map(
            "$takes_pages&$args", "$wanted_language", [(r"~&(?:.*&)?f=html(?:&|$)|^1&(?!(?:.*&)?f=)", "$language")], ""
        ),
        # Our own errors: a page for clients that prefer one, unless `f` names another format.
        _map("$http_accept", "$likes_pages", [(r"~*(?:^|,)\s*text/html\s*(?:,|$)", "1")], ""),
        _map("$likes_pages&$args", "$error_form", [("~^1(?!.*&f=(?!html(?:&|$)))", ".html")], ""),
        # For people with a browser: it displays plain JSON instead of saving it.
        _map(
            "$http_accept",
            "$openapi_type",
            [(r"~vnd\.oai\.openapi\+json", "openapi"), ("~text/html|application/json", "json")],
            "openapi",
        ),
    )


def _traces() -> object:
    """Return the client's trace; else one with the id of the request (W3C Trace Context, section 3.2)."""
    return EmptyBlock(
        _map("$request_id", "$own_traceparent", [("~^([0-9a-f]{16})", "00-$request_id-$1-01")], ""),
        _map(
            "$http_traceparent",
            "$traceparent",
            [
                ("~^00-(0{32}|[0-9a-f]{32}-0{16})", "$own_traceparent"),
                ("~^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$", "$http_traceparent"),
            ],
            "$own_traceparent",
        ),
        _map("$traceparent", "$trace_id", [("~^00-([0-9a-f]{32})", "$1")], ""),
    )


def _of(patterns: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    return [(f"~{pattern}", service) for pattern, service in patterns]


def _entries_of_coding(rules: Rules, coding: str, other: str) -> list[tuple[str, str]]:
    return [(f"~*{pattern}", coding if taken else other) for pattern, taken in rules]


def _map(source: str, target: str, entries: list[tuple[str, str]], default: str) -> object:
    """Return a `map` block: `source` gives the value of the first matching pattern, or `default`."""
    values = [one(f'"{pattern}"', f'"{value}"') for pattern, value in entries]
    return Section(f'map "{source}" {target}', *values, one("default", f'"{default}"'))
