"""The address that the client used, for absolute links."""

import re
from ipaddress import ip_address, ip_network

from aiohttp import HttpVersion11, web

from libs.web.settings import WebSettings

SETTINGS = web.AppKey("settings", WebSettings)
_BASE_URL = web.RequestKey("base_url", str)

_HOST = re.compile(r"[A-Za-z0-9.\-\[\]:]{1,255}\Z")
_REQUEST_ID = re.compile(r"[A-Za-z0-9\-]{8,64}\Z")
_PREFIX = re.compile(r"(/[A-Za-z0-9._~\-]+)*\Z")


def base_url(request: web.Request) -> str:
    """Return the base address of the service as the client sees it, without a trailing slash.

    Forwarded headers count only from a trusted proxy. A malformed one is ignored, so that links contain only
    well-formed addresses.
    """
    found = request.get(_BASE_URL)
    if found is None:
        found = request[_BASE_URL] = _base_url(request, request.app[SETTINGS])
    return found


def _base_url(request: web.Request, settings: WebSettings) -> str:
    if settings.public_url:
        return settings.public_url
    headers = request.headers if _is_trusted(request, settings) else {}
    scheme = headers.get("X-Forwarded-Proto") or request.scheme
    host = headers.get("X-Forwarded-Host") or request.host
    prefix = headers.get("X-Forwarded-Prefix", "")
    if scheme not in ("http", "https"):
        scheme = "http"
    if not _HOST.match(host):
        host = f"{settings.host}:{settings.port}"
    return f"{scheme}://{host}{prefix if _PREFIX.match(prefix) else ''}"


def _is_trusted(request: web.Request, settings: WebSettings) -> bool:
    remote = request.remote
    return remote is not None and remote in settings.trusted_gateways


def client_of(request: web.Request) -> str:
    """Return the client's address, as a trusted proxy reports it; for IPv6 the /64 network, which is one client's."""
    text = request.remote or ""
    if _is_trusted(request, request.app[SETTINGS]) and (forwarded := request.headers.get("X-Forwarded-For")):
        # each proxy appends the address of its peer: values from the client itself come first
        text = forwarded.rpartition(",")[2].strip()
    try:
        address = ip_address(text)
    except ValueError:
        return request.remote or ""
    return str(ip_network((address, 64), strict=False)) if address.version == 6 else str(address)


def takes_chunks(request: web.Request) -> bool:
    """Return whether the client can read a response of unknown length. HTTP/1.0 clients cannot.

    A gateway reports its client's protocol in `X-Client-Protocol`.
    """
    protocol = request.headers.get("X-Client-Protocol")
    if protocol and _is_trusted(request, request.app[SETTINGS]):
        return protocol not in ("HTTP/1.0", "HTTP/0.9")
    return request.version >= HttpVersion11


def forwarded_request_id(request: web.Request) -> str | None:
    """Return the request id from a trusted gateway, if it is well-formed."""
    value = request.headers.get("X-Request-Id", "")
    if _REQUEST_ID.match(value) and _is_trusted(request, request.app[SETTINGS]):
        return value
    return None
