"""The 13 tile matrix sets (OGC 17-083r4), with what a tile needs worked out once, at start.

Tile coordinates here are easting, northing (longitude, latitude) whatever the order of the CRS's axes, which is
also how PostGIS has them.
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
"""Where OGC registers sets."""
_UNREGISTERED = frozenset({"LINZAntarticaMapTilegrid", "NZTM2000Quad", "WGS1984Quad"})
"""Sets that the register does not have (github.com/opengeospatial/2D-Tile-Matrix-Set, `registry/json`, 2026);
morecantile's definition of WGS1984Quad gives another set's address."""

_DEGREE = 111_319.49079327358
"""Metres of the equator, as OGC's scale denominators have it."""


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
    """Zoom of WebMercatorQuad whose tiles are as wide on the ground (at the equator), between two where it must be."""
    coalesce: tuple[tuple[int, int, int], ...]
    """First row, last row, number of columns that make one tile there (variable matrix width)."""

    def coalesced(self, row: int) -> int:
        """How many columns make one tile in this row."""
        return next((count for first, last, count in self.coalesce if first <= row <= last), 1)

    def tile_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Column (the first, where several make one tile) and row of the tile at a place of the set's CRS.

        None where the matrix has no tile; morecantile would give the nearest one. An edge belongs to the tile on its
        right or below it.
        """
        column, row = floor((x - self.left) / self.tile_width), floor((self.top - y) / self.tile_height)
        if not (0 <= column < self.columns and 0 <= row < self.rows):
            return None
        return column - column % self.coalesced(row), row


@dataclass(frozen=True, slots=True)
class TileMatrixSet:
    """A tile matrix set, ready to be asked for bounds."""

    id: str
    title: str
    uri: str | None
    """In the register of the OGC; None for a set that this does not have."""
    crs: str
    srid: int
    matrices: dict[int, Matrix]
    document: dict[str, Any]
    """The TileMatrixSet resource as the standard encodes it, but for the address of a set that is in no register."""

    def levels(self, first: int, last: int) -> tuple[int, int]:
        """The matrices that come nearest to two zooms of WebMercatorQuad, with all others as near."""
        return (
            min(self.matrices, key=lambda z: (abs(self.matrices[z].zoom - first), z)),
            min(self.matrices, key=lambda z: (abs(self.matrices[z].zoom - last), -z)),
        )

    def matrix(self, z: int) -> Matrix:
        """Raises NotFound where the set has no such matrix."""
        found = self.matrices.get(z)
        if found is None:
            levels = sorted(self.matrices)
            raise NotFound(f"{self.id} has no tile matrix {z}; it has {levels[0]} to {levels[-1]}.")
        return found

    def tile_bounds(self, z: int, column: int, row: int) -> Box:
        """The tile's box in the CRS of the set. Raises NotFound where the matrix has no such tile.

        morecantile's `xy_bounds` gives the same box to a ten-millionth of a tile, in 5 µs where this takes 0.7: every
        request asks for it.

        The contract says that x (the column) is bounded by the matrix height and y by its width: a slip, since
        columns are counted along the width.
        """
        matrix = self.matrix(z)
        if not (0 <= column < matrix.columns and 0 <= row < matrix.rows):
            raise NotFound(
                f"Tile matrix {z} of {self.id} has columns 0 to {matrix.columns - 1} and rows 0 to"
                f" {matrix.rows - 1}; there is no tile at column {column}, row {row}."
            )
        group = matrix.coalesced(row)
        left = matrix.left + (column - column % group) * matrix.tile_width
        top = matrix.top - row * matrix.tile_height
        return left, top - matrix.tile_height, left + group * matrix.tile_width, top


@cache
def tile_matrix_set(identifier: str) -> TileMatrixSet:
    """The set of that id. Raises NotFound, naming those there are."""
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
