"""The `server` block of nginx's configuration: locations, passing on, caching."""

from __future__ import annotations

from gateway.folder import BASE_ADDRESS_PLACEHOLDER, PUBLISHED
from gateway.nginx.caching import caching
from gateway.nginx.directives import EmptyBlock, Location, Section, flag, lines, one, quoted
from gateway.nginx.errors import error_locations, error_pages
from gateway.nginx.headers import ALLOWED, forwarded_headers, response_headers, security_headers
from gateway.nginx.routes import PREFIX, Routes
from gateway.settings import GatewaySettings
from libs.web.assets import asset_path, shared_assets

OF_THE_GATEWAY = ("X-Content-Type-Options", "Referrer-Policy", "X-Request-Id", "Server-Timing")
"""Headers of a service's response that the gateway says in its own words."""


UNCACHED = "@uncached"
_EXPORT_SILENCE = 600.0
"""Seconds that the making of a file may take of which nothing can be sent before its end."""
_STREAM_SECONDS = 60.0


def server(settings: GatewaySettings, routes: Routes, *, cached: bool) -> object:
    """The `server` block: what the gateway answers itself, and what it passes on."""
    # While a service has never been heard of, an unknown path may be one of its paths.
    unknown = 404 if routes.complete else 503
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return Section(
        "server",
        one("listen", f"{host}:{settings.port}"),
        one("server_name", "_"),
        one("absolute_redirect", "off"),
        error_pages(),
        error_locations(),
        Location("/", response_headers(), one("return", 404)),
        Location("= /", response_headers(), one("return", 302, f"{PREFIX}/")),
        _favicon(),
        _robots(),
        # Answered, not redirected: QGIS does not follow a relative address, which alone is right behind any proxy.
        Location(f"= {PREFIX}", one("rewrite", "^", f"{PREFIX}/", "last")),
        # The address without escapes and dots: there is no other spelling that gets past.
        Location(f"= {PREFIX}/internal", one("return", 404)),
        Location(f"^~ {PREFIX}/internal/", one("return", 404)),
        Location(f"{PREFIX}/", _proxy(settings, "64k", unknown, cached=cached)),
        # The same; but a buffer of that size for each request, cached ones too, is a sixth of what a hot tile costs.
        Location(f"~ ^{PREFIX}/(?:collections/[^/]+/)?tiles/", _proxy(settings, "16k", unknown, cached=cached)),
        Location(
            f"~ ^{PREFIX}/collections/[^/]+/export$",
            # Nothing of it is kept: it is asked for in parts, and the service has it as a file.
            _proxy(settings, "64k", unknown, cached=False, silence=_EXPORT_SILENCE),
            # Files of other kinds are compressed already, and who resumes a download has to know their length.
            one("gzip_types", "text/csv", "application/json", "application/ndjson", "application/geo+json"),
        ),
        Location(f"~ ^{PREFIX}/(?:collections/[^/]+/)?changes$", *_stream(settings, unknown)),
        Location(UNCACHED, _passed_on(settings, "64k")),
        Location(f"= {PREFIX}/openapi.json", *_guards(), one("rewrite", "^", "/_openapi/$openapi_type", "last")),
        _document("openapi", "application/vnd.oai.openapi+json;version=3.0", settings.public_url),
        _document("json", "application/json", settings.public_url),
    )


def _favicon() -> object:
    """What browsers ask for beside anything that is not a page of ours, such as JSON."""
    content, media_type = shared_assets()[asset_path("mark.svg")]
    return Location(
        "= /favicon.ico",
        one("default_type", media_type),
        response_headers(("Cache-Control", quoted("public, max-age=86400"))),
        one("return", 200, quoted(content.decode().strip())),
    )


def _robots() -> object:
    """What crawlers should leave alone: tiles, and addresses with a query, each another view of what has none."""
    rules = [
        "User-agent: *",
        f"Disallow: {PREFIX}/*?",
        f"Disallow: {PREFIX}/collections/*/tiles/*/*/",
        f"Disallow: {PREFIX}/tiles/*/*/",
    ]
    return Location(
        "= /robots.txt",
        one("default_type", "text/plain"),
        response_headers(("Cache-Control", quoted("public, max-age=86400"))),
        one("return", 200, quoted("".join(f"{rule}\n" for rule in rules))),
    )


def _guards() -> list[object]:
    return [
        Section('if ($client_host = "")', one("return", 400)),
        Section("if ($refused_method)", one("return", 405)),
        Section("if ($not_encoded)", one("return", 400)),
    ]


def _proxy(
    settings: GatewaySettings, header_size: str, unknown: int, *, cached: bool, silence: float | None = None
) -> object:
    """To the service that the address names, with what is kept of its answers where `cached`.

    `header_size` is what a response's header may take, `unknown` the status of an address that no service declares,
    `silence` for how many seconds the service may send nothing.
    """
    return EmptyBlock(
        *_guards(),
        Section("if ($without_slash)", response_headers(), one("return", 308, "$without_slash")),
        Section('if ($service = "")', one("return", unknown)),
        # Where the cache fails (no room for another address, a file that cannot be opened) the service still answers.
        error_pages(failed=UNCACHED),
        one("recursive_error_pages", "on"),
        _passed_on(settings, header_size, silence),
        *([caching()] if cached else []),
    )


def _stream(settings: GatewaySettings, unknown: int) -> list[object]:
    """To the service, which tells a change when it comes: nothing is kept back, kept or compressed on the way."""
    return [
        *_guards(),
        Section('if ($service = "")', one("return", unknown)),
        # each listener hears something every 15 seconds
        _passed_on(settings, "16k", silence=_STREAM_SECONDS),
        one("proxy_buffering", "off"),
        one("gzip", "off"),
    ]


def _passed_on(settings: GatewaySettings, header_size: str, silence: float | None = None) -> object:
    limit = settings.requests_per_client
    silence = silence or settings.timeout_seconds
    return EmptyBlock(
        one("proxy_pass", "http://$service$service_uri"),
        one("proxy_http_version", "1.1"),
        forwarded_headers(),
        lines("proxy_hide_header", [[name] for name in OF_THE_GATEWAY]),
        one("proxy_redirect", "off"),
        one("proxy_connect_timeout", "2s"),
        one("proxy_read_timeout", f"{silence * 1000:.0f}ms"),
        one("proxy_buffers", 16, "16k"),
        # The Link header of features repeats a long query.
        one("proxy_buffer_size", header_size),
        one("proxy_busy_buffers_size", "64k"),
        # A service waits for a client that reads slowly; nothing of its answer goes to the disk meanwhile.
        one("proxy_max_temp_file_size", 0),
        # Only requests without effects come this far, so that all processes may try; a second one that hangs may not.
        one("proxy_next_upstream", "error", "timeout"),
        one("proxy_next_upstream_timeout", f"{settings.timeout_seconds * 1000 + 3000:.0f}ms"),
        *([one("limit_conn", "clients", limit)] if limit else []),
        # The request's own id: a cached response carries that of the request it was made for.
        security_headers(
            ("X-Request-Id", "$request_id"),
            ("X-Cache", "$upstream_cache_status"),
            ("Server-Timing", "$server_timing"),
        ),
    )


def _document(name: str, media_type: str, public_url: str | None) -> object:
    """The published OpenAPI document, with the address that the client used as its server."""
    address: list[object] = [
        one("sub_filter", quoted(BASE_ADDRESS_PLACEHOLDER), quoted(f"$scheme://$client_host{PREFIX}")),
        one("sub_filter_types", "*"),
        # of the file: the address in it is that of the request
        one("sub_filter_last_modified", "on"),
    ]
    cors = (
        ("Access-Control-Allow-Methods", quoted(ALLOWED)),
        ("Access-Control-Allow-Headers", quoted("Accept, If-None-Match")),
        ("Access-Control-Max-Age", 86400),
    )
    return Location(
        f"= /_openapi/{name}",
        flag("internal"),
        Section(
            "if ($request_method = OPTIONS)",
            response_headers(("Allow", quoted(ALLOWED)), *cors),
            one("return", 204),
        ),
        one("root", PUBLISHED.rpartition("/")[0]),
        # Until the services have been heard of for the first time there is nothing to publish.
        one("try_files", "/openapi.json", "=503"),
        one("default_type", quoted(media_type)),
        response_headers(("Vary", "Accept"), ("Cache-Control", quoted("public, max-age=0"))),
        *([one("gzip_static", "on")] if public_url else address),
    )
