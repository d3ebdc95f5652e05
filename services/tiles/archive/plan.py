"""The tiles of an archive. Pure.

PMTiles 3 numbers tiles along a Hilbert curve on the quadtree of WebMercatorQuad, zoom by zoom; it supports no other
set.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pmtiles.tile import zxy_to_tileid

from libs.catalogue.model import Collection, GeometryColumn
from libs.geo.boxes import WORLD, Box, transform_box
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.geo.tiles_of_box import number_in, tiles_in
from libs.ogc.bbox import BBox
from libs.ogc.errors import NotFound
from services.tiles.metadata.dataset_source import default_geometries, enclose
from services.tiles.metadata.zoom_range import zoom_range

TMS = tile_matrix_set("WebMercatorQuad")

_MOST_LATITUDE = 89.0
"""Maximum latitude in degrees: tiles end at 85 degrees, and the poles are at infinity."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Tiles of some zooms in an area, with a layer for each collection."""

    layers: tuple[tuple[Collection, GeometryColumn], ...]
    zooms: range
    bbox: BBox
    """The area in degrees; west above east if it crosses the antimeridian."""

    @property
    def collections(self) -> tuple[Collection, ...]:
        """The collections of the layers."""
        return tuple(collection for collection, _ in self.layers)

    def number(self) -> int:
        """Maximum number of tiles that meet the area, including empty ones; computed without listing them."""
        return sum(number_in(TMS.matrix(z), box) for z in self.zooms for box in self._boxes())

    def places(self) -> Iterator[tuple[int, tuple[int, int, int]]]:
        """Yield the archive's number and zoom, column and row of each tile that meets the area, in ascending order."""
        for z in self.zooms:
            found = {
                zxy_to_tileid(z, x, y): (z, x, y) for box in self._boxes() for x, y in tiles_in(TMS.matrix(z), box)
            }
            yield from sorted(found.items())

    def _boxes(self) -> list[Box]:
        """Return the area in the set's CRS, exactly: a box of longitude and latitude is also a box in Mercator."""
        parts = [(west, _clip(south), east, _clip(north)) for west, south, east, north in self.bbox.parts()]
        found = [transform_box(part, 4326, TMS.srid) for part in parts]
        return [box for box in found if box is not None]


def _clip(latitude: float) -> float:
    return min(max(latitude, -_MOST_LATITUDE), _MOST_LATITUDE)


def plan(collections: Sequence[Collection], zooms: range | None, bbox: Box | None) -> Plan:
    """Return the plan for these collections; by default with the zooms of TileJSON and the area of the data.

    Raises NotFound if no collection has a geometry, or a zoom does not exist.
    """
    layers = default_geometries(collections)
    if not layers:
        raise NotFound("No collection has a geometry, hence there are no tiles.")
    if zooms is None:
        ranges = [zoom_range(collection, geometry, TMS) for collection, geometry in layers]
        zooms = range(min(first for first, _ in ranges), max(last for _, last in ranges) + 1)
    for z in zooms:
        TMS.matrix(z)
    return Plan(layers, zooms, _area_of(layers) if bbox is None else BBox(*bbox))


def _area_of(layers: Sequence[tuple[Collection, GeometryColumn]]) -> BBox:
    geometries = [geometry for _, geometry in layers]
    if len(geometries) == 1 and geometries[0].bbox:
        # unchanged: it may cross the antimeridian
        return BBox(*geometries[0].bbox)
    return enclose(geometries) or BBox(*WORLD)
