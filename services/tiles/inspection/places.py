"""Tiles around a tile: above and below it, and beside it. Pure.

morecantile's `parent` and `children` go by the same places, but leave out tiles of several columns whose first one they
do not meet; its `neighbors` are in no order that tells where they lie.
"""

from dataclasses import dataclass

from libs.geo.tile_matrix_sets import Matrix
from libs.geo.tiles_of_box import tiles_in
from services.tiles.request.tile_request import TileRequest

_WITHIN = 1e-6
"""Of a tile's size: as far within its edge as to meet no tile on the other side."""


@dataclass(frozen=True, slots=True)
class Around:
    """Addresses (tile matrix, column, row) of the tiles around one."""

    parents: tuple[tuple[int, int, int], ...]
    """One where the set's tiles nest."""
    children: tuple[tuple[int, int, int], ...]
    beside: dict[str, tuple[int, int, int]]
    """By north, east, south, west; at the ends of the matrix there is none."""


def around(request: TileRequest) -> Around:
    """The tiles that share places with it in the matrices above and below, and those beyond the middle of each side."""
    matrices = request.tile_matrix_set.matrices
    left, bottom, right, top = request.region.bounds
    wide, high = right - left, top - bottom
    inside = (left + wide * _WITHIN, bottom + high * _WITHIN, right - wide * _WITHIN, top - high * _WITHIN)

    def sharing(z: int) -> tuple[tuple[int, int, int], ...]:
        return tuple((z, x, y) for x, y in tiles_in(matrices[z], inside)) if z in matrices else ()

    middle = (left + right) / 2, (bottom + top) / 2
    beyond = {
        "north": (middle[0], top + high / 2),
        "east": (right + wide / 2, middle[1]),
        "south": (middle[0], bottom - high / 2),
        "west": (left - wide / 2, middle[1]),
    }
    found = {side: _at(matrices[request.z], request.z, *place) for side, place in beyond.items()}
    return Around(sharing(request.z - 1), sharing(request.z + 1), {side: at for side, at in found.items() if at})


def _at(matrix: Matrix, z: int, x: float, y: float) -> tuple[int, int, int] | None:
    found = matrix.tile_at(x, y)
    return (z, *found) if found else None
