"""GET /collections/{collectionId}/export: all matching features, as one file."""

from aiohttp import web

from libs.ogc.errors import Unavailable
from libs.selection.past import as_of
from libs.web.app import Call
from libs.web.base_url import base_url, client_of, takes_chunks
from libs.web.build_id import SERVICE, build_id
from libs.web.conditional import NotModified, etag_matches
from services.features.answer import Answer
from services.features.exporting.exports import Export
from services.features.exporting.wanted import Wanted, key_of, refuse_too_large, version_check
from services.features.formats.format import FeatureFormat
from services.features.formats.links import export_links
from services.features.formats.registry import export_format
from services.features.request.items_query import parse_items
from services.features.resources import CATALOGUE, EXPORTS, FOLDING, STORE, VERSIONS
from services.features.rows.read_all import ALL
from services.features.sending import requested_part, send

PATIENCE = 5.0
"""Seconds to wait for a complete file, and so for its length; shorter than any timeout of services and gateway."""
MOMENT = 0.3
"""The same, in seconds, if the response may start before the file is complete."""
_UNCACHED = Answer({"Cache-Control": "no-cache", "X-Accel-Expires": "0"})


async def get_export(call: Call) -> web.StreamResponse:
    """Return the file: with its length if it is complete within a few seconds, else while it is written."""
    app, request = call.request.app, call.request
    collection = as_of(app[CATALOGUE].collection(call.path["collectionId"]), call.query)
    format_ = export_format(call.media_type, call.query, collection)
    values = call.query.with_values({"limit": ALL, "offset": None, "cursor": None})
    query = parse_items(collection, values, call.given, app[FOLDING].current, base=base_url(request))
    links = export_links(query, format_.media_type, base_url(request))
    mark = format_.byte_order_mark if call.query.values["bom"] and isinstance(format_, FeatureFormat) else b""
    version, software = app[VERSIONS].of_features(collection), build_id(app[SERVICE])
    key = key_of(software, query, format_, version, mark=mark, base=base_url(request))
    exports, is_head = app[EXPORTS], request.method == "HEAD"
    answer = _UNCACHED.of_features(format_, call.media_type, query.options, links).save_as(
        collection, format_, query.given
    )
    if is_head:
        export = await exports.find(key)
    else:
        await refuse_too_large(app[STORE], query, format_, exports.most_bytes)
        is_current = version_check(app[VERSIONS], collection, version)
        wanted = Wanted(query, format_, links, mark, key, is_current, client_of(request))
        export = await exports.open(wanted)
    if export is None:
        return await send(request, answer.of_numbers(await app[STORE].count(query)))
    try:
        return await _respond(request, answer, export)
    finally:
        # a client that resumes a download leaves if it gets the whole file instead, and then returns
        exports.leave(export, comes_again=requested_part(request, export) is not None)


async def _respond(request: web.Request, answer: Answer, export: Export) -> web.StreamResponse:
    if export.tag is not None:
        answer = answer.with_headers({"ETag": export.tag, "Accept-Ranges": "bytes"})
    if request.method == "HEAD":
        size = {"Content-Length": str(export.size)} if export.whole else {"DAMS-Rows-Written": str(export.rows)}
        return await send(request, answer.of_numbers(None, omitted=export.omitted).with_headers(size))
    if export.whole and export.tag is not None and etag_matches(request.headers.get("If-None-Match"), export.tag):
        raise NotModified(answer.headers)
    # an error before the first byte can still be returned with its own status
    begins_soon = export.streams and takes_chunks(request) and requested_part(request, export) is None
    if not await export.wait_for_end(MOMENT if begins_soon else PATIENCE):
        if not takes_chunks(request):
            raise Unavailable("The export is still being made; it is too large for HTTP/1.0.", retry_after=5)
        if export.streams:
            await export.wait(0, PATIENCE)
    return await send(request, answer.with_failing(export.failing).with_body(export))
