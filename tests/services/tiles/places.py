"""Tiles as a client works them out: from the published definition of a tile matrix set, with pyproj and shapely.

Shares nothing with the service but the definition that it publishes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import floor, isfinite
from typing import Any

import mapbox_vector_tile
import shapely
from pyproj import CRS, Transformer
from shapely.geometry import shape
from shapely.geometry.base import BaseGeometry

EXTENT = 4096

ANCHORS = {
    "CDB1GlobalGrid": (10.51, 47.23),
    "CanadianNAD83_LCC": (-96.3, 60.2),
    "EuropeanETRS89_LAEAQuad": (13.7, 48.6),
    "GNOSISGlobalGrid": (-62.3, 71.2),
    "LINZAntarticaMapTilegrid": (161.3, -78.4),
    "NZTM2000Quad": (174.81, -41.27),
    "UPSAntarcticWGS84Quad": (-67.2, -75.1),
    "UPSArcticWGS84Quad": (101.9, 81.3),
    "UTM31WGS84Quad": (3.4, 43.7),
    "WGS1984Quad": (-90.7, 14.4),
    "WebMercatorQuad": (14.43, 40.82),
    "WorldCRS84Quad": (138.73, 35.36),
    "WorldMercatorWGS84Quad": (-177.3, -17.6),
}
"""A place in the area that each set was made for: longitude, latitude."""

TRANSVERSE = {"NZTM2000Quad", "UTM31WGS84Quad"}
"""Tile matrix sets whose projection is not defined a quarter of the globe away."""

CYLINDRICAL = {3857, 3395, 4326}


@dataclass(frozen=True)
class Grid:
    """One matrix of a tile matrix set, in easting and northing."""

    srid: int
    id: int
    left: float
    top: float
    width: float
    height: float
    columns: int
    rows: int
    widths: tuple[tuple[int, int, int], ...]

    def group(self, row: int) -> int:
        """How many columns make one tile in this row."""
        return next((count for first, last, count in self.widths if first <= row <= last), 1)

    def tile_at(self, longitude: float, latitude: float) -> tuple[int, int]:
        """Column and row of the tile that holds a place."""
        x, y = transformer(self.srid).transform(longitude, latitude)
        return floor((x - self.left) / self.width), floor((self.top - y) / self.height)

    def place(self, geometry: BaseGeometry, column: int, row: int) -> BaseGeometry:
        """A geometry of longitudes and latitudes in units of a tile, y downwards."""
        group = self.group(row)
        left = self.left + (column - column % group) * self.width
        top = self.top - row * self.height

        def move(xy: Any) -> Any:
            x, y = transformer(self.srid).transform(xy[:, 0], xy[:, 1])
            xy[:, 0] = (x - left) / (self.width * group) * EXTENT
            xy[:, 1] = (top - y) / self.height * EXTENT
            return xy

        return shapely.transform(geometry, move)


def grids(definition: dict[str, Any]) -> list[Grid]:
    """The matrices of a TileMatrixSet resource, the coarsest first."""
    crs = definition["crs"] if isinstance(definition["crs"], str) else definition["crs"]["uri"]
    northing_first = definition.get("orderedAxes", ["E"])[0] in {"Lat", "Y", "N"}
    result = []
    for entry in definition["tileMatrices"]:
        x, y = entry["pointOfOrigin"][::-1] if northing_first else entry["pointOfOrigin"]
        result.append(
            Grid(
                srid=4326 if crs.endswith("CRS84") else CRS.from_user_input(crs).to_epsg() or 0,
                id=int(entry["id"]),
                left=x,
                top=y,
                width=entry["cellSize"] * entry["tileWidth"],
                height=entry["cellSize"] * entry["tileHeight"],
                columns=entry["matrixWidth"],
                rows=entry["matrixHeight"],
                widths=tuple(
                    (width["minTileRow"], width["maxTileRow"], width["coalesce"])
                    for width in entry.get("variableMatrixWidths", [])
                ),
            )
        )
    return result


@cache
def transformer(srid: int) -> Transformer:
    """From longitude and latitude to easting and northing."""
    return Transformer.from_crs(4326, srid, always_xy=True)


@dataclass(frozen=True)
class Drawn:
    """A feature of a decoded tile."""

    id: int | None
    geometry: BaseGeometry
    properties: dict[str, Any]

    @property
    def x(self) -> float:
        """The x coordinate of a point, in tile units from the left edge."""
        return float(shapely.get_x(self.geometry))

    @property
    def y(self) -> float:
        """The y coordinate of a point, in tile units from the upper edge."""
        return float(shapely.get_y(self.geometry))


def decoded(tile: bytes, layer: str) -> list[Drawn]:
    """The features of the one layer that a tile has; none of an empty tile."""
    if not tile:
        return []
    layers = mapbox_vector_tile.decode(tile, default_options={"y_coord_down": True})
    assert list(layers) == [layer]
    assert layers[layer]["extent"] == EXTENT
    assert layers[layer]["version"] == 2
    return [
        Drawn(feature.get("id"), shape(feature["geometry"]), feature["properties"])
        for feature in layers[layer]["features"]
    ]


def inside(geometry: BaseGeometry) -> shapely.MultiPoint:
    """The vertices of a geometry, all finite, that lie clearly inside the tile."""
    found = [
        (x, y)
        for x, y in shapely.get_coordinates(geometry)
        if isfinite(x) and 2 < x < EXTENT - 2 and 2 < y < EXTENT - 2
    ]
    return shapely.MultiPoint(found)


def shown(identifier: str, geometries: dict[int, BaseGeometry]) -> dict[int, BaseGeometry]:
    """Return the geometries near enough to have a place in the set's projection; the poles are at every longitude."""
    if identifier not in TRANSVERSE:
        return geometries
    middle = ANCHORS[identifier][0]
    return {
        number: geometry
        for number, geometry in geometries.items()
        if all(abs((x - middle + 180) % 360 - 180) < 75 for x, _ in shapely.get_coordinates(geometry))
    }
