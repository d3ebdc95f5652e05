"""Compares tiles with the rows that they are made of: decoded, put together, and held against an own projection."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from math import ceil, floor, isfinite

import shapely
from shapely.affinity import translate
from shapely.geometry import box
from shapely.geometry.base import BaseGeometry

from tests.services.tiles.fidelity.shapes import meant
from tests.services.tiles.places import EXTENT, Drawn, Grid

Fetched = tuple[list[Drawn], int]
"""Features of a tile, and how many of its features are said to be left out or simplified."""
Fetch = Callable[[Grid, int, int], Awaitable[Fetched]]

_FURTHEST = 1.25
"""Units between an edge and its place: rounding takes up to 0.7 and chords up to 0.7, rarely both at once."""
_STRIP = 1.5
"""Units that the far side of a strip may be further away: the strip lies on one side of what collapsed."""
_JUMP = 1.5
"""Units that an edge may be apart in two tiles where these meet: each of them rounds the corners that it cuts."""
_SEEN_AREA = 400.0
"""Square units from which on areas are compared: rounding changes smaller ones by more than a tenth."""


@dataclass(frozen=True)
class Fault:
    """A fault of a feature in the tiles of one matrix."""

    grid: int
    feature: int
    what: str


async def faults(shapes: dict[int, BaseGeometry], grid: Grid, fetch: Fetch, *, most_tiles: int = 4) -> Iterator[Fault]:
    """Faults of the features in the tiles of a matrix around them, of `most_tiles` tiles in each direction."""
    found: list[Fault] = []
    group = grid.group(_row(shapes, grid))
    placed = {number: _placed(shape, grid, _row(shapes, grid)) for number, shape in shapes.items()}
    left, top, right, bottom = shapely.total_bounds(list(placed.values()))
    columns = range(max(0, floor(left / EXTENT)), min(grid.columns // group, ceil((right + 1e-9) / EXTENT)))[
        :most_tiles
    ]
    rows = range(max(0, floor(top / EXTENT)), min(grid.rows, ceil((bottom + 1e-9) / EXTENT)))[:most_tiles]
    rows = range(rows.start, next((row for row in rows if grid.group(row) != group), rows.stop))
    tiles = {(column, row): await fetch(grid, column * group, row) for column in columns for row in rows}
    counted = sum(number for _, number in tiles.values())
    for number, shape in placed.items():
        parts = {
            place: translate(feature.geometry, place[0] * EXTENT, place[1] * EXTENT)
            for place, (features, _) in tiles.items()
            for feature in features
            if feature.id == number
        }
        window = box(columns.start * EXTENT, rows.start * EXTENT, columns.stop * EXTENT, rows.stop * EXTENT)
        found += [Fault(grid.id, number, what) for what in _compared(shape, parts, window, is_counted=counted > 0)]
    return iter(found)


def _row(shapes: dict[int, BaseGeometry], grid: Grid) -> int:
    """The row of the middle of all shapes."""
    left, bottom, right, top = shapely.total_bounds(list(shapes.values()))
    return grid.tile_at((left + right) / 2, (bottom + top) / 2)[1]


def _placed(shape: BaseGeometry, grid: Grid, row: int) -> BaseGeometry:
    """In units of the whole matrix as wide as in this row, with edges that are straight in longitude and latitude."""
    bent = shape if grid.srid == 4326 else shapely.segmentize(shape, 0.002)
    return meant(translate(grid.place(bent, 0, row), 0, row * EXTENT))


def _compared(
    shape: BaseGeometry, parts: dict[tuple[int, int], BaseGeometry], window: BaseGeometry, *, is_counted: bool
) -> Iterator[str]:
    seen = shape.intersection(window.buffer(-2))
    if seen.is_empty:
        return
    if not parts:
        if not is_counted:
            yield "is missing, and not counted"
        return
    drawn = shapely.union_all(
        [
            shapely.make_valid(part).intersection(box(x * EXTENT, y * EXTENT, (x + 1) * EXTENT, (y + 1) * EXTENT))
            for (x, y), part in parts.items()
        ]
    )
    away = _furthest(drawn, shape)
    if away > _FURTHEST + (_STRIP if is_counted else 0):
        yield f"is drawn {away:.1f} units beyond the stored shape"
    is_small = max(shape.bounds[2] - shape.bounds[0], shape.bounds[3] - shape.bounds[1]) < 2
    lost = _furthest(seen, drawn)
    if lost > _FURTHEST and not is_small and not is_counted:
        yield f"leaves out what is {lost:.1f} units away from what is drawn, and is not counted"
    # an area that is thinner than two units, and no mask of many parts, is drawn as wide as a unit
    is_thin = shape.geom_type == "Polygon" and 2 * shape.area < 2 * shape.length
    if seen.area > _SEEN_AREA and not is_thin:
        ratio = drawn.intersection(window.buffer(-2)).area / seen.area
        if not 0.9 < ratio < 1.1:
            yield f"has {ratio:.2f} of its area"
    for jump in _jumps(parts):
        if jump > _JUMP:
            yield f"jumps {jump:.1f} units where two tiles meet"


def _furthest(one: BaseGeometry, other: BaseGeometry) -> float:
    """The largest distance of a corner of `one` from `other`."""
    shapely.prepare(other)
    return max(
        (float(other.distance(shapely.Point(x, y))) for x, y in shapely.get_coordinates(one) if isfinite(x)),
        default=0.0,
    )


def _jumps(parts: dict[tuple[int, int], BaseGeometry]) -> Iterator[float]:
    """How far the edges of two neighbours are apart where they cross the edge between these."""
    for (x, y), part in parts.items():
        for other, seam in (
            ((x + 1, y), [((x + 1) * EXTENT, y * EXTENT + 2), ((x + 1) * EXTENT, (y + 1) * EXTENT - 2)]),
            ((x, y + 1), [(x * EXTENT + 2, (y + 1) * EXTENT), ((x + 1) * EXTENT - 2, (y + 1) * EXTENT)]),
        ):
            if other in parts:
                line = shapely.LineString(seam)
                one, two = (_edge(each) for each in (part, parts[other]))
                yield max(_furthest(one.intersection(line), two), _furthest(two.intersection(line), one))


def _edge(shape: BaseGeometry) -> BaseGeometry:
    return shape.boundary if shape.geom_type.endswith("Polygon") else shape
