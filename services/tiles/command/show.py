"""`tiles show`: the content of one tile."""

import json
from typing import Any
from urllib.parse import parse_qsl

from libs.catalogue.model import Collection
from libs.geo.tile_matrix_sets import TileMatrixSet
from services.tiles.command.table import print_table
from services.tiles.inspection.content import decode
from services.tiles.inspection.document import Made, tile_document
from services.tiles.request.plain_tile import tile_of
from services.tiles.resources import Resources
from services.tiles.store.compression import decompress_tile

_LONGEST = 60
"""Maximum length of sample values in characters."""


async def show(
    resources: Resources,
    collection: Collection,
    tms: TileMatrixSet,
    place: tuple[int, int, int],
    *,
    parameters: str,
    as_json: bool,
) -> int:
    """Print a tile from the cache, or rendered now; `parameters` are those of a query string. Returns exit status 0.

    Raises DomainError.
    """
    pairs = parse_qsl(parameters, keep_blank_values=True)
    request = tile_of(collection, tms, *place, resources.settings.tile_max_features, pairs, resources.folding.current)
    tile = await resources.store.tile(request, resources.store.key(request))
    encoded = await decompress_tile(tile.gzipped) if tile.gzipped else b""
    made = Made(len(encoded), len(tile.gzipped), tile.left_out, tile.estimated, tile.simplified, tile.tier)
    document = tile_document([request], made, decode(encoded))
    if as_json:
        print(json.dumps(document, ensure_ascii=False, indent=1))  # noqa: T201
    else:
        _print(document)
    return 0


def _print(document: dict[str, Any]) -> None:
    omitted, size = document["featuresOmitted"], document["bytes"]
    number = sum(layer["featureCount"] for layer in document["layers"])
    estimate = " (an estimate)" if omitted["estimate"] else ""
    print(document["title"])  # noqa: T201
    simplified = document["featuresSimplified"]["number"]
    print(f"{number:,} features, {omitted['number']:,} left out{estimate}, {simplified:,} simplified")  # noqa: T201
    print(f"{size['encoded']:,} bytes, {size['gzip']:,} as gzip, from {document['tier']}")  # noqa: T201
    for layer in document["layers"]:
        kinds = ", ".join(f"{count:,} × {kind}" for kind, count in layer["geometryTypes"].items())
        print(f"\nlayer {layer['name']}: {kinds}; version {layer['version']}, extent {layer['extent']}")  # noqa: T201
        if len(layer["features"]) < layer["featureCount"]:
            print(f"properties of the first {len(layer['features']):,} features:")  # noqa: T201
        rows = [
            [each["name"], ", ".join(each["types"]) or "no values", f"{each['features']:,}", _samples(each["samples"])]
            for each in layer["properties"]
        ]
        print_table([["property", "type", "features", "values such as"], *rows], numbers={2})


def _samples(values: list[Any]) -> str:
    text = " · ".join(map(str, values)).replace("\n", " ")
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
