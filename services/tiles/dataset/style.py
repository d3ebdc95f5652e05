"""GET /tiles/{tileMatrixSetId}/style.json: a tileset of several collections as a MapLibre style."""

from typing import Any

from aiohttp import web

from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.ogc.media_type import MediaType
from libs.web.app import Call
from libs.web.base_url import SETTINGS, base_url
from libs.web.conditional import conditional
from libs.web.respond import json_response
from services.tiles.dataset.chosen import chosen_of
from services.tiles.metadata.dataset_source import DatasetSource, dataset_source
from services.tiles.resources import BASEMAP, STORE
from services.tiles.styling.dataset import dataset_style, layer_styles


async def get_dataset_style(call: Call) -> web.StreamResponse:
    """A MapLibre style that draws the basemap and the collections on top."""
    base, tms = base_url(call.request), tile_matrix_set(call.path["tileMatrixSetId"])
    chosen = chosen_of(call)
    edition = call.request.app[STORE].edition(chosen.collections)
    source = dataset_source(chosen, tms, call.query, base, edition=edition)
    styles = layer_styles(
        source.layers,
        base_url=base,
        tile_matrix_set_id=tms.id,
        minzoom=source.minzoom,
        maxzoom=source.maxzoom,
        bounds=source.bounds,
        basemap=call.request.app[BASEMAP],
        plain=bool(call.query.values["plain"]),
    )
    document = dataset_style(styles, title=call.request.app[SETTINGS].site_title, source=_source(source))
    return conditional(call.request, json_response(document, media_type=MediaType.JSON))


def _source(source: DatasetSource) -> dict[str, Any]:
    members: dict[str, Any] = {
        "type": "vector",
        "tiles": [source.template],
        "minzoom": source.minzoom,
        "maxzoom": source.maxzoom,
    }
    if source.bounds:
        members["bounds"] = [round(value, 6) for value in source.bounds]
    if source.attribution:
        members["attribution"] = source.attribution
    return members
