"""Forecasts in and around an active feature."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from math import cos, hypot, radians
from typing import Any

from libs.catalogue.model import Collection
from libs.catalogue.modules import forecasts
from libs.geo.longitudes import wrap_longitude
from libs.ogc.errors import DomainError
from services.features.formats.geojson import features
from services.features.pages.local_name import local_name
from services.features.pages.preview import Preview, preview
from services.features.pages.recency import end_of_validity, is_live
from services.features.request.around import query_around
from services.features.rows.items_store import ItemsStore

_SHOWN = 4
"""Maximum number of forecasts of a collection on a page; a link shows all."""
_READ = 20


@dataclass(frozen=True, slots=True)
class Forecast:
    """A forecast near the feature."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Expected:
    """A collection's forecasts around a place, the nearest first; `query` has the parameters for all of them."""

    collection: Collection
    named: tuple[Forecast, ...]
    query: Mapping[str, str]
    has_more: bool


async def find_expected(
    store: ItemsStore,
    collection: Collection,
    others: Iterable[Collection],
    feature: Mapping[str, Any],
    at: Preview | None,
) -> list[Expected]:
    """Return the forecasts of its module around an active feature; `at` is the feature's drawing.

    Collections that cannot be read now are left out.
    """
    box = at.box if at else None
    if box is None or not is_live(collection) or end_of_validity(collection, feature["properties"]) is not None:
        return []
    found = await asyncio.gather(*(_find_in_collection(store, each, box) for each in forecasts(collection, others)))
    return [each for each in found if each is not None]


async def _find_in_collection(
    store: ItemsStore, collection: Collection, box: tuple[float, float, float, float]
) -> Expected | None:
    query = query_around(collection, box, datetime.now(UTC), limit=_READ)
    if query is None:
        return None
    try:
        page, ends = await store.page(query, "geojson")
    except DomainError:
        return None
    found = [each for each in features(page.rows, page.layout) if each.get("id") is not None]
    found.sort(key=lambda each: _distance(each, box))
    named = tuple(
        Forecast(str(each["id"]), local_name(collection, each["id"], each["properties"])) for each in found[:_SHOWN]
    )
    return Expected(collection, named, query.given, len(found) > _SHOWN or ends.more) if named else None


def _distance(feature: dict[str, Any], box: tuple[float, float, float, float]) -> float:
    """Return the approximate distance between two centres in degrees of latitude, for sorting."""
    drawn = preview([{**feature, "id": None}])
    other = drawn.box if drawn else None
    if other is None:
        return float("inf")
    (x, y), (other_x, other_y) = _middle(box), _middle(other)
    return hypot(wrap_longitude(other_x - x) * cos(radians(y)), other_y - y)


def _middle(box: tuple[float, float, float, float]) -> tuple[float, float]:
    west, south, east, north = box
    return (west + east) / 2, (south + north) / 2
