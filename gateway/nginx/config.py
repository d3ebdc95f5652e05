"""nginx's configuration, built from the settings, and the addresses and paths of the services.

All paths in it are relative to the run directory, nginx's prefix.
"""

from __future__ import annotations

from nginx.config.api import Config, Section

from gateway.folder import CACHE, COUNTS
from gateway.nginx.clients import clients
from gateway.nginx.counts import COUNTED
from gateway.nginx.directives import EmptyBlock, one, quoted
from gateway.nginx.log import log_format
from gateway.nginx.maps import variables
from gateway.nginx.routes import Routes
from gateway.nginx.server import server
from gateway.nginx.upstreams import upstreams
from gateway.settings import GatewaySettings
from gateway.upstreams import Addresses, backups

CACHE_INACTIVE_SECONDS = 75
"""What nobody asked for is forgotten after this time: most of it would be too old even for `stale-if-error`."""


def build_config(
    settings: GatewaySettings, addresses: Addresses, routes: Routes, *, user: str | None = None, cached: bool = True
) -> str:
    """The text of nginx.conf; `user` is whom the workers run as where the master is root.

    Without `cached` answers pass through: none is kept, and none that was kept is used.
    """
    config = Config(
        *([one("user", user)] if user else []),
        one("worker_processes", "auto"),
        one("pcre_jit", "on"),
        # For connections to both sides and the open files of the cache; a soft limit of 1,024 is usual.
        one("worker_rlimit_nofile", 8192),
        one("daemon", "off"),
        one("pid", "nginx.pid"),
        # where the file is looked for that has it drained
        one("working_directory", quoted(str(settings.folder))),
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
        # a block of its own: of two of a name in one block the library writes the last alone
        EmptyBlock(
            one("log_format", "counts", quoted(COUNTED)),
            one("access_log", COUNTS, "counts", "buffer=16k", "flush=1s"),
        ),
        # A filter of 16 kB, percent-encoded, fits into one line.
        one("client_header_buffer_size", "4k"),
        one("large_client_header_buffers", 4, "32k"),
        one("client_max_body_size", "64k"),
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
            # Room for the addresses of `inactive` seconds at 6,000 new ones each second; memory is taken as they come.
            "keys_zone=responses:64m",
            "max_size=512m",
            "min_free=64m",
            f"inactive={CACHE_INACTIVE_SECONDS}s",
            # The cache manager forgets 20,000 addresses a second; by itself 2,000, fewer than may come.
            "manager_files=1000",
            "use_temp_path=off",
        ),
    )
