"""The part of the world that a tile shows, as boxes in the CRS of a geometry column. Pure."""

from dataclasses import dataclass
from functools import cached_property
from math import ceil, cos, floor, log2, pi, radians, sqrt, tan

from libs.geo.boxes import WORLD, Box, overlap, transform_box
from libs.geo.crs_areas import boxes_in, clip_to_finite_area, is_mercator
from libs.geo.longitudes import WEB_MERCATOR, width_of_world
from libs.ogc.bbox import BBox

EXTENT = 4096
"""Units along a tile's side."""
BUFFER = 64
"""Units beyond the edge that are drawn too, so that strokes meet across tiles."""

# the clip box is this much larger, so that its edges are not visible
_CUT_BUFFER = 4 * BUFFER
_NEAR_A_POLE = 1.0
"""Distance from a pole in degrees."""
_MOST_BENT = 0.7
"""Maximum distance of a straight piece from the curve, in units of the tile."""
_EARTH_RADIUS = 6_378_137.0
"""Radius of the Earth in metres."""
_FURTHEST_LATITUDE = 70.0
"""Degrees up to which pieces of a long edge are as short as Mercator's bending requires.

Tiles of zooms 0 to 2 contain low latitudes and 85° together. Beyond 70°, the northing of a piece may differ from the
curve by three units there. Only steep edges bend so much; the distance at right angles to them stays below 0.3 units.
"""


@dataclass(frozen=True)
class Region:
    """The part of a column that a tile shows; its boxes are computed on first use, once."""

    bounds: Box
    """Bounds of the tile, in the CRS of its tile matrix set."""
    tile_srid: int
    srid: int
    """SRID of the boxes: the column's; 4326 if the column has none."""
    turns: tuple[int, ...] = ()
    """Whole turns by which stored longitudes of the column lie beyond ±180."""
    antimeridian: tuple[bool, bool] = (False, False)
    """Whether the tile ends at -180° on its left, and at 180° on its right."""
    of_points: bool = False

    @cached_property
    def near(self) -> list[Box]:
        """Where visible features can be: one box, two across the antimeridian, or none; and each of them turned."""
        placed = self._boxes(BUFFER)
        width = width_of_world(self.srid)
        if self.of_points and self.antimeridian == (True, False) and self.srid in (4326, WEB_MERCATOR):
            # clients look for a position at 180° in the tile to its east, at -180°
            placed += [(width / 2 - (box[2] - box[0]) * BUFFER / EXTENT, box[1], width / 2, box[3]) for box in placed]
        return [*placed, *(_move(box, turn * width) for turn in self.turns for box in placed)]

    @cached_property
    def cut(self) -> list[Box]:
        """Clip box applied before reprojection: slightly larger than the tile."""
        return self._boxes(_CUT_BUFFER)

    @cached_property
    def lonlat(self) -> tuple[Box, ...]:
        """Longitudes and latitudes of the tile itself: one box, or two across the antimeridian."""
        if self.tile_srid == 4326:
            return (self.bounds,)
        return tuple(clip_to_finite_area(_lonlat_boxes(self.bounds, self.tile_srid, 0), self.tile_srid))

    def holds(self, other: "Region") -> bool:
        """Return whether this region contains the other one, judged by boxes in one CRS."""
        return all(any(_is_within(small, large) for large in self.near) for small in other.near)

    def _boxes(self, buffer: int) -> list[Box]:
        if self.srid == self.tile_srid:
            return [_buffer(self.bounds, buffer)]
        if self.tile_srid == 4326:
            part = overlap(_buffer(self.bounds, buffer), WORLD)
            parts = [part] if part else []
        else:
            parts = clip_to_finite_area(_lonlat_boxes(self.bounds, self.tile_srid, buffer), self.tile_srid)
        # through longitude and latitude, where poles and the antimeridian are known
        return boxes_in(parts, self.srid)


def longest_straight(region: Region) -> float | None:
    """Return the longest edge that stays straight in the tile, in units of the column's CRS; None if every edge does.

    A straight edge of the column's CRS is a curve in the tile's. The chord of a piece of L radians deviates from it by
    about L²/8 times the curvature. The limit is `_MOST_BENT` units of the tile.
    """
    if region.srid == region.tile_srid or not region.cut or not region.lonlat:
        return None
    around = region.cut if region.srid == 4326 else region.lonlat
    size = radians(max(max(right - left, top - bottom) for left, bottom, right, top in around))
    if is_mercator(region.tile_srid):
        unit = (region.bounds[2] - region.bounds[0]) / EXTENT / _EARTH_RADIUS
        furthest = radians(min(_FURTHEST_LATITUDE, max(max(-bottom, top) for _, bottom, _, top in around)))
        # second derivative of northing by latitude
        curvature = tan(furthest) / cos(furthest) / unit
    else:
        # a parallel: the arc around the pole, which is in the tile if all longitudes are
        curvature = 0.75 * EXTENT if size >= pi else EXTENT / size
    pieces = ceil(size * sqrt(curvature / (8 * _MOST_BENT)))
    if pieces <= 1:
        return None
    longest = max(max(right - left, top - bottom) for left, bottom, right, top in region.cut) / pieces
    # a power of two, shared by most neighbours: then they have the same corners
    return float(2 ** floor(log2(longest)))


def _move(box: Box, by: float) -> Box:
    left, bottom, right, top = box
    return left + by, bottom, right + by, top


def _is_within(small: Box, large: Box) -> bool:
    return large[0] <= small[0] and large[1] <= small[1] and small[2] <= large[2] and small[3] <= large[3]


def _buffer(box: Box, buffer: int) -> Box:
    left, bottom, right, top = box
    across, up = (right - left) * buffer / EXTENT, (top - bottom) * buffer / EXTENT
    return left - across, bottom - up, right + across, top + up


def _lonlat_boxes(bounds: Box, srid: int, buffer: int) -> tuple[Box, ...]:
    """Return longitude and latitude of a tile with its buffer."""
    for units in (buffer, BUFFER, 0):
        # the whole buffer may be outside the projection
        box = transform_box(_buffer(bounds, units), srid, 4326)
        if box is not None:
            break
    else:
        # far out on the projection's plane: everything in its domain may be near
        return (WORLD,)
    west, south, east, north = box
    if north > 90 - _NEAR_A_POLE:
        # a pole has every longitude, which PROJ does not always detect
        west, east, north = -180.0, 180.0, 90.0
    if south < _NEAR_A_POLE - 90:
        west, east, south = -180.0, 180.0, -90.0
    return BBox(west, south, east, north).parts()
