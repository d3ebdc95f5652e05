"""The `bbox` parameter of OGC API Features (/req/core/fc-bbox-definition)."""

from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple

_METRE = 1e-5
"""One metre, in degrees."""


class BBox(NamedTuple):
    """A box in CRS84 (degrees, longitude then latitude); `west > east` crosses the antimeridian."""

    west: float
    south: float
    east: float
    north: float

    def parts(self) -> tuple["BBox", ...]:
        """The box, or the two boxes on both sides of the antimeridian."""
        if self.west <= self.east:
            return (self,)
        return (
            BBox(self.west, self.south, 180.0, self.north),
            BBox(-180.0, self.south, self.east, self.north),
        )

    def unwrap(self) -> "BBox":
        """The same with west below east: around the world if it crosses the antimeridian."""
        return self if self.west <= self.east else BBox(-180.0, self.south, 180.0, self.north)

    def widen(self) -> "BBox":
        """The same, one metre wider on each side, for maps: they request no tile that a box only touches."""
        west, south, east, north = self.unwrap()
        return BBox(
            max(-180.0, round(west - _METRE, 6)),
            max(-90.0, round(south - _METRE, 6)),
            min(180.0, round(east + _METRE, 6)),
            min(90.0, round(north + _METRE, 6)),
        )

    def intersects(self, other: "BBox") -> bool:
        """Return whether the two boxes share a point."""
        return any(
            a.west <= b.east and b.west <= a.east and a.south <= b.north and b.south <= a.north
            for a in self.parts()
            for b in other.parts()
        )

    def middle(self) -> tuple[float, float]:
        """Longitude and latitude of the middle, to a tenth of a metre."""
        width = self.east - self.west if self.west <= self.east else self.east - self.west + 360
        longitude = self.west + width / 2
        return round(longitude - 360 if longitude > 180 else longitude, 6), round((self.south + self.north) / 2, 6)


def bbox_of(numbers: Sequence[float]) -> BBox:
    """The box that 4 or 6 numbers describe; heights of a 6-number box are checked, and not in it.

    Raises ValueError with a sentence for the client if the numbers are not a box in CRS84.
    """
    if len(numbers) not in (4, 6):
        raise ValueError(f"must have 4 or 6 numbers, has {len(numbers)}")
    if not all(isfinite(number) for number in numbers):
        raise ValueError("must have finite numbers only")
    if len(numbers) == 6:
        west, south, low, east, north, high = numbers
        if low > high:
            raise ValueError(f"minimum height {low:g} is above maximum height {high:g}")
    else:
        west, south, east, north = numbers
    for name, longitude in (("west", west), ("east", east)):
        if not -180 <= longitude <= 180:
            raise ValueError(f"{name} edge {longitude:g} is outside longitudes -180 to 180")
    for name, latitude in (("south", south), ("north", north)):
        if not -90 <= latitude <= 90:
            raise ValueError(f"{name} edge {latitude:g} is outside latitudes -90 to 90")
    if south > north:
        raise ValueError(f"south edge {south:g} is north of the north edge {north:g}")
    return BBox(west, south, east, north)
