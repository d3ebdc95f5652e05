"""Links from pages to the same content on the map. The viewer's model/deep-link.js reads them."""

from collections.abc import Collection as Names
from math import asinh, degrees, log2, radians, tan
from urllib.parse import quote

from libs.catalogue.model import Collection
from libs.cql.quoting import equals
from libs.geo.longitudes import wrap_longitude
from libs.ogc.bbox import BBox, bbox_of
from libs.ogc.link import path_segment
from libs.selection.columns import column_queryable
from libs.selection.text_search import text_filter
from services.features.request.items_query import ItemsQuery

_WIDTH, _HEIGHT = 900, 600
"""Size of a map that a box must fit into, in pixels; panels cover the rest of the screen."""
_TILE = 512
_CLOSEST = 14.0
_LEAST = 0.001
"""Minimum size of an area in degrees: links have four decimals."""


def map_of_items(query: ItemsQuery, declared: Names[str]) -> str:
    """Return the path, below the API, of the map of a page's features: its filter, time, box and order.

    `declared` are the parameters that are not properties. The map does not support filters in CQL2 JSON, and times or
    geometries of other than the default columns: these are left out.
    """
    collection, given = query.selection.collection, query.given
    state: dict[str, str] = {}
    if "bbox" in given and "bbox-crs" not in given:
        state |= _place(bbox_of([float(number) for number in given["bbox"].split(",")]))
    if "datetime" in given and "datetime-column" not in given:
        state["t"] = given["datetime"]
    if given.get("sortby") in collection.importance:
        state["o"] = "strongest"
    conditions = _conditions(collection, query, declared)
    if conditions:
        text = conditions[0] if len(conditions) == 1 else " AND ".join(f"({text})" for text in conditions)
        state[f"f.{collection.id}"] = text
    return _path(collection, state)


def map_of_item(collection: Collection, identifier: object) -> str:
    """Return the path, below the API, of the map at one feature."""
    return _path(collection, {"id": f"{collection.id}/{identifier}"})


def _path(collection: Collection, state: dict[str, str]) -> str:
    path = f"/collections/{path_segment(collection.id)}/tiles/WebMercatorQuad/map.html"
    # the same encoding as the map's own
    hash_ = "&".join(f"{quote(name, safe='')}={quote(text, safe='/,:')}" for name, text in state.items())
    return f"{path}#{hash_}" if hash_ else path


def _place(box: BBox) -> dict[str, str]:
    """Return the box as the area to show; as a view if it is too small, or wider than the world."""
    on_earth = all(abs(edge) <= 180 for edge in (box.west, box.east)) and -90 <= box.south <= box.north <= 90
    if on_earth and abs(box.east - box.west) >= _LEAST and box.north - box.south >= _LEAST:
        return {"a": f"box/{','.join(f'{edge:.4f}'.rstrip('0').rstrip('.') for edge in box)}"}
    return {"map": _view(box)}


def _view(box: BBox) -> str:
    """Return `zoom/latitude/longitude` of a map in Web Mercator that shows the box."""
    width = box.east - box.west if box.west <= box.east else box.east - box.west + 360
    longitude = wrap_longitude(box.west + width / 2)
    south, north = (degrees(asinh(tan(radians(max(-85.0, min(85.0, edge)))))) for edge in (box.south, box.north))
    latitude = max(-85.0, min(85.0, (box.south + box.north) / 2))
    sizes = ((_WIDTH, width), (_HEIGHT, north - south))
    zooms = [log2(pixels * 360 / (_TILE * size)) for pixels, size in sizes if size > 0]
    zoom = max(0.0, min([_CLOSEST, *zooms]))
    return f"{zoom:.2f}/{latitude:.4f}/{longitude:.4f}"


def _conditions(collection: Collection, query: ItemsQuery, declared: Names[str]) -> list[str]:
    given = query.given
    conditions = []
    if "filter" in given and given.get("filter-lang") != "cql2-json":
        conditions.append(given["filter"])
    if "q" in given and (searched := text_filter(collection, given["q"].split(","))):
        conditions.append(searched)
    key = collection.column(collection.key) if collection.key else None
    if "ids" in given and key is not None:
        conditions.append(equals(column_queryable(key), [part.strip() for part in given["ids"].split(",")]))
    arguments = {argument.name for argument in collection.arguments}
    for name, text in given.items():
        column = collection.column(name)
        if column is not None and name not in arguments and name not in declared:
            conditions.append(equals(column_queryable(column), [text]))
    return conditions
