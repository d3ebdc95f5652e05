"""Identify clients, and limit the load that one client may cause."""

from __future__ import annotations

from gateway.nginx.directives import EmptyBlock, Section, lines, one
from gateway.settings import GatewaySettings

_SHARED = ("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7")
"""Private networks: an address in them may belong to a proxy with many clients behind it."""


def clients(settings: GatewaySettings) -> object:
    """Return directives of the `http` block."""
    proxies = settings.trusted_proxies or ()
    rate = settings.requests_per_second
    return EmptyBlock(
        *([lines("set_real_ip_from", [[proxy] for proxy in proxies])] if proxies else []),
        *([one("real_ip_header", "X-Forwarded-For"), one("real_ip_recursive", "on")] if proxies else []),
        Section("geo $shared_address", one("default", 0), *(one(network, 1) for network in _SHARED)),
        Section("map $shared_address $limited_client", one("0", "$binary_remote_addr"), one("default", '""')),
        one("limit_conn_zone", "$limited_client", "zone=clients:10m"),
        one("limit_conn_status", 429),
        *([one("limit_req_zone", "$limited_client", "zone=rates:10m", f"rate={rate}r/s")] if rate else []),
        one("limit_req_status", 429),
        # A client that reads nothing for this time has disconnected or is malicious; its data in the kernel are freed.
        one("send_timeout", "20s"),
        one("reset_timedout_connection", "on"),
    )


def limits(settings: GatewaySettings) -> object:
    """Return directives of a location whose requests count."""
    most, rate = settings.requests_per_client, settings.requests_per_second
    return EmptyBlock(
        *([one("limit_conn", "clients", most)] if most else []),
        # a map sends many requests at once, and then none
        *([one("limit_req", "zone=rates", f"burst={2 * rate}", "nodelay")] if rate else []),
    )
