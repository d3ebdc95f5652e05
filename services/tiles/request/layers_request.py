"""A request for a tile of several collections: a request for a tile of each, with the same parameters."""

from collections.abc import Sequence
from dataclasses import replace

from libs.catalogue.model import Collection
from libs.geo.tile_matrix_sets import TileMatrixSet
from libs.ogc.errors import Fault, InvalidParameters, NotFound
from libs.pg.text_folding import UNTRIED, TextFolding
from libs.web.query_params import QueryValues
from services.tiles.request.tile_request import TileRequest, parse_tile

_OF_ONE = ("geom-column", "ids")
"""Parameters of a collection's tiles that do not apply to several: they name things of one collection."""


def parse_layers(  # noqa: PLR0917 the address of a tile
    collections: Sequence[Collection],
    tile_matrix_set: TileMatrixSet,
    z: int,
    x: int,
    y: int,
    query: QueryValues,
    max_features: int,
    folding: TextFolding = UNTRIED,
) -> tuple[TileRequest, ...]:
    """Return the request for each collection. Each parameter applies to all of them.

    Raises NotFound if the set has no such tile, or InvalidParameters with every fault. A fault for only some of the
    collections, such as a property that they do not have, names these.
    """
    tile_matrix_set.tile_bounds(z, x, y)
    extra = dict(query.extra)
    for name in _OF_ONE:
        if name in extra:
            query.fault(name, f"{name} is for tiles of one collection", "extra_forbidden", extra.pop(name))
    requests: list[TileRequest] = []
    faults: dict[str, tuple[Fault, ...]] = {}
    for collection in collections:
        own = replace(query, extra=extra, faults=[])
        try:
            requests.append(parse_tile(collection, tile_matrix_set, z, x, y, own, max_features, folding))
        except InvalidParameters as error:
            faults[collection.id] = error.faults
    query.faults.extend(_merge_faults(faults, everywhere=len(faults) == len(collections)))
    query.check()
    if not requests:
        raise NotFound("No collection has a geometry, hence there are no tiles.")
    return tuple(requests)


def _merge_faults(faults: dict[str, tuple[Fault, ...]], *, everywhere: bool) -> list[Fault]:
    """Return the faults of all collections once, and the others with the name of their collection."""
    first, *others = list(faults.values()) or [()]
    common = [fault for fault in first if everywhere and all(fault in other for other in others)]
    return common + [
        replace(fault, msg=f"{fault.msg} (collection {id_}; collections= names those that the request is about)")
        for id_, found in faults.items()
        for fault in found
        if fault not in common
    ]
