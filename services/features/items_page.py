"""Features as a page for people: its order, its map, its code samples, and its form with the faults of a request."""

from collections.abc import Sequence
from dataclasses import replace

from aiohttp import web

from libs.catalogue.model import Collection
from libs.ogc.errors import InvalidParameters
from libs.web.app import Call, sent_parameters
from libs.web.base_url import SETTINGS, base_url
from libs.web.html import page_response
from libs.web.negotiation import prefers_html
from services.features.aggregation.buckets import Bucket
from services.features.aggregation.spread import MOST_COUNTED, spread
from services.features.answer import Answer
from services.features.formats.links import page_links
from services.features.pages.items_form import form_context
from services.features.pages.items_html import PAGE_ROWS, items_context
from services.features.pages.recency import newest_first
from services.features.request.items_query import GeometryOptions, ItemsQuery, parse_items
from services.features.resources import CATALOGUE, FACETS, FOLDING, STORE, VALUES
from services.features.samples.programs import programs_of
from services.features.samples.source import source_of


def parse_page(call: Call, collection: Collection) -> ItemsQuery:
    """Return the query of a page, newest features first if the client names no order. Raises InvalidParameters."""
    # links of the page must not carry the fields of the form that were left empty
    given, values = dict(sent_parameters(call.request)), call.query
    newest = newest_first(collection)
    if newest is not None and not given.keys() & {"sortby", "cursor", "offset"}:
        # the order must be in the links: a cursor belongs to one order
        values, given["sortby"] = values.with_values({"sortby": [newest]}), newest
    return parse_items(collection, values, given, call.request.app[FOLDING].current, base=base_url(call.request))


async def items_page(call: Call, query: ItemsQuery, answer: Answer) -> web.StreamResponse:
    """Return the page with the headers of the answer."""
    app, collection = call.request.app, query.selection.collection
    # a table of thousands of rows is of no use; `next` leads on, and the page says so. Boxes are all that the small
    # map draws: large geometries must not bloat the page
    options = GeometryOptions(bbox_only=True, base=query.options.base)
    query = await app[STORE].resolve(replace(query, limit=min(query.limit, PAGE_ROWS), options=options))
    (page, ends), matched = await app[STORE].page_and_count(query, "geojson")
    links = page_links(query, call.media_type, base_url(call.request), ends, matched)
    ranges = await app[VALUES].recent(_present(call, collection))
    context = items_context(
        query,
        page,
        matched,
        links,
        declared=call.query.values.keys(),
        ranges=ranges or {},
        cells=await _cells(call, query, matched, len(page.rows)),
    )
    shown = query.selection.geometry
    source = source_of(
        collection, context["filtered"], base_url(call.request), geometry_type=shown.type if shown is not None else None
    )
    context |= {"source": source, "programs": programs_of(source)}
    answer = answer.of_page(query, matched, len(page.rows), page.omitted).with_links(links.header)
    answer = answer.as_incomplete() if ranges is None else answer
    return page_response(call.request, "items.html", context, headers=answer.headers)


def _present(call: Call, collection: Collection) -> Collection:
    """Return the collection of the present rows, which suggestions come from."""
    return call.request.app[CATALOGUE].collection(collection.id)


async def _cells(call: Call, query: ItemsQuery, matched: int | None, shown: int) -> Sequence[Bucket]:
    """Return the cells of all matching features, if there are more than the page shows."""
    geometry = query.selection.geometry
    if geometry is None or matched is None or not shown < matched <= MOST_COUNTED:
        return ()
    return await spread(call.request.app[FACETS], query.selection, geometry)


async def form_with_faults(call: Call, collection: Collection, error: InvalidParameters) -> web.StreamResponse:
    """Return the filled form with its faults to a person. Raises the error for other clients."""
    accept = call.request.headers.get("Accept")
    if not prefers_html(accept) or call.request.query.get("f", "html") != "html":
        raise error
    given = dict(sent_parameters(call.request))
    declared = call.query.values.keys()
    ranges = await call.request.app[VALUES].recent(_present(call, collection)) or {}
    context = {
        **form_context(collection, given, collection.columns, declared=declared, ranges=ranges, faults=error.faults),
        "filtered": {},
        "limit": given.get("limit", ""),
    }
    answer = Answer({"Cache-Control": "no-store"}, status=call.request.app[SETTINGS].invalid_parameter_status)
    return page_response(call.request, "items_again.html", context, status=answer.status, headers=answer.headers)
