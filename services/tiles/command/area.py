"""The tiles that the command works on: matrix sets, zooms and a part of the world. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from libs.geo.boxes import WORLD, Box
from libs.geo.crs_areas import boxes_in
from libs.geo.tile_matrix_sets import TileMatrixSet, tile_matrix_set
from libs.geo.tiles_of_box import number_in, tiles_in
from libs.ogc.bbox import BBox
from services.tiles.store.keys import TileKey


@dataclass(frozen=True, slots=True)
class Area:
    """`bbox` is west, south, east, north in degrees; None for a member means all."""

    matrix_sets: list[str] | None
    zooms: range | None
    bbox: Box | None

    def tiles(self, tms: TileMatrixSet, z: int, bbox: Box | None) -> Iterator[tuple[int, int]]:
        """Yield column and row of each tile that meets the area, once; `bbox` applies if the area has no box."""
        boxes = self._boxes(tms, bbox)
        if len(boxes) == 1:
            yield from tiles_in(tms.matrix(z), boxes[0])
        else:
            # two boxes, such as those on both sides of the antimeridian, can meet the same tile
            yield from dict.fromkeys(place for box in boxes for place in tiles_in(tms.matrix(z), box))

    def number(self, tms: TileMatrixSet, z: int, bbox: Box | None) -> int:
        """Return the maximum number of these tiles."""
        return sum(number_in(tms.matrix(z), box) for box in self._boxes(tms, bbox))

    def holds(self, key: TileKey) -> bool:
        """Return whether a cached tile is in the area."""
        if self.matrix_sets and key.tile_matrix_set not in self.matrix_sets:
            return False
        if self.zooms is not None and key.z not in self.zooms:
            return False
        if self.bbox is None:
            return True
        tms = tile_matrix_set(key.tile_matrix_set)
        left, bottom, right, top = tms.tile_bounds(key.z, key.x, key.y)
        return any(
            left <= box[2] and box[0] <= right and bottom <= box[3] and box[1] <= top for box in self._boxes(tms, None)
        )

    def _boxes(self, tms: TileMatrixSet, bbox: Box | None) -> list[Box]:
        """Return the area in the set's CRS."""
        return boxes_in(BBox(*(self.bbox or bbox or WORLD)).parts(), tms.srid)
