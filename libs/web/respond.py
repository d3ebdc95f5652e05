"""Responses: JSON through orjson, conditional requests, links."""

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

import orjson
from aiohttp import web

from libs.ogc.link import Link
from libs.ogc.media_type import MediaType, with_charset


def json_bytes(value: Any) -> bytes:
    """`value` as compact JSON."""
    return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS)


def json_response(
    value: Any,
    *,
    media_type: str = MediaType.JSON,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> web.Response:
    """A JSON body of the given type."""
    return body_response(json_bytes(value), media_type=media_type, status=status, headers=headers)


def body_response(
    body: bytes, *, media_type: str, status: int = 200, headers: Mapping[str, str] | None = None
) -> web.Response:
    """A body that is ready, with its Content-Type."""
    # set as a header: aiohttp would take parameters such as ";version=3.0" apart
    return web.Response(body=body, status=status, headers={"Content-Type": with_charset(media_type), **(headers or {})})


CATALOGUE_CACHE = "public, max-age=2, stale-while-revalidate=2, stale-if-error=60"
"""Of what follows from the catalogue: a change is seen four seconds after the service itself sees it."""


def conditional(
    request: web.Request, response: web.Response, *, cache_control: str = CATALOGUE_CACHE, content: bytes | None = None
) -> web.Response:
    """`response` with a weak ETag, how long it keeps and what it varies with; 304 where the client has it already.

    The ETag is made from the body, or from `content` where the body has members, such as a time stamp, that differ
    each time.
    """
    body = response.body if content is None else content
    if not isinstance(body, bytes):
        raise TypeError("only a response whose body is at hand has an ETag made from it")
    # the same body is another representation under another type
    tagged = blake2b(body + response.headers["Content-Type"].encode(), digest_size=12)
    headers = {"ETag": f'W/"{tagged.hexdigest()}"', "Cache-Control": cache_control, "Vary": "Accept"}
    if etag_matches(request.headers.get("If-None-Match"), headers["ETag"]):
        return web.Response(status=304, headers=headers)
    response.headers.update(headers)
    return response


def etag_matches(if_none_match: str | None, etag: str) -> bool:
    """Weak comparison of RFC 9110 section 13.1.2."""
    if not if_none_match:
        return False
    if if_none_match.strip() == "*":
        return True
    return etag.removeprefix("W/") in (tag.strip().removeprefix("W/") for tag in if_none_match.split(","))


def links_json(links: Iterable[Link]) -> list[dict[str, object]]:
    """Links as a resource's `links` member."""
    return [link.to_json() for link in links]
