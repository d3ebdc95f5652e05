"""The tiles above, below and beside a tile. Pure.

morecantile's `parent` and `children` use the same positions, but omit tiles of several columns whose first column they
do not meet; the order of its `neighbors` does not show their direction.
"""

from dataclasses import dataclass

from libs.geo.tile_matrix_sets import Matrix
from libs.geo.tiles_of_box import tiles_in
from services.tiles.request.tile_request import TileRequest

_WITHIN = 1e-6
"""Part of a tile's size by which a box is reduced, so that it does not touch the next tile."""


@dataclass(frozen=True, slots=True)
class Around:
    """Addresses (tile matrix, column, row) of the tiles around one."""

    parents: tuple[tuple[int, int, int], ...]
    """A single one if the set's tiles nest."""
    children: tuple[tuple[int, int, int], ...]
    beside: dict[str, tuple[int, int, int]]
    """Neighbours by north, east, south, west; without those beyond the matrix."""


def tiles_around(request: TileRequest) -> Around:
    """Return the overlapping tiles in the matrices above and below, and the neighbours at the middle of each side."""
    matrices = request.tile_matrix_set.matrices
    left, bottom, right, top = request.region.bounds
    wide, high = right - left, top - bottom
    inside = (left + wide * _WITHIN, bottom + high * _WITHIN, right - wide * _WITHIN, top - high * _WITHIN)

    def tiles_sharing(z: int) -> tuple[tuple[int, int, int], ...]:
        return tuple((z, x, y) for x, y in tiles_in(matrices[z], inside)) if z in matrices else ()

    middle = (left + right) / 2, (bottom + top) / 2
    beyond = {
        "north": (middle[0], top + high / 2),
        "east": (right + wide / 2, middle[1]),
        "south": (middle[0], bottom - high / 2),
        "west": (left - wide / 2, middle[1]),
    }
    found = {side: _tile_at(matrices[request.z], request.z, *place) for side, place in beyond.items()}
    return Around(
        tiles_sharing(request.z - 1), tiles_sharing(request.z + 1), {side: at for side, at in found.items() if at}
    )


def _tile_at(matrix: Matrix, z: int, x: float, y: float) -> tuple[int, int, int] | None:
    found = matrix.tile_at(x, y)
    return (z, *found) if found else None
