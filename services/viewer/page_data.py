"""What the map's script is told about the collections, as JSON inside the page."""

from collections.abc import Iterable
from typing import Any

import orjson

from libs.catalog.model import Collection
from libs.ogc.temporal import parse_instant

_MODULES = (
    ("_eq_", "Earthquakes"),
    ("_fl_", "Floods"),
    ("_ts_disturbance_", "Tropical disturbances"),
    ("_ts_", "Tropical storms"),
)
_ORDER = ["Earthquakes", "Tropical storms", "Tropical disturbances", "Floods"]
_EVENT_KEY = "event_id"


def describe(collection: Collection) -> dict[str, Any]:
    """A collection as the page's script sees it."""
    geometry = collection.geometry()
    # the default where it is filled, else the first that is
    time = next((column for column in collection.times if column.start and column.end), collection.time())
    pair = collection.lasting()
    end = pair[1] if pair is not None and pair[0] == time else None
    bbox = geometry.bbox if geometry else None
    return {
        "id": collection.id,
        "title": collection.title,
        "label": collection.title,
        "group": module(collection),
        "geometryType": geometry.type if geometry else None,
        "bbox": list(bbox) if bbox else None,
        "time": {
            "column": time.name,
            "start": time.start,
            # of features that last, the last moment that is known of any
            "end": max([moment for moment in (time.end, end and end.end) if moment], key=parse_instant, default=None),
            "lasts": end is not None,
            "endColumn": end.name if end else None,
        }
        if time
        else None,
        "eventKey": _EVENT_KEY if collection.column(_EVENT_KEY) else None,
        "columns": [
            {
                "name": column.name,
                "title": column.title,
                "type": column.type,
                "format": column.format,
                "unit": column.unit,
            }
            for column in collection.columns
        ],
    }


def module(collection: Collection) -> str:
    """The contract's module that a collection belongs to, or its schema's name."""
    name = f"_{collection.name}_"
    return next((title for part, title in _MODULES if part in name), collection.schema.replace("_", " ").capitalize())


def in_order(collections: Iterable[Collection]) -> list[Collection]:
    """By module, the contract's first, then by id."""

    def key(collection: Collection) -> tuple[int, str, str]:
        group = module(collection)
        return (_ORDER.index(group) if group in _ORDER else len(_ORDER), group, collection.id)

    return sorted(collections, key=key)


def script_json(data: Any) -> str:
    """JSON that may stand inside a script element: no `<` can end it (HTML, 4.12.1.3)."""
    text = orjson.dumps(data).decode()
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
