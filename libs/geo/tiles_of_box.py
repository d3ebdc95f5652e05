"""Which tiles of a matrix meet a box. Pure.

morecantile's `tiles` answers this for boxes of longitude and latitude by two of their corners, which is another answer
where the set's projection bends parallels or meridians; and of columns that make one tile together it leaves out those
that a box meets behind the first. Here boxes are of the set's CRS, and every tile that has a place in one is found.
"""

from collections.abc import Iterator

from libs.geo.boxes import Box
from libs.geo.tile_matrix_sets import Matrix


def tile_ranges(matrix: Matrix, box: Box | None) -> tuple[range, range]:
    """Columns and rows that meet a box in the set's CRS; all of them without one."""
    if box is None:
        return range(matrix.columns), range(matrix.rows)
    left, bottom, right, top = box
    return (
        _span(left - matrix.left, right - matrix.left, matrix.tile_width, matrix.columns),
        _span(matrix.top - top, matrix.top - bottom, matrix.tile_height, matrix.rows),
    )


def tiles_in(matrix: Matrix, box: Box | None) -> Iterator[tuple[int, int]]:
    """Column and row of each of these tiles; of columns that make one tile together, the first."""
    columns, rows = tile_ranges(matrix, box)
    for y in rows:
        for x in _first_columns(matrix, columns, y):
            yield x, y


def number_in(matrix: Matrix, box: Box | None) -> int:
    """How many these are."""
    columns, rows = tile_ranges(matrix, box)
    if not matrix.coalesce:
        return len(columns) * len(rows)
    return sum(len(_first_columns(matrix, columns, y)) for y in rows)


def _first_columns(matrix: Matrix, columns: range, y: int) -> range:
    group = matrix.coalesced(y)
    return range(columns.start - columns.start % group, columns.stop, group)


def _span(start: float, end: float, size: float, count: int) -> range:
    return range(max(0, int(start // size)), min(count, int(end // size) + 1))
