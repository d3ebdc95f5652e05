"""The rows and columns of a tile matrix set that can contain data. Pure."""

from collections.abc import Sequence
from typing import Any

from libs.catalogue.model import GeometryColumn
from libs.geo.boxes import Box
from libs.geo.crs_areas import boxes_in
from libs.geo.tile_matrix_sets import Matrix, TileMatrixSet
from libs.geo.tiles_of_box import tile_ranges
from libs.ogc.bbox import BBox
from libs.ogc.errors import NotFound


def limits(geometries: Sequence[GeometryColumn], tms: TileMatrixSet) -> list[dict[str, Any]]:
    """Return for each matrix the rows and columns that can contain data of any of them (/req/tileset/tms-limits)."""
    boxes = _boxes(geometries, tms)
    return [_limits(matrix, boxes) for matrix in tms.matrices.values()]


def refuse_outside(geometries: Sequence[GeometryColumn], tms: TileMatrixSet, z: int, x: int, y: int) -> None:
    """Raise NotFound if the tile lies outside the limits of its matrix (/req/core/tc-error)."""
    found = _limits(tms.matrix(z), _boxes(geometries, tms))
    columns, rows = (found["minTileCol"], found["maxTileCol"]), (found["minTileRow"], found["maxTileRow"])
    if not (columns[0] <= x <= columns[1] and rows[0] <= y <= rows[1]):
        raise NotFound(
            f"Tile matrix {z} of this tileset is limited to columns {columns[0]} to {columns[1]} and rows {rows[0]} to"
            f" {rows[1]}, where its data are; there is no tile at column {x}, row {y}."
        )


def _boxes(geometries: Sequence[GeometryColumn], tms: TileMatrixSet) -> list[Box]:
    """Return their boxes in the set's CRS; empty if the box of one is unknown."""
    parts: list[BBox] = []
    for geometry in geometries:
        if geometry.bbox is None:
            return []
        parts += BBox(*geometry.bbox).parts()
    return boxes_in(tuple(parts), tms.srid)


def _limits(matrix: Matrix, boxes: list[Box]) -> dict[str, Any]:
    ranges = [tile_ranges(matrix, box) for box in boxes] or [tile_ranges(matrix, None)]
    columns, rows = zip(*ranges, strict=True)
    # data outside the set are in no tile: use the nearest one
    return {
        "tileMatrix": matrix.id,
        "minTileRow": min(min(span.start, matrix.rows - 1) for span in rows),
        "maxTileRow": max(max(span.stop - 1, 0) for span in rows),
        "minTileCol": min(min(span.start, matrix.columns - 1) for span in columns),
        "maxTileCol": max(max(span.stop - 1, 0) for span in columns),
    }
