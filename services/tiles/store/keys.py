"""Cache keys of tiles, and the tiles above one whose emptiness includes it. Pure."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from libs.geo.tile_matrix_sets import Matrix, tile_matrix_set
from services.tiles.request.tile_request import TileRequest, region_of

_GENERATIONS = 4


@dataclass(frozen=True, slots=True)
class TileKey:
    """Identifies the bytes of a tile: software and limits, version of the data, place, meaning of the parameters."""

    build: str
    token: str
    tile_matrix_set: str
    z: int
    x: int
    y: int
    variant: str
    collection: str

    def __str__(self) -> str:
        place = f"{self.tile_matrix_set}:{self.z}:{self.x}:{self.y}"
        # last, because an id may contain any character
        return f"{self.build}:{self.token}:{place}:{self.variant}:{self.collection}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Invert `str`. Raises ValueError."""
        build, token, tms, z, x, y, variant, collection = text.split(":", 7)
        return cls(build, token, tms, int(z), int(x), int(y), variant, collection)


def ancestors(request: TileRequest, build: str, token: str) -> list[tuple[str, int, int, int]]:
    """Return keys of the tiles above this one, the nearest first, with zoom, column and row."""
    if request.geometry.is_geography:
        # its index uses boxes on the sphere, of which a smaller one may reach beyond a larger one
        return []
    left, bottom, right, top = request.region.bounds
    across, down = (left + right) / 2, (bottom + top) / 2
    tms, rest = request.tile_matrix_set, f"{request.variant}:{request.selection.collection.id}"
    found = []
    for z, matrix in _matrices_above(tms.id, request.z):
        place = matrix.tile_at(across, down)
        if place is not None:
            x, y = place
            found.append((f"{build}:{token}:{tms.id}:{z}:{x}:{y}:{rest}", z, x, y))
    return found


def says_empty(request: TileRequest, z: int, x: int, y: int) -> bool:
    """Return whether an empty tile z/x/y implies that the requested tile is empty.

    Rows are selected by boxes around the tile and its buffer. The buffer is a part of the tile's size, so if the set's
    tiles nest, a smaller tile's box is within a larger one's. But some sets have levels that do not nest, rows of
    another width, and boxes computed by a transformation. So the boxes are compared: a row outside all larger boxes
    cannot be in a smaller box within them.
    """
    region = request.region
    above = region_of(request.tile_matrix_set.tile_bounds(z, x, y), request.tile_matrix_set, request.geometry)
    return above.holds(region)


@lru_cache(maxsize=512)
def _matrices_above(identifier: str, z: int) -> tuple[tuple[int, Matrix], ...]:
    tms = tile_matrix_set(identifier)
    levels = [level for level in sorted(tms.matrices, reverse=True) if level < z]
    return tuple((level, tms.matrices[level]) for level in levels[:_GENERATIONS])
