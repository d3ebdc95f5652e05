"""A decoded tile: its layers, features and properties, within limits. Pure."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

MOST_FEATURES = 1_000
"""Maximum number of decoded features: decoding 10,000 takes a second, counting them a few milliseconds."""
MOST_NUMBERS = 100_000
"""Maximum number of numbers in their geometries: two per position, and some for commands."""
_SAMPLES = 5
"""Maximum number of sample values of a property."""

_KINDS = {1: "Point", 2: "LineString", 3: "Polygon"}
_TYPES = ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"))


@dataclass(frozen=True, slots=True)
class Property:
    """A property of a layer's decoded features; features without a value do not count."""

    name: str
    types: tuple[str, ...]
    """Of boolean, integer, number and string, the types of vector tiles."""
    features: int
    """Number of features with a value."""
    samples: tuple[Any, ...]
    """The first few distinct values."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer. Geometries are in its units: `extent` to a side, from the tile's upper left corner, y downwards."""

    name: str
    version: int
    extent: int
    count: int
    """Number of all features."""
    geometry_types: dict[str, int]
    """Number of features that are points, lines and areas; a feature may consist of several."""
    properties: tuple[Property, ...]
    features: tuple[dict[str, Any], ...]
    """GeoJSON features, but with coordinates in units; the first ones if there are many."""


def decode(encoded: bytes) -> tuple[Layer, ...]:
    """Return the layers of a tile, with as many features as the limits allow; empty for an empty tile.

    Takes up to some tenths of a second. Raises google.protobuf.message.DecodeError for bytes that are not a vector
    tile.
    """
    # most processes never decode a tile: this saves 60 ms at start and 2.4 MiB
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
    # 0 means a feature without an id: the encoding does not distinguish it from id 0
    named = {"id": feature["id"]} if feature["id"] else {}
    return {"type": "Feature", **named, "geometry": feature["geometry"], "properties": feature["properties"]}


def _properties(names: Iterable[str], features: list[dict[str, Any]]) -> Iterable[Property]:
    for name in names:
        values = [feature["properties"][name] for feature in features if name in feature["properties"]]
        # True and 1 are equal in Python, but different values
        different = list({(type(value), value): value for value in values}.values())
        types = {next(word for kind, word in _TYPES if isinstance(value, kind)) for value in different}
        yield Property(name, tuple(sorted(types)), len(values), tuple(different[:_SAMPLES]))
