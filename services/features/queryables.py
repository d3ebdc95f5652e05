"""GET /collections/{collectionId}/queryables (OGC API Features Part 3, /req/queryables)."""

from typing import Any

from aiohttp import web

from libs.catalogue.model import Collection
from libs.web.app import Call
from services.features.formats.json_schema import column_members, geometry_format
from services.features.pages.property_list import property_list
from services.features.resources import CATALOGUE

_SCHEMA = "https://json-schema.org/draft/2019-09/schema"


async def get_queryables(call: Call) -> web.StreamResponse:
    """Return the properties that `filter` and property queries may use."""
    call.query.check()
    collection = call.request.app[CATALOGUE].collection(call.path["collectionId"])
    return property_list(call, collection, "queryables", queryables_json)


def queryables_json(collection: Collection, address: str) -> dict[str, Any]:
    """Return a JSON Schema whose properties are maps of string to string, as the contract requires.

    It leaves out arguments of a function, which `filter` cannot use. `/schema` lists them.
    """
    return {
        "title": collection.title,
        "type": "object",
        "properties": {
            **{
                geometry.name: {"title": geometry.name, "format": geometry_format(geometry)}
                for geometry in collection.geometries
            },
            **{column.name: column_members(column) for column in collection.columns},
        },
        # filters and parameters reject other names (/req/queryables/response)
        "additionalProperties": False,
        "$schema": _SCHEMA,
        "$id": address,
    }
