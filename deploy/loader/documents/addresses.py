"""Public and private addresses of hosts."""

import asyncio
import ipaddress
import socket

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


async def addresses_of(host: str) -> list[IPAddress]:
    """Return the addresses of a host, in the order in which to try them. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [ipaddress.ip_address(each[4][0]) for each in found]


def is_public(address: IPAddress) -> bool:
    """Return whether an address belongs to the public internet, and not to a machine, a network or a group."""
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return address.is_global and not address.is_multicast
