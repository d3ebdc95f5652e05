"""Headers of requests to services, and of the gateway's own responses."""

from __future__ import annotations

from gateway.nginx.directives import lines, quote
from gateway.nginx.routes import PREFIX

ALLOWED = "GET, HEAD, OPTIONS"

SECURITY_HEADERS = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "strict-origin-when-cross-origin"),
    ("Alt-Svc", "$alternative_service"),
)


def security_headers(*extra: tuple[str, object]) -> object:
    """Return the headers of every response. A location with its own headers inherits none, so each repeats them."""
    return lines("add_header", [(name, value, "always") for name, value in (*SECURITY_HEADERS, *extra)])


def response_headers(*extra: tuple[str, object]) -> object:
    """Return the headers of a response without a service: security, the request's id, CORS for public data."""
    return security_headers(
        ("X-Request-Id", "$request_id"),
        ("Access-Control-Allow-Origin", "*"),
        ("Access-Control-Expose-Headers", "*"),
        *extra,
    )


def forwarded_headers(etag: str = "$wanted_etag") -> object:
    """Return the headers of a request to a service. The client's own headers with these names are dropped.

    The service may answer 304 for the `etag`.
    """
    dropped = ("Forwarded", "X-Real-IP", "X-Forwarded-Port", "X-Forwarded-Server", "X-Original-URL", "X-Rewrite-URL")
    return lines(
        "proxy_set_header",
        [
            ("Host", "$client_host"),
            ("Connection", quote("")),
            ("Accept-Encoding", "$wanted_encoding"),
            ("Accept-Language", "$wanted_language"),
            ("If-None-Match", etag),
            ("X-Forwarded-Host", "$client_host"),
            ("X-Forwarded-Proto", "$scheme"),
            ("X-Forwarded-Prefix", PREFIX),
            ("X-Forwarded-For", "$remote_addr"),
            # The services speak HTTP/1.1, independent of the client.
            ("X-Client-Protocol", "$server_protocol"),
            ("X-Request-Id", "$request_id"),
            ("traceparent", "$traceparent"),
            # The start of the first attempt, also if another process hung and this is the second.
            ("X-Request-Start", "$first_asked"),
            *((name, quote("")) for name in dropped),
        ],
    )
