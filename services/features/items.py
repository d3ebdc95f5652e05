"""GET /collections/{collectionId}/items (OGC API Features, /req/core/fc-op)."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from aiohttp import web

from libs.catalogue.model import Collection
from libs.ogc.errors import InvalidParameters, StoredValueError
from libs.ogc.media_type import with_charset
from libs.web.app import Call, sent_parameters
from libs.web.base_url import SETTINGS, base_url, client_of, takes_chunks
from libs.web.compression import compress_stream
from libs.web.conditional import check_preconditions, check_tag, data_headers, incomplete
from libs.web.html import page_response
from libs.web.middleware import has_begun
from libs.web.negotiation import prefers_html
from libs.web.respond import body_response
from services.features.aggregation.buckets import Bucket
from services.features.aggregation.spread import MOST_COUNTED, spread
from services.features.exporting.exports import one_chunk
from services.features.exporting.sending import send
from services.features.formats.format import FeatureFormat, FileFormat
from services.features.formats.jsonfg import profile_header, profiled
from services.features.formats.links import page_links
from services.features.formats.names import saved_as
from services.features.formats.pieces import pieces
from services.features.formats.registry import format_of, refuse_options
from services.features.pages.items_form import form_context
from services.features.pages.items_html import PAGE_ROWS, items_context
from services.features.pages.recency import newest_first, tag_of_age
from services.features.request.geometry_options import GeometryOptions, content_crs
from services.features.request.items_query import ItemsQuery, parse_items
from services.features.resources import CATALOGUE, EXPORTS, FACETS, FOLDING, STORE, VALUES, VERSIONS, WHOLE_PAGES
from services.features.rows.failing_rows import features_omitted
from services.features.samples.programs import programs_of
from services.features.samples.source import source_of
from services.features.slow_readers import write

PAGING = "DAMS-Paging"
_MOST_KEPT_BYTES = 4_000_000
"""Size in stored row bytes up to which the gateway caches a response.

It stores these at full speed, also for slow clients.
"""
_NOT_KEPT = {"X-Accel-Expires": "0"}


async def get_items(call: Call) -> web.StreamResponse:
    """Return a page of matching features; rows on which a filter fails do not match."""
    app = call.request.app
    collection = app[CATALOGUE].collection(call.path["collectionId"])
    aged = tag_of_age(collection, call.media_type)
    headers = data_headers(call.request, call.media_type, app[VERSIONS].of_features(collection), limits=aged)
    check_tag(call.request, headers)
    format_ = format_of(call.media_type, named=call.query.values["f"] is not None)
    refuse_options(call.query, format_)
    format_ = profiled(format_, call.query, collection)
    try:
        query = _parse(call, collection, format_)
    except InvalidParameters as error:
        if format_ is not None:
            raise
        return await _form_again(call, collection, error)
    check_preconditions(call.request, headers)
    try:
        return await _respond(call, query, format_, headers)
    except StoredValueError:
        if has_begun(call.request):
            raise
        query = await app[STORE].without_failing(query)
    return await _respond(call, query, format_, headers)


def _parse(call: Call, collection: Collection, format_: FeatureFormat | FileFormat | None) -> ItemsQuery:
    """Return the query. Raises InvalidParameters with every fault."""
    folding, base = call.request.app[FOLDING].current, base_url(call.request)
    if format_ is not None:
        return parse_items(collection, call.query, call.given, folding, base=base)
    # links of the page must not carry the fields of the form that were left empty
    given, values = dict(sent_parameters(call.request)), call.query
    newest = newest_first(collection)
    if newest is not None and not given.keys() & {"sortby", "cursor", "offset"}:
        # the order must be in the links: a cursor belongs to one order
        values, given["sortby"] = values.with_values({"sortby": [newest]}), newest
    return parse_items(collection, values, given, folding, base=base)


async def _respond(
    call: Call, query: ItemsQuery, format_: FeatureFormat | FileFormat | None, headers: dict[str, str]
) -> web.StreamResponse:
    if format_ is None:
        return await _page(call, query, headers)
    store, collection = call.request.app[STORE], query.selection.collection
    query = await store.found(query)
    if isinstance(format_, FileFormat):
        return await _file(call, query, format_, headers)
    if format_.streams and query.limit > store.chunk(query):
        return await _stream(call, query, format_, headers)
    (page, ends), matched = await store.page_and_count(query, format_.geometry_as, features=format_.of_features)
    links = page_links(query, format_.media_type, base_url(call.request), ends, matched)
    number, omitted = len(page.rows), page.omitted
    body = b"".join(
        (
            _mark(call, format_),
            format_.head(collection, page.layout, matched, links),
            format_.rows(page, first=True),
            format_.tail(number, omitted),
        )
    )
    numbers = _numbers(matched, number, omitted)
    headers = {**_kept(headers, query, matched), **numbers, **_caveats(query), **content_crs(query.options)}
    headers |= {**saved_as(collection, format_, query.given), "Link": profile_header(format_, links.header)}
    return body_response(body, media_type=call.media_type, headers=headers)


async def _file(call: Call, query: ItemsQuery, format_: FileFormat, headers: dict[str, str]) -> web.StreamResponse:
    """Return a page that a separate process writes."""
    app, store, collection = call.request.app, call.request.app[STORE], query.selection.collection
    if query.limit > store.chunk(query):
        large, matched = await store.large_and_count(query)
        ends, source = large.ends, partial(store.chunks, large, format_.geometry_as)
    else:
        (page, ends), matched = await store.page_and_count(query, format_.geometry_as)
        source = partial(one_chunk, page)
    links = page_links(query, format_.media_type, base_url(call.request), ends, matched)
    export = await app[EXPORTS].page(query.selection, query.options, format_, source, client_of(call.request))
    try:
        headers = {
            **_kept(headers, query, matched),
            **_numbers(matched, export.rows, export.omitted),
            **_caveats(query),
            **content_crs(query.options),
            **saved_as(collection, format_, query.given),
            "Link": links.header,
            "Content-Type": format_.media_type,
        }
        return await send(call.request, export, headers)
    finally:
        app[EXPORTS].leave(export)


def _kept(headers: dict[str, str], query: ItemsQuery, matched: int | None) -> dict[str, str]:
    """Return the headers of a response with this count; a later response has the count if it is missing now."""
    return incomplete(headers) if query.counted and matched is None else headers


def _mark(call: Call, format_: FeatureFormat) -> bytes:
    return format_.byte_order_mark if call.query.values["bom"] else b""


def _numbers(matched: int | None, returned: int | None, omitted: int = 0) -> dict[str, str]:
    numbers = {
        "OGC-NumberMatched": matched,
        "OGC-NumberReturned": returned,
        "DAMS-Geometries-Omitted": omitted or None,
    }
    return {name: str(number) for name, number in numbers.items() if number is not None}


def _caveats(query: ItemsQuery) -> dict[str, str]:
    """Return headers that warn of unstable paging, and of rows left out because the filter fails on them."""
    headers = {} if query.resumable else {PAGING: "offset"}
    return headers | features_omitted(query.selection.failing)


async def _page(call: Call, query: ItemsQuery, headers: dict[str, str]) -> web.StreamResponse:
    collection = query.selection.collection
    # a table of thousands of rows is of no use; `next` leads on, and the page says so. Boxes are all that the small
    # map draws: large geometries must not bloat the page
    options = GeometryOptions(bbox_only=True, base=query.options.base)
    query = replace(query, limit=min(query.limit, PAGE_ROWS), options=options)
    query = await call.request.app[STORE].found(query)
    (page, ends), matched = await call.request.app[STORE].page_and_count(query, "geojson")
    links = page_links(query, call.media_type, base_url(call.request), ends, matched)
    ranges = await call.request.app[VALUES].recent(collection)
    context = items_context(
        query,
        page,
        matched,
        links,
        declared=call.query.values.keys(),
        ranges=ranges or {},
        cells=await _elsewhere(call, query, matched, len(page.rows)),
    )
    shown = query.selection.geometry
    source = source_of(
        collection, context["filtered"], base_url(call.request), geometry_type=shown.type if shown is not None else None
    )
    context |= {"source": source, "programs": programs_of(source)}
    headers = incomplete(headers) if ranges is None else _kept(headers, query, matched)
    headers |= {**_numbers(matched, len(page.rows), page.omitted), **_caveats(query), "Link": links.header}
    return page_response(call.request, "items.html", context, headers=headers)


async def _elsewhere(call: Call, query: ItemsQuery, matched: int | None, shown: int) -> Sequence[Bucket]:
    """Return the cells of all matching features, if there are more than the page shows."""
    geometry = query.selection.geometry
    if geometry is None or matched is None or not shown < matched <= MOST_COUNTED:
        return ()
    return await spread(call.request.app[FACETS], query.selection, geometry)


async def _form_again(call: Call, collection: Collection, error: InvalidParameters) -> web.StreamResponse:
    """Return the filled form with its faults to a person. Raises the error for other clients."""
    accept = call.request.headers.get("Accept")
    if not prefers_html(accept) or call.request.query.get("f", "html") != "html":
        raise error
    given = dict(sent_parameters(call.request))
    declared, ranges = call.query.values.keys(), await call.request.app[VALUES].recent(collection) or {}
    context = {
        **form_context(collection, given, collection.columns, declared=declared, ranges=ranges, faults=error.faults),
        "filtered": {},
        "limit": given.get("limit", ""),
    }
    status = call.request.app[SETTINGS].invalid_parameter_status
    headers = {"Cache-Control": "no-store", "Vary": "Accept"}
    return page_response(call.request, "items_again.html", context, status=status, headers=headers)


async def _stream(call: Call, query: ItemsQuery, format_: FeatureFormat, headers: dict[str, str]) -> web.StreamResponse:
    """Stream chunks as they are fetched: memory stays bounded, and no connection waits for a slow client."""
    store, collection = call.request.app[STORE], query.selection.collection
    large, matched = await store.large_and_count(query)
    chunks = store.chunks(large, format_.geometry_as, features=format_.of_features)
    # fetch the first chunk before sending the status: an error until then gets its own status
    rows = await anext(chunks)
    links = page_links(query, format_.media_type, base_url(call.request), large.ends, matched)
    headers = {
        **_kept(headers, query, matched),
        **_numbers(matched, None),
        **_caveats(query),
        **content_crs(query.options),
        **saved_as(collection, format_, query.given),
        **({} if collection.row_bytes and query.limit * collection.row_bytes <= _MOST_KEPT_BYTES else _NOT_KEPT),
        "Link": profile_header(format_, links.header),
        "Content-Type": with_charset(call.media_type),
        "Vary": "Accept",
    }
    head = _mark(call, format_) + format_.head(collection, rows.layout, matched, links)
    body = pieces(format_, head, rows, chunks)
    if call.request.method != "HEAD" and not takes_chunks(call.request):
        return await call.request.app[WHOLE_PAGES].send(call.request, headers, body, query.limit)
    response = web.StreamResponse(headers=headers)
    compress_stream(call.request, response)
    try:
        await response.prepare(call.request)
        if call.request.method == "HEAD":
            # a body written here would be read as the start of the next response
            return response
        async for piece in body:
            await write(call.request, response, piece)
    except ConnectionError:
        # the client has read enough, or has disconnected
        return response
    return response
