"""The current and coming features around a place, as a query for items."""

from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime

from libs.catalogue.model import Collection
from libs.geo.longitudes import wrap_longitude
from libs.ogc.errors import InvalidParameters
from libs.ogc.temporal import rfc3339
from libs.web.query_params import QueryValues
from services.features.request.items_query import GeometryOptions, ItemsQuery, parse_items

MARGIN = 0.5
"""Margin around the box in degrees: a gauge may stand beside the area it warns of.

Same as in the map's model/forecasts.js.
"""
_WIDEST = 180.0
"""Maximum width in degrees: a wider box is one that crosses the antimeridian, or the world."""


def query_around(
    collection: Collection, box: tuple[float, float, float, float], present: datetime, *, limit: int
) -> ItemsQuery | None:
    """Return a query for the features within `MARGIN` of the box that are not over at `present`, as boxes.

    The box is west, south, east, north in degrees. Returns None if the collection does not support such a query.
    """
    west, south, east, north = box
    if east - west > _WIDEST:
        return None
    # longitudes beyond 180 continue at -180
    edges = [
        wrap_longitude(west - MARGIN),
        max(-90.0, south - MARGIN),
        wrap_longitude(east + MARGIN),
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
