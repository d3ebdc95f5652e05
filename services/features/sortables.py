"""GET /collections/{collectionId}/sortables: what `sortby` may name (OGC 23-058r2, /req/sortables)."""

from typing import Any

from aiohttp import web

from libs.catalogue.model import Collection
from libs.web.app import Call
from services.features.formats.json_schema import SCHEMA, column_members
from services.features.pages.property_list import property_list
from services.features.resources import CATALOGUE


async def get_sortables(call: Call) -> web.StreamResponse:
    """Return the properties that features can be sorted by."""
    call.query.check()
    collection = call.request.app[CATALOGUE].collection(call.path["collectionId"])
    return property_list(call, collection, "sortables", sortables_json)


def sortables_json(collection: Collection, address: str) -> dict[str, Any]:
    """Return a JSON Schema of the properties that have an order."""
    return {
        "$schema": SCHEMA,
        "$id": address,
        "title": collection.title,
        "type": "object",
        "properties": {
            column.name: {**column_members(column), "x-ogc-propertySeq": place}
            for place, column in enumerate((column for column in collection.columns if column.ordered), start=1)
        },
        "additionalProperties": False,
    }
