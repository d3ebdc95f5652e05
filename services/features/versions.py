"""GET /collections/{collectionId}/items/{itemId}/versions: the versions of a feature (a TimeMap of RFC 7089)."""

from aiohttp import web

from libs.ogc.errors import InvalidParameters, NotFound
from libs.ogc.media_type import MediaType
from libs.selection.past import no_history
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.conditional import check_preconditions, data_headers
from libs.web.respond import body_response, json_response
from services.features.memento import LINK_FORMAT, header, http_date, item_address, of_item, version_address
from services.features.resources import CATALOGUE, ITEM_VERSIONS, VERSIONS


async def get_versions(call: Call) -> web.StreamResponse:
    """Return links to the versions of a feature, the oldest first."""
    app, item_id = call.request.app, call.path["itemId"]
    collection = app[CATALOGUE].collection(call.path["collectionId"])
    call.query.check()
    if collection.history is None:
        raise InvalidParameters([no_history(collection, ("path", "collectionId"))])
    headers = data_headers(call.request, call.media_type, app[VERSIONS].version(collection))
    versions = await app[ITEM_VERSIONS].read(collection, item_id)
    if not versions:
        raise NotFound(f"There is no item '{item_id}' in collection '{collection.id}'.")
    check_preconditions(call.request, headers)
    item = item_address(base_url(call.request), collection, item_id)
    addresses = [(version_address(item, each), http_date(each.start)) for each in versions]
    headers |= {"Link": header(of_item(item))}
    if call.media_type == LINK_FORMAT:
        lines = [
            f'<{item}>; rel="original timegate"',
            f'<{item}/versions?f=link>; rel="self"; type="{LINK_FORMAT}"; from="{addresses[0][1]}"; '
            f'until="{addresses[-1][1]}"',
        ]
        for place, (address, date) in enumerate(addresses):
            rels = [*(["first"] if place == 0 else []), *(["last"] if place + 1 == len(addresses) else []), "memento"]
            lines.append(f'<{address}>; rel="{" ".join(rels)}"; datetime="{date}"')
        return body_response(",\n".join(lines).encode(), media_type=LINK_FORMAT, headers=headers)
    links: list[dict[str, str]] = [
        {"rel": "self", "href": f"{item}/versions", "type": MediaType.JSON},
        {"rel": "related", "href": f"{item}/versions?f=link", "title": f"As {LINK_FORMAT}"},
        {"rel": "original", "href": item, "title": "The feature"},
        {"rel": "first", "href": addresses[0][0], "title": "The first version"},
        {"rel": "last", "href": addresses[-1][0], "title": "The last version"},
        *(
            [{"rel": "latest-version", "href": item, "title": "The present version"}]
            if versions[-1].end is None
            else []
        ),
    ]
    links += [
        {"rel": "memento", "href": address, "title": f"Version since {date}", "datetime": date}
        for address, date in addresses
    ]
    return json_response({"links": links}, media_type=call.media_type, headers=headers)
