"""Where all features of a selection are, for a small map: cells that are as fine as the map can show."""

from collections.abc import Sequence

from libs.catalogue.model import GeometryColumn
from libs.ogc.errors import Unavailable
from libs.selection.selection import Selection
from services.features.aggregation.buckets import Bucket
from services.features.aggregation.facet import PlaceFacet
from services.features.aggregation.facet_counts import FacetCounts

MOST_COUNTED = 200_000
"""Features; more of them take longer than a reader waits for a page."""
_COARSE = 5.0
_FINER = (0.5, 1.0, 2.0)
_CELLS = 90
"""Beside each other on the map."""


async def spread(counts: FacetCounts, selection: Selection, geometry: GeometryColumn) -> Sequence[Bucket]:
    """The cells that hold features, with how many; none where counting takes too long."""
    try:
        coarse = await _cells(counts, selection, geometry, _COARSE)
        if not coarse:
            return coarse
        width = _width(coarse)
        size = next((size for size in _FINER if size * _CELLS >= width), None)
        return coarse if size is None else await _cells(counts, selection, geometry, size)
    except Unavailable:
        return ()


async def _cells(counts: FacetCounts, selection: Selection, geometry: GeometryColumn, size: float) -> Sequence[Bucket]:
    (found,), _ = await counts.counted(selection, (PlaceFacet(geometry.name, geometry, size),))
    return found.buckets


def _width(cells: Sequence[Bucket]) -> float:
    """Degrees of longitude that a map of the cells shows."""
    centres = [cell["centre"] for cell in cells]
    longitudes, latitudes = [x for x, _ in centres], [y for _, y in centres]
    width: float = max(max(longitudes) - min(longitudes), 2 * (max(latitudes) - min(latitudes)))
    return width
