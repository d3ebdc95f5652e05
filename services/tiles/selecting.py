"""The parameters of a request for TileJSON or a style that are passed on to the addresses of tiles."""

from collections.abc import Sequence
from urllib.parse import quote, urlencode

from libs.catalogue.model import Collection
from libs.geo.tile_matrix_sets import TileMatrixSet
from libs.web.app import Call, sent_parameters
from libs.web.query_params import QueryValues
from services.tiles.request.layers_request import parse_layers
from services.tiles.request.tile_request import parse_tile
from services.tiles.resources import FOLDING, MAX_FEATURES

_OF_THE_DOCUMENT = {"f", "lang", "minzoom", "maxzoom", "plain", "geom-column", "collections"}
"""Parameters that do not select features, or that the address of tiles contains already."""


def selecting_query(call: Call, collections: Sequence[Collection], tms: TileMatrixSet, *, several: bool) -> str:
    """Return the query string that selects features, such as `filter=magnitude%20%3E%206`; empty without a selection.

    Checks the parameters like a tile request. Raises InvalidParameters with every fault, and NotFound.
    """
    sent = [(name, text) for name, text in sent_parameters(call.request) if name not in _OF_THE_DOCUMENT]
    if not sent:
        return ""
    app, z = call.request.app, min(tms.matrices)
    values = {"style-only": None, **call.query.values}
    query = QueryValues(values, call.query.given - _OF_THE_DOCUMENT, dict(call.query.extra), list(call.query.faults))
    if several:
        parse_layers(collections, tms, z, 0, 0, query, app[MAX_FEATURES], app[FOLDING].current)
    else:
        parse_tile(collections[0], tms, z, 0, 0, query, app[MAX_FEATURES], app[FOLDING].current)
    return urlencode(sent, quote_via=quote, safe="")
