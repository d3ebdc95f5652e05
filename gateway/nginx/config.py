"""nginx's configuration, built from the settings and the addresses of the services.

All paths in it are relative to the run directory, nginx's prefix.
"""

from __future__ import annotations

from nginx.config.api import Config, Location, Section

from gateway.nginx.directives import EmptyBlock, flag, lines, one, quoted
from gateway.nginx.errors import error_locations, error_pages
from gateway.nginx.headers import ALLOWED, forwarded_headers, response_headers, security_headers
from gateway.nginx.log import log_format
from gateway.nginx.maps import variables
from gateway.nginx.routes import PREFIX
from gateway.settings import SERVICES, GatewaySettings
from gateway.upstreams import Addresses
from libs.web.assets import asset_path, shared_assets

PUBLISHED = "published/openapi.json"
BASE_ADDRESS_PLACEHOLDER = "http://base-address.invalid/api"
FOLDERS = ("published", "cache", "tmp/body", "tmp/proxy", "tmp/fastcgi", "tmp/uwsgi", "tmp/scgi")

OF_THE_GATEWAY = ("X-Content-Type-Options", "Referrer-Policy", "X-Request-Id", "Server-Timing")
"""Headers of a service's response that the gateway says in its own words."""

COMPRESSED_TYPES = (
    "application/geo+json",
    "application/geo+json-seq",
    "application/javascript",
    "application/json",
    "application/ndjson",
    "application/schema+json",
    "application/vnd.mapbox-vector-tile",
    "application/vnd.oai.openapi+json",
    "'application/vnd.oai.openapi+json;version=3.0'",
    "application/x-protobuf",
    "image/svg+xml",
    "text/css",
    "text/csv",
    "text/javascript",
    "text/plain",
)


def build_config(settings: GatewaySettings, addresses: Addresses, *, user: str | None = None) -> str:
    """The text of nginx.conf; `user` is whom the workers run as where the master is root."""
    config = Config(
        *([one("user", user)] if user else []),
        one("worker_processes", "auto"),
        one("pcre_jit", "on"),
        # For connections to both sides and the open files of the cache; a soft limit of 1,024 is usual.
        one("worker_rlimit_nofile", 8192),
        one("daemon", "off"),
        one("pid", "nginx.pid"),
        one("error_log", "stderr", "warn"),
        Section("events", one("worker_connections", 2048)),
        Section("http", _http(settings), variables(), _upstreams(addresses), _server(settings)),
    )
    return str(config).lstrip() + "\n"


def _http(settings: GatewaySettings) -> object:
    return EmptyBlock(
        one("default_type", "application/octet-stream"),
        one("server_tokens", "off"),
        # Header and body of a cached answer leave in one packet: a small one costs a fifth less than with sendfile, one
        # of 140 kB a quarter more. (With tcp_nopush, sendfile's remedy, large ones wait for a timer of the kernel.)
        one("sendfile", "off"),
        one("output_buffers", 1, "256k"),
        # Files of the cache stay open: a third more answers a second.
        one("open_file_cache", "max=256", "inactive=60s"),
        one("open_file_cache_valid", "1s"),
        one("keepalive_timeout", "65s"),
        one("log_format", "access", *log_format(settings.log_format)),
        # A pipe takes 4 kB at once whole, so that lines of two workers do not mix.
        one("access_log", "/dev/stdout", "access", "buffer=4k", "flush=1s"),
        # A filter of 16 kB, percent-encoded, fits into one line.
        one("client_header_buffer_size", "4k"),
        one("large_client_header_buffers", 4, "32k"),
        one("client_max_body_size", "64k"),
        one("gzip", "on"),
        one("gzip_comp_level", 4),
        one("gzip_min_length", 512),
        one("gzip_proxied", "any"),
        one("gzip_vary", "on"),
        one("gzip_types", *COMPRESSED_TYPES),
        one("client_body_temp_path", "tmp/body"),
        one("proxy_temp_path", "tmp/proxy"),
        one("fastcgi_temp_path", "tmp/fastcgi"),
        one("uwsgi_temp_path", "tmp/uwsgi"),
        one("scgi_temp_path", "tmp/scgi"),
        one(
            "proxy_cache_path",
            "cache",
            "levels=1:2",
            "keys_zone=responses:10m",
            "max_size=512m",
            "inactive=10m",
            "use_temp_path=off",
        ),
    )


def _upstreams(addresses: Addresses) -> object:
    block = EmptyBlock()
    for service in SERVICES:
        # nginx wants one server at least; one that is down answers 503, as a service that is not there should.
        servers = [(address, "max_fails=1", "fail_timeout=2s") for address in addresses.get(service, ())]
        block.sections.add(
            Section(
                f"upstream {service}",
                one("zone", f"upstream_{service}", "128k"),
                flag("least_conn"),
                lines("server", servers or [("127.0.0.1:9", "down")]),
                one("keepalive", 32),
            )
        )
    return block


def _server(settings: GatewaySettings) -> object:
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
        Location(f"{PREFIX}/", _proxy("64k")),
        # The same; but a buffer of that size for each request, cached ones too, is a sixth of what a hot tile costs.
        Location(f"~ ^{PREFIX}/collections/[^/]+/tiles/", _proxy("16k")),
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


def _proxy(header_size: str) -> object:
    """To the service that the address names; `header_size` is what a response's header may take."""
    return EmptyBlock(
        *_guards(),
        Section("if ($without_slash)", response_headers(), one("return", 308, "$without_slash")),
        Section('if ($service = "")', one("return", 404)),
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
        one("root", "published"),
        # Until the services have been heard of for the first time there is nothing to publish.
        one("try_files", "/openapi.json", "=503"),
        one("default_type", quoted(media_type)),
        response_headers(("Vary", "Accept"), ("Cache-Control", quoted("public, max-age=0"))),
        *([one("gzip_static", "on")] if public_url else address),
    )
