"""GET /collections/{collectionId}/schema/feature: a JSON Schema of a feature in GeoJSON, behind `rel=describedby`.

GDAL (3.12 at least) takes the types of columns from it. Without it a column that is null on the first page is text.
"""

from typing import Any

from aiohttp import web

from libs.catalogue.model import Collection, Column
from libs.ogc.link import path_segment
from libs.ogc.media_type import MediaType
from libs.pg.column_types import Kind, column_type
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.conditional import conditional
from libs.web.respond import json_response
from services.features.formats.json_schema import SCHEMA, column_members
from services.features.resources import CATALOGUE

_GEOJSON = "https://geojson.org/schema"
_TYPES = ("Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon", "GeometryCollection")
_WIDEST = 32
"""Bits of an integer as GDAL makes one of `"type": "integer"`: it cuts larger values."""


async def get_feature_schema(call: Call) -> web.StreamResponse:
    """Return the JSON Schema of one feature."""
    call.query.check()
    collection = call.request.app[CATALOGUE].collection(call.path["collectionId"])
    address = f"{base_url(call.request)}/collections/{path_segment(collection.id)}/schema/feature"
    document = feature_schema_json(collection, address)
    return conditional(call.request, json_response(document, media_type=MediaType.SCHEMAJSON))


def feature_schema_json(collection: Collection, address: str) -> dict[str, Any]:
    """Return the schema: the members of a GeoJSON feature, and what `properties` holds."""
    geometry = collection.geometry()
    kind = geometry.type if geometry is not None and geometry.type in _TYPES and not geometry.is_cut else "Geometry"
    shape = {"oneOf": [{"type": "null"}, {"$ref": f"{_GEOJSON}/{kind}.json"}]}
    return {
        "$schema": SCHEMA,
        "$id": address,
        "title": collection.title,
        "type": "object",
        "required": ["type", "geometry", "properties"],
        "properties": {
            "type": {"const": "Feature"},
            "id": {"type": ["integer", "string"]},
            "geometry": {"type": "null"} if geometry is None else shape,
            "properties": {
                "type": "object",
                "properties": {column.name: _property(column) for column in collection.columns},
            },
        },
    }


def _property(column: Column) -> dict[str, Any]:
    """Return the type of a property. Any may be null, as in `/schema`.

    A list of types tells GDAL nothing, so that it looks at the values: for whole numbers of 64 bits, and for arrays.
    """
    members: dict[str, Any] = dict(column_members(column))
    bits = column_type(column.sql_type).bits
    is_wide = column.type == "integer" and (bits is None or bits > _WIDEST)
    if column_type(column.sql_type).kind is Kind.JSON:
        # any value
        del members["type"]
    elif is_wide or column.type in ("array", "object"):
        members["type"] = [column.type, "null"]
    return members
