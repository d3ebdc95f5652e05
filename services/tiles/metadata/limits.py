"""Which rows and columns of a tile matrix set can hold data. Pure."""

from math import floor
from typing import Any

from libs.catalogue.model import GeometryColumn
from libs.geo.tile_matrix_sets import TileMatrixSet, transformed


def limits(geometry: GeometryColumn, tms: TileMatrixSet) -> list[dict[str, Any]]:
    """For each matrix the rows and columns that can hold data (/req/tileset/tms-limits)."""
    box = transformed(geometry.bbox, 4326, tms.srid) if geometry.bbox else None
    result = []
    for matrix in tms.matrices.values():
        columns, rows = (0, matrix.columns - 1), (0, matrix.rows - 1)
        if box is not None and box[0] <= box[2]:
            columns = _range(box[0] - matrix.left, box[2] - matrix.left, matrix.tile_width, matrix.columns)
            rows = _range(matrix.top - box[3], matrix.top - box[1], matrix.tile_height, matrix.rows)
        result.append(
            {
                "tileMatrix": matrix.id,
                "minTileRow": rows[0],
                "maxTileRow": rows[1],
                "minTileCol": columns[0],
                "maxTileCol": columns[1],
            }
        )
    return result


def _range(start: float, end: float, size: float, count: int) -> tuple[int, int]:
    first, last = floor(start / size), floor(end / size)
    return min(max(first, 0), count - 1), min(max(last, 0), count - 1)
