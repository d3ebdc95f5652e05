"""GET /map: the map of all collections."""

from aiohttp import web

from libs.geo.zooms import WEB_MERCATOR
from libs.web.app import Call
from libs.web.base_url import SETTINGS
from services.viewer.pages.map_page import map_page, page_data
from services.viewer.pages.page_data import in_order
from services.viewer.resources import CATALOGUE

_FIRST = ("hazard.hazard_eq_events", "hazard.hazard_ts_events", "hazard.hazard_fl_events")


async def get_overview_map(call: Call) -> web.StreamResponse:
    """The map of all collections."""
    call.query.check()
    collections = call.request.app[CATALOGUE].collections
    drawable = [collection.id for collection in in_order(collections.values()) if collection.geometries]
    shown = [id_ for id_ in _FIRST if id_ in drawable] or drawable[:1]
    data = page_data(call, collections, WEB_MERCATOR)
    data |= {"collection": None, "shown": shown, "styleParameters": {}}
    return map_page(call, "Map of all collections", call.request.app[SETTINGS].site_description, None, data)
