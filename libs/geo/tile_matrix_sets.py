"""The 13 tile matrix sets (OGC 17-083r4), with the values that tiles need, computed at start.

Tile coordinates are easting, northing (longitude, latitude), independent of the CRS's axis order, as in PostGIS.
"""

from dataclasses import dataclass
from functools import cache
from math import floor, log2
from typing import Any

import morecantile
from pyproj import CRS

from libs.geo.boxes import Box
from libs.geo.zooms import zooms_of
from libs.ogc.errors import NotFound

_REGISTER = "http://www.opengis.net/def/tilematrixset/OGC/1.0"
"""OGC's register of sets."""
_UNREGISTERED = frozenset({"LINZAntarticaMapTilegrid", "NZTM2000Quad", "WGS1984Quad"})
"""Sets that are not in the register (github.com/opengeospatial/2D-Tile-Matrix-Set, `registry/json`, 2026).

For WGS1984Quad, morecantile has the address of another set.
"""

_DEGREE = 111_319.49079327358
"""Metres per degree at the equator, as in OGC's scale denominators."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """One tile matrix: `left`, `top` its origin, `tile_width`, `tile_height` the size of a tile, in CRS units."""

    id: str
    left: float
    top: float
    tile_width: float
    tile_height: float
    columns: int
    rows: int
    pixels: int
    """Width of a tile in pixels."""
    zoom: float
    """Zoom of WebMercatorQuad with tiles of the same width on the ground (at the equator); may be a fraction."""
    coalesce: tuple[tuple[int, int, int], ...]
    """First row, last row, and number of columns that form one tile there (variable matrix width)."""

    def coalescence(self, row: int) -> int:
        """Return how many columns form one tile in this row."""
        return next((count for first, last, count in self.coalesce if first <= row <= last), 1)

    def tile_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Return column (the first, if several form one tile) and row of the tile at a place in the set's CRS.

        Returns None outside the matrix, where morecantile would return the nearest tile. An edge belongs to the tile on
        its right or below it.
        """
        column, row = floor((x - self.left) / self.tile_width), floor((self.top - y) / self.tile_height)
        if not (0 <= column < self.columns and 0 <= row < self.rows):
            return None
        return column - column % self.coalescence(row), row


@dataclass(frozen=True, slots=True)
class TileMatrixSet:
    """A tile matrix set, prepared for computing bounds."""

    id: str
    title: str
    uri: str | None
    """Address in OGC's register; None for a set that is not in it."""
    crs: str
    srid: int
    matrices: dict[int, Matrix]
    document: dict[str, Any]
    """The TileMatrixSet resource in the standard's encoding; sets outside the register have no address in it."""

    def levels(self, first: int, last: int) -> tuple[int, int]:
        """Return the matrices nearest to two zooms of WebMercatorQuad; ties are included."""
        return (
            min(self.matrices, key=lambda z: (abs(self.matrices[z].zoom - first), z)),
            min(self.matrices, key=lambda z: (abs(self.matrices[z].zoom - last), -z)),
        )

    def matrix(self, z: int) -> Matrix:
        """Return the matrix. Raises NotFound if the set does not have it."""
        found = self.matrices.get(z)
        if found is None:
            levels = sorted(self.matrices)
            raise NotFound(f"{self.id} has no tile matrix {z}; it has {levels[0]} to {levels[-1]}.")
        return found

    def tile_bounds(self, z: int, column: int, row: int) -> Box:
        """Return the tile's box in the CRS of the set. Raises NotFound if the matrix has no such tile.

        morecantile's `xy_bounds` gives the same box, up to a ten-millionth of a tile, in 5 µs; this takes 0.7 µs, and
        every request needs it.

        The contract says that x (the column) is bounded by the matrix height and y by its width. That is a mistake:
        columns are counted along the width.
        """
        matrix = self.matrix(z)
        if not (0 <= column < matrix.columns and 0 <= row < matrix.rows):
            raise NotFound(
                f"Tile matrix {z} of {self.id} has columns 0 to {matrix.columns - 1} and rows 0 to"
                f" {matrix.rows - 1}; there is no tile at column {column}, row {row}."
            )
        group = matrix.coalescence(row)
        left = matrix.left + (column - column % group) * matrix.tile_width
        top = matrix.top - row * matrix.tile_height
        return left, top - matrix.tile_height, left + group * matrix.tile_width, top


@cache
def tile_matrix_set(identifier: str) -> TileMatrixSet:
    """Return the set of that id. Raises NotFound with the names of existing sets."""
    zooms_of(identifier)
    definition = morecantile.tms.get(identifier)
    uri = None if identifier in _UNREGISTERED else f"{_REGISTER}/{identifier}"
    document = {**definition.model_dump(mode="json", exclude_none=True), "uri": uri}
    crs = document["crs"] if isinstance(document["crs"], str) else document["crs"]["uri"]
    swapped = (document.get("orderedAxes") or ["E"])[0].lower() in ("lat", "y", "n")
    srid = 4326 if crs.endswith("CRS84") else CRS.from_user_input(crs).to_epsg() or 0
    metres = _DEGREE if srid == 4326 else 1.0
    return TileMatrixSet(
        id=identifier,
        title=document.get("title", identifier),
        uri=uri,
        crs=crs,
        srid=srid,
        matrices={int(entry["id"]): _matrix(entry, swapped, metres) for entry in document["tileMatrices"]},
        document=document,
    )


def _matrix(entry: dict[str, Any], swapped: bool, metres: float) -> Matrix:
    origin = entry["pointOfOrigin"]
    left, top = (origin[1], origin[0]) if swapped else (origin[0], origin[1])
    return Matrix(
        id=entry["id"],
        left=left,
        top=top,
        tile_width=entry["cellSize"] * entry["tileWidth"],
        tile_height=entry["cellSize"] * entry["tileHeight"],
        columns=entry["matrixWidth"],
        rows=entry["matrixHeight"],
        pixels=entry["tileWidth"],
        zoom=round(log2(360 * _DEGREE / (entry["cellSize"] * entry["tileWidth"] * metres)), 6),
        coalesce=tuple(
            (width["minTileRow"], width["maxTileRow"], width["coalesce"])
            for width in entry.get("variableMatrixWidths", [])
        ),
    )
