"""Countries of Natural Earth, 1:50 million, from the npm package `world-atlas`."""

from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import shapely
from pyproj import Geod
from shapely.geometry.base import BaseGeometry

from deploy.loader.places.populated import Whole, Words
from deploy.loader.places.sphere import EARTH_KM, KDTree, Numbers, on_sphere
from deploy.loader.places.topology import read_shapes

# Natural Earth shortens names for small maps.
_WHOLE_WORDS = {
    "Antigua and Barb.": "Antigua and Barbuda",
    "Bosnia and Herz.": "Bosnia and Herzegovina",
    "Br. Indian Ocean Ter.": "British Indian Ocean Territory",
    "Central African Rep.": "Central African Republic",
    "Dem. Rep. Congo": "Democratic Republic of the Congo",
    "Dominican Rep.": "Dominican Republic",
    "Eq. Guinea": "Equatorial Guinea",
    "Fr. Polynesia": "French Polynesia",
    "Fr. S. Antarctic Lands": "French Southern and Antarctic Lands",
    "Indian Ocean Ter.": "Indian Ocean Territories",
    "N. Cyprus": "Northern Cyprus",
    "N. Mariana Is.": "Northern Mariana Islands",
    "S. Geo. and the Is.": "South Georgia and the South Sandwich Islands",
    "S. Sudan": "South Sudan",
    "St. Vin. and Gren.": "Saint Vincent and the Grenadines",
    "W. Sahara": "Western Sahara",
}


REACH_KM = 200
"""Distance within which a country counts as within reach of an event, in km."""

_REACH = 2 * float(np.sin(REACH_KM / EARTH_KM / 2))
"""The same as a chord of the unit sphere."""
_WGS84 = Geod(ellps="WGS84")
_APART_DEGREES = 0.05
"""Longest distance between the corners of an outline that distances are measured to: about 5 km."""


class CountriesNearby(NamedTuple):
    """The countries near a position. The fields are columns of the tables that have them.

    nearest_country: the country with the nearest land. nearest_country_km: geodesic distance to it in km, 0 on land.
    countries_within_200_km: all countries with land within 200 km, the nearest first, separated by commas; None without
    any. Distances are right to about 3 km, the precision of the coasts.
    """

    nearest_country: str
    nearest_country_km: float
    countries_within_200_km: str | None


def full_name(name: str) -> str:
    """Return the full name of a country for its short form on small maps."""
    return _WHOLE_WORDS.get(name) or name.replace(" Is.", " Islands").replace(" I. ", " Island ")


class Countries:
    """Countries by position. Countries at ±180° are split there."""

    def __init__(self, shapes: list[tuple[str, BaseGeometry]]) -> None:
        self.names: Words = np.array([full_name(name) for name, _ in shapes], dtype=object)
        self._shapes = np.array([shape for _, shape in shapes], dtype=object)

    @classmethod
    def read(cls, path: Path) -> "Countries":
        """Read the package's TopoJSON. Raises OSError, KeyError."""
        return cls([(shape.name, shape.geometry) for shape in read_shapes(path, "countries")])

    def locate(self, longitudes: Numbers, latitudes: Numbers) -> Whole:
        """Return the number of the country of each position, in degrees, by `names`; -1 at sea.

        At 1:50 million, a coast may be a few km off.
        """
        # The tree contains the positions, so that each country is prepared once for all of them.
        tree = shapely.STRtree(np.asarray(shapely.points(longitudes, latitudes), dtype=object))
        country, position = tree.query(self._shapes, predicate="intersects")
        numbers = np.full(len(longitudes), -1, dtype=np.int64)
        numbers[position] = country
        return numbers

    def find_near(self, longitudes: Numbers, latitudes: Numbers) -> list[CountriesNearby]:
        """Return the countries near each position, in degrees of WGS 84, in their order."""
        if not longitudes.size:
            return []
        inside, positions = self.locate(longitudes, latitudes), on_sphere(longitudes, latitudes)
        outline = self._outline
        nearest = outline.tree.query(positions)[1]
        number = np.where(inside >= 0, inside, outline.country[nearest])
        _, _, metres = _WGS84.inv(outline.longitudes[nearest], outline.latitudes[nearest], longitudes, latitudes)
        kilometres = np.where(inside >= 0, 0.0, np.round(np.asarray(metres) / 1000, 1))
        within: list[list[tuple[float, str]]] = [[] for _ in range(longitudes.size)]
        for country, (tree, lowest, highest) in enumerate(
            zip(outline.trees, outline.lowest, outline.highest, strict=True)
        ):
            is_beside = ((positions >= lowest) & (positions <= highest)).all(axis=1)
            beside = np.flatnonzero(is_beside | (inside == country))
            if not beside.size:
                continue
            found = tree.query(positions[beside], distance_upper_bound=_REACH)[0]
            for place, distance in zip(beside.tolist(), found.tolist(), strict=True):
                if inside[place] == country or np.isfinite(distance):
                    within[place].append((0.0 if inside[place] == country else distance, self.names[country]))
        listed = [", ".join(name for _, name in sorted(each)) or None for each in within]
        return list(map(CountriesNearby._make, zip(self.names[number], kilometres.tolist(), listed, strict=True)))

    @cached_property
    def _outline(self) -> "_Outline":
        """The corners of all outlines; without the edges at ±180°, which are not coasts."""
        shapes = shapely.segmentize(self._shapes, _APART_DEGREES)
        corners, country = shapely.get_coordinates(shapes, return_index=True)
        is_coast = np.abs(corners[:, 0]) < 180
        corners, country = corners[is_coast], country[is_coast]
        positions = on_sphere(corners[:, 0], corners[:, 1])
        own = [positions[country == number] for number in range(len(self.names))]
        lowest, highest = [each.min(axis=0) - _REACH for each in own], [each.max(axis=0) + _REACH for each in own]
        trees = [KDTree(each) for each in own]
        return _Outline(corners[:, 0], corners[:, 1], country, KDTree(positions), trees, lowest, highest)


class _Outline(NamedTuple):
    """Corners of the outlines of all countries, with the number of the country of each.

    tree: search tree of all corners on the unit sphere. For each country: its own tree, and the lowest and highest
    coordinates on the sphere within reach of it.
    """

    longitudes: Numbers
    latitudes: Numbers
    country: Whole
    tree: KDTree
    trees: list[KDTree]
    lowest: list[Numbers]
    highest: list[Numbers]
