"""The TileJSON description of a layer. Pure."""

from typing import Any

from libs.catalogue.model import Collection

_FIELD_TYPES = {"integer": "Number", "number": "Number", "boolean": "Boolean"}
"""Types as in MBTiles: clients such as GDAL read a field with another type name as text."""


def vector_layer(collection: Collection, minzoom: int, maxzoom: int, *, version: str | None = None) -> dict[str, Any]:
    """Return the member of `vector_layers` for a collection's layer, with the version of its data."""
    described = {
        "id": collection.id,
        "description": collection.description or collection.title,
        "minzoom": minzoom,
        "maxzoom": maxzoom,
        "fields": {column.name: _FIELD_TYPES.get(column.type, "String") for column in collection.columns},
    }
    return described if version is None else {**described, "dams:version": version}
