"""Where a feature is, by the nearest place. The viewer's words/nearby.js says the same on the map."""

from collections.abc import Mapping
from math import floor, log10
from typing import Any


def nearby_words(properties: Mapping[str, Any]) -> str:
    """`22 km NNE of Hualien City, 350,000 people`; empty where the feature has no nearest place."""
    place, km = properties.get("nearest_place"), properties.get("nearest_place_km")
    bearing, people = properties.get("nearest_place_bearing"), properties.get("nearest_place_population")
    if not isinstance(place, str) or not place:
        return ""
    away = f"{floor(km + 0.5):,} km {bearing} of " if isinstance(km, int | float) and bearing else ""
    size = f", {_two_figures(people):,} people" if isinstance(people, int | float) and people > 0 else ""
    return f"{away}{place}{size}"


def _two_figures(number: float) -> int:
    unit = int(10 ** max(0, floor(log10(number)) - 1))
    return floor(number / unit + 0.5) * unit
