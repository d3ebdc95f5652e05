"""A tileset as a source of web maps: shared by TileJSON and styles."""

from dataclasses import dataclass

from libs.catalogue.model import Collection, GeometryColumn
from libs.geo.tile_matrix_sets import TileMatrixSet
from libs.geo.zooms import zoom_faults
from libs.ogc.link import path_segment
from libs.web.query_params import QueryValues
from services.tiles.metadata.addresses import of_edition, tileset_address, with_query
from services.tiles.metadata.zoom_range import zoom_range
from services.tiles.request.tile_request import geometry_of


@dataclass(frozen=True, slots=True)
class MapSource:
    """A tileset of one geometry column, with the zooms that a map should request."""

    collection: Collection
    geometry: GeometryColumn
    tms: TileMatrixSet
    template: str
    """Address of the tiles, with `{z}`, `{x}`, `{y}`."""
    minzoom: int
    maxzoom: int


def map_source(
    collection: Collection,
    tms: TileMatrixSet,
    query: QueryValues,
    base: str,
    *,
    edition: str | None,
    selecting: str = "",
) -> MapSource:
    """Return the tileset for the parameters `geom-column`, `minzoom` and `maxzoom`; `base` is the service's address.

    Addresses of tiles include the query string `selecting`, and the `edition` as `v`.

    Raises NotFound, or InvalidParameters with every fault.
    """
    values = query.values
    query.faults.extend(zoom_faults(tms.id, values["minzoom"], values["maxzoom"]))
    geometry = geometry_of(collection, query)
    query.check()
    minzoom, maxzoom = zoom_range(collection, geometry, tms)
    # a requested zoom also moves the other end, if necessary
    if values["minzoom"] is not None:
        minzoom, maxzoom = values["minzoom"], max(maxzoom, values["minzoom"])
    if values["maxzoom"] is not None:
        minzoom, maxzoom = min(minzoom, values["maxzoom"]), values["maxzoom"]
    template = f"{tileset_address(base, collection, tms)}/{{z}}/{{x}}/{{y}}"
    if values["geom-column"] is not None:
        template += f"?geom-column={path_segment(geometry.name)}"
    template = of_edition(with_query(template, selecting), edition)
    return MapSource(collection, geometry, tms, template, minzoom, maxzoom)
