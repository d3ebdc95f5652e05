"""TopoJSON documents of a few lines."""

from itertools import pairwise
from typing import Any

from deploy.loader.places.topology import Position

_SCALE = 0.01


def topology(lines: list[list[Position]], objects: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Return a quantised TopoJSON document with one arc per line, shifted by (-10, -10)."""
    return {
        "type": "Topology",
        "transform": {"scale": [_SCALE, _SCALE], "translate": [-10, -10]},
        "objects": {name: {"type": "GeometryCollection", "geometries": parts} for name, parts in objects.items()},
        "arcs": [_deltas(line) for line in lines],
    }


def _deltas(line: list[Position]) -> list[list[int]]:
    grid = [(round((x + 10) / _SCALE), round((y + 10) / _SCALE)) for x, y in line]
    return [list(grid[0]), *([x - left, y - below] for (left, below), (x, y) in pairwise(grid))]
