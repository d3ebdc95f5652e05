"""GET /collections/{collectionId}/items (/req/core/fc-op) and POST /collections/{collectionId}/search.

A search has the parameters of items as members of its body, which may be longer than an address.
"""

from functools import partial

from aiohttp import web

from libs.ogc.errors import InvalidParameters, StoredValueError
from libs.selection.past import as_of
from libs.web.app import Call
from libs.web.base_url import base_url, client_of
from libs.web.conditional import check_preconditions, check_tag
from libs.web.middleware import has_begun
from services.features.answer import Answer, Pieces
from services.features.exporting.exports import Source
from services.features.formats.format import FeatureFormat, FileFormat
from services.features.formats.links import requested_links
from services.features.formats.registry import page_format
from services.features.items_page import form_with_faults, items_page, parse_page
from services.features.memento import page_answer
from services.features.pages.recency import tag_of_age
from services.features.request.items_query import ItemsQuery, parse_items
from services.features.resources import CATALOGUE, EXPORTS, FOLDING, STORE
from services.features.sending import send

_MOST_KEPT_BYTES = 4_000_000
"""Size in stored row bytes up to which the gateway caches a response.

It stores these at full speed, also for slow clients.
"""
_NOT_KEPT = {"X-Accel-Expires": "0"}


async def get_items(call: Call) -> web.StreamResponse:
    """Return a page of matching features; rows on which a filter fails do not match."""
    app = call.request.app
    collection = as_of(app[CATALOGUE].collection(call.path["collectionId"]), call.query)
    format_ = page_format(call.media_type, call.query, collection)
    aged = tag_of_age(collection) if format_ is None else ""
    answer = page_answer(call, collection, aged)
    check_tag(call.request, answer.headers)
    folding, base = app[FOLDING].current, base_url(call.request)
    try:
        if format_ is None:
            query = parse_page(call, collection)
        else:
            query = parse_items(collection, call.query, call.given, folding, base=base)
    except InvalidParameters as error:
        if format_ is not None:
            raise
        return await form_with_faults(call, collection, error)
    return await respond_with_page(call, query, format_, answer)


async def respond_with_page(
    call: Call, query: ItemsQuery, format_: FeatureFormat | FileFormat | None, answer: Answer
) -> web.StreamResponse:
    """Return the page, without the rows on which a condition fails."""
    check_preconditions(call.request, answer.headers)
    try:
        return await _respond(call, query, format_, answer)
    except StoredValueError:
        if has_begun(call.request):
            raise
        query = await call.request.app[STORE].leave_out_failing(query)
    return await _respond(call, query, format_, answer)


async def _respond(
    call: Call, query: ItemsQuery, format_: FeatureFormat | FileFormat | None, answer: Answer
) -> web.StreamResponse:
    if format_ is None:
        return await items_page(call, query, answer)
    store = call.request.app[STORE]
    query = await store.resolve(query)
    if isinstance(format_, FileFormat):
        return await _file(call, query, format_, answer)
    if format_.streams and query.limit > store.chunk(query):
        return await _stream(call, query, format_, answer)
    (page, ends), matched = await store.page_and_count(query, format_.geometry_as, features=format_.of_features)
    links = requested_links(
        query, format_.media_type, base_url(call.request), ends, matched, method=call.request.method
    )
    number, omitted, collection = len(page.rows), page.omitted, query.selection.collection
    answer = answer.of_page(query, matched, number, omitted)
    answer = answer.of_features(format_, call.media_type, query.options, links).save_as(
        collection, format_, query.given
    )
    body = (
        format_.byte_order_mark if call.query.values["bom"] else b"",
        format_.head(collection, page.layout, matched, links),
        format_.rows(page, first=True),
        format_.tail(number, omitted),
    )
    return await send(call.request, answer.with_body(b"".join(body)))


async def _file(call: Call, query: ItemsQuery, format_: FileFormat, answer: Answer) -> web.StreamResponse:
    """Return a page that a separate process writes."""
    exports, store, collection = call.request.app[EXPORTS], call.request.app[STORE], query.selection.collection
    source: Source
    if query.limit > store.chunk(query):
        large, matched = await store.large_and_count(query)
        ends, source = large.ends, partial(store.chunks, large, format_.geometry_as)
    else:
        (source, ends), matched = await store.page_and_count(query, format_.geometry_as)
    links = requested_links(
        query, format_.media_type, base_url(call.request), ends, matched, method=call.request.method
    )
    export = await exports.page(query.selection, query.options, format_, source, client_of(call.request))
    try:
        answer = answer.of_page(query, matched, export.rows, export.omitted)
        answer = answer.of_features(format_, format_.media_type, query.options, links).save_as(
            collection, format_, query.given
        )
        return await send(call.request, answer.with_body(export))
    finally:
        exports.leave(export)


async def _stream(call: Call, query: ItemsQuery, format_: FeatureFormat, answer: Answer) -> web.StreamResponse:
    """Stream chunks as they are fetched: memory stays bounded, and no connection waits for a slow client."""
    store, collection = call.request.app[STORE], query.selection.collection
    large, matched = await store.large_and_count(query)
    chunks = store.chunks(large, format_.geometry_as, features=format_.of_features)
    # fetch the first chunk before sending the status: an error until then gets its own status
    rows = await anext(chunks)
    links = requested_links(
        query, format_.media_type, base_url(call.request), large.ends, matched, method=call.request.method
    )
    answer = answer.of_page(query, matched, None)
    answer = answer.of_features(format_, call.media_type, query.options, links).save_as(
        collection, format_, query.given
    )
    if not collection.row_bytes or query.limit * collection.row_bytes > _MOST_KEPT_BYTES:
        answer = answer.with_headers(_NOT_KEPT)
    mark = format_.byte_order_mark if call.query.values["bom"] else b""
    head = mark + format_.head(collection, rows.layout, matched, links)
    return await send(call.request, answer.with_body(Pieces(format_.pieces(head, rows, chunks), query.limit)))
