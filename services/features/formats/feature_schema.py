"""A JSON Schema of a feature in GeoJSON.

GDAL (3.12 at least) takes the types of columns from it. Without it a column that is null on the first page is text.
"""

from typing import Any

from libs.catalogue.model import Collection, Column
from libs.pg.column_types import Kind, column_type
from services.features.formats.json_schema import SCHEMA, column_members

_GEOJSON = "https://geojson.org/schema"
_TYPES = ("Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon", "GeometryCollection")
_WIDEST = 32
"""Bits of an integer as GDAL makes one of `"type": "integer"`: it cuts larger values."""


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
