"""The length of a degree of longitude relative to one of latitude, for small maps of a box in degrees."""

from math import cos, radians

_LEAST = 0.17
"""Minimum, the value at 80 degrees: nearer to the poles, maps would be narrow strips."""


def stretch(south: float, north: float) -> float:
    """Return the relative width of a degree of longitude in the middle of a box; 1 for the whole world."""
    if north - south > 120:
        return 1.0
    middle = max(-90.0, min(90.0, (south + north) / 2))
    return max(_LEAST, cos(radians(middle)))
