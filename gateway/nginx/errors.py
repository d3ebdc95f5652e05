"""nginx's own error responses: JSON in the contract's form, and a page for browsers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path

from gateway.folder import ERROR_PAGES
from gateway.nginx.directives import EmptyBlock, Location, flag, lines, one, quote
from gateway.nginx.headers import ALLOWED, response_headers
from libs.web.html import content_security_policy, make_environment, render

RETRY_AFTER_SECONDS = 2

_SENTENCES = {
    400: "The request is malformed: perhaps its address is not percent-encoded, or its Host header is not a host name.",
    404: "The resource does not exist. The service starts at /api/.",
    405: f"Only {ALLOWED} are allowed.",
    412: "The resource does not meet the conditions of the request (If-Match, If-Unmodified-Since).",
    413: "The request has a body, and that body is too large.",
    414: "The address is too long; at most 32 kB are accepted.",
    416: "The resource has no bytes in the range that the request names.",
    429: "Your network address asks for more than is answered for one client. Please try again soon.",
    431: "The headers are too large; at most 32 kB are accepted.",
    500: "The gateway failed.",
    501: "The request uses a transfer coding that the gateway does not support. Only chunked is supported.",
    503: "The part of the service that answers this is not available now. Please try again soon.",
    504: "The part of the service that answers this took too long.",
    505: "The gateway speaks HTTP/1.0, HTTP/1.1 and HTTP/2.",
}

_REDIRECTS = (302, 308)
_REDIRECTED = "/_error/redirect"
_REDIRECT = "The resource is at the address in the Location header."

# nginx's own numbers for headers that are too large and for plain HTTP on the port of TLS; and what a failed connection
# is to the client.
_TRANSLATED = {494: 431, 497: 400, 502: 503}


def error_pages(others: Mapping[int, str] | None = None) -> object:
    """Return the `error_page` directives of a server, or of a location; `others` handle their own statuses."""
    pages = {status: status for status in _SENTENCES} | _TRANSLATED
    # status, then ".html" if the client is a browser
    directives = {code: (f"={status}", f"/_error/{status}$error_form") for code, status in pages.items()}
    directives |= {status: (f"={status}", _REDIRECTED) for status in _REDIRECTS}
    for status, location in (others or {}).items():
        directives[status] = ("=", location)
    return lines("error_page", [(code, *directive) for code, directive in directives.items()])


def error_locations(public_url: str | None) -> object:
    """The internal locations that `error_pages` leads to; pages have addresses below `public_url`.

    Ordinary locations, not named ones: nginx cannot use a named one for a request that it could not parse.
    """
    policy = content_security_policy(public_url)
    block = EmptyBlock()
    block.sections.add(
        Location(
            f"= {_REDIRECTED}",
            flag("internal"),
            one("default_type", "application/json"),
            response_headers(),
            # The status of the redirect stays: with another number than 200 nginx takes the text for an address.
            one("return", 200, quote(json.dumps({"detail": _REDIRECT}))),
        )
    )
    for status, sentence in _SENTENCES.items():
        headers: list[tuple[str, object]] = [
            ("Cache-Control", "no-store"),
            ("Vary", quote("Accept, Accept-Encoding")),
            ("Content-Language", "en"),
        ]
        if status in {429, 503, 504}:
            headers.append(("Retry-After", RETRY_AFTER_SECONDS))
        elif status == 405:
            headers.append(("Allow", quote(ALLOWED)))
        block.sections.add(
            Location(
                f"= /_error/{status}",
                flag("internal"),
                one("default_type", "application/json"),
                response_headers(*headers),
                one("return", status, quote(json.dumps({"detail": sentence}))),
            ),
            Location(
                f"= /_error/{status}.html",
                flag("internal"),
                one("alias", _page(status)),
                one("charset", "utf-8"),
                response_headers(*headers, ("Content-Security-Policy", f'"{policy}"')),
            ),
        )
    return block


def write_error_pages(folder: Path, base: str, site_title: str) -> None:
    """Write the error pages; `base` is the service's base address in their links."""
    environment = make_environment(site_title)
    for status, sentence in _SENTENCES.items():
        context = {"status": status, "phrase": HTTPStatus(status).phrase, "detail": sentence}
        (folder / _page(status)).write_text(render(environment, "error.html", base, context), encoding="utf-8")


def _page(status: int) -> str:
    return f"{ERROR_PAGES}/{status}.html"
