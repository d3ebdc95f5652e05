"""The features around a place that count from now on, as a query for items."""

from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime

from libs.catalogue.model import Collection
from libs.geo.longitudes import turned_back
from libs.ogc.errors import InvalidParameters
from libs.ogc.temporal import rfc3339
from libs.web.query_params import QueryValues
from services.features.request.geometry_options import GeometryOptions
from services.features.request.items_query import ItemsQuery, parse_items

MARGIN = 0.5
"""Degrees around the box: a gauge stands beside the area that it warns of. The same in the map's model/forecasts.js."""
_WIDEST = 180.0
"""Degrees: what is wider is a box that is cut at the antimeridian, or the world."""


def query_around(
    collection: Collection, box: tuple[float, float, float, float], present: datetime, *, limit: int
) -> ItemsQuery | None:
    """The features in the box (west, south, east, north in degrees) and up to `MARGIN` around it that are not over at
    the present moment; their boxes stand for their shapes. None where that cannot be asked of the collection.
    """
    west, south, east, north = box
    if east - west > _WIDEST:
        return None
    # a longitude beyond 180 is one from -180 on
    edges = [
        turned_back(west - MARGIN),
        max(-90.0, south - MARGIN),
        turned_back(east + MARGIN),
        min(90.0, north + MARGIN),
    ]
    moment = present.astimezone(UTC).replace(second=0, microsecond=0)
    given = {"bbox": ",".join(f"{edge:.4f}" for edge in edges), "datetime": f"{rfc3339(moment)}/.."}
    asked: dict[str, object] = {"limit": limit, "bbox": [float(edge) for edge in given["bbox"].split(",")]}
    asked |= {"datetime": given["datetime"]}
    try:
        query = parse_items(collection, QueryValues(defaultdict(lambda: None, asked)), given)
    except InvalidParameters:
        return None
    return replace(query, options=GeometryOptions(bbox_only=True))
