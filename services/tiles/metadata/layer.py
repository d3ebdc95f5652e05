"""The metadata of one layer of a tileset (OGC 17-083r4, GeospatialData), and of TileJSON. Pure."""

from typing import Any

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.geo.tile_matrix_sets import TileMatrixSet
from libs.ogc.crs import CRS84
from libs.ogc.link import Link, path_segment
from libs.ogc.media_type import MediaType
from services.tiles.metadata.zoom_range import zoom_range


def layer(collection: Collection, geometry: GeometryColumn, tms: TileMatrixSet, base: str) -> dict[str, Any]:
    """Return the layer of a collection; `base` is the service's address."""
    first, last = zoom_range(collection, geometry, tms)
    described: dict[str, Any] = {
        "id": collection.id,
        "title": collection.title,
        "dataType": "vector",
        "crs": CRS84,
        "minTileMatrix": tms.matrices[first].id,
        "maxTileMatrix": tms.matrices[last].id,
        "propertiesSchema": {
            "type": "object",
            "properties": {column.name: _property_schema(column) for column in collection.columns},
        },
        "links": [
            Link(
                f"{base}/collections/{path_segment(collection.id)}",
                "describedby",
                MediaType.JSON,
                "The collection",
            ).to_json()
        ],
    }
    if collection.description:
        described["description"] = collection.description
    if geometry.dimension is not None:
        described["geometryDimension"] = geometry.dimension
    return described


def _property_schema(column: Column) -> dict[str, Any]:
    # vector tiles contain arrays and objects as text
    kind = column.type if column.type in ("integer", "number", "boolean") else "string"
    members = {
        "type": kind,
        "title": column.title,
        "description": column.description,
        "format": column.format,
    }
    return {name: value for name, value in members.items() if value}


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
