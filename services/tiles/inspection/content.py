"""A decoded tile: its layers, features and properties, within limits. Pure."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

MOST_FEATURES = 1_000
"""That are decoded of a tile: decoding 10,000 takes a second, counting them a few milliseconds."""
MOST_NUMBERS = 100_000
"""Of their geometries: two for each position, and some for commands."""
_SAMPLES = 5
"""Values that are shown of a property."""

_KINDS = {1: "Point", 2: "LineString", 3: "Polygon"}
_TYPES = ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"))


@dataclass(frozen=True, slots=True)
class Property:
    """What the decoded features of a layer have of a property; those without a value leave it out."""

    name: str
    types: tuple[str, ...]
    """boolean, integer, number, string: those that vector tiles know."""
    features: int
    """That have a value."""
    samples: tuple[Any, ...]
    """The first few different values."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer. Geometries are in its units: `extent` to a side, from the tile's upper left corner, y downwards."""

    name: str
    version: int
    extent: int
    count: int
    """Of all features."""
    geometry_types: dict[str, int]
    """How many features are points, lines and areas; several of a kind may make one feature."""
    properties: tuple[Property, ...]
    features: tuple[dict[str, Any], ...]
    """As GeoJSON features, save for the units of their coordinates; the first ones where there are many."""


def decoded(encoded: bytes) -> tuple[Layer, ...]:
    """The layers of a tile, with as many features as the limits allow; none of an empty tile.

    Takes up to some tenths of a second. Raises google.protobuf.message.DecodeError for what is no vector tile.
    """
    # most processes never look into a tile: 60 ms of their start and 2.4 MiB
    import mapbox_vector_tile  # noqa: PLC0415
    from mapbox_vector_tile.Mapbox import vector_tile_pb2  # noqa: PLC0415

    tile = vector_tile_pb2.tile()
    tile.ParseFromString(encoded)
    totals = [(len(layer.features), Counter(feature.type for feature in layer.features)) for layer in tile.layers]
    features_left, numbers_left = MOST_FEATURES, MOST_NUMBERS
    for layer in tile.layers:
        number = 0
        for feature in layer.features:
            numbers_left -= len(feature.geometry)
            if number >= features_left or numbers_left < 0:
                break
            number += 1
        features_left -= number
        del layer.features[number:]
    found = mapbox_vector_tile.decode(tile.SerializeToString(), default_options={"y_coord_down": True})
    return tuple(
        Layer(
            name=layer.name,
            version=layer.version,
            extent=layer.extent,
            count=count,
            geometry_types={_KINDS.get(kind, "unknown"): number for kind, number in sorted(kinds.items())},
            properties=tuple(_properties(layer.keys, found[layer.name]["features"])),
            features=tuple(_feature(feature) for feature in found[layer.name]["features"]),
        )
        for layer, (count, kinds) in zip(tile.layers, totals, strict=True)
    )


def _feature(feature: dict[str, Any]) -> dict[str, Any]:
    # 0 stands for a feature without an id, which the encoding does not tell from one whose id is 0
    named = {"id": feature["id"]} if feature["id"] else {}
    return {"type": "Feature", **named, "geometry": feature["geometry"], "properties": feature["properties"]}


def _properties(names: Iterable[str], features: list[dict[str, Any]]) -> Iterable[Property]:
    for name in names:
        values = [feature["properties"][name] for feature in features if name in feature["properties"]]
        # True and 1 are equal, and are not the same value
        different = list({(type(value), value): value for value in values}.values())
        types = {next(word for kind, word in _TYPES if isinstance(value, kind)) for value in different}
        yield Property(name, tuple(sorted(types)), len(values), tuple(different[:_SAMPLES]))
