"""Simulated footprints: irregular areas along a reach of a river."""

from itertools import pairwise
from typing import cast

import contourpy
import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry import LineString, MultiPolygon, Polygon

Field = npt.NDArray[np.float64]

_KM_PER_DEGREE = 111.32
_CELLS = 14_000
_STATIONS = 400
_OCTAVES = 4
_PERSISTENCE = 0.7


def footprint(reach: LineString, half_width_km: float, rng: np.random.Generator) -> MultiPolygon:
    """Return a valid area along `reach` (WGS 84), about `half_width_km` to each side, narrower at both ends.

    The area is where fractal noise times the width exceeds the distance from the river, so it has bays, islands and
    detached pools. Its outline comes from marching squares on a grid of about 14,000 cells.
    """
    centre_x, centre_y = reach.centroid.coords[0]
    scale = np.array([_KM_PER_DEGREE * np.cos(np.radians(centre_y)), _KM_PER_DEGREE])
    origin = np.array([centre_x, centre_y])
    river = LineString((shapely.get_coordinates(reach) - origin) * scale)
    x, y = _grid(river, 2.2 * half_width_km)
    depth = _depth(river, x, y, half_width_km, rng)
    cell = x[1] - x[0]
    pieces = [
        polygon
        for polygon in _polygons(x, y, depth)
        if polygon.area > 12 * cell * cell or shapely.intersects(polygon, river)
    ]
    area = shapely.transform(MultiPolygon(pieces), lambda places: places / scale + origin)
    parts = shapely.get_parts(shapely.make_valid(area, method="structure"))
    return MultiPolygon([part for part in parts if isinstance(part, Polygon)])


def _grid(river: LineString, margin_km: float) -> tuple[Field, Field]:
    west, south, east, north = river.bounds
    width, height = east - west + 2 * margin_km, north - south + 2 * margin_km
    cell = np.sqrt(width * height / _CELLS)
    return (
        west - margin_km + cell * np.arange(int(width / cell) + 2),
        south - margin_km + cell * np.arange(int(height / cell) + 2),
    )


def _depth(river: LineString, x: Field, y: Field, half_width_km: float, rng: np.random.Generator) -> Field:
    """Return an array that is positive where flooded, shape (len(y), len(x)); negative along the edge of the grid."""
    distance, position = _distance_and_position(river, x, y)
    near = distance < 2.2 * half_width_km
    swell = np.interp(position, np.linspace(0, 1, 24), rng.uniform(0.35, 1.0, 24))
    taper = np.clip(np.sin(np.pi * position) * 2.5, 0.0, 1.0) ** 0.7
    # Bays about as wide as the flood itself; where the noise is lowest, islands reach the river.
    noise = fractal_noise(x / (1.3 * half_width_km), y / (1.3 * half_width_km), rng)
    depth = half_width_km * swell * taper * (2.4 * noise - 0.3) - 0.8 * distance
    depth[~near] = -1.0
    depth[[0, -1], :] = depth[:, [0, -1]] = -1.0
    return depth


def _distance_and_position(river: LineString, x: Field, y: Field) -> tuple[Field, Field]:
    """Return for each cell the distance from the river in km, and the relative position of the nearest place along it.

    Measured to 400 places along the river, which is accurate enough and much faster than to the line itself.
    """
    shares = np.linspace(0, 1, _STATIONS)
    stations = shapely.get_coordinates(shapely.line_interpolate_point(river, shares, normalized=True))
    cells = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    # a few rows at a time, which fit the processor's cache: ten times as fast
    lengths, parts = (stations**2).sum(axis=1), np.array_split(cells, len(cells) // 64 + 1)
    nearest = np.concatenate([(lengths - 2 * part @ stations.T).argmin(axis=1) for part in parts])
    distance = np.hypot(*(cells - stations[nearest]).T)
    shape = (len(y), len(x))
    return distance.reshape(shape), shares[nearest].reshape(shape)


def fractal_noise(x: Field, y: Field, rng: np.random.Generator) -> Field:
    """Return value noise of four octaves stretched to 0..1, shape (len(y), len(x)); lattices of 1, 1/2, 1/4, 1/8.

    Source: Perlin, An image synthesizer, 1985 (sums of ever finer lattices).
    """
    total = np.zeros((len(y), len(x)))
    for octave in range(_OCTAVES):
        across, up = (x - x[0]) * 2**octave, (y - y[0]) * 2**octave
        lattice = rng.uniform(-1, 1, (int(up[-1]) + 2, int(across[-1]) + 2))
        total += _PERSISTENCE**octave * _interpolate(lattice, up, across)
    spread: Field = (total - total.min()) / (total.max() - total.min())
    return spread


def _interpolate(lattice: Field, up: Field, across: Field) -> Field:
    """Interpolate bilinearly at rows `up` and columns `across`, with eased fractions against visible creases."""
    row, column = up.astype(int), across.astype(int)
    v, u = _ease(up - row)[:, None], _ease(across - column)[None, :]
    south = lattice[np.ix_(row, column)] * (1 - u) + lattice[np.ix_(row, column + 1)] * u
    north = lattice[np.ix_(row + 1, column)] * (1 - u) + lattice[np.ix_(row + 1, column + 1)] * u
    between: Field = south * (1 - v) + north * v
    return between


def _ease(share: Field) -> Field:
    eased: Field = share * share * (3 - 2 * share)
    return eased


def _polygons(x: Field, y: Field, depth: Field) -> list[Polygon]:
    """Return the areas of positive depth, with their islands, simplified to half a cell."""
    generator = contourpy.contour_generator(x, y, depth, fill_type=contourpy.FillType.OuterOffset)
    places, offsets = cast("tuple[list[Field], list[npt.NDArray[np.uint32]]]", generator.filled(0.0, np.inf))
    polygons = []
    for ring_places, ring_offsets in zip(places, offsets, strict=True):
        rings = [ring_places[start:end] for start, end in pairwise(ring_offsets)]
        holes = [ring for ring in rings[1:] if shapely.Polygon(ring).area > 4 * (x[1] - x[0]) ** 2]
        polygons.append(shapely.simplify(Polygon(rings[0], holes), 0.3 * (x[1] - x[0])))
    return polygons
