"""The content of a tile as a JSON document, the same for clients and for the `tiles` command. Pure."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from libs.ogc.crs import CRS84
from services.tiles.inspection.content import Layer
from services.tiles.request.tile_request import TileRequest


@dataclass(frozen=True, slots=True)
class Made:
    """The rendering of a tile: its sizes in bytes, omitted features, and source."""

    encoded: int
    gzipped: int
    left_out: int
    estimated: bool
    simplified: int
    tier: str


def tile_document(requests: Sequence[TileRequest], made: Made, layers: Sequence[Layer]) -> dict[str, Any]:
    """Return the document without links. Coordinates of features are in units of the tile; boxes name their CRS.

    `requests` are those of its layers, one per collection.
    """
    request = requests[0]
    tms = request.tile_matrix_set
    left, bottom, right, top = request.region.bounds
    return {
        "title": tile_title(requests),
        **({"collection": request.selection.collection.id} if len(requests) == 1 else {}),
        "collections": [each.selection.collection.id for each in requests],
        "tileMatrixSet": tms.id,
        "tileMatrix": tms.matrix(request.z).id,
        "tileCol": request.x,
        "tileRow": request.y,
        "boundingBox": {"lowerLeft": [left, bottom], "upperRight": [right, top], "crs": tms.crs},
        "geographicBoundingBoxes": [
            {"lowerLeft": [west, south], "upperRight": [east, north], "crs": CRS84}
            for west, south, east, north in request.region.lonlat
        ],
        "bytes": {"encoded": made.encoded, "gzip": made.gzipped},
        "featuresOmitted": {"number": made.left_out, "estimate": made.estimated},
        "featuresSimplified": {"number": made.simplified, "estimate": False},
        "tier": made.tier,
        "layers": [_layer(layer) for layer in layers],
    }


def tile_title(requests: Sequence[TileRequest]) -> str:
    """Return the title of a tile."""
    request = requests[0]
    what = request.selection.collection.title if len(requests) == 1 else f"{len(requests)} collections"
    place = f"{request.tile_matrix_set.matrix(request.z).id}/{request.x}/{request.y}"
    return f"Tile {place} of {what} on {request.tile_matrix_set.id}"


def _layer(layer: Layer) -> dict[str, Any]:
    return {
        "name": layer.name,
        "version": layer.version,
        "extent": layer.extent,
        "featureCount": layer.count,
        "geometryTypes": layer.geometry_types,
        "properties": [asdict(each) for each in layer.properties],
        "features": list(layer.features),
    }
