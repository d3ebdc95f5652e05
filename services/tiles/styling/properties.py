"""The properties that a map with our style reads. Pure."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from libs.catalogue.model import Collection, GeometryColumn
from services.tiles.styling.hazard import look_of
from services.tiles.styling.layers import data_layers

_READING = {"get", "has"}
_WITHDRAWN = "withdrawn"
"""Together with the end of a feature, this shows a viewer which features are over."""


@lru_cache(maxsize=1024)
def has_marked_areas(collection: Collection, geometry: GeometryColumn) -> bool:
    """Return whether our style draws marks on areas of the column."""
    properties = {column.name: column.type for column in collection.columns}
    look = look_of(collection.id, geometry.type, properties, collection.look)
    return geometry.dimension == 2 and look.mark is not None


@lru_cache(maxsize=1024)
def read_by_style(collection: Collection, geometry: GeometryColumn) -> frozenset[str]:
    """Return the names of these properties of the collection."""
    properties = {column.name: column.type for column in collection.columns}
    layers = data_layers(
        collection.id, geometry.type, look_of(collection.id, geometry.type, properties, collection.look)
    )
    names = {*_names(layers), collection.time_end, _WITHDRAWN}
    return frozenset(name for name in properties if name in names)


def _names(expression: Any) -> Iterator[str]:
    if isinstance(expression, dict):
        for value in expression.values():
            yield from _names(value)
    elif isinstance(expression, list | tuple):
        if tuple(map(type, expression)) == (str, str) and expression[0] in _READING:
            yield expression[1]
        for value in expression:
            yield from _names(value)
