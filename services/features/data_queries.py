"""GET /collections/{collectionId}/position, radius, area and corridor: the data queries of OGC API EDR.

Each is a page of items whose features are chosen by `coords`, in a collection or in one of its instances. The
parameters, formats and links are those of items.
"""

from functools import partial

from aiohttp import web

from libs.catalogue.data_queries import INSTANCES
from libs.ogc.crs import CRS84, crs_uri
from libs.ogc.link import path_segment
from libs.selection.coords import QUERY_TYPE
from libs.selection.past import as_of
from libs.web.app import Call, OperationHandler
from libs.web.base_url import base_url
from libs.web.conditional import check_tag
from services.features.formats.registry import page_format
from services.features.instances import instance_values
from services.features.items import respond_with_page
from services.features.memento import page_answer
from services.features.request.items_query import parse_items
from services.features.resources import CATALOGUE, FOLDING

_SHORT_CRS = {**dict.fromkeys(("CRS84", "CRS:84", "OGC:CRS84"), CRS84)}


async def _get(query_type: str, call: Call) -> web.StreamResponse:
    app = call.request.app
    collection = as_of(app[CATALOGUE].collection(call.path["collectionId"]), call.query)
    format_ = page_format(call.media_type, call.query, collection)
    answer = page_answer(call, collection, "")
    check_tag(call.request, answer.headers)
    values = call.query.values
    asked = call.query.with_values(
        {QUERY_TYPE: query_type, "crs": _crs(values["crs"]), "datetime": _open_ended(values["datetime"])}
    )
    base, resource = base_url(call.request), query_type
    if instance_id := call.path.get("instanceId"):
        asked = asked.with_extra({**asked.extra, **instance_values(collection, instance_id)})
        resource = f"{INSTANCES}/{path_segment(instance_id)}/{query_type}"
    query = parse_items(collection, asked, call.given, app[FOLDING].current, base=base, resource=resource)
    return await respond_with_page(call, query, format_, answer)


def _open_ended(datetime: str | None) -> str | None:
    """Return the interval with its open end as `..`: clients that join the ends of an extent write it as `null`."""
    ends = (datetime or "").split("/")
    return "/".join(".." if end == "null" else end for end in ends) if len(ends) > 1 else datetime


def _crs(text: str | None) -> str | None:
    """Return the identifier of a CRS that clients of EDR name shortly, such as `CRS84` or `EPSG:4326`."""
    if text is None or text in _SHORT_CRS:
        return _SHORT_CRS.get(text or "")
    authority, _, code = text.partition(":")
    is_short = authority == "EPSG" and code.isascii() and code.isdigit() and len(code) < 7
    return (crs_uri(int(code)) if is_short else None) or text


get_position: OperationHandler = partial(_get, "position")
get_radius: OperationHandler = partial(_get, "radius")
get_area: OperationHandler = partial(_get, "area")
get_corridor: OperationHandler = partial(_get, "corridor")
