"""Find the tiles of a matrix that meet a box. Pure.

morecantile's `tiles` uses two corners of a box in longitude and latitude, which is wrong if the set's projection bends
parallels or meridians. Where several columns form one tile, it also misses tiles that the box meets behind their first
column. Here boxes are in the set's CRS, and every tile that meets one is found.
"""

from collections.abc import Iterator

from libs.geo.boxes import Box
from libs.geo.tile_matrix_sets import Matrix


def tile_ranges(matrix: Matrix, box: Box | None) -> tuple[range, range]:
    """Return columns and rows that meet a box in the set's CRS; all of them without a box."""
    if box is None:
        return range(matrix.columns), range(matrix.rows)
    left, bottom, right, top = box
    return (
        _span(left - matrix.left, right - matrix.left, matrix.tile_width, matrix.columns),
        _span(matrix.top - top, matrix.top - bottom, matrix.tile_height, matrix.rows),
    )


def tiles_in(matrix: Matrix, box: Box | None) -> Iterator[tuple[int, int]]:
    """Yield column and row of each of these tiles; the first column if several form one tile."""
    columns, rows = tile_ranges(matrix, box)
    for y in rows:
        for x in _first_columns(matrix, columns, y):
            yield x, y


def number_in(matrix: Matrix, box: Box | None) -> int:
    """Return the number of these tiles."""
    columns, rows = tile_ranges(matrix, box)
    if not matrix.coalesce:
        return len(columns) * len(rows)
    return sum(len(_first_columns(matrix, columns, y)) for y in rows)


def _first_columns(matrix: Matrix, columns: range, y: int) -> range:
    group = matrix.coalescence(y)
    return range(columns.start - columns.start % group, columns.stop, group)


def _span(start: float, end: float, size: float, count: int) -> range:
    return range(max(0, int(start // size)), min(count, int(end // size) + 1))
