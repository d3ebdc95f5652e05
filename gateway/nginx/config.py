"""nginx's configuration, built from the settings, and the addresses and paths of the services.

All paths in it are relative to the run directory, nginx's prefix.
"""

from __future__ import annotations

from nginx.config.api import Config, Section

from gateway.folder import CACHE, COUNTS
from gateway.nginx.clients import clients
from gateway.nginx.counts import COUNTED
from gateway.nginx.directives import EmptyBlock, one, quote
from gateway.nginx.log import log_format
from gateway.nginx.maps import variables
from gateway.nginx.routes import Routes
from gateway.nginx.server import server
from gateway.nginx.upstreams import upstreams
from gateway.settings import GatewaySettings
from gateway.upstreams import Addresses, backups
from libs.web.body_parameters import MOST_BYTES

CACHE_INACTIVE_SECONDS = 75
"""`inactive` time of the cache in seconds: older entries are mostly too stale even for `stale-if-error`."""


def build_config(
    settings: GatewaySettings, addresses: Addresses, routes: Routes, *, user: str | None = None, cached: bool = True
) -> str:
    """Return the text of nginx.conf; `user` is the user of the workers if the master runs as root.

    Without `cached`, nginx forwards responses without storing them or using stored ones.
    """
    config = Config(
        *([one("user", user)] if user else []),
        one("worker_processes", "auto"),
        one("pcre_jit", "on"),
        # For connections to both sides and open cache files; the usual soft limit is 1,024.
        one("worker_rlimit_nofile", 8192),
        one("daemon", "off"),
        one("pid", "nginx.pid"),
        # folder of the file that makes nginx drain its connections
        one("working_directory", quote(str(settings.folder))),
        one("error_log", "stderr", "warn"),
        Section("events", one("worker_connections", 2048)),
        Section(
            "http",
            _http(settings),
            clients(settings),
            variables(routes, settings.codings, settings.alternative_service),
            upstreams(addresses, backups(settings.upstreams)),
            server(settings, routes, cached=cached),
        ),
    )
    return str(config).lstrip() + "\n"


def _http(settings: GatewaySettings) -> object:
    return EmptyBlock(
        one("default_type", "application/octet-stream"),
        one("server_tokens", "off"),
        # Header and body of a cached response leave in one packet: a small one costs a fifth less than with sendfile,
        # one of 140 kB a quarter more. (With tcp_nopush, the usual remedy for sendfile, large ones wait for a kernel
        # timer.)
        one("sendfile", "off"),
        one("output_buffers", 1, "256k"),
        # Cache files stay open: a third more responses per second.
        one("open_file_cache", "max=256", "inactive=60s"),
        one("open_file_cache_valid", "1s"),
        one("keepalive_timeout", "65s"),
        one("log_format", "access", *log_format(settings.log_format)),
        # A pipe accepts 4 kB atomically, so that lines of two workers do not mix.
        one("access_log", "/dev/stdout", "access", "buffer=4k", "flush=1s"),
        # a separate block: if a block has a name twice, the library only writes the last one
        EmptyBlock(
            one("log_format", "counts", quote(COUNTED)),
            one("access_log", COUNTS, "counts", "buffer=16k", "flush=1s"),
        ),
        # A percent-encoded filter of 16 kB fits into one line.
        one("client_header_buffer_size", "4k"),
        one("large_client_header_buffers", 4, "32k"),
        one("client_max_body_size", f"{MOST_BYTES // 1024}k"),
        one("gzip", "on"),
        one("gzip_comp_level", 4),
        one("gzip_min_length", 512),
        one("gzip_proxied", "any"),
        # what varies is said with the other headers, once
        one("gzip_vary", "off"),
        # All that a service answers with becomes smaller, but for fonts; what is compressed already stays as it is.
        one("gzip_types", "*"),
        one("client_body_temp_path", "tmp/body"),
        one("proxy_temp_path", "tmp/proxy"),
        one("fastcgi_temp_path", "tmp/fastcgi"),
        one("uwsgi_temp_path", "tmp/uwsgi"),
        one("scgi_temp_path", "tmp/scgi"),
        one(
            "proxy_cache_path",
            CACHE,
            "levels=1:2",
            # Space for the addresses of `inactive` seconds at 6,000 new ones per second; memory is allocated on use.
            "keys_zone=responses:64m",
            "max_size=512m",
            "min_free=64m",
            f"inactive={CACHE_INACTIVE_SECONDS}s",
            # The cache manager drops 20,000 addresses per second; its default of 2,000 may be less than the new ones.
            "manager_files=1000",
            "use_temp_path=off",
        ),
    )
