"""A request for a tile as one frozen value."""

from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from math import isclose

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.geo.boxes import Box
from libs.geo.crs_areas import is_mercator
from libs.geo.longitudes import HALF_OF_EQUATOR
from libs.geo.tile_matrix_sets import TileMatrixSet
from libs.ogc.errors import NotFound
from libs.pg.column_types import column_type
from libs.pg.text_folding import UNTRIED, TextFolding
from libs.selection.selection import Selection, chosen_geometry, select
from libs.web.query_params import QueryValues
from services.tiles.request.region import Region
from services.tiles.styling.properties import read_by_style

_OF_THE_ANSWER = {"f", "collections", "v"}
"""Parameters that do not change the tile of a collection."""
_STYLE_ONLY = "style-only"


@dataclass(frozen=True, slots=True)
class TileRequest:
    """A tile and the rows that it shows."""

    selection: Selection
    geometry: GeometryColumn
    tile_matrix_set: TileMatrixSet
    z: int
    x: int
    """Column; the first, if several columns form one tile."""
    y: int
    region: Region
    limit: int
    all_properties: bool
    """The request names no properties; the configuration may still leave some out."""
    variant: str
    """Hash of the parameters, equal for requests with the same meaning; empty without parameters."""
    usual: bool = False
    """Whether it is the first request of our map: for the style, and without other parameters."""


def tile_key(collection: Collection) -> Column | None:
    """Return the column with the ids of a tile's features: the key if it is an integer, as vector tiles require."""
    key = collection.column(collection.key) if collection.key else None
    return key if key is not None and column_type(key.sql_type).bits is not None else None


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
    """Return the tile that path and query parameters name. Raises NotFound, or InvalidParameters with every fault."""
    bounds = tile_matrix_set.tile_bounds(z, x, y)
    zoom = tile_matrix_set.matrix(z).zoom
    few = _style_properties(collection, query)
    without = _OF_THE_ANSWER if few else _OF_THE_ANSWER | {_STYLE_ONLY}
    plain = not (query.given - without or query.extra or collection.kind == "function")
    selection = plain_selection(collection, zoom) if plain else select(collection, query, folding=folding)
    limit = query.values["limit"]
    if limit is not None and limit > max_features:
        query.fault("limit", f"limit must be at most {max_features}, the operator's maximum", "less_than_equal", limit)
    refuse_none(query)
    query.check()
    if selection.geometry is None:
        raise NotFound(f"Collection '{collection.id}' has no geometry, hence no tiles.")
    limit = limit or max_features
    all_properties = query.values["properties"] is None
    geometry = selection.geometry
    if few:
        selection = _keep_properties(_trim(selection, zoom), few)
    elif not plain:
        selection = _trim(selection, zoom) if all_properties else _in_order(selection)
    limited = None if limit == max_features else limit
    return TileRequest(
        selection=selection,
        geometry=geometry,
        tile_matrix_set=tile_matrix_set,
        z=z,
        x=x - x % tile_matrix_set.matrix(z).coalescence(y),
        y=y,
        region=region_of(bounds, tile_matrix_set, geometry),
        limit=limit,
        all_properties=all_properties,
        variant="" if plain else _variant(selection, limited, all_properties, few=few is not None),
        usual=few is not None and not _variant(selection, limited, all_properties, few=False),
    )


def _style_properties(collection: Collection, query: QueryValues) -> frozenset[str] | None:
    """Return the properties that our style reads, if others can be requested by id; None if the tile has them all."""
    if not query.values[_STYLE_ONLY]:
        return None
    if query.values["properties"] is not None:
        query.fault(_STYLE_ONLY, "style-only and properties cannot be combined", value="true")
    key, geometry = tile_key(collection), collection.geometry(query.values.get("geom-column"))
    if key is None or geometry is None:
        return None
    # features without an id have the key as a property
    names = read_by_style(collection, geometry) | {key.name}
    return names if any(column.name not in names for column in collection.columns) else None


def _keep_properties(selection: Selection, names: frozenset[str]) -> Selection:
    return replace(selection, properties=tuple(column for column in selection.properties if column.name in names))


def region_of(bounds: Box, tile_matrix_set: TileMatrixSet, geometry: GeometryColumn) -> Region:
    """Return the region of a column that a tile with these bounds shows."""
    return Region(
        bounds,
        tile_matrix_set.srid,
        geometry.srid or 4326,
        geometry.turns,
        antimeridian=_ends_at_antimeridian(bounds, tile_matrix_set.srid),
        of_points=geometry.type == "Point",
    )


def _ends_at_antimeridian(bounds: Box, srid: int) -> tuple[bool, bool]:
    """Return whether a tile ends at -180° on its left, and at 180° on its right, if both are edges of the set."""
    if srid == 4326:
        edge = 180.0
    elif is_mercator(srid):
        edge = HALF_OF_EQUATOR
    else:
        return False, False
    left, _, right, _ = bounds
    return isclose(left, -edge, rel_tol=1e-9), isclose(right, edge, rel_tol=1e-9)


@lru_cache(maxsize=1024)
def plain_selection(collection: Collection, zoom: float) -> Selection:
    """Return the selection of a request without parameters at this zoom; for a table or view, not for a function."""
    return _trim(select(collection, QueryValues()), zoom)


def _trim(selection: Selection, zoom: float) -> Selection:
    """Return the selection with the properties configured for tiles of this zoom."""
    for first, last, names in selection.collection.tile_properties:
        if first <= round(zoom) <= last:
            wanted = tuple(column for column in selection.properties if column.name in names)
            return replace(selection, properties=wanted)
    return selection


def _in_order(selection: Selection) -> Selection:
    """Return the selection with properties in the collection's order: another order in a request is the same tile."""
    names = {column.name for column in selection.properties}
    return replace(selection, properties=tuple(c for c in selection.collection.columns if c.name in names))


def _variant(selection: Selection, limit: int | None, all_properties: bool, *, few: bool) -> str:
    default_geometry = selection.geometry == selection.collection.geometry()
    if (
        not selection.conditions
        and selection.collection.past is None
        and not selection.arguments
        and not selection.sort
        and limit is None
        and all_properties
        and not few
        and default_geometry
    ):
        return ""
    text, args = (selection.table + selection.where).render()
    named = few or not all_properties
    names = sorted(column.name for column in selection.properties) if named else None
    sort = [(term.column.name, term.descending) for term in selection.sort]
    geometry = selection.geometry.name if selection.geometry else None
    # two tiles with the same properties may differ: one has the key among them
    meaning = (text, args, names, sort, limit, geometry, *([_STYLE_ONLY] if few else []))
    return blake2b(repr(meaning).encode(), digest_size=9).hexdigest()


def geometry_of(collection: Collection, query: QueryValues | None = None) -> GeometryColumn:
    """Return the geometry column that `geom-column` names, else the default.

    A fault of it is raised together with the faults so far. Raises NotFound if the collection has no geometry.
    """
    found = collection.geometry()
    if query is not None:
        refuse_none(query)
        found = chosen_geometry(collection, query)
        if found is None:
            query.check()
    if found is None:
        raise NotFound(f"Collection '{collection.id}' has no geometry, hence no tiles.")
    return found


def refuse_none(query: QueryValues) -> None:
    """Add a fault if the request omits geometry."""
    if query.values.get("geom-column") == "none":
        query.fault("geom-column", "geom-column none is not possible for tiles", value="none")
