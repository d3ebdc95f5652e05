"""GET /collections/{collectionId}/items/{itemId} (OGC API Features, /req/core/f-op)."""

from aiohttp import web

from libs.ogc.errors import NotFound
from libs.ogc.link import Link, path_segment
from libs.ogc.media_type import MediaType
from libs.selection.selection import key_condition, select
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.html import page_response
from libs.web.representations import representations
from libs.web.respond import body_response, links_json
from services.features import csv
from services.features.conditional import not_modified, validators
from services.features.geojson import encode, features
from services.features.items_html import row_context
from services.features.items_links import OFFERS, with_query
from services.features.items_sql import item_plan
from services.features.preview import preview
from services.features.representations import REPRESENTATIONS
from services.features.resources import CATALOGUE, STORE, VERSIONS


async def get_item(call: Call) -> web.StreamResponse:
    """One feature by its id."""
    app, item_id = call.request.app, call.path["itemId"]
    collection = app[CATALOGUE].collection(call.path["collectionId"])
    selection = select(collection, call.query)
    simplify = call.query.values["simplify"]
    call.query.check()
    headers = validators(call, app[VERSIONS].version(collection))
    condition = key_condition(collection, item_id)
    row = None
    if condition is not None:
        plan = item_plan(
            selection,
            condition,
            # a page shows the box on a small map
            bbox_only=bool(call.query.values["bbox-only"]) or call.media_type == MediaType.HTML,
            simplify=simplify or None,
            geometry_as="wkt" if call.media_type == MediaType.CSV else "geojson",
        )
        row = await app[STORE].row(selection, plan)
    if row is None:
        raise NotFound(f"There is no item '{item_id}' in collection '{collection.id}'.")
    if not_modified(call, headers):
        return web.Response(status=304, headers=headers)
    links = _links(call)
    headers["Link"] = ", ".join(link.to_header() for link in links)
    if call.media_type == MediaType.HTML:
        feature = features([row], plan)[0]
        context = {
            "preview": preview([feature]),
            "collection": collection,
            "columns": plan.properties,
            "row": row_context(feature),
            "links": links_json(links),
        }
        return page_response(call.request, "item.html", context, headers=headers)
    if call.media_type in (MediaType.GEOJSON, MediaType.JSON):
        body = encode({**features([row], plan)[0], "links": links_json(links)})
    else:
        header = csv.header(plan) if call.media_type == MediaType.CSV else b""
        body = header + REPRESENTATIONS[call.media_type].rows([row], plan, first=True)
    return body_response(body, media_type=call.media_type, headers=headers)


def _links(call: Call) -> list[Link]:
    base, collection_id = base_url(call.request), path_segment(call.path["collectionId"])
    address = f"{base}/collections/{collection_id}/items/{path_segment(call.path['itemId'])}"
    given = {name: text for name, text in call.request.query.items() if name != "f"}
    return [
        *representations(with_query(address, given), call.media_type, OFFERS),
        Link(f"{base}/collections/{collection_id}", "collection", MediaType.JSON, "The collection"),
    ]
