"""Conditional requests (RFC 9110 section 13), one implementation for all services.

A client that sends the tag of its copy gets 304 if the copy is still current. A tag made of everything that determines
the body (address, media type, data version, build) is known before the request is parsed, and so is the 304: a client
can only have the tag from a response to this same request.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import blake2b
from typing import Protocol

from aiohttp import web

from libs.ogc.media_type import MediaType
from libs.web.base_url import SETTINGS, base_url
from libs.web.build_id import SERVICE, build_id, page_build_id
from libs.web.languages import current
from libs.web.respond import vary

CATALOGUE_CACHE = "public, max-age=2, stale-while-revalidate=2, stale-if-error=60"
"""For content that follows from the catalogue: a change is visible four seconds after the service itself sees it."""
DATA_CACHE = "public, max-age=1, stale-while-revalidate=2, stale-if-error=60"
"""For content that follows from rows: fresh for one second; then a cache may serve it briefly while it revalidates."""

SETTLED_CACHE = "public, max-age=86400, immutable"
"""For past states, which never change; a day, because a later release may encode them differently."""


class NotModified(Exception):
    """The client's copy is current: it gets 304 with these headers."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        super().__init__("the client holds the answer already")
        self.headers = headers


def unchanged_response(unchanged: NotModified) -> web.Response:
    """Return 304 with the headers that do not describe a body."""
    headers = {name: value for name, value in unchanged.headers.items() if name != "Content-Type"}
    return web.Response(status=304, headers=headers)


class Version(Protocol):
    """A state of the data: a token, and the time since when it is known (`libs.catalogue.versions`)."""

    @property
    def token(self) -> str: ...
    @property
    def since(self) -> datetime: ...
    @property
    def http_date(self) -> str: ...


def weak_etag(content: str | bytes) -> str:
    """Return a weak ETag for a body, or for everything that determines it. Weak: content codings change the bytes."""
    data = content.encode() if isinstance(content, str) else content
    return f'W/"{blake2b(data, digest_size=12).hexdigest()}"'


def etag_matches(if_none_match: str | None, etag: str) -> bool:
    """Compare weakly, as in RFC 9110 section 13.1.2."""
    if not if_none_match:
        return False
    return if_none_match.strip() == "*" or _names(if_none_match, etag)


def state_headers(
    request: web.Request, media_type: str, *states: str, cache_control: str = CATALOGUE_CACHE
) -> dict[str, str]:
    """Return `ETag`, `Cache-Control` and `Vary` of the response to this request while these states last.

    The tag covers the address, the media type, the states and the software.
    """
    # absolute links in the body contain the address that the client used
    service = request.app[SERVICE]
    made_by = build_id(service)
    if media_type == MediaType.HTML:
        # the head of a page contains the site's name
        made_by = f"{page_build_id(service)}|{request.app[SETTINGS].site_title}|{current().tag}"
    content = f"{made_by}|{'|'.join(states)}|{media_type}|{base_url(request)}{request.raw_path}"
    return {"ETag": weak_etag(content), "Cache-Control": cache_control, "Vary": vary(media_type)}


def data_headers(request: web.Request, media_type: str, version: Version | None, *, limits: str = "") -> dict[str, str]:
    """Return the same with `Last-Modified`, for a response from this version of the data.

    `limits` are the settings that the response depends on.
    """
    if version is None:
        return {"Cache-Control": "no-cache"}
    headers = state_headers(request, media_type, version.token, limits, cache_control=DATA_CACHE)
    # the current second is later than the response's Date (RFC 9110 section 8.8.2.1)
    if version.since <= datetime.now(UTC):
        headers["Last-Modified"] = version.http_date
    return headers


def incomplete(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers for a partial response: never revalidated, because a complete one will have the same state.

    With a tag, caches would reuse it until the state changes.
    """
    kept = {name: value for name, value in headers.items() if name not in ("ETag", "Last-Modified")}
    return kept | {"Cache-Control": DATA_CACHE} if "immutable" in kept.get("Cache-Control", "") else kept


def check_tag(request: web.Request, headers: Mapping[str, str]) -> None:
    """Raise NotModified if the client sends the tag in these headers.

    It can only have the tag from a response to this request, which therefore need not be parsed. `*` and dates do not
    prove that: `check_preconditions` handles them.
    """
    tag, wanted = headers.get("ETag"), request.headers.get("If-None-Match")
    if tag and wanted and _names(wanted, tag):
        raise NotModified(headers)


def check_preconditions(request: web.Request, headers: Mapping[str, str]) -> None:
    """Raise NotModified if the client's copy of a valid response with these headers is current.

    `If-None-Match` overrides `If-Modified-Since` (RFC 9110 section 13.1.3).
    """
    if "ETag" not in headers:
        return
    if "If-None-Match" in request.headers:
        if etag_matches(request.headers["If-None-Match"], headers["ETag"]):
            raise NotModified(headers)
        return
    if "If-Modified-Since" not in request.headers:
        return
    since, modified = _date(request.headers["If-Modified-Since"]), _date(headers.get("Last-Modified"))
    if since is not None and modified is not None and modified <= since:
        raise NotModified(headers)


def conditional(request: web.Request, response: web.Response, *, cache_control: str = CATALOGUE_CACHE) -> web.Response:
    """Return `response` with a weak ETag of its body, `Cache-Control` and `Vary`. Raises NotModified.

    The ETag is made from the body.
    """
    body = response.body
    if not isinstance(body, bytes):
        raise TypeError("only a response whose body is complete has an ETag made from it")
    # the same body under another media type is another representation
    media_type = response.headers["Content-Type"]
    tag = weak_etag(body + media_type.encode())
    headers = {"ETag": tag, "Cache-Control": cache_control, "Vary": vary(media_type.partition(";")[0])}
    check_preconditions(request, headers)
    response.headers.update(headers)
    return response


def _names(if_none_match: str, etag: str) -> bool:
    return etag.removeprefix("W/") in (tag.strip().removeprefix("W/") for tag in if_none_match.split(","))


def _date(text: str | None) -> datetime | None:
    if not text:
        return None
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
