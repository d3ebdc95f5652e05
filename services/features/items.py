"""GET /collections/{collectionId}/items (OGC API Features, /req/core/fc-op)."""

import asyncio
from dataclasses import replace

from aiohttp import ClientConnectionResetError, web

from libs.catalogue.model import Collection
from libs.ogc.errors import InvalidParameters
from libs.ogc.media_type import MediaType, with_charset
from libs.web.app import Call, sent_parameters
from libs.web.base_url import base_url
from libs.web.conditional import answered_before, data_headers, not_modified
from libs.web.html import page_response
from libs.web.respond import body_response
from services.features.formats.links import link_template, page_links
from services.features.formats.representations import ItemsAnswer
from services.features.pages.items_form import form_again
from services.features.pages.items_html import PAGE_ROWS, items_context
from services.features.prepared import PreparedPage
from services.features.request.items_query import ItemsQuery, parse_items
from services.features.resources import CATALOGUE, PREPARED, STORE, VALUES, VERSIONS
from services.features.rows.items_store import ItemsStore, Page, one_more
from services.features.rows.kept_features import Shelf
from services.features.rows.row_plan import RowPlan


async def get_items(call: Call) -> web.StreamResponse:
    """A page of the features that match."""
    app = call.request.app
    collection = app[CATALOGUE].collection(call.path["collectionId"])
    headers = data_headers(call.request, call.media_type, app[VERSIONS].version(collection))
    unchanged = answered_before(call.request, headers)
    if unchanged is not None:
        return unchanged
    if call.media_type == MediaType.HTML:
        return await _page(call, collection, headers)
    page = app[PREPARED].page(call, collection)
    unchanged = not_modified(call.request, headers)
    if unchanged is not None:
        return unchanged
    store, query, representation = app[STORE], page.query, page.representation
    if query.limit > store.chunk(query):
        return await _stream(call, page, page.shelf(app[VERSIONS].server), headers)
    found, matched = await _fetched(store, query, page.plan, page.marks, page.shelf(app[VERSIONS].server))
    links = page_links(page.links, base_url(call.request), found.ends, matched)
    number = len(found.fetched.rows)
    body = b"".join(
        (
            representation.head(ItemsAnswer(query, page.plan, matched, links)),
            representation.rows(found.fetched, first=True),
            representation.tail(number),
        )
    )
    headers |= {**_numbers(matched, number), "Link": links.header}
    return body_response(body, media_type=call.media_type, headers=headers)


async def _fetched(
    store: ItemsStore, query: ItemsQuery, plan: RowPlan, marks: RowPlan | None = None, shelf: Shelf | None = None
) -> tuple[Page, int | None]:
    matched = store.counted(query)
    if matched is not None:
        return await store.page(query, plan, marks, shelf), matched
    return await asyncio.gather(store.page(query, plan, marks, shelf), store.matched(query))


def _numbers(matched: int | None, returned: int | None) -> dict[str, str]:
    numbers = {"OGC-NumberMatched": matched, "OGC-NumberReturned": returned}
    return {name: str(number) for name, number in numbers.items() if number is not None}


async def _page(call: Call, collection: Collection, headers: dict[str, str]) -> web.StreamResponse:
    # links of the page must not carry the fields of the form that were left empty
    try:
        query = parse_items(collection, call.query, dict(sent_parameters(call.request)))
    except InvalidParameters as error:
        return await form_again(call, collection, error)
    unchanged = not_modified(call.request, headers)
    if unchanged is not None:
        return unchanged
    # a table of thousands of rows is of no use; `next` leads on, and the page says so
    query = replace(query, limit=min(query.limit, PAGE_ROWS))
    # boxes are all that the small map draws: large geometries must not bloat the page
    plan = one_more(replace(query, bbox_only=True), "geojson")
    page, matched = await _fetched(call.request.app[STORE], query, plan)
    links = page_links(link_template(query, call.media_type), base_url(call.request), page.ends, matched)
    ranges = await call.request.app[VALUES].recent(collection)
    context = items_context(ItemsAnswer(query, plan, matched, links), page.fetched.rows, ranges)
    headers |= {**_numbers(matched, len(page.fetched.rows)), "Link": links.header}
    return page_response(call.request, "items.html", context, headers=headers)


async def _stream(
    call: Call, prepared: PreparedPage, shelf: Shelf | None, headers: dict[str, str]
) -> web.StreamResponse:
    """Chunks as they are fetched: memory stays bounded, and no connection waits for a slow client."""
    store, query, representation = call.request.app[STORE], prepared.query, prepared.representation
    page, matched = await asyncio.gather(store.large(query), store.matched(query))
    chunks = store.chunks(page, representation.geometry_as, shelf)
    # the first chunk comes before the status: what fails by then is still told as an error
    fetched = await anext(chunks)
    links = page_links(prepared.links, base_url(call.request), page.ends(fetched.rows, fetched.plan), matched)
    answer = ItemsAnswer(query, fetched.plan, matched, links)
    headers |= {
        **_numbers(matched, None),
        "Link": links.header,
        "Content-Type": with_charset(call.media_type),
        "Vary": "Accept",
    }
    response = web.StreamResponse(headers=headers)
    returned = len(fetched.rows)
    try:
        await response.prepare(call.request)
        if call.request.method == "HEAD":
            # aiohttp would send what is written here, and the client take it for the next answer
            return response
        await response.write(b"".join((representation.head(answer), representation.rows(fetched, first=True))))
        async for fetched in chunks:
            await response.write(representation.rows(fetched, first=returned == 0))
            returned += len(fetched.rows)
        await response.write(representation.tail(returned))
        await response.write_eof()
    except ClientConnectionResetError:
        # the client has what it wanted
        return response
    return response
