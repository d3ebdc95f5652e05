"""GET /map and GET /tiles/{tileMatrixSetId}/map.html: maps of all collections."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from aiohttp import web

from libs.catalogue.chosen_collections import chosen_collections
from libs.catalogue.model import Collection
from libs.geo.zooms import WEB_MERCATOR, zooms_of
from libs.web.app import Call
from libs.web.base_url import SETTINGS, base_url
from libs.web.languages import gettext
from services.viewer.pages.map_page import map_page, page_data
from services.viewer.pages.page_data import in_order, is_newer
from services.viewer.resources import CATALOGUE

_FIRST = ("hazard.hazard_eq_events", "hazard.hazard_ts_events", "hazard.hazard_fl_events")
_PRESENT = (*_FIRST, "hazard.hazard_fl_alerts")
_DAYS = 30
_SIGNIFICANT = {"hazard.hazard_eq_events": "magnitude >= 4.5"}
"""Filters of the present, by collection."""
_MOST_FIRST = 5
"""Collections that a map of other data shows first."""


async def get_overview_map(call: Call) -> web.StreamResponse:
    """Return the map of all collections."""
    call.query.check()
    events = call.query.values["event"] or []
    present = None if events else present_of(call.request.app[CATALOGUE].collections.values(), datetime.now(UTC))
    return _map(call, WEB_MERCATOR, [], events, present)


def present_of(collections: Iterable[Collection], now: datetime) -> dict[str, Any] | None:
    """Return the state in which the map opens: the hazard collections with data of the last 30 days, and that time.

    `ended` are those whose data are older. Returns None if the catalogue has none of these collections.
    """
    known = {each.id: each for each in collections if each.id in _PRESENT and each.geometries and each.time()}
    wanted = [known[id_] for id_ in _PRESENT if id_ in known]
    if not wanted:
        return None
    since = now - timedelta(days=_DAYS)
    shown = [each.id for each in wanted if is_newer(each, since)]
    return {
        "shown": shown,
        "datetime": f"{since:%Y-%m-%d}/..",
        "filters": {id_: text for id_, text in _SIGNIFICANT.items() if id_ in shown},
        "ended": [each.id for each in wanted if each.id not in shown],
    }


async def get_dataset_map(call: Call) -> web.StreamResponse:
    """Return the same in another tile matrix set, with the collections that the request names."""
    zooms_of(call.path["tileMatrixSetId"])
    names = call.query.values["collections"]
    chosen, faults = chosen_collections(call.request.app[CATALOGUE].collections, names, base_url(call.request))
    call.query.faults.extend(faults)
    call.query.check()
    shown = [collection.id for collection in chosen.collections] if chosen.named else []
    return _map(call, call.path["tileMatrixSetId"], shown)


def _map(
    call: Call,
    tile_matrix_set: str,
    shown: list[str],
    events: Sequence[str] = (),
    present: dict[str, Any] | None = None,
) -> web.Response:
    """Return the page; if `shown` is empty, with the first collections. `present` is as in `present_of`."""
    collections = call.request.app[CATALOGUE].collections
    drawable = [collection.id for collection in in_order(collections.values()) if collection.geometries]
    first = [id_ for id_ in _FIRST if id_ in drawable] or drawable[:_MOST_FIRST]
    data = page_data(call, collections, tile_matrix_set)
    data |= {
        "collection": None,
        "shown": shown or first,
        "styleParameters": {},
        "events": list(events),
        "present": present,
    }
    return map_page(call, gettext("Map of all collections"), call.request.app[SETTINGS].site_description, None, data)
