"""Colours of collections without a scale: different ones on a map, as long as there are enough."""

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from libs.catalogue.model import Collection
from services.tiles.styling.hazard import has_own_color
from services.tiles.styling.palette import OWN_COLORS, own_color


def own_colors(collections: Iterable[Collection]) -> dict[str, str]:
    """Return the colour of each collection without a scale: that of its id, or the next one that fewer have."""
    used: Counter[str] = Counter()
    chosen = {}
    for name in sorted(collection.id for collection in collections if _is_plain(collection)):
        first = OWN_COLORS.index(own_color(name))
        chosen[name] = min(OWN_COLORS[first:] + OWN_COLORS[:first], key=lambda color: used[color])
        used[chosen[name]] += 1
    return chosen


@lru_cache(maxsize=1024)
def _is_plain(collection: Collection) -> bool:
    geometry = collection.geometry()
    if geometry is None or collection.look is not None:
        return False
    return has_own_color(collection.id, geometry.type, {column.name: column.type for column in collection.columns})
