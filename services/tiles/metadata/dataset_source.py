"""A tileset of several collections as a source of web maps: shared by its metadata, TileJSON and style. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from libs.catalogue.chosen_collections import Chosen
from libs.catalogue.model import Collection, GeometryColumn
from libs.geo.tile_matrix_sets import TileMatrixSet
from libs.geo.zooms import zoom_faults
from libs.ogc.bbox import BBox
from libs.ogc.errors import NotFound
from libs.web.query_params import QueryValues
from services.tiles.metadata.addresses import dataset_tileset_address, of_edition, with_collections, with_query
from services.tiles.metadata.zoom_range import zoom_range


@dataclass(frozen=True, slots=True)
class DatasetSource:
    """A tileset of the default geometries of several collections, with the zooms that a map should request."""

    layers: tuple[tuple[Collection, GeometryColumn], ...]
    tms: TileMatrixSet
    template: str
    """Address of the tiles, with `{z}`, `{x}`, `{y}`."""
    selecting: str
    """Query string that selects features; the template includes it."""
    minzoom: int
    maxzoom: int
    bounds: BBox | None
    """Box around all of them, west below east; None if it is unknown for one."""
    attribution: str | None


def dataset_source(
    chosen: Chosen,
    tms: TileMatrixSet,
    query: QueryValues,
    base: str,
    *,
    edition: str | None = None,
    selecting: str = "",
) -> DatasetSource:
    """Return the tileset for the parameters `collections`, `minzoom` and `maxzoom`; `base` is the service's address.

    Addresses of tiles include the query string `selecting`, and the `edition` as `v`.

    Raises NotFound, or InvalidParameters with every fault.
    """
    values = query.values
    query.faults.extend(zoom_faults(tms.id, values.get("minzoom"), values.get("maxzoom")))
    query.check()
    layers = default_geometries(chosen.collections)
    if not layers:
        raise NotFound("No collection has a geometry, hence there are no tiles.")
    ranges = [zoom_range(collection, geometry, tms) for collection, geometry in layers]
    minzoom, maxzoom = min(first for first, _ in ranges), max(last for _, last in ranges)
    # a requested zoom also moves the other end, if necessary
    if values.get("minzoom") is not None:
        minzoom, maxzoom = values["minzoom"], max(maxzoom, values["minzoom"])
    if values.get("maxzoom") is not None:
        minzoom, maxzoom = min(minzoom, values["maxzoom"]), values["maxzoom"]
    return DatasetSource(
        layers,
        tms,
        of_edition(
            with_query(with_collections(f"{dataset_tileset_address(base, tms)}/{{z}}/{{x}}/{{y}}", chosen), selecting),
            edition,
        ),
        selecting,
        minzoom,
        maxzoom,
        enclose([geometry for _, geometry in layers]),
        attribution(layers),
    )


def default_geometries(collections: Sequence[Collection]) -> tuple[tuple[Collection, GeometryColumn], ...]:
    """Return the collections with their default geometries, which tiles of several collections show."""
    return tuple((each, geometry) for each in collections if (geometry := each.geometry()) is not None)


def attribution(layers: Sequence[tuple[Collection, GeometryColumn]]) -> str | None:
    """Return the attributions of all of them, each once."""
    each = dict.fromkeys(collection.attribution for collection, _ in layers if collection.attribution)
    return " · ".join(each) or None


def enclose(geometries: Sequence[GeometryColumn]) -> BBox | None:
    """Return the box around all of them, west below east; None if it is unknown for one."""
    boxes = [BBox(*geometry.bbox).unwrap() for geometry in geometries if geometry.bbox]
    if len(boxes) < len(geometries):
        return None
    west, south, east, north = zip(*boxes, strict=True)
    return BBox(min(west), min(south), max(east), max(north))
