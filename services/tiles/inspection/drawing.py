"""The content of a tile as an SVG drawing in units of the tile. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from services.tiles.inspection.content import Layer
from services.tiles.request.region import BUFFER


@dataclass(frozen=True, slots=True)
class Drawing:
    """Paths of areas, lines and points, empty if there are none, in a square of `extent` units and its buffer."""

    extent: int
    buffer: int
    areas: str
    lines: str
    points: str


def drawing(layers: Sequence[Layer]) -> Drawing | None:
    """Return the decoded features of all layers; None for an empty tile.

    All layers that PostGIS encodes for us have the same extent.
    """
    if not layers:
        return None
    layer = layers[0]
    parts: dict[str, list[str]] = {"Polygon": [], "LineString": [], "Point": []}
    for feature in (feature for each in layers for feature in each.features):
        geometry = feature["geometry"]
        kind = geometry["type"].removeprefix("Multi")
        several = geometry["coordinates"] if geometry["type"].startswith("Multi") else [geometry["coordinates"]]
        parts[kind] += [_path(kind, part) for part in several]
    buffer = layer.extent * BUFFER // 4096
    return Drawing(layer.extent, buffer, *("".join(parts[kind]) for kind in ("Polygon", "LineString", "Point")))


def _path(kind: str, part: Any) -> str:
    if kind == "Point":
        # a line of length 0, whose round ends form a dot
        return f"M{part[0]} {part[1]}h0"
    if kind == "LineString":
        return _line(part)
    return "".join(f"{_line(ring)}Z" for ring in part)


def _line(positions: Iterable[Sequence[int]]) -> str:
    return "M" + "L".join(f"{x} {y}" for x, y in positions)
