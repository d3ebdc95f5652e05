"""Responses: JSON through orjson, links to each format."""

from collections.abc import Iterable, Mapping
from typing import Any

import orjson
from aiohttp import web

from libs.ogc.link import Link
from libs.ogc.media_type import FORMAT_NAMES, MediaType, with_charset


def json_bytes(value: Any) -> bytes:
    """Return `value` as compact JSON."""
    return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS)


def json_response(
    value: Any,
    *,
    media_type: str = MediaType.JSON,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> web.Response:
    """Return a JSON body of the given type."""
    return body_response(json_bytes(value), media_type=media_type, status=status, headers=headers)


def body_response(
    body: bytes, *, media_type: str, status: int = 200, headers: Mapping[str, str] | None = None
) -> web.Response:
    """Return a response with a complete body and its Content-Type."""
    # set as a header: aiohttp would split parameters such as ";version=3.0"
    return web.Response(body=body, status=status, headers={"Content-Type": with_charset(media_type), **(headers or {})})


def vary(media_type: str) -> str:
    """Return the `Vary` header of a response of this type: pages also vary by language."""
    return "Accept, Accept-Language" if media_type == MediaType.HTML else "Accept"


def links_json(links: Iterable[Link], media_type: str = MediaType.JSON) -> list[dict[str, object]]:
    """Return the `links` member of a resource that is sent as `media_type`: a page shows every type."""
    return [link.members() if media_type == MediaType.HTML else link.to_json() for link in links]


def representations(address: str, media_type: str, offers: Iterable[str]) -> list[Link]:
    """Return `self` for the current representation and `alternate` for each other one (/rec/core/link-alternate)."""
    joiner = "&" if "?" in address else "?"
    return [
        Link(
            f"{address}{joiner}f={FORMAT_NAMES[offer]}",
            "self" if offer == media_type else "alternate",
            offer,
            f"This document as {FORMAT_NAMES[offer]}",
        )
        for offer in sorted(offers, key=lambda offer: offer != media_type)
    ]
