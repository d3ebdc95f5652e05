"""Trusted addresses and networks, such as those of proxies."""

import ipaddress
from functools import lru_cache
from typing import Self

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_UNIX = "unix"


class Networks:
    """Addresses and networks, with a cache for the same few addresses in every request.

    `unix` includes peers on a Unix socket: their address is the empty text.
    """

    def __init__(self, networks: tuple[Network, ...], *, unix: bool = False) -> None:
        self._networks = networks
        self._unix = unix
        self._is_within = lru_cache(maxsize=1024)(self._look_up)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse comma-separated addresses and networks, and `unix`. Raises ValueError."""
        parts = [part.strip() for part in text.split(",") if part.strip()]
        networks = tuple(ipaddress.ip_network(part, strict=False) for part in parts if part != _UNIX)
        return cls(networks, unix=_UNIX in parts)

    def __contains__(self, address: str) -> bool:
        return self._is_within(address)

    def _look_up(self, address: str) -> bool:
        if not address:
            return self._unix
        try:
            remote = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(remote in network for network in self._networks)
