"""The `server` block of nginx's configuration: locations, forwarding, caching."""

from __future__ import annotations

from collections.abc import Mapping

from gateway.folder import BASE_ADDRESS_PLACEHOLDER, DRAINING, PUBLISHED
from gateway.nginx.caching import caching
from gateway.nginx.clients import limits
from gateway.nginx.directives import EmptyBlock, Location, Section, flag, lines, one, quote
from gateway.nginx.errors import error_locations, error_pages
from gateway.nginx.headers import ALLOWED, forwarded_headers, response_headers, security_headers
from gateway.nginx.routes import PREFIX, Routes
from gateway.nginx.upstreams import BY_ADDRESS
from gateway.settings import GatewaySettings
from libs.web.assets import asset_path, shared_assets

OF_THE_GATEWAY = ("X-Content-Type-Options", "Referrer-Policy", "X-Request-Id", "Server-Timing", "Vary")
"""Headers of a service's response that the gateway says in its own words."""


UNCACHED = "@uncached"
_LEAVING = "@leaving"
_LEAVES = 418
"""Internal status that leads to the location; no response has it."""
_AGAIN = "@again"
AGAIN_SECONDS = 0.35
"""Seconds for another process to answer or refuse after one has hung."""
AGAIN_CONNECT_SECONDS = 0.1
CONNECT_SECONDS = 0.3
"""Seconds to connect to a machine; a failed machine never accepts, and the next process may hang."""
_EXPORT_SILENCE = 600.0
"""Seconds for writing an export of which nothing can be sent before its end."""
_STREAM_SECONDS = 60.0


def server(settings: GatewaySettings, routes: Routes, *, cached: bool) -> object:
    """Return the `server` block: the gateway's own responses, and the forwarding of requests."""
    # Until every service has been seen once, an unknown path may belong to an unseen one.
    unknown = 404 if routes.complete else 503
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    listens = [[f"{host}:{settings.port}"]]
    if settings.tls_certificate is not None:
        listens.append([f"{host}:{settings.tls_port}", "ssl", *([] if settings.http3 else ["http2"])])
    if settings.http3:
        listens.append([f"{host}:{settings.tls_port}", "quic", "reuseport"])
    return Section(
        "server",
        lines("listen", listens),
        *(_tls(settings) if len(listens) > 1 else []),
        # as a directive, which nginx 1.22 does not know
        *([one("http2", "on")] if settings.http3 else []),
        one("server_name", "_"),
        one("absolute_redirect", "off"),
        error_pages(),
        error_locations(settings.public_url),
        Location("/", one("return", 404)),
        Location("= /", response_headers(), one("return", 302, _address(settings, "/"))),
        _favicon(),
        _robots(),
        # Answered, not redirected: behind any proxy, only a relative redirect is right, but QGIS does not follow it.
        Location(f"= {PREFIX}", one("rewrite", "^", f"{PREFIX}/", "last")),
        # The address without escapes and dots: no other spelling reaches these paths.
        Location(f"= {PREFIX}/internal", one("return", 404)),
        Location(f"^~ {PREFIX}/internal/", one("return", 404)),
        Location(f"{PREFIX}/", _proxy(settings, "64k", unknown, cached=cached), _draining_branch()),
        # The same with a smaller buffer: 64k for each request, also cached ones, is a sixth of a hot tile's cost.
        Location(
            f"~ ^{PREFIX}/(?:collections/[^/]+/)?tiles/",
            _proxy(settings, "16k", unknown, cached=cached),
            _draining_branch(),
        ),
        Location(
            f"~ ^{PREFIX}/collections/[^/]+/export$",
            _refusals(settings, unknown),
            # Not cached: clients request it in parts, and the one process that serves it has it as a file.
            _forward(settings, "64k", silence=_EXPORT_SILENCE, upstream=f"{BY_ADDRESS}$service"),
            # Other kinds of files are compressed already, and a client that resumes a download needs their length.
            one("gzip_types", "text/csv", "application/json", "application/ndjson", "application/geo+json"),
        ),
        Location(f"~ ^{PREFIX}/(?:collections/[^/]+/)?changes$", *_stream(settings, unknown)),
        Location(UNCACHED, _retry_pages(), _forward(settings, "64k")),
        Location(_AGAIN, Section('if ($another = "")', one("return", 504)), _retry_location(settings)),
        # the same as the first location, but the connection closes after the response
        Location(_LEAVING, _proxy_with_cache(settings, "64k", cached=cached), one("keepalive_timeout", 0)),
        Location(f"= {PREFIX}/openapi.json", *_guards(), one("rewrite", "^", "/_openapi/$openapi_type", "last")),
        _document("openapi", "application/vnd.oai.openapi+json;version=3.0", settings.public_url),
        _document("json", "application/json", settings.public_url),
    )


def _tls(settings: GatewaySettings) -> list[object]:
    """Return the directives of the second port, after Mozilla's intermediate profile."""
    return [
        one("ssl_certificate", quote(str(settings.tls_certificate))),
        one("ssl_certificate_key", quote(str(settings.tls_key))),
        one("ssl_protocols", "TLSv1.2", "TLSv1.3"),
        one("ssl_ciphers", "ECDHE+AESGCM:ECDHE+CHACHA20"),
        one("ssl_prefer_server_ciphers", "off"),
        one("ssl_session_cache", "shared:tls:10m"),
        one("ssl_session_timeout", "1d"),
        one("ssl_session_tickets", "off"),
    ]


def _favicon() -> object:
    """Return the location of the icon that browsers request for documents without our own link, such as JSON."""
    content, media_type = shared_assets()[asset_path("mark.svg")]
    return Location(
        "= /favicon.ico",
        one("default_type", media_type),
        response_headers(("Cache-Control", quote("public, max-age=86400")), ("Vary", "Accept-Encoding")),
        one("return", 200, quote(content.decode().strip())),
    )


def _robots() -> object:
    """Return the paths that crawlers should skip: tiles, and addresses with a query, which are views of other pages."""
    rules = [
        "User-agent: *",
        f"Disallow: {PREFIX}/*?",
        f"Disallow: {PREFIX}/collections/*/tiles/*/*/",
        f"Disallow: {PREFIX}/tiles/*/*/",
    ]
    return Location(
        "= /robots.txt",
        one("default_type", "text/plain"),
        response_headers(("Cache-Control", quote("public, max-age=86400"))),
        one("return", 200, quote("".join(f"{rule}\n" for rule in rules))),
    )


def _guards() -> list[object]:
    return [
        Section('if ($client_host = "")', one("return", 400)),
        Section("if ($refused_method)", one("return", 405)),
        Section("if ($not_encoded)", one("return", 400)),
    ]


def _address(settings: GatewaySettings, path: str) -> str:
    """Where a redirect leads: below `DAMS_PUBLIC_URL`, whose path a proxy before us may cut off, else on this host."""
    return quote(f"{settings.public_url or PREFIX}{path}")


def _refusals(settings: GatewaySettings, unknown: int) -> object:
    """Refuses requests that belong to no service; `unknown` is the status of an undeclared address."""
    return EmptyBlock(
        *_guards(),
        Section("if ($without_slash)", response_headers(), one("return", 308, _address(settings, "$without_slash"))),
        Section('if ($service = "")', one("return", unknown)),
    )


def _proxy(settings: GatewaySettings, header_size: str, unknown: int, *, cached: bool) -> object:
    """Return the directives that forward to the service of the address, with its cache if `cached`.

    `header_size` is the maximum size of a response's header.
    """
    return EmptyBlock(_refusals(settings, unknown), _proxy_with_cache(settings, header_size, cached=cached))


def _proxy_with_cache(settings: GatewaySettings, header_size: str, *, cached: bool) -> object:
    # If the cache fails (no space for another address, a file that cannot be opened), the service still answers.
    return EmptyBlock(
        _retry_pages({500: UNCACHED, _LEAVES: _LEAVING}),
        _forward(settings, header_size),
        *([caching()] if cached else []),
    )


def _retry_pages(others: Mapping[int, str] | None = None) -> object:
    """Return the error pages that lead to another process if one hung."""
    return EmptyBlock(error_pages({**(others or {}), 504: _AGAIN}), one("recursive_error_pages", "on"))


def _draining_branch() -> object:
    """Return a branch to where connections close after the response: `keepalive_timeout` has no `if`."""
    return EmptyBlock(
        # checked once a second, not in each request
        one("open_file_cache_errors", "on"),
        Section(f"if (-f {DRAINING})", one("return", _LEAVES)),
    )


def _stream(settings: GatewaySettings, unknown: int) -> list[object]:
    """Return the location of a service's stream of changes, without buffering, caching or compression."""
    return [
        *_guards(),
        Section('if ($service = "")', one("return", unknown)),
        # each listener gets a message every 15 seconds
        _forward(settings, "16k", silence=_STREAM_SECONDS),
        one("proxy_buffering", "off"),
        one("gzip", "off"),
    ]


def _forward(
    settings: GatewaySettings, header_size: str, silence: float | None = None, upstream: str = "$service"
) -> object:
    """Forward to a process of `upstream`, which may send nothing for `silence` seconds."""
    silence = silence or settings.timeout_seconds
    return EmptyBlock(
        one("proxy_pass", f"http://{upstream}$service_uri"),
        forwarded_headers(),
        one("proxy_connect_timeout", _ms(CONNECT_SECONDS)),
        one("proxy_read_timeout", _ms(silence)),
        # Only requests without effects reach this point, so any process may retry them: another one if the first
        # refuses, or accepts no connection. A process that hung has used all the time: `error_page` leads to a location
        # with a shorter limit.
        one("proxy_next_upstream", "error", "timeout"),
        one("proxy_next_upstream_timeout", _ms(silence / 2)),
        _transport(settings, header_size),
    )


def _retry_location(settings: GatewaySettings) -> object:
    return EmptyBlock(
        one("proxy_pass", "http://$another$service_uri"),
        # not the ETag of a stale cache entry that was to be revalidated: the cache is not used any more
        forwarded_headers(etag="$http_if_none_match"),
        one("proxy_connect_timeout", _ms(AGAIN_CONNECT_SECONDS)),
        one("proxy_read_timeout", _ms(AGAIN_SECONDS)),
        one("proxy_next_upstream", "error"),
        _transport(settings, "64k"),
    )


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f}ms"


def _transport(settings: GatewaySettings, header_size: str) -> object:
    """Return the directives of all forwarded requests."""
    return EmptyBlock(
        one("proxy_http_version", "1.1"),
        lines("proxy_hide_header", [[name] for name in OF_THE_GATEWAY]),
        one("proxy_redirect", "off"),
        one("proxy_buffers", 16, "16k"),
        # The Link header of features repeats a long query.
        one("proxy_buffer_size", header_size),
        one("proxy_busy_buffers_size", "64k"),
        # A service waits for a slow client; its response is not buffered on disk.
        one("proxy_max_temp_file_size", 0),
        limits(settings),
        # The request's own id: a cached response has that of the request it was made for.
        security_headers(
            ("X-Request-Id", "$request_id"),
            ("X-Cache", "$upstream_cache_status"),
            ("Server-Timing", "$server_timing"),
            ("Vary", "$whole_vary"),
        ),
    )


def _document(name: str, media_type: str, public_url: str | None) -> object:
    """Return the location of the published OpenAPI document, with the client's address as its server."""
    address: list[object] = [
        one("sub_filter", quote(BASE_ADDRESS_PLACEHOLDER), quote(f"$scheme://$client_host{PREFIX}")),
        one("sub_filter_types", "*"),
        # the time of the file: its address is replaced for each request
        one("sub_filter_last_modified", "on"),
    ]
    cors = (
        ("Access-Control-Allow-Methods", quote(ALLOWED)),
        ("Access-Control-Allow-Headers", quote("$allowed_headers")),
        ("Access-Control-Max-Age", 86400),
    )
    return Location(
        f"= /_openapi/{name}",
        flag("internal"),
        Section(
            "if ($request_method = OPTIONS)",
            response_headers(("Allow", quote(ALLOWED)), *cors),
            one("return", 204),
        ),
        one("root", PUBLISHED.rpartition("/")[0]),
        # The gateway publishes the document once it has seen all services.
        one("try_files", "/openapi.json", "=503"),
        one("default_type", quote(media_type)),
        response_headers(("Vary", quote("Accept, Accept-Encoding")), ("Cache-Control", quote("public, max-age=0"))),
        *([one("gzip_static", "on")] if public_url else address),
    )
