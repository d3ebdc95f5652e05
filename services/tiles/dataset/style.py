"""GET /tiles/{tileMatrixSetId}/style.json: a tileset of several collections as a MapLibre style."""

from typing import Any

from aiohttp import web

from libs.catalogue.model import Collection, GeometryColumn
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.ogc.bbox import BBox
from libs.ogc.media_type import MediaType
from libs.web.app import Call
from libs.web.base_url import SETTINGS, base_url
from libs.web.conditional import conditional
from libs.web.respond import json_response
from services.tiles.dataset.chosen import choose_collections
from services.tiles.metadata.addresses import of_edition, tileset_address, with_query
from services.tiles.metadata.dataset_source import DatasetSource, dataset_source
from services.tiles.metadata.zoom_range import zoom_range
from services.tiles.resources import BASEMAP, CATALOGUE, STORE
from services.tiles.selecting import selecting_query
from services.tiles.store.tile_store import TileStore
from services.tiles.styling.dataset import dataset_style, layer_styles
from services.tiles.styling.document import vector_source
from services.tiles.styling.own_colors import own_colors


async def get_dataset_style(call: Call) -> web.StreamResponse:
    """Return a MapLibre style that draws the basemap and the collections above it."""
    base, tms = base_url(call.request), tile_matrix_set(call.path["tileMatrixSetId"])
    chosen = choose_collections(call)
    edition = call.request.app[STORE].edition(chosen.collections)
    selecting = selecting_query(call, chosen.collections, tms, several=True)
    source = dataset_source(chosen, tms, call.query, base, edition=edition, selecting=selecting)
    styles = layer_styles(
        source.layers,
        base_url=base,
        tile_matrix_set_id=tms.id,
        minzoom=source.minzoom,
        maxzoom=source.maxzoom,
        bounds=source.bounds,
        basemap=call.request.app[BASEMAP],
        plain=bool(call.query.values["plain"]),
        colors=own_colors(call.request.app[CATALOGUE].collections.values()),
    )
    document = dataset_style(styles, title=call.request.app[SETTINGS].site_title, source=_source(source))
    store = call.request.app[STORE]
    # data for a map that later draws some of them in another style
    document["metadata"]["dams:styles"] = [
        {
            "name": style["name"],
            "metadata": {**style["metadata"], **store.describe([collection])},
            "source": _own_source(collection, geometry, source, base, store),
        }
        for style, (collection, geometry) in zip(styles, source.layers, strict=True)
    ]
    return conditional(call.request, json_response(document, media_type=MediaType.JSON))


def _source(source: DatasetSource) -> dict[str, Any]:
    bounds = source.bounds and source.bounds.widen()
    return vector_source(source.template, source.minzoom, source.maxzoom, bounds, source.attribution)


def _own_source(
    collection: Collection, geometry: GeometryColumn, source: DatasetSource, base: str, store: TileStore
) -> dict[str, Any]:
    """Return the source of the collection's own style."""
    tms = source.tms
    template = with_query(f"{tileset_address(base, collection, tms)}/{{z}}/{{x}}/{{y}}", source.selecting)
    template = of_edition(template, store.edition([collection]))
    bounds = geometry.bbox and BBox(*geometry.bbox).widen()
    return vector_source(template, *zoom_range(collection, geometry, tms), bounds, collection.attribution)
