"""Where all features of a selection lie, for a small map: cells as fine as the map can show."""

from collections.abc import Sequence

from libs.catalogue.model import GeometryColumn
from libs.ogc.errors import Unavailable
from libs.selection.selection import Selection
from services.features.aggregation.buckets import Bucket
from services.features.aggregation.facet import PlaceFacet
from services.features.aggregation.facet_counts import FacetCounts

MOST_COUNTED = 200_000
"""Maximum number of features to count; counting more takes longer than a page may wait."""
_COARSE = 5.0
_FINER = (0.5, 1.0, 2.0)
_CELLS = 90
"""Cells across the width of the map."""


async def spread(counts: FacetCounts, selection: Selection, geometry: GeometryColumn) -> Sequence[Bucket]:
    """Return the cells with features and their counts; empty if counting takes too long."""
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
    (found,), _ = await counts.count(selection, (PlaceFacet(geometry.name, geometry, size),))
    return found.buckets


def _width(cells: Sequence[Bucket]) -> float:
    """Return the width of a map of the cells, in degrees of longitude."""
    centres = [cell["centre"] for cell in cells]
    longitudes, latitudes = [x for x, _ in centres], [y for _, y in centres]
    width: float = max(max(longitudes) - min(longitudes), 2 * (max(latitudes) - min(latitudes)))
    return width
