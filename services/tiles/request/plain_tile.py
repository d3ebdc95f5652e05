"""Tile requests that do not come from HTTP clients: for warming up and for the command."""

from collections.abc import Iterable
from functools import cache

from libs.catalogue.model import Collection
from libs.geo.tile_matrix_sets import TileMatrixSet
from libs.pg.text_folding import UNTRIED, TextFolding
from libs.web.openapi import Operation, operations
from libs.web.query_params import read_query
from services.tiles.part import PART
from services.tiles.request.tile_request import TileRequest, parse_tile


def plain_tile(  # noqa: PLR0917 the address of a tile
    collection: Collection, tms: TileMatrixSet, z: int, x: int, y: int, max_features: int
) -> TileRequest:
    """Return the request of a client without parameters. Raises NotFound."""
    return tile_of(collection, tms, z, x, y, max_features, ())


def tile_of_style(  # noqa: PLR0917 the address of a tile
    collection: Collection, tms: TileMatrixSet, z: int, x: int, y: int, max_features: int
) -> TileRequest:
    """Return the request of our own map. Raises NotFound."""
    return tile_of(collection, tms, z, x, y, max_features, (("style-only", "true"),))


def tile_of(  # noqa: PLR0917 the address of a tile
    collection: Collection,
    tms: TileMatrixSet,
    z: int,
    x: int,
    y: int,
    max_features: int,
    parameters: Iterable[tuple[str, str]],
    folding: TextFolding = UNTRIED,
) -> TileRequest:
    """Return the request of a client with these query parameters. Raises NotFound, or InvalidParameters."""
    operation = _operation()
    query = read_query(operation.parameters, operation.extra_parameters, parameters)
    return parse_tile(collection, tms, z, x, y, query, max_features, folding)


@cache
def _operation() -> Operation:
    found = operations(dict(PART.openapi))
    return next(operation for operation in found if operation.operation_id == "dams.collection.vector.getTile")
