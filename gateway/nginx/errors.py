"""The errors that nginx itself answers with, as JSON in the contract's shape."""

from __future__ import annotations

import json

from gateway.nginx.directives import EmptyBlock, Location, flag, lines, one, quoted
from gateway.nginx.headers import ALLOWED, response_headers

RETRY_AFTER_SECONDS = 2

_SENTENCES = {
    400: "The request is malformed: perhaps its address is not percent-encoded, or its Host header is not a host name.",
    404: "There is no such resource. The service starts at /api/.",
    405: f"Only {ALLOWED} are allowed.",
    413: "The request has a body, and that body is too large.",
    414: "The address is too long; at most 32 kB are accepted.",
    431: "The headers are too large; at most 32 kB are accepted.",
    500: "The gateway failed.",
    503: "The part of the service that answers this is not available now. Please try again soon.",
    504: "The part of the service that answers this took too long.",
}

# nginx's own number for headers that are too large, and what a failed connection is to the client.
_TRANSLATED = {494: 431, 502: 503}


def error_pages() -> object:
    """The `error_page` directives of a server."""
    pages = {status: status for status in _SENTENCES} | _TRANSLATED
    return lines("error_page", [(code, f"={status}", f"/_error/{status}") for code, status in pages.items()])


def error_locations() -> object:
    """The internal locations that `error_pages` leads to.

    Ordinary locations, not named ones: nginx cannot go to a named one for a request that it could not parse.
    """
    block = EmptyBlock()
    for status, sentence in _SENTENCES.items():
        extra: list[tuple[str, object]] = []
        if status in {503, 504}:
            extra = [("Retry-After", RETRY_AFTER_SECONDS)]
        elif status == 405:
            extra = [("Allow", quoted(ALLOWED))]
        block.sections.add(
            Location(
                f"= /_error/{status}",
                flag("internal"),
                one("default_type", "application/json"),
                response_headers(*extra, ("Cache-Control", "no-store")),
                one("return", status, quoted(json.dumps({"detail": sentence}))),
            )
        )
    return block
