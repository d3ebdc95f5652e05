"""Conditional requests: an answer that the client has already costs no query (RFC 9110 section 13)."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import blake2b

from libs.catalogue.versions import DataVersion
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.build_id import build_id
from libs.web.respond import etag_matches

# one second fresh; after that a cache may serve it while it asks again, but not for long
_CACHE_CONTROL = "public, max-age=1, stale-while-revalidate=2, stale-if-error=60"


def validators(call: Call, version: DataVersion | None) -> dict[str, str]:
    """`ETag` and `Last-Modified` of the answer to this request at this data version, and how long it keeps."""
    if version is None:
        return {"Cache-Control": "no-cache"}
    # absolute links make the body depend on the address that the client used
    content = f"{build_id()}|{version.token}|{call.media_type}|{base_url(call.request)}{call.request.path_qs}"
    # a second that is not over yet would lie behind the Date of the answer (RFC 9110 section 8.8.2.1)
    over = version.since <= datetime.now(UTC)
    return {
        "ETag": f'W/"{blake2b(content.encode(), digest_size=12).hexdigest()}"',
        **({"Last-Modified": version.http_date} if over else {}),
        "Cache-Control": _CACHE_CONTROL,
        "Vary": "Accept",
    }


def not_modified(call: Call, headers: dict[str, str]) -> bool:
    """Whether the client's copy is still right. An `If-None-Match` makes `If-Modified-Since` moot."""
    request = call.request.headers
    if "ETag" not in headers:
        return False
    if "If-None-Match" in request:
        return etag_matches(request["If-None-Match"], headers["ETag"])
    if "If-Modified-Since" not in request:
        return False
    since = _date(request.get("If-Modified-Since"))
    modified = _date(headers.get("Last-Modified"))
    return since is not None and modified is not None and modified <= since


def _date(text: str | None) -> datetime | None:
    if not text:
        return None
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
