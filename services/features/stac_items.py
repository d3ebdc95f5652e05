"""GET and POST /stac/search, and the items of a STAC collection.

GET /stac/collections/{stacCollectionId}/items and /stac/collections/{stacCollectionId}/items/{stacItemId} read the same
pages.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

import orjson
from aiohttp import web

from libs.ogc.errors import Fault, InvalidParameters, NotFound
from libs.web.app import Call
from libs.web.base_url import SETTINGS, base_url
from libs.web.conditional import DATA_CACHE, conditional
from libs.web.respond import json_response
from services.features.resources import CATALOGUE, STAC_ITEMS
from services.features.stac.documents import item_collection
from services.features.stac.items import GEOJSON, ROLES
from services.features.stac.search import Page, Search
from services.features.stac.sources import Wanted, sources
from services.features.stac_catalogue import known_collection

_OF_STANDARDS = 400
"""Status of invalid parameters in the mode of the standards, which do not allow dates without a time."""
_MOMENT = r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)"
_RFC_3339 = re.compile(rf"(?:{_MOMENT}|(?:{_MOMENT}|\.\.)?/(?:{_MOMENT}|\.\.)?)?", re.ASCII)


async def get_stac_search(call: Call) -> web.StreamResponse:
    """Return a page of items of all collections."""
    values = call.query.values
    given = dict(call.given)
    chosen = values["collections"]
    if call.request.method == "POST" and call.request.app[SETTINGS].invalid_parameter_status == _OF_STANDARDS:
        box = (orjson.loads(await call.request.read() or b"{}")).get("bbox")
        if isinstance(box, str):
            call.query.fault("bbox", "bbox must be an array of numbers in a body", value=box)
    search = _search(call, tuple(chosen) if chosen is not None else tuple(ROLES))
    page = await _page(call, search)
    return _respond(call, page, "/stac/search", given)


async def get_stac_items(call: Call) -> web.StreamResponse:
    """Return a page of items of one collection."""
    name = known_collection(call)
    page = await _page(call, _search(call, (name,)))
    return _respond(call, page, f"/stac/collections/{name}/items", dict(call.given))


async def get_stac_item(call: Call) -> web.StreamResponse:
    """Return an item."""
    call.query.check()
    name, identifier = known_collection(call), call.path["stacItemId"]
    # PostgreSQL cannot store U+0000
    found = None if "\0" in identifier else await _page(call, Search(Wanted(), 1, (name,), (identifier,)))
    if not found or not found.items:
        raise NotFound(f"The collection '{name}' has no item '{identifier}'.")
    return conditional(call.request, json_response(found.items[0], media_type=GEOJSON), cache_control=DATA_CACHE)


def _search(call: Call, collections: tuple[str, ...]) -> Search:
    """Return the search of the parameters. Raises InvalidParameters."""
    values = call.query.values
    intersects = _geometry(call)
    if intersects is not None and values["bbox"] is not None:
        call.query.fault("intersects", "intersects and bbox cannot be combined")
    moment = values["datetime"] or ""
    if call.request.app[SETTINGS].invalid_parameter_status == _OF_STANDARDS and not _RFC_3339.fullmatch(moment):
        call.query.fault("datetime", "datetime must be a time in RFC 3339, or two with / between them", value=moment)
    call.query.check()
    ids = values.get("ids")
    return Search(
        Wanted(values["bbox"], values["datetime"], intersects),
        values["limit"],
        collections,
        None if ids is None else tuple(ids),
        values["token"],
    )


def _geometry(call: Call) -> dict[str, Any] | None:
    text = call.query.values.get("intersects")
    if text is None:
        return None
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict) or "type" not in found:
        call.query.fault("intersects", "intersects must be a geometry in GeoJSON")
        return None
    return found


async def _page(call: Call, search: Search) -> Page:
    app = call.request.app
    found = sources(app[CATALOGUE].collections.values())
    try:
        return await app[STAC_ITEMS].page(search, found, base_url(call.request))
    except InvalidParameters as error:
        raise InvalidParameters([_renamed(fault) for fault in error.faults]) from error


def _renamed(fault: Fault) -> Fault:
    """Name the parameter of the search: the query has another one for it."""
    names = {"filter": "intersects", "cursor": "token"}
    name = names.get(fault.loc[-1], fault.loc[-1])
    message = fault.msg.replace("filter:", "intersects:").replace("cursor", "token")
    return Fault((fault.loc[0], name), message, fault.input, fault.type)


def _respond(call: Call, page: Page, path: str, given: Mapping[str, str]) -> web.Response:
    base = base_url(call.request)

    def address(parameters: Mapping[str, str]) -> str:
        return f"{base}{path}{'?' if parameters else ''}{urlencode(parameters)}"

    links: list[dict[str, Any]] = [
        {"rel": "self", "href": address(given), "type": GEOJSON},
        {"rel": "root", "href": f"{base}/stac", "type": "application/json"},
    ]
    if call.request.method == "POST":
        # the parameters are in the body, which may be too long for an address
        links[0] |= {"href": address({}), "method": "POST"}
    if page.next is not None:
        links.append(_next(call, address, given, page.next))
    body = item_collection(page.items, links)
    return conditional(call.request, json_response(body, media_type=GEOJSON), cache_control=DATA_CACHE)


def _next(
    call: Call, address: Callable[[Mapping[str, str]], str], given: Mapping[str, str], token: str
) -> dict[str, Any]:
    if call.request.method == "POST":
        of_body = {"method": "POST", "body": {"token": token}, "merge": True}
        return {"rel": "next", "href": address({}), "type": GEOJSON, **of_body}
    return {"rel": "next", "href": address({**given, "token": token}), "type": GEOJSON, "method": "GET"}
