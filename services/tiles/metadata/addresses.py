"""Addresses of tilesets and their resources. Pure."""

from libs.catalogue.chosen_collections import Chosen, collections_value
from libs.catalogue.model import Collection
from libs.geo.tile_matrix_sets import TileMatrixSet
from libs.ogc.link import REL_TILING_SCHEME, Link, path_segment
from libs.ogc.media_type import MediaType


def tileset_address(base: str, collection: Collection, tms: TileMatrixSet) -> str:
    """Return the address of a tileset."""
    return f"{base}/collections/{path_segment(collection.id)}/tiles/{tms.id}"


def dataset_tileset_address(base: str, tms: TileMatrixSet) -> str:
    """Return the address of a tileset of the whole dataset."""
    return f"{base}/tiles/{tms.id}"


def with_collections(address: str, chosen: Chosen) -> str:
    """Return the address with the collections that the request names, if it names any."""
    return f"{address}?collections={collections_value(chosen.collections)}" if chosen.named else address


def with_query(template: str, query: str) -> str:
    """Return the template with an additional query string."""
    return f"{template}{'&' if '?' in template else '?'}{query}" if query else template


def of_edition(template: str, edition: str | None) -> str:
    """Return the template for this edition of the data; for None, for the current edition."""
    return template if edition is None else f"{template}{'&' if '?' in template else '?'}v={edition}"


def tile_matrix_set_uri(base: str, tms: TileMatrixSet) -> str:
    """Return the identifier of a tile matrix set: its address in OGC's register, else its address here."""
    return tms.uri or f"{base}/tileMatrixSets/{tms.id}"


def tiling_scheme_link(base: str, tms: TileMatrixSet) -> Link:
    """Return the link to the tile matrix set of a tileset."""
    return Link(f"{base}/tileMatrixSets/{tms.id}", REL_TILING_SCHEME, MediaType.JSON, f"Tile matrix set {tms.id}")


def tile_link(tileset: str) -> Link:
    """Return the link to the tiles of a tileset, with its variables: the column precedes the row in the path.

    Source: OGC 20-057, /req/tileset/tileset-tile-link.
    """
    path, separator, query = tileset.partition("?")
    template = f"{path}/{{tileMatrix}}/{{tileCol}}/{{tileRow}}{separator}{query}"
    return Link(template, "item", MediaType.MVT, "Vector tiles", templated=True)
