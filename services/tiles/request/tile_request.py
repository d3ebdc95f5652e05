"""A request for a tile as one frozen value."""

from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b

from libs.catalogue.model import Collection, GeometryColumn
from libs.geo.boxes import Box
from libs.geo.tile_matrix_sets import TileMatrixSet
from libs.ogc.errors import NotFound
from libs.pg.text_folding import UNTRIED, TextFolding
from libs.selection.selection import Selection, select
from libs.web.query_params import QueryValues
from services.tiles.request.geometry_column import refuse_none
from services.tiles.request.region import Region

_OF_THE_ANSWER = {"f", "collections", "v"}
"""Parameters that make no other tile of a collection."""


@dataclass(frozen=True, slots=True)
class TileRequest:
    """Which tile of which rows."""

    selection: Selection
    geometry: GeometryColumn
    tile_matrix_set: TileMatrixSet
    z: int
    x: int
    """Column; of columns that make one tile together, the first."""
    y: int
    region: Region
    limit: int
    all_properties: bool
    """The request names none; the configuration may still leave some out."""
    variant: str
    """Of the parameters, the same for requests that mean the same; empty where there are none."""


def parse_tile(  # noqa: PLR0917 the address of a tile
    collection: Collection,
    tile_matrix_set: TileMatrixSet,
    z: int,
    x: int,
    y: int,
    query: QueryValues,
    max_features: int,
    folding: TextFolding = UNTRIED,
) -> TileRequest:
    """The tile that path and query parameters name. Raises NotFound, or InvalidParameters with every fault."""
    bounds = tile_matrix_set.tile_bounds(z, x, y)
    zoom = tile_matrix_set.matrix(z).zoom
    plain = not (query.given - _OF_THE_ANSWER or query.extra or collection.kind == "function")
    selection = whole(collection, zoom) if plain else select(collection, query, folding=folding)
    limit = query.values["limit"]
    if limit is not None and limit > max_features:
        query.fault("limit", f"limit must be at most {max_features}, the operator's maximum", "less_than_equal", limit)
    refuse_none(query)
    query.check()
    if selection.geometry is None:
        raise NotFound(f"Collection '{collection.id}' has no geometry, hence no tiles.")
    limit = limit or max_features
    all_properties = query.values["properties"] is None
    return TileRequest(
        selection=selection if plain else _trimmed(selection, zoom) if all_properties else _in_order(selection),
        geometry=selection.geometry,
        tile_matrix_set=tile_matrix_set,
        z=z,
        x=x - x % tile_matrix_set.matrix(z).coalesced(y),
        y=y,
        region=region_of(bounds, tile_matrix_set, selection.geometry),
        limit=limit,
        all_properties=all_properties,
        variant="" if plain else _variant(selection, None if limit == max_features else limit, all_properties),
    )


def region_of(bounds: Box, tile_matrix_set: TileMatrixSet, geometry: GeometryColumn) -> Region:
    """What a tile of these bounds shows of a column."""
    return Region(bounds, tile_matrix_set.srid, geometry.srid or 4326, geometry.turns)


@lru_cache(maxsize=1024)
def whole(collection: Collection, zoom: float) -> Selection:
    """What a request without parameters selects at this zoom; of a table or the like, not of a function."""
    return _trimmed(select(collection, QueryValues()), zoom)


def _trimmed(selection: Selection, zoom: float) -> Selection:
    """With the properties that the configuration wants in tiles of this zoom."""
    for first, last, names in selection.collection.tile_properties:
        if first <= round(zoom) <= last or (first == 0 and zoom < 0):
            wanted = tuple(column for column in selection.properties if column.name in names)
            return replace(selection, properties=wanted)
    return selection


def _in_order(selection: Selection) -> Selection:
    """With the properties in the order of the collection: however they are named, it is the same tile."""
    names = {column.name for column in selection.properties}
    return replace(selection, properties=tuple(c for c in selection.collection.columns if c.name in names))


def _variant(selection: Selection, limit: int | None, all_properties: bool) -> str:
    default_geometry = selection.geometry == selection.collection.geometry()
    if (
        not selection.conditions
        and not selection.arguments
        and not selection.sort
        and limit is None
        and all_properties
        and default_geometry
    ):
        return ""
    text, args = (selection.table + selection.where).render()
    names = None if all_properties else sorted(column.name for column in selection.properties)
    sort = [(term.column.name, term.descending) for term in selection.sort]
    geometry = selection.geometry.name if selection.geometry else None
    return blake2b(repr((text, args, names, sort, limit, geometry)).encode(), digest_size=9).hexdigest()
