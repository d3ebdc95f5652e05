"""The header and metadata of an archive, and the style that goes with it. Pure."""

from typing import Any
from urllib.parse import quote

from pmtiles.tile import Compression, TileType

from libs.catalogue.model import Collection
from services.tiles.archive.plan import TMS, Plan
from services.tiles.metadata.dataset_source import attribution
from services.tiles.metadata.layer import vector_layer
from services.tiles.styling.dataset import SOURCE, dataset_style, layer_styles

_MERCATOR_LATITUDE = 85.051129
_UNITS = 10_000_000
"""Units per degree in the header."""


def header(plan: Plan, minzoom: int) -> dict[str, Any]:
    """Return the members of the header that the library does not compute itself."""
    west, south, east, north = (round(degrees * _UNITS) for degrees in _bounds(plan))
    longitude, latitude = plan.bbox.middle()
    return {
        "tile_type": TileType.MVT,
        "tile_compression": Compression.GZIP,
        "min_lon_e7": west,
        "min_lat_e7": south,
        "max_lon_e7": east,
        "max_lat_e7": north,
        "center_zoom": minzoom,
        "center_lon_e7": round(longitude * _UNITS),
        "center_lat_e7": round(min(max(latitude, -_MERCATOR_LATITUDE), _MERCATOR_LATITUDE) * _UNITS),
    }


def metadata(plan: Plan, minzoom: int, maxzoom: int, *, name: str, versions: dict[str, str | None]) -> dict[str, Any]:
    """Return the JSON metadata; `minzoom` and `maxzoom` have tiles, `versions` are data versions by collection."""
    document = {
        "name": name,
        "description": ", ".join(collection.title for collection in plan.collections),
        "type": "overlay",
        "vector_layers": [
            vector_layer(collection, minzoom, maxzoom, version=versions[collection.id])
            for collection in plan.collections
        ],
    }
    said = attribution(plan.layers)
    return {**document, "attribution": said} if said else document


def style(plan: Plan, minzoom: int, maxzoom: int, *, name: str, file_name: str) -> dict[str, Any]:
    """Return a MapLibre style for the archive in the same folder, on a plain background: it needs no server."""
    styles = layer_styles(
        plan.layers, base_url="", tile_matrix_set_id=TMS.id, minzoom=minzoom, maxzoom=maxzoom, bounds=plan.bbox
    )
    source = {"type": "vector", "url": f"pmtiles://{quote(file_name)}"}
    drawn = dataset_style(styles, title=name, source=source)
    # the basemap and the fonts of labels would come from the service
    drawn.pop("font-faces")
    layers = [layer for layer in drawn["layers"] if layer.get("source", SOURCE) == SOURCE]
    return {**drawn, "sources": {SOURCE: source}, "layers": layers}


def title(collections: tuple[Collection, ...], site_title: str) -> str:
    """Return the title of an archive of these collections."""
    return collections[0].title if len(collections) == 1 else site_title


def _bounds(plan: Plan) -> tuple[float, float, float, float]:
    """Return the bounds with west below east, within Web Mercator: readers support only that."""
    west, south, east, north = plan.bbox.unwrap()
    return west, max(south, -_MERCATOR_LATITUDE), east, min(north, _MERCATOR_LATITUDE)
