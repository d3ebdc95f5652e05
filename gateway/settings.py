"""Settings of the gateway, read once from the environment into a frozen value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from libs.web.settings import SettingsError, choice, integer, names, required, url

SERVICES = ("common", "features", "tiles", "viewer")
"""In the order in which their paths, classes and links appear in what is published."""

_SOCKET_PATH = re.compile(r"/[A-Za-z0-9._/+@-]{1,106}\Z")
"""What needs no quotes in nginx's configuration and is not too long for a socket."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A `host:port` of a service; the host may be a name that stands for several addresses."""

    host: str
    port: int


@dataclass(frozen=True, slots=True)
class UnixSocket:
    """A socket file on which a process of a service listens."""

    path: str


Upstreams = Mapping[str, tuple[Endpoint | UnixSocket, ...]]
"""By service."""


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """How the gateway listens and where the services are. ARCHITECTURE.md explains the variables."""

    host: str
    port: int
    internal_port: int
    folder: Path
    public_url: str | None
    upstreams: Upstreams
    log_format: str
    log_level: str

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> GatewaySettings:
        """Read the settings. Raises SettingsError."""
        return cls(
            host=env.get("GATEWAY_HOST") or "127.0.0.1",
            port=integer(env, "GATEWAY_PORT", 8080, minimum=1, maximum=65535),
            internal_port=integer(env, "GATEWAY_INTERNAL_PORT", 8090, minimum=1, maximum=65535),
            folder=Path(required(env, "GATEWAY_DIR")).absolute(),
            public_url=url(env, "PUBLIC_URL"),
            upstreams={
                "common": _endpoints(env, "COMMON_UPSTREAM", "127.0.0.1:8081"),
                "features": _endpoints(env, "FEATURES_UPSTREAM", "127.0.0.1:8082"),
                "tiles": _endpoints(env, "TILES_UPSTREAM", "127.0.0.1:8083"),
                "viewer": _endpoints(env, "VIEWER_UPSTREAM", "127.0.0.1:8084"),
            },
            log_format=choice(env, "LOG_FORMAT", ("json", "text")),
            log_level=choice(env, "LOG_LEVEL", ("INFO", "DEBUG", "WARNING", "ERROR")),
        )


def _endpoints(env: Mapping[str, str], name: str, default: str) -> tuple[Endpoint | UnixSocket, ...]:
    return tuple(_endpoint(name, text) for text in names(env, name, default))


def _endpoint(name: str, text: str) -> Endpoint | UnixSocket:
    if text.startswith("unix:"):
        path = text.removeprefix("unix:")
        if not _SOCKET_PATH.match(path):
            raise SettingsError(f"{name}: {text!r} needs an absolute path of at most 107 letters, digits and ._/+@-")
        return UnixSocket(path)
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or not 1 <= int(port) <= 65535:
        raise SettingsError(f"{name}: {text!r} is neither host:port nor unix:/path")
    return Endpoint(host.strip("[]"), int(port))
