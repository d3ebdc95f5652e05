"""The 13 tile matrix sets (OGC 17-083r4), with what a tile needs worked out once, at start.

Tile coordinates here are easting, northing (longitude, latitude) whatever the order of the CRS's axes, which is
also how PostGIS has them.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from math import isfinite, log2
from typing import Any

import morecantile
from pyproj import CRS, Transformer
from pyproj.exceptions import ProjError

from libs.geo.zooms import zooms_of
from libs.ogc.errors import NotFound

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""

_REGISTER = "http://www.opengis.net/def/tilematrixset/OGC/1.0"
"""Where OGC registers the sets; some definitions leave their own address out, and WGS1984Quad's gives another's."""

_DEGREE = 111_319.49079327358
"""Metres of the equator, as OGC's scale denominators have it."""
_TILES_REMEMBERED = 16_384


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


@dataclass(frozen=True, slots=True)
class TileMatrixSet:
    """A tile matrix set, ready to be asked for bounds."""

    id: str
    title: str
    uri: str
    crs: str
    srid: int
    matrices: dict[int, Matrix]
    document: dict[str, Any]
    """The TileMatrixSet resource as the standard encodes it."""

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
    document = {**definition.model_dump(mode="json", exclude_none=True), "uri": f"{_REGISTER}/{identifier}"}
    crs = document["crs"] if isinstance(document["crs"], str) else document["crs"]["uri"]
    swapped = (document.get("orderedAxes") or ["E"])[0].lower() in ("lat", "y", "n")
    srid = 4326 if crs.endswith("CRS84") else CRS.from_user_input(crs).to_epsg() or 0
    metres = _DEGREE if srid == 4326 else 1.0
    return TileMatrixSet(
        id=identifier,
        title=document.get("title", identifier),
        uri=document["uri"],
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


WORLD: tuple[Box, ...] = ((-180.0, -90.0, 180.0, 90.0),)
# Where a projection has finite coordinates, longitude and latitude in degrees, as measured with PROJ 9: a transverse
# Mercator fails near the equator beyond 80 degrees from its central meridian, Mercator at the poles.
_DOMAINS: dict[int, tuple[Box, ...]] = {
    2193: ((93.0, -90.0, 180.0, 90.0), (-180.0, -90.0, -107.0, 90.0)),
    32631: ((-77.0, -90.0, 83.0, 90.0),),
    3857: ((-180.0, -89.9, 180.0, 89.9),),
    3395: ((-180.0, -89.9, 180.0, 89.9),),
    5041: ((-180.0, -89.0, 180.0, 90.0),),
    5042: ((-180.0, -90.0, 180.0, 89.0),),
    5482: ((-180.0, -90.0, 180.0, 89.0),),
    3978: ((-180.0, -89.0, 180.0, 90.0),),
}


def within_domain(boxes: list[Box], srid: int) -> list[Box]:
    """The parts of lon/lat boxes that have finite coordinates in a tile matrix set's CRS."""
    parts = []
    for left, bottom, right, top in boxes:
        for west, south, east, north in _DOMAINS.get(srid, WORLD):
            part = (max(left, west), max(bottom, south), min(right, east), min(top, north))
            if part[0] < part[2] and part[1] < part[3]:
                parts.append(part)
    return parts


@cache
def _transformer(source: int, target: int) -> Transformer:
    return Transformer.from_crs(source, target, always_xy=True)


@lru_cache(maxsize=_TILES_REMEMBERED)
def transformed(box: Box, source: int, target: int) -> Box | None:
    """The box around `box` in another CRS; None where there is no finite one, as near a projection's edge."""
    if source == target:
        return box
    try:
        found = _transformer(source, target).transform_bounds(*box, densify_pts=21)
    except ProjError:
        return None
    return found if all(isfinite(number) for number in found) else None
