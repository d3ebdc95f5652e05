"""Resolve the names of the services to addresses."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
from collections.abc import Mapping

from gateway.settings import Endpoint, UnixSocket, Upstreams

_LOG = logging.getLogger("dams.upstreams")

Addresses = Mapping[str, tuple[str, ...]]
"""By service: sorted `address:port`, IPv6 addresses in brackets, and `unix:/path`; empty if a name is unknown."""

ABSENT_SECONDS = 30.0
"""Seconds after which a process or service that does not answer counts as gone; longer than a restart."""


async def resolve(upstreams: Upstreams, known: Addresses) -> Addresses:
    """Return all current addresses of all services.

    A name that cannot be resolved keeps the service's `known` addresses: a short failure of the name service must not
    remove working services.
    """
    result = {}
    for service, endpoints in upstreams.items():
        try:
            found = {address for endpoint in endpoints for address in await _addresses(endpoint)}
        except OSError as error:
            fields = {"upstream": service, "cause": str(error)}
            _LOG.debug("cannot resolve", extra={"fields": fields})
            result[service] = known.get(service, ())
        else:
            result[service] = tuple(sorted(found))
    return result


def backups(upstreams: Upstreams) -> frozenset[str]:
    """Return the addresses that are only used if the others of their service fail."""
    return frozenset(_literal(endpoint) for several in upstreams.values() for endpoint in several if endpoint.backup)


async def _addresses(endpoint: Endpoint | UnixSocket) -> list[str]:
    if isinstance(endpoint, UnixSocket):
        return [_literal(endpoint)]
    try:
        return [_literal(endpoint)]
    except ValueError:
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(endpoint.host, endpoint.port, type=socket.SOCK_STREAM)
        return [_join_port(str(entry[4][0]), endpoint.port) for entry in found]


def _literal(endpoint: Endpoint | UnixSocket) -> str:
    """Return the address. Raises ValueError for a name."""
    if isinstance(endpoint, UnixSocket):
        return f"unix:{endpoint.path}"
    return _join_port(ipaddress.ip_address(endpoint.host).compressed, endpoint.port)


def _join_port(address: str, port: int) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
