"""Which part of the world a tile shows, as boxes in the CRS of a geometry column. Pure."""

from math import ceil, radians, sqrt

from libs.geo.tile_matrix_sets import WORLD, Box, transformed, within_domain
from services.tiles.request.tile_request import TileRequest

EXTENT = 4096
BUFFER = 64
"""Tile units beyond the edge that are drawn too, so that strokes meet across tiles."""

# what is cut is cut this much further out, so that no edge of the cut shows
_CUT_BUFFER = 4 * BUFFER
_NEAR_A_POLE = 1.0
"""Degrees."""


def near(request: TileRequest) -> list[Box]:
    """Where features that the tile shows can be: one box, two across the antimeridian, or none."""
    return _boxes(request, BUFFER)


def cut(request: TileRequest) -> list[Box]:
    """What of a geometry is kept before it is transformed: a little more than what the tile shows."""
    return _boxes(request, _CUT_BUFFER)


def longest_straight(boxes: list[Box]) -> float | None:
    """How long, in degrees, a line may be before its curve in the tile's CRS shows; None where any may.

    A chord of L radians is at most about L²/8 away from its arc: one unit of the tile is wanted.
    """
    width = max(max(right - left, top - bottom) for left, bottom, right, top in boxes)
    pieces = ceil(sqrt(EXTENT * radians(width) / 8))
    return width / pieces if pieces > 1 else None


def _boxes(request: TileRequest, buffer: int) -> list[Box]:
    target, source = request.tile_matrix_set.srid, request.geometry.srid or 4326
    if source == target:
        return [_buffered(request.bounds, buffer)]
    if target == 4326:
        world = _buffered(request.bounds, buffer)
        parts = [(max(world[0], -180.0), max(world[1], -90.0), min(world[2], 180.0), min(world[3], 90.0))]
    else:
        parts = within_domain(_around_the_world(request, buffer), target)
    if source == 4326:
        return parts
    # by way of longitude and latitude, where poles and the antimeridian are known
    boxes = [transformed(part, 4326, source) for part in within_domain(parts, source)]
    return [box for box in boxes if box is not None]


def _buffered(box: Box, buffer: int) -> Box:
    left, bottom, right, top = box
    across, up = (right - left) * buffer / EXTENT, (top - bottom) * buffer / EXTENT
    return left - across, bottom - up, right + across, top + up


def _around_the_world(request: TileRequest, buffer: int) -> list[Box]:
    """Longitude and latitude of the tile with its buffer."""
    target = request.tile_matrix_set.srid
    for units in (buffer, BUFFER, 0):
        # too near the edge of the projection for the whole buffer, perhaps
        box = transformed(_buffered(request.bounds, units), target, 4326)
        if box is not None:
            break
    else:
        # far out on the projection's plane: everything in its domain may come near
        return list(WORLD)
    west, south, east, north = box
    if north > 90 - _NEAR_A_POLE:
        # a pole has every longitude, which PROJ does not always see
        west, east, north = -180.0, 180.0, 90.0
    if south < _NEAR_A_POLE - 90:
        west, east, south = -180.0, 180.0, -90.0
    if west > east:
        return [(west, south, 180.0, north), (-180.0, south, east, north)]
    return [(west, south, east, north)]
