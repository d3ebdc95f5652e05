"""GET /collections/{collectionId}/items/{itemId} (OGC API Features, /req/core/f-op)."""

from aiohttp import web

from libs.catalogue.modules import EVENT_KEY, siblings
from libs.ogc.errors import NotFound
from libs.ogc.media_type import MediaType
from libs.selection.selection import key_condition
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.conditional import answered_before, data_headers, not_modified
from libs.web.html import page_response
from libs.web.respond import body_response
from services.features.formats import csv
from services.features.formats.geojson import encode, features
from services.features.formats.links import item_links
from services.features.formats.representations import REPRESENTATIONS
from services.features.pages.items_html import row_context
from services.features.pages.map_links import map_of_item
from services.features.pages.preview import drawing
from services.features.resources import CATALOGUE, PREPARED, STORE, VERSIONS
from services.features.rows.row_plan import Fetched

_SIBLINGS = 20


async def get_item(call: Call) -> web.StreamResponse:
    """One feature by its id."""
    app, item_id = call.request.app, call.path["itemId"]
    collection = app[CATALOGUE].collection(call.path["collectionId"])
    headers = data_headers(call.request, call.media_type, app[VERSIONS].version(collection))
    unchanged = answered_before(call.request, headers)
    if unchanged is not None:
        return unchanged
    prepared = app[PREPARED].item(call, collection)
    condition = key_condition(collection, item_id)
    row = None
    if condition is not None:
        plan = prepared.plan(condition)
        row = await app[STORE].row(collection, plan)
    if row is None:
        raise NotFound(f"There is no item '{item_id}' in collection '{collection.id}'.")
    unchanged = not_modified(call.request, headers)
    if unchanged is not None:
        return unchanged
    links = item_links(prepared.links, base_url(call.request), item_id)
    headers["Link"] = links.header
    if call.media_type == MediaType.HTML:
        feature = features([row], plan)[0]
        event = feature["properties"].get(EVENT_KEY)
        others = siblings(collection, app[CATALOGUE].collections.values()) if isinstance(event, str | int) else []
        context = {
            "preview": drawing(feature),
            "map": map_of_item(collection, feature["id"]) if feature["geometry"] is not None else None,
            "event": {"key": EVENT_KEY, "value": event, "collections": others[:_SIBLINGS]},
            "collection": collection,
            "columns": plan.properties,
            "row": row_context(collection, feature),
            "links": links.members(),
        }
        return page_response(call.request, "item.html", context, headers=headers)
    if call.media_type in (MediaType.GEOJSON, MediaType.JSON):
        body = b"".join((encode(features([row], plan)[0])[:-1], b',"links":[', links.json, b"]}"))
    else:
        header = csv.header(plan) if call.media_type == MediaType.CSV else b""
        body = header + REPRESENTATIONS[call.media_type].rows(Fetched(plan, [row]), first=True)
    return body_response(body, media_type=call.media_type, headers=headers)
