"""GET /collections/{collectionId}/export: all matching features, as one file."""

from collections.abc import Callable, Mapping
from hashlib import blake2b

from aiohttp import web

from libs.catalogue.model import Collection
from libs.catalogue.versions import DataVersion
from libs.ogc.errors import NotAcceptable, Unavailable
from libs.ogc.media_type import with_charset
from libs.web.app import Call
from libs.web.base_url import base_url, client_of, takes_chunks
from libs.web.build_id import SERVICE, build_id
from libs.web.conditional import NotModified, etag_matches
from services.features.exporting.estimate import refuse_too_large
from services.features.exporting.exports import Export, Exports, Wanted
from services.features.exporting.sending import PIECE, part_asked_for, send
from services.features.formats.format import FeatureFormat, FileFormat
from services.features.formats.geojson import GeoJson
from services.features.formats.jsonfg import profile_header, profiled
from services.features.formats.links import export_links
from services.features.formats.names import saved_as
from services.features.formats.registry import EXPORT_FORMATS, refuse_options
from services.features.request.geometry_options import content_crs
from services.features.request.items_query import ItemsQuery, parse_items
from services.features.resources import CATALOGUE, EXPORTS, FOLDING, STORE, VERSIONS
from services.features.rows.failing_rows import features_omitted
from services.features.rows.whole import ALL
from services.features.slow_readers import write

PATIENCE = 5.0
"""Seconds to wait for a complete file, and so for its length; shorter than any timeout of services and gateway."""
MOMENT = 0.3
"""The same, in seconds, if the response may start before the file is complete."""
_HEADERS = {"Cache-Control": "no-cache", "X-Accel-Expires": "0", "Vary": "Accept"}


async def get_export(call: Call) -> web.StreamResponse:
    """Return the file: with its length if it is complete within a few seconds, else while it is written."""
    app, request = call.request.app, call.request
    collection = app[CATALOGUE].collection(call.path["collectionId"])
    format_ = profiled(EXPORT_FORMATS.get(call.media_type), call.query, collection)
    if format_ is None:
        raise NotAcceptable("none of the accepted media types is offered")
    refuse_options(call.query, format_)
    values = call.query.with_values({"limit": ALL, "offset": None, "cursor": None})
    query = parse_items(collection, values, call.given, app[FOLDING].current, base=base_url(request))
    version = app[VERSIONS].of_features(collection)
    links = export_links(query, format_.media_type, base_url(request))
    mark = format_.byte_order_mark if call.query.values["bom"] and isinstance(format_, FeatureFormat) else b""
    wanted = Wanted(
        query,
        format_,
        links,
        mark,
        key_of(call, query, format_, version, mark),
        _current(call, collection),
        client_of(request),
    )
    exports = app[EXPORTS]
    headers = {
        **_HEADERS,
        **content_crs(query.options),
        **saved_as(collection, format_, query.given),
        "Link": profile_header(format_, links.header),
        "Content-Type": with_charset(call.media_type),
    }
    if request.method != "HEAD":
        await refuse_too_large(app[STORE], query, format_, exports.most_bytes)
    export = await exports.find(wanted.key) if request.method == "HEAD" else await exports.open(wanted)
    if export is None:
        matched = await app[STORE].matched(query)
        return web.Response(headers={**headers, **({} if matched is None else {"OGC-NumberMatched": str(matched)})})
    try:
        return await _answer(request, exports, export, headers)
    finally:
        # a client that resumes a download leaves if it gets the whole file instead, and then returns
        exports.leave(export, comes_again=part_asked_for(request, export) is not None)


async def _answer(
    request: web.Request, exports: Exports, export: Export, headers: Mapping[str, str]
) -> web.StreamResponse:
    if export.tag is not None:
        headers = {**headers, "ETag": export.tag, "Accept-Ranges": "bytes"}
    if request.method == "HEAD":
        if export.whole:
            return web.Response(headers={**headers, "Content-Length": str(export.size)})
        return web.Response(headers={**headers, "DAMS-Rows-Written": str(export.rows)})
    if export.whole and export.tag is not None and etag_matches(request.headers.get("If-None-Match"), export.tag):
        raise NotModified(headers)
    chunked = takes_chunks(request)
    # an error before the first byte can still be returned with its own status
    begins_soon = export.streams and chunked and part_asked_for(request, export) is None
    if await export.finished(MOMENT if begins_soon else PATIENCE):
        return await send(request, export, {**headers, **features_omitted(export.failing)})
    if not chunked:
        raise Unavailable("The export is still being made; it is too large for HTTP/1.0.", retry_after=5)
    if export.streams:
        await export.wait(0, PATIENCE)
    response = web.StreamResponse(headers={**headers, **features_omitted(export.failing)})
    response.enable_chunked_encoding()
    try:
        await response.prepare(request)
        await _follow(request, response, export)
    except ConnectionError:
        # the client has read enough, or has disconnected
        return response
    return response


async def _follow(request: web.Request, response: web.StreamResponse, export: Export) -> None:
    """Send the file while it is written. Raises ConnectionError if the client disconnects, and errors of the export."""
    sent = 0
    while True:
        piece = await export.read(sent, PIECE) if export.streams or export.whole else b""
        if piece:
            await write(request, response, piece)
            sent += len(piece)
        elif export.whole:
            return
        else:
            # aiohttp cancels this handler if the client disconnects during the wait
            await export.wait(sent if export.streams else export.size)


def key_of(
    call: Call, query: ItemsQuery, format_: FeatureFormat | FileFormat, version: DataVersion | None, mark: bytes
) -> str | None:
    """Return the key of everything that decides the bytes, except variations in a format; None without a version."""
    if version is None:
        return None
    selection = query.selection
    content = (
        build_id(call.request.app[SERVICE]),
        version.token,
        query.fingerprint,
        format_.name,
        type(format_).__name__,
        format_.variant,
        mark,
        [column.name for column in selection.properties],
        selection.geometry.name if selection.geometry is not None else None,
        query.options,
        selection.sort,
        # features contain links with the base address
        base_url(call.request) if isinstance(format_, GeoJson) else "",
    )
    return blake2b(repr(content).encode(), digest_size=12).hexdigest()


def _current(call: Call, collection: Collection) -> Callable[[], bool]:
    versions = call.request.app[VERSIONS]
    version = versions.of_features(collection)
    token = version.token if version is not None else None

    def is_current() -> bool:
        now = versions.of_features(collection)
        return now is not None and now.token == token

    return is_current
