"""What TileJSON says of a layer. Pure."""

from typing import Any

from libs.catalogue.model import Collection

_FIELD_TYPES = {"integer": "Number", "number": "Number", "boolean": "Boolean"}
"""As MBTiles has them: clients such as GDAL take each field that is called otherwise for text."""


def vector_layer(collection: Collection, minzoom: int, maxzoom: int, *, version: str | None = None) -> dict[str, Any]:
    """The member of `vector_layers` that describes a collection's layer, with what tells the state of its rows."""
    described = {
        "id": collection.id,
        "description": collection.description or collection.title,
        "minzoom": minzoom,
        "maxzoom": maxzoom,
        "fields": {column.name: _FIELD_TYPES.get(column.type, "String") for column in collection.columns},
    }
    return described if version is None else {**described, "dams:version": version}
