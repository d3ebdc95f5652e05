"""How geometries and addresses are to be given."""

from dataclasses import dataclass

from libs.geo.crs import CRS84, Crs


@dataclass(frozen=True, slots=True)
class GeometryOptions:
    """What a request says of the geometries in its response, and of the addresses among the properties."""

    bbox_only: bool = False
    """Return boxes instead of geometries."""
    simplify: float | None = None
    """Tolerance in units of the CRS; None: not simplified."""
    crs: Crs = CRS84
    lonlat: bool = False
    """Points as columns of numbers."""
    base: str = ""
    """Base address of the products that properties lead to; empty: properties as they are stored."""


AS_STORED = GeometryOptions()
"""Geometries as stored, in CRS84."""
