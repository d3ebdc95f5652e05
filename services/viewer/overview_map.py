"""GET /map and GET /tiles/{tileMatrixSetId}/map.html: maps of all collections."""

from aiohttp import web

from libs.catalogue.chosen_collections import chosen_collections
from libs.geo.zooms import WEB_MERCATOR, zooms_of
from libs.web.app import Call
from libs.web.base_url import SETTINGS, base_url
from libs.web.languages import gettext
from services.viewer.pages.map_page import map_page, page_data
from services.viewer.pages.page_data import in_order
from services.viewer.resources import CATALOGUE

_FIRST = ("hazard.hazard_eq_events", "hazard.hazard_ts_events", "hazard.hazard_fl_events")
_MOST_FIRST = 5
"""Collections that a map of other data shows first."""


async def get_overview_map(call: Call) -> web.StreamResponse:
    """Return the map of all collections."""
    call.query.check()
    return _map(call, WEB_MERCATOR, [], call.query.values["event"])


async def get_dataset_map(call: Call) -> web.StreamResponse:
    """Return the same in another tile matrix set, with the collections that the request names."""
    zooms_of(call.path["tileMatrixSetId"])
    names = call.query.values["collections"]
    chosen, faults = chosen_collections(call.request.app[CATALOGUE].collections, names, base_url(call.request))
    call.query.faults.extend(faults)
    call.query.check()
    shown = [collection.id for collection in chosen.collections] if chosen.named else []
    return _map(call, call.path["tileMatrixSetId"], shown)


def _map(call: Call, tile_matrix_set: str, shown: list[str], event: str | None = None) -> web.Response:
    """Return the page; if `shown` is empty, with the first collections."""
    collections = call.request.app[CATALOGUE].collections
    drawable = [collection.id for collection in in_order(collections.values()) if collection.geometries]
    first = [id_ for id_ in _FIRST if id_ in drawable] or drawable[:_MOST_FIRST]
    data = page_data(call, collections, tile_matrix_set)
    data |= {"collection": None, "shown": shown or first, "styleParameters": {}, "event": event}
    return map_page(call, gettext("Map of all collections"), call.request.app[SETTINGS].site_description, None, data)
