"""The page data of a map: the collections as its script reads them, as JSON inside the page."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import orjson

from libs.catalogue.basins import BASIN, BASINS
from libs.catalogue.model import Collection
from libs.catalogue.modules import EVENT_KEY, hazard, is_forecast, module
from libs.ogc.bbox import BBox
from libs.ogc.temporal import parse_interval
from libs.web.languages import gettext

_ORDER = ["Earthquakes", "Tropical storms", "Tropical disturbances", "Floods"]


def describe(collection: Collection) -> dict[str, Any]:
    """Return a collection in the form for the page's script."""
    geometry = collection.geometry()
    # the default column if it is filled, else the first that is
    instants = [column for column in collection.times if column.usual and not column.is_period]
    time = next((column for column in instants if column.start and column.end), instants[0] if instants else None)
    pair = collection.period_columns()
    end = pair[1] if pair is not None and pair[0] == time else None
    bbox = BBox(*geometry.bbox).unwrap() if geometry and geometry.bbox else None
    return {
        "id": collection.id,
        "title": gettext(collection.title),
        "label": gettext(collection.title),
        "group": module(collection),
        "geometryType": geometry.type if geometry else None,
        "geometryColumn": geometry.name if geometry else None,
        "bbox": list(bbox) if bbox else None,
        "time": {
            "column": time.name,
            "start": time.start,
            # for features that last, the last known moment of any
            "end": max([moment for moment in (time.end, end and end.end) if moment], key=_last_moment, default=None),
            "lasts": end is not None,
            "endColumn": end.name if end else None,
            "issuedColumn": collection.time_issued,
            # never an end, which may be in the future
            "asOf": collection.as_of() or time.end,
            "usual": time == collection.time() and (pair is None or end is not None),
        }
        if time
        else None,
        # the catalogue's order of importance, as in sortby
        "importance": next((term for term in collection.importance if collection.column(term.removeprefix("-"))), None),
        "items": collection.item_count,
        "crs": list(collection.crs()),
        "overview": collection.overview,
        "forecast": is_forecast(collection),
        "history": {"since": collection.history.since} if collection.history else None,
        "eventKey": EVENT_KEY if collection.column(EVENT_KEY) else None,
        "columns": [
            {
                "name": column.name,
                "title": column.title and gettext(column.title),
                "type": column.type,
                "format": column.format,
                "unit": column.unit,
                **({"worded": True} if column.type == "string" and hazard(collection) else {}),
                **({"labels": {code: gettext(name) for code, name in BASINS.items()}} if column.name == BASIN else {}),
            }
            for column in collection.columns
        ],
    }


def is_newer(collection: Collection, moment: datetime) -> bool:
    """Return whether the newest data of a collection are of this moment or later."""
    time = describe(collection)["time"]
    return bool(time and time["asOf"]) and _last_moment(time["asOf"]) >= moment


def _last_moment(moment: str) -> datetime:
    """Return the last moment of a date, or an instant itself."""
    return parse_interval(moment).end or datetime.max.replace(tzinfo=UTC)


def in_order(collections: Iterable[Collection]) -> list[Collection]:
    """Sort by module, the contract's first, then by id."""

    def key(collection: Collection) -> tuple[int, str, str]:
        group = module(collection)
        return (_ORDER.index(group) if group in _ORDER else len(_ORDER), group, collection.id)

    return sorted(collections, key=key)


def script_json(data: Any) -> str:
    """Return JSON that is safe inside a script element: no `<` can end it (HTML, 4.12.1.3)."""
    text = orjson.dumps(data).decode()
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
