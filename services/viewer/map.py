"""GET /collections/{collectionId}/tiles/{tileMatrixSetId}/map.html: the map of a collection."""

from aiohttp import web

from libs.catalogue.model import Collection
from libs.geo.zooms import zoom_faults
from libs.ogc.errors import NotFound
from libs.web.app import Call
from libs.web.languages import gettext
from services.viewer.pages.map_page import map_page, page_data
from services.viewer.resources import CATALOGUE


async def get_map(call: Call) -> web.StreamResponse:
    """Return the map of one collection, in one tile matrix set."""
    catalogue = call.request.app[CATALOGUE]
    values = call.query.values
    collection = catalogue.collection(call.path["collectionId"])
    call.query.faults.extend(zoom_faults(call.path["tileMatrixSetId"], values.get("minzoom"), values.get("maxzoom")))
    _check_geometry(call, collection)
    call.query.check()
    parameters = {name: values[name] for name in ("minzoom", "maxzoom", "geom-column") if values.get(name) is not None}
    data = page_data(call, catalogue.collections, call.path["tileMatrixSetId"])
    data |= {"collection": collection.id, "shown": [collection.id], "styleParameters": parameters}
    return map_page(
        call, gettext(collection.title), collection.description and gettext(collection.description), collection, data
    )


def _check_geometry(call: Call, collection: Collection) -> None:
    if not collection.geometries:
        raise NotFound(f"Collection '{collection.id}' has no geometry, hence no map.")
    column = call.query.values.get("geom-column")
    if collection.geometry(column) is None:
        names = ", ".join(geometry.name for geometry in collection.geometries)
        call.query.fault("geom-column", f"geom-column '{column}' does not exist; there are {names}", value=column)
