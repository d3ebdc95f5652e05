"""How much shorter a degree of longitude is than one of latitude, for small maps of a box of degrees."""

from math import cos, radians

_LEAST = 0.17
"""As at 80 degrees: nearer to the poles maps would be narrow strips."""


def stretch(south: float, north: float) -> float:
    """The width of a degree of longitude as part of one of latitude, in the middle of a box; 1 for the whole world."""
    if north - south > 120:
        return 1.0
    middle = max(-90.0, min(90.0, (south + north) / 2))
    return max(_LEAST, cos(radians(middle)))
