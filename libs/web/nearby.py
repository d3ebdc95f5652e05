"""The place of a feature relative to the nearest town. The viewer's words/nearby.js does the same on the map."""

from collections.abc import Mapping
from math import floor, log10
from typing import Any

from libs.web.languages import gettext, ngettext
from libs.web.page_text import count


def nearby_words(properties: Mapping[str, Any]) -> str:
    """Return `22 km NNE of Hualien City (350,000 inhabitants)`; empty if the feature has no nearest place."""
    place, km = properties.get("nearest_place"), properties.get("nearest_place_km")
    bearing, people = properties.get("nearest_place_bearing"), properties.get("nearest_place_population")
    if not isinstance(place, str) or not place:
        return ""
    said = place
    if isinstance(km, int | float) and bearing:
        values = {"km": count(floor(km + 0.5)), "bearing": gettext(str(bearing)), "place": place}
        said = gettext("%(km)s km %(bearing)s of %(place)s") % values
    if not isinstance(people, int | float) or people <= 0:
        return said
    number = _two_figures(people)
    people_said = ngettext("%(place)s (%(number)s inhabitant)", "%(place)s (%(number)s inhabitants)", number)
    return people_said % {"place": said, "number": count(number)}


def _two_figures(number: float) -> int:
    unit = int(10 ** max(0, floor(log10(number)) - 1))
    return floor(number / unit + 0.5) * unit
