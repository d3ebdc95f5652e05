"""GET /collections/{collectionId}/items (OGC API Features, /req/core/fc-op)."""

import asyncio
from dataclasses import replace

from aiohttp import ClientConnectionResetError, web

from libs.ogc.media_type import MediaType, with_charset
from libs.web.app import Call
from libs.web.html import page_response
from libs.web.respond import body_response
from services.features.conditional import not_modified, validators
from services.features.items_html import items_context
from services.features.items_links import items_links, link_header
from services.features.items_query import ItemsQuery, parse_items
from services.features.items_sql import RowPlan
from services.features.items_store import ItemsAnswer, ItemsStore, Page, one_more
from services.features.representations import REPRESENTATIONS, Representation
from services.features.resources import CATALOGUE, STORE, VERSIONS


async def get_items(call: Call) -> web.StreamResponse:
    """A page of the features that match."""
    app = call.request.app
    collection = app[CATALOGUE].collection(call.path["collectionId"])
    query = parse_items(collection, call.query, call.request.query)
    headers = validators(call, app[VERSIONS].version(collection))
    if not_modified(call, headers):
        return web.Response(status=304, headers=headers)
    if call.media_type == MediaType.HTML:
        return await _page(call, query, headers)
    representation = REPRESENTATIONS[call.media_type]
    if query.limit > app[STORE].chunk(query):
        return await _stream(call, query, representation, headers)
    plan, (page, matched) = await _fetched(app[STORE], query, representation.geometry_as)
    links = items_links(call, query, page.ends, matched)
    answer = ItemsAnswer(query, plan, matched, tuple(links))
    body = b"".join(
        (
            representation.head(answer),
            representation.rows(page.rows, plan, first=True),
            representation.tail(len(page.rows)),
        )
    )
    headers |= {**_numbers(matched, len(page.rows)), "Link": link_header(links)}
    return body_response(body, media_type=call.media_type, headers=headers)


async def _fetched(store: ItemsStore, query: ItemsQuery, geometry_as: str) -> tuple[RowPlan, tuple[Page, int | None]]:
    plan = one_more(query, geometry_as)
    matched = store.counted(query)
    if matched is not None:
        return plan, (await store.page(query, plan), matched)
    return plan, await asyncio.gather(store.page(query, plan), store.matched(query))


def _numbers(matched: int | None, returned: int | None) -> dict[str, str]:
    numbers = {"OGC-NumberMatched": matched, "OGC-NumberReturned": returned}
    return {name: str(number) for name, number in numbers.items() if number is not None}


async def _page(call: Call, query: ItemsQuery, headers: dict[str, str]) -> web.StreamResponse:
    # boxes are all that the small map draws: large geometries must not bloat the page
    plan, (page, matched) = await _fetched(call.request.app[STORE], replace(query, bbox_only=True), "geojson")
    links = items_links(call, query, page.ends, matched)
    context = items_context(ItemsAnswer(query, plan, matched, tuple(links)), page.rows)
    headers |= {**_numbers(matched, len(page.rows)), "Link": link_header(links)}
    return page_response(call.request, "items.html", context, headers=headers)


async def _stream(
    call: Call, query: ItemsQuery, representation: Representation, headers: dict[str, str]
) -> web.StreamResponse:
    """Chunks as they are fetched: memory stays bounded, and no connection waits for a slow client."""
    store = call.request.app[STORE]
    page, matched = await asyncio.gather(store.large(query), store.matched(query))
    chunks = store.chunks(page, representation.geometry_as)
    # the first chunk comes before the status: what fails by then is still told as an error
    plan, rows = await anext(chunks)
    links = items_links(call, query, page.ends(rows[0] if rows else None), matched)
    answer = ItemsAnswer(query, plan, matched, tuple(links))
    headers |= {
        **_numbers(matched, None),
        "Link": link_header(links),
        "Content-Type": with_charset(call.media_type),
        "Vary": "Accept",
    }
    response = web.StreamResponse(headers=headers)
    returned = len(rows)
    try:
        await response.prepare(call.request)
        if call.request.method == "HEAD":
            # aiohttp would send what is written here, and the client take it for the next answer
            return response
        await response.write(representation.head(answer) + representation.rows(rows, plan, first=True))
        async for plan, rows in chunks:
            await response.write(representation.rows(rows, plan, first=returned == 0))
            returned += len(rows)
        await response.write(representation.tail(returned))
        await response.write_eof()
    except ClientConnectionResetError:
        # the client has what it wanted
        return response
    return response
