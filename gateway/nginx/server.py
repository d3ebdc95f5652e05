"""The `server` block of nginx's configuration: locations, passing on, caching."""

from __future__ import annotations

from gateway.folder import BASE_ADDRESS_PLACEHOLDER, PUBLISHED
from gateway.nginx.directives import EmptyBlock, Location, Section, flag, lines, one, quoted
from gateway.nginx.errors import error_locations, error_pages
from gateway.nginx.headers import ALLOWED, forwarded_headers, response_headers, security_headers
from gateway.nginx.routes import PREFIX, Routes
from gateway.settings import GatewaySettings
from libs.web.assets import asset_path, shared_assets

OF_THE_GATEWAY = ("X-Content-Type-Options", "Referrer-Policy", "X-Request-Id", "Server-Timing")
"""Headers of a service's response that the gateway says in its own words."""


def server(settings: GatewaySettings, routes: Routes) -> object:
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
        Location(f"= {PREFIX}", response_headers(), one("return", 308, f"{PREFIX}/$is_args$args")),
        # The address without escapes and dots: there is no other spelling that gets past.
        Location(f"= {PREFIX}/internal", one("return", 404)),
        Location(f"^~ {PREFIX}/internal/", one("return", 404)),
        Location(f"{PREFIX}/", _proxy("64k", unknown)),
        # The same; but a buffer of that size for each request, cached ones too, is a sixth of what a hot tile costs.
        Location(f"~ ^{PREFIX}/collections/[^/]+/tiles/", _proxy("16k", unknown)),
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
    rules = ["User-agent: *", f"Disallow: {PREFIX}/*?", f"Disallow: {PREFIX}/collections/*/tiles/*/*/"]
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


def _proxy(header_size: str, unknown: int) -> object:
    """To the service that the address names; `header_size` is what a response's header may take.

    `unknown` is the status of an address that no known service declares.
    """
    return EmptyBlock(
        *_guards(),
        Section("if ($without_slash)", response_headers(), one("return", 308, "$without_slash")),
        Section('if ($service = "")', one("return", unknown)),
        one("proxy_pass", "http://$service$service_uri"),
        one("proxy_http_version", "1.1"),
        forwarded_headers(),
        lines("proxy_hide_header", [[name] for name in OF_THE_GATEWAY]),
        one("proxy_redirect", "off"),
        one("proxy_connect_timeout", "2s"),
        one("proxy_read_timeout", "75s"),
        one("proxy_buffers", 16, "16k"),
        # The Link header of features repeats a long query.
        one("proxy_buffer_size", header_size),
        one("proxy_busy_buffers_size", "64k"),
        # Only requests without effects come this far, so that the next process may try.
        one("proxy_next_upstream", "error", "timeout"),
        one("proxy_next_upstream_tries", 3),
        one("proxy_next_upstream_timeout", "10s"),
        _cache(),
        # The request's own id: a cached response carries that of the request it was made for.
        security_headers(
            ("X-Request-Id", "$request_id"),
            ("X-Cache", "$upstream_cache_status"),
            ("Server-Timing", "$server_timing"),
        ),
    )


def _cache() -> object:
    """What is kept, and for how long, is up to the service's Cache-Control.

    A response without max-age is not kept. A stale one is used only as long as its stale-while-revalidate or
    stale-if-error allows: `proxy_cache_use_stale` would have no bound.
    """
    return EmptyBlock(
        one("proxy_cache", "responses"),
        one("proxy_cache_key", quoted("$scheme $client_host $service_uri $negotiated $wanted_encoding")),
        # Left to itself nginx keeps a copy for each spelling of the headers that Vary names; the key has their meaning.
        one("proxy_ignore_headers", "Vary"),
        one("proxy_cache_methods", "GET", "HEAD"),
        one("proxy_cache_revalidate", "on"),
        # RFC 9110 section 13.1.3: any time since then, not that very time alone
        one("if_modified_since", "before"),
        one("proxy_cache_background_update", "on"),
        one("proxy_cache_lock", "on"),
        # What nobody asks for again is not worth a file: writing one costs as much as passing the answer on.
        one("proxy_cache_min_uses", 2),
        one("proxy_cache_lock_timeout", "5s"),
        one("proxy_no_cache", "$not_cached", "$varies_otherwise"),
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
