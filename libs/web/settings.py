"""Settings that every service has, read once from the environment into a frozen value."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_KNOWN_ADDRESSES = 1024
_UNIX = "unix"


class SettingsError(ValueError):
    """A setting is missing or malformed; the message names it."""


class Networks:
    """Addresses and networks, asked for the same few addresses with every request.

    `unix` says whether peers on a Unix socket are among them: their address is the empty text.
    """

    def __init__(self, networks: tuple[Network, ...], *, unix: bool = False) -> None:
        self._networks = networks
        self._known = {"": unix}

    def __contains__(self, address: str) -> bool:
        found = self._known.get(address)
        if found is None:
            found = self._is_within(address)
            if len(self._known) < _KNOWN_ADDRESSES:
                self._known[address] = found
        return found

    def _is_within(self, address: str) -> bool:
        try:
            remote = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(remote in network for network in self._networks)


@dataclass(frozen=True, slots=True)
class WebSettings:
    """How a service listens and speaks. See ARCHITECTURE.md for the variables' meaning."""

    host: str
    port: int
    socket: Path | None
    public_url: str | None
    trusted_proxies: Networks
    invalid_parameter_status: int
    log_format: str
    log_level: str

    @classmethod
    def from_env(cls, env: Mapping[str, str], *, port: int) -> Self:
        """Read the settings; `port` is the service's default. Raises SettingsError."""
        return cls(
            host=env.get("HOST", "127.0.0.1"),
            port=integer(env, "PORT", port, minimum=1, maximum=65535),
            socket=Path(env["SOCKET"]) if env.get("SOCKET") else None,
            public_url=url(env, "PUBLIC_URL"),
            trusted_proxies=_networks(env.get("TRUSTED_PROXIES", "127.0.0.1,::1,unix")),
            invalid_parameter_status=int(choice(env, "INVALID_PARAMETER_STATUS", ("422", "400"))),
            log_format=choice(env, "LOG_FORMAT", ("json", "text")),
            log_level=choice(env, "LOG_LEVEL", ("INFO", "DEBUG", "WARNING", "ERROR")),
        )


def required(env: Mapping[str, str], name: str) -> str:
    """The variable's value. Raises SettingsError where it is not set."""
    value = env.get(name, "")
    if not value:
        raise SettingsError(f"{name} is not set")
    return value


def integer(env: Mapping[str, str], name: str, default: int, *, minimum: int, maximum: int) -> int:
    """A whole number within bounds. Raises SettingsError."""
    text = env.get(name) or str(default)
    try:
        value = int(text)
    except ValueError:
        raise SettingsError(f"{name}={text!r} is not a whole number") from None
    if not minimum <= value <= maximum:
        raise SettingsError(f"{name}={value} is not between {minimum} and {maximum}")
    return value


def choice(env: Mapping[str, str], name: str, values: tuple[str, ...]) -> str:
    """One of `values`, the first being the default. Raises SettingsError."""
    value = env.get(name) or values[0]
    if value not in values:
        raise SettingsError(f"{name}={value!r} is not one of {', '.join(values)}")
    return value


def url(env: Mapping[str, str], name: str, default: str | None = None) -> str | None:
    """An absolute http(s) address without a trailing slash, or None. Raises SettingsError."""
    value = env.get(name) or default
    if not value:
        return None
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingsError(f"{name}={value!r} is not an http or https address")
    return value.rstrip("/")


def postgresql_url(env: Mapping[str, str], name: str) -> str:
    """The address of a PostgreSQL database. Raises SettingsError, which does not repeat it: it may hold a password."""
    value = required(env, name)
    try:
        parts = urlsplit(value)
        # of several hosts each may have a port
        hosts = parts.netloc.rpartition("@")[2].split(",")
        ports = [host.rpartition("]")[2].partition(":")[2] for host in hosts]
        found = parts.scheme in ("postgresql", "postgres") and value.partition(":")[2].startswith("//")
    except ValueError:
        found, ports = False, []
    if not found or not all(port.isdecimal() or not port for port in ports):
        raise SettingsError(f"{name} is not an address like postgresql://user@host:5432/database")
    return value


def names(env: Mapping[str, str], name: str, default: str) -> tuple[str, ...]:
    """A comma-separated list, blanks around names removed. Raises SettingsError where it is empty."""
    values = tuple(part.strip() for part in (env.get(name) or default).split(",") if part.strip())
    if not values:
        raise SettingsError(f"{name} names nothing")
    return values


def _networks(text: str) -> Networks:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    try:
        networks = tuple(ipaddress.ip_network(part, strict=False) for part in parts if part != _UNIX)
    except ValueError as error:
        raise SettingsError(f"TRUSTED_PROXIES: {error}") from None
    return Networks(networks, unix=_UNIX in parts)
