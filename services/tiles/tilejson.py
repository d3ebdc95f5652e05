"""GET .../tilejson.json and .../style.json: a tileset in the words of web maps."""

from dataclasses import dataclass
from typing import Any

from aiohttp import web

from libs.catalogue.model import Collection, GeometryColumn
from libs.geo.tile_matrix_sets import TileMatrixSet, tile_matrix_set
from libs.ogc.link import path_segment
from libs.ogc.media_type import MediaType
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.respond import conditional, json_response
from services.tiles.metadata.zoom_range import zoom_range
from services.tiles.resources import BASEMAP, CATALOGUE, geometry_of
from services.tiles.styling.document import style_json
from services.tiles.tilesets import middle_of, tileset_address

_FIELD_TYPES = {"integer": "Number", "number": "Number", "boolean": "Boolean"}
"""As MBTiles has them: clients such as GDAL take each field that is called otherwise for text."""


@dataclass(frozen=True, slots=True)
class _Described:
    collection: Collection
    geometry: GeometryColumn
    tms: TileMatrixSet
    template: str
    minzoom: int
    maxzoom: int
    base: str


async def get_tilejson(call: Call) -> web.StreamResponse:
    """TileJSON 3.0 of a tileset."""
    described = _describe(call)
    collection, bbox = described.collection, described.geometry.bbox
    document: dict[str, Any] = {
        "tilejson": "3.0.0",
        "name": collection.title,
        "description": collection.description or collection.title,
        "version": "1.0.0",
        "scheme": "xyz",
        "tiles": [described.template],
        "minzoom": described.minzoom,
        "maxzoom": described.maxzoom,
        "vector_layers": [
            {
                "id": collection.id,
                "description": collection.description or collection.title,
                "minzoom": described.minzoom,
                "maxzoom": described.maxzoom,
                "fields": {column.name: _FIELD_TYPES.get(column.type, "String") for column in collection.columns},
            }
        ],
    }
    if collection.attribution:
        document["attribution"] = collection.attribution
    if bbox:
        document["bounds"] = list(bbox)
        document["center"] = [*middle_of(bbox), described.minzoom]
    return conditional(call.request, json_response(document, media_type=MediaType.JSON))


async def get_style(call: Call) -> web.StreamResponse:
    """A MapLibre style that draws the basemap and the collection on top."""
    described = _describe(call)
    collection, bbox = described.collection, described.geometry.bbox
    document = style_json(
        collection_id=collection.id,
        title=collection.title,
        geometry_type=described.geometry.type,
        properties={column.name: column.type for column in collection.columns},
        base_url=described.base,
        tile_matrix_set_id=described.tms.id,
        tiles_url_template=described.template,
        minzoom=described.minzoom,
        maxzoom=described.maxzoom,
        bounds=bbox,
        center=None,
        attribution=collection.attribution,
        basemap=call.request.app[BASEMAP],
    )
    return conditional(call.request, json_response(document, media_type=MediaType.JSON))


def _describe(call: Call) -> _Described:
    """What both descriptors say. Raises NotFound, or InvalidParameters with every fault."""
    collection = call.request.app[CATALOGUE].collection(call.path["collectionId"])
    tms = tile_matrix_set(call.path["tileMatrixSetId"])
    geometry = geometry_of(collection, call.query)
    levels = sorted(tms.matrices)
    values = call.query.values
    for name in ("minzoom", "maxzoom"):
        if values[name] is not None and not levels[0] <= values[name] <= levels[-1]:
            call.query.fault(
                name, f"{name} must be between {levels[0]} and {levels[-1]} on {tms.id}", value=values[name]
            )
    minzoom, maxzoom = zoom_range(collection, geometry, tms)
    # what the request says moves the end that it does not speak of
    if values["minzoom"] is not None:
        minzoom, maxzoom = values["minzoom"], max(maxzoom, values["minzoom"])
    if values["maxzoom"] is not None:
        maxzoom = values["maxzoom"]
        minzoom = min(minzoom, maxzoom) if values["minzoom"] is None else minzoom
    if minzoom > maxzoom:
        call.query.fault("minzoom", f"minzoom {minzoom} is above maxzoom {maxzoom}", value=minzoom)
    call.query.check()
    base = base_url(call.request)
    template = f"{tileset_address(base, collection, tms)}/{{z}}/{{x}}/{{y}}"
    if values["geom-column"] is not None:
        template += f"?geom-column={path_segment(geometry.name)}"
    return _Described(collection, geometry, tms, template, minzoom, maxzoom, base)
