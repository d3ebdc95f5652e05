"""GET /collections/{collectionId}/instances, …/instances/{instanceId}: the advisories of a collection (OGC API EDR)."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from libs.catalogue.data_queries import INSTANCES, data_queries_json, instance_columns
from libs.catalogue.model import Collection, Column
from libs.ogc.crs import CRS84, GREGORIAN
from libs.ogc.errors import NotFound
from libs.ogc.link import Link, path_segment
from libs.ogc.media_type import MediaType
from libs.ogc.temporal import rfc3339
from libs.selection.past import AS_OF, as_of
from libs.selection.selection import select
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.conditional import conditional
from libs.web.respond import json_response, links_json
from services.features.formats.registry import EXPORT_FORMATS
from services.features.part import data_query_links
from services.features.resources import CATALOGUE, DATABASE, FOLDING
from services.features.rows.instances import Instance, read_instances

_BETWEEN = "~"
_WRITTEN = "%Y%m%dT%H%M%S.%fZ"


async def get_instances(call: Call) -> web.StreamResponse:
    """Return a page of the instances with matching features, the newest first."""
    collection, columns = _of_call(call)
    limit, offset = call.query.values["limit"], call.query.values["offset"] or 0
    selection = select(collection, call.query, folding=call.request.app[FOLDING].current)
    call.query.check()
    found, matched = await read_instances(call.request.app[DATABASE], selection, columns, limit=limit, offset=offset)
    base = base_url(call.request)
    address = f"{base}/collections/{path_segment(collection.id)}"
    own = {**call.given, "f": "json"}
    links = [
        Link(f"{address}/{INSTANCES}?{urlencode(own)}", "self", MediaType.JSON),
        Link(address, "collection", MediaType.JSON, "The collection"),
    ]
    if offset + len(found) < matched and found:
        following = {**own, "offset": str(offset + len(found))}
        links.append(Link(f"{address}/{INSTANCES}?{urlencode(following)}", "next", MediaType.JSON))
    document = {
        "links": links_json(links, MediaType.JSON),
        "numberMatched": matched,
        "numberReturned": len(found),
        INSTANCES: [_instance_json(collection, columns, instance, base) for instance in found],
    }
    return conditional(call.request, json_response(document))


async def get_instance(call: Call) -> web.StreamResponse:
    """Return one instance."""
    collection, columns = _of_call(call)
    values = instance_values(collection, call.path["instanceId"])
    selection = select(collection, call.query.with_extra(values))
    call.query.check()
    found, _ = await read_instances(call.request.app[DATABASE], selection, columns, limit=1, offset=0)
    if not found:
        raise _missing(collection, call.path["instanceId"])
    document = _instance_json(collection, columns, found[0], base_url(call.request))
    return conditional(call.request, json_response(document))


def instance_values(collection: Collection, instance_id: str) -> Mapping[str, str]:
    """Return the properties that features of the instance have. Raises NotFound for what cannot be an instance."""
    columns = instance_columns(collection)
    event, _, written = instance_id.rpartition(_BETWEEN)
    try:
        exact = written if "." in written else written.replace("Z", ".0Z")
        issued = datetime.strptime(exact, _WRITTEN).replace(tzinfo=UTC)
    except ValueError:
        issued = None
    if columns is None or not event or issued is None:
        raise _missing(collection, instance_id)
    return {columns[0].name: event, columns[1].name: rfc3339(issued)}


def _missing(collection: Collection, instance_id: str) -> NotFound:
    return NotFound(f"There is no instance '{instance_id}' in collection '{collection.id}'.")


def _of_call(call: Call) -> tuple[Collection, tuple[Column, Column]]:
    collection = as_of(call.request.app[CATALOGUE].collection(call.path["collectionId"]), call.query)
    columns = instance_columns(collection)
    if columns is None:
        raise NotFound(f"Collection '{collection.id}' has no instances: its features have no earlier advisories.")
    return collection, columns


def _instance_json(
    collection: Collection, columns: tuple[Column, Column], instance: Instance, base: str
) -> dict[str, Any]:
    id_ = f"{instance.event}{_BETWEEN}{instance.issued.replace('-', '').replace(':', '')}"
    address = f"{base}/collections/{path_segment(collection.id)}"
    past = {AS_OF: collection.past} if collection.past else {}
    values = urlencode({columns[0].name: instance.event, columns[1].name: instance.issued, **past}, safe=":")
    own = f"{address}/{INSTANCES}/{path_segment(id_)}"
    links = [
        Link(f"{own}?{urlencode(past, safe=':')}" if past else own, "self", MediaType.JSON),
        Link(address, "collection", MediaType.JSON, "The collection"),
        Link(f"{address}/items?{values}", "items", "application/geo+json", "The features"),
        *data_query_links(own),
    ]
    return {
        "id": id_,
        "title": f"{collection.title}: {instance.event}, {instance.issued}",
        "links": links_json(links, MediaType.JSON),
        "extent": _extent(instance),
        "itemCount": instance.features,
        "crs": list(collection.crs()),
        **data_queries_json(collection, links, [entry.name for entry in EXPORT_FORMATS.values()]),
    }


def _extent(instance: Instance) -> dict[str, Any]:
    spatial = {"spatial": {"bbox": [list(instance.bbox)], "crs": CRS84}} if instance.bbox else {}
    interval = [instance.start, instance.end]
    return {**spatial, "temporal": {"interval": [interval], "trs": GREGORIAN}}
