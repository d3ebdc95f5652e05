"""Addresses of tilesets and of what belongs to them. Pure."""

from libs.catalogue.chosen_collections import Chosen, collections_value
from libs.catalogue.model import Collection
from libs.geo.tile_matrix_sets import TileMatrixSet
from libs.ogc.link import REL_TILING_SCHEME, Link, path_segment
from libs.ogc.media_type import MediaType


def tileset_address(base: str, collection: Collection, tms: TileMatrixSet) -> str:
    """The address of a tileset."""
    return f"{base}/collections/{path_segment(collection.id)}/tiles/{tms.id}"


def dataset_tileset_address(base: str, tms: TileMatrixSet) -> str:
    """The address of a tileset of the whole dataset."""
    return f"{base}/tiles/{tms.id}"


def choosing(address: str, chosen: Chosen) -> str:
    """The address with the collections that the request names; without them where it names none."""
    return f"{address}?collections={collections_value(chosen.collections)}" if chosen.named else address


def with_query(template: str, query: str) -> str:
    """The address of tiles with a further query string."""
    return f"{template}{'&' if '?' in template else '?'}{query}" if query else template


def of_edition(template: str, edition: str | None) -> str:
    """The address of tiles of this edition of their data; of the present one, whichever that is, where it is None."""
    return template if edition is None else f"{template}{'&' if '?' in template else '?'}v={edition}"


def tile_matrix_set_uri(base: str, tms: TileMatrixSet) -> str:
    """What names a tile matrix set: its address in the register of the OGC, else its address here."""
    return tms.uri or f"{base}/tileMatrixSets/{tms.id}"


def tiling_scheme_link(base: str, tms: TileMatrixSet) -> Link:
    """To the tile matrix set of a tileset."""
    return Link(f"{base}/tileMatrixSets/{tms.id}", REL_TILING_SCHEME, MediaType.JSON, f"Tile matrix set {tms.id}")


def tile_link(tileset: str) -> Link:
    """To the tiles of a tileset, by the names of its variables: the path has the column before the row.

    Source: OGC 20-057, /req/tileset/tileset-tile-link.
    """
    path, separator, query = tileset.partition("?")
    template = f"{path}/{{tileMatrix}}/{{tileCol}}/{{tileRow}}{separator}{query}"
    return Link(template, "item", MediaType.MVT, "Vector tiles", templated=True)
