"""Options of the geometries in a response."""

from dataclasses import dataclass

from libs.geo.crs import CRS84, Crs


@dataclass(frozen=True, slots=True)
class GeometryOptions:
    """The request's options for geometries."""

    bbox_only: bool = False
    """Return boxes instead of geometries."""
    simplify: float | None = None
    """Tolerance in units of the CRS; None: not simplified."""
    crs: Crs = CRS84
    lonlat: bool = False
    """Return points as columns of coordinates."""


def content_crs(options: GeometryOptions) -> dict[str, str]:
    """Return the header with the CRS of a response (/req/crs/ogc-crs-header)."""
    return {"Content-Crs": f"<{options.crs.uri}>"}


AS_STORED = GeometryOptions()
"""Geometries as stored, in CRS84."""
