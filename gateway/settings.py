"""Settings of the gateway."""

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from libs.web.content_coding import Coding
from libs.web.settings import PageSettings, Port, PublicAddress, as_written

SERVICES = ("common", "features", "tiles", "viewer")
"""The services in the order of their paths, conformance classes and links in the published document."""

_SOCKET_PATH = re.compile(r"/[A-Za-z0-9._/+@-]{1,106}\Z")
"""Characters that need no quotes in nginx's configuration, in a length that sockets support."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A `host:port` of a service; the host may be a name with several addresses."""

    host: str
    port: int
    backup: bool = False
    """Whether it is only used if the others fail."""


@dataclass(frozen=True, slots=True)
class UnixSocket:
    """A socket file on which a process of a service listens."""

    path: str
    backup: bool = False
    """Whether it is only used if the others fail."""


Upstreams = Mapping[str, tuple[Endpoint | UnixSocket, ...]]
"""Addresses by service."""


def _upstream(value: object) -> object:
    if not isinstance(value, str):
        return value
    parts = [part.strip() for part in value.split(",") if part.strip()]
    if not parts:
        raise ValueError("names nothing")
    endpoints = tuple(_endpoint(part) for part in parts)
    if all(endpoint.backup for endpoint in endpoints):
        raise ValueError("names a backup and nothing that it is one of")
    return endpoints


def _endpoint(text: str) -> Endpoint | UnixSocket:
    text, _, word = text.partition(" ")
    if word not in ("", "backup"):
        raise ValueError(f"says {word!r} of {text!r}; only `backup` may be said of an address")
    backup = word == "backup"
    if text.startswith("unix:"):
        path = text.removeprefix("unix:")
        if not _SOCKET_PATH.match(path):
            raise ValueError(f"names {text!r}, which needs an absolute path of at most 107 letters, digits and ._/+@-")
        return UnixSocket(path, backup)
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or not 1 <= int(port) <= 65535:
        raise ValueError(f"names {text!r}, which is neither host:port nor unix:/path")
    host = host.strip("[]")
    if backup and not _is_address(host):
        raise ValueError(f"names {text!r} as a backup, which needs an address, not a name")
    return Endpoint(host, int(port), backup)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


Upstream = Annotated[tuple[Endpoint | UnixSocket, ...], BeforeValidator(_upstream)]


def _networks(text: object) -> object:
    if not isinstance(text, str):
        return text
    try:
        parts = [part.strip() for part in text.split(",") if part.strip()]
        return tuple(str(ipaddress.ip_network(part, strict=False)) for part in parts)
    except ValueError as error:
        raise ValueError(f"is not a list of addresses and networks: {error}") from None


TrustedProxies = Annotated[tuple[str, ...], BeforeValidator(_networks)]


def _codings(text: object) -> object:
    if not isinstance(text, str):
        return text
    names = tuple(part.strip().lower() for part in text.split(","))
    if "gzip" in names[:-1]:
        raise ValueError("names gzip before others, which whoever takes gzip would never be sent")
    return tuple(dict.fromkeys(name for name in names if name != "gzip"))


Codings = Annotated[tuple[Coding, ...], BeforeValidator(_codings)]
"""Content codings preferred to gzip, best first."""


def _file(path: Path) -> Path:
    try:
        path.open("rb").close()
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from None
    return path.absolute()


File = Annotated[Path, AfterValidator(_file)]
"""A file that exists."""


class GatewaySettings(PageSettings):
    """Settings of the gateway and addresses of the services. docs/operations.md explains the variables."""

    host: str = Field(default="127.0.0.1", validation_alias="DAMS_GATEWAY_HOST")
    port: Port = Field(default=8080, validation_alias="DAMS_GATEWAY_PORT")
    internal_port: Port = Field(default=8090, validation_alias="DAMS_GATEWAY_INTERNAL_PORT")
    folder: Annotated[Path, AfterValidator(Path.absolute)] = Field(validation_alias="DAMS_GATEWAY_DIR")
    public_url: PublicAddress | None = None
    timeout_seconds: float = Field(default=8.9, ge=0.1, le=600, validation_alias="DAMS_GATEWAY_TIMEOUT_SECONDS")
    """Seconds for which a service may send nothing: longer than its `DAMS_REQUEST_TIMEOUT_SECONDS`.

    Together with the waits before it (for another response, for a failed machine) and the second attempt after
    it, it stays below ten seconds, the longest time that a client has to wait.
    """
    requests_per_client: int = Field(default=200, ge=0, le=65535, validation_alias="DAMS_GATEWAY_REQUESTS_PER_CLIENT")
    """Maximum number of concurrent requests from one address; 0 means unlimited."""
    requests_per_second: int = Field(default=0, ge=0, le=65535, validation_alias="DAMS_GATEWAY_REQUESTS_PER_SECOND")
    """Maximum requests per second from one address, averaged over two seconds; 0 means unlimited."""
    tls_port: Port = Field(default=8443, validation_alias="DAMS_GATEWAY_TLS_PORT")
    tls_certificate: File | None = Field(default=None, validation_alias="DAMS_GATEWAY_TLS_CERTIFICATE")
    """With a certificate and its key, the gateway also listens on `tls_port`, with TLS and HTTP/2."""
    tls_key: File | None = Field(default=None, validation_alias="DAMS_GATEWAY_TLS_KEY")
    http3: bool = Field(default=False, validation_alias="DAMS_GATEWAY_HTTP3")
    """Whether `tls_port` also serves HTTP/3 over UDP (RFC 9114), announced to clients with TCP (RFC 7838)."""
    codings: Codings = Field(default=as_written("br,gzip"), validation_alias="DAMS_GATEWAY_CODINGS")
    trusted_proxies: TrustedProxies | None = None
    common_upstream: Upstream = as_written("127.0.0.1:8081")
    features_upstream: Upstream = as_written("127.0.0.1:8082")
    tiles_upstream: Upstream = as_written("127.0.0.1:8083")
    viewer_upstream: Upstream = as_written("127.0.0.1:8084")

    @model_validator(mode="after")
    def _has_both(self) -> Self:
        if (self.tls_certificate is None) != (self.tls_key is None):
            raise ValueError("DAMS_GATEWAY_TLS_CERTIFICATE and DAMS_GATEWAY_TLS_KEY need each other")
        if self.http3 and (self.tls_certificate is None or not (self.public_url or "").startswith("https://")):
            # nginx does not know which port the client used, and other ports may be forwarded to ours
            raise ValueError(
                "DAMS_GATEWAY_HTTP3 needs DAMS_GATEWAY_TLS_CERTIFICATE, and a DAMS_PUBLIC_URL that begins with https://"
            )
        return self

    @property
    def alternative_service(self) -> str:
        """The header `Alt-Svc` for clients with TLS; empty without HTTP/3."""
        return f'h3=":{urlsplit(self.public_url).port or 443}"; ma=86400' if self.http3 and self.public_url else ""

    @property
    def upstreams(self) -> Upstreams:
        """Addresses of the processes of each service."""
        return {service: getattr(self, f"{service}_upstream") for service in SERVICES}
