"""Wind or shaking of an event as a cloud-optimised GeoTIFF: each pixel has the lower bound of its class."""

from collections.abc import Mapping, Sequence
from math import ceil, floor

import numpy as np
import rasterio
import shapely
from rasterio.features import rasterize
from rasterio.io import MemoryFile
from rasterio.shutil import copy
from rasterio.transform import from_origin
from shapely.affinity import translate
from shapely.geometry.base import BaseGeometry

MOST_PIXELS = 1024
"""Pixels along the longer side of a raster."""
_STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Sizes of a pixel in degrees, of which the finest that fits is taken."""
_INTENSITIES = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
_UNITS = {"storm": "kt", "earthquake": "MMI"}
_NAMES = {"storm": "Lower bound of the sustained wind", "earthquake": "Modified Mercalli intensity"}
_COLOURS = {
    15: "#c9e4f6", 25: "#8fc7ec", 34: "#4da3d9", 50: "#f4a62a", 64: "#c22f2f",
    4: "#7fd9e8", 5: "#79e8a0", 6: "#f5e663", 7: "#f6b33c", 8: "#ee6c2d", 9: "#c3261f", 10: "#8c1515",
}  # fmt: skip
"""Colours of winds in kt and of intensities."""


def value_of(zone: str) -> int | None:
    """Return the value of a pixel in a zone: the wind in kt, or the number of the intensity; None for other zones."""
    if zone.endswith(" kt"):
        return int(zone.removesuffix(" kt"))
    return _INTENSITIES.index(zone) + 1 if zone in _INTENSITIES else None


def intensity_raster(
    hazard: str, zones: Mapping[tuple[str, str], BaseGeometry], tags: Mapping[str, str]
) -> bytes | None:
    """Return the raster of zones, by kind and name, in WGS 84; None where there are no zones of wind or shaking.

    A forecast is drawn only outside the observed and estimated zones. Pixels outside the zones are 0, the NoData value.
    The longitudes of a raster across the antimeridian go on beyond 180.
    """
    known = {key: value for key in zones if (value := value_of(key[1])) is not None and not zones[key].is_empty}
    kinds = {kind for kind, _ in known}
    drawn = {key: value for key, value in known.items() if key[0] != "forecast" or kinds == {"forecast"}}
    if not drawn or hazard not in _UNITS:
        return None
    shapes = _unroll([zones[key] for key in drawn])
    # the strongest last, over the others
    order = sorted(zip(drawn.values(), shapes, strict=True), key=lambda pair: pair[0])
    bounds = np.array([shape.bounds for _, shape in order])
    (west, south), (east, north) = bounds[:, :2].min(axis=0), bounds[:, 2:].max(axis=0)
    step = next((each for each in _STEPS if max(east - west, north - south) / each <= MOST_PIXELS - 2), _STEPS[-1])
    left, top = floor(west / step) * step, min(ceil(north / step) * step, 90.0)
    width, height = ceil((east - left) / step), ceil((top - south) / step)
    transform = from_origin(left, top, step, step)
    pixels = rasterize(
        [(shape, value) for value, shape in order], out_shape=(height, width), transform=transform, dtype="uint8"
    )
    values = sorted(set(drawn.values()))
    legend = {f"CLASS_{value}": f"{_class_name(hazard, value)}, {_COLOURS[value]}" for value in values}
    described = {"HAZARD": hazard, "KINDS": ", ".join(sorted({kind for kind, _ in drawn})), **legend, **tags}
    return _encode(pixels, transform, hazard, values, described)


def _class_name(hazard: str, value: int) -> str:
    return f"{value} kt and more" if hazard == "storm" else f"intensity {_INTENSITIES[value - 1]}"


def _unroll(shapes: Sequence[BaseGeometry]) -> list[BaseGeometry]:
    """Return the shapes with those west of the antimeridian beyond 180 where that makes them narrower."""
    bounds = np.array([part.bounds for shape in shapes for part in shapely.get_parts(shape)])
    eastern, western = bounds[bounds[:, 0] >= 0], bounds[bounds[:, 2] <= 0]
    if len(eastern) + len(western) < len(bounds) or not len(eastern) or not len(western):
        return list(shapes)
    if western[:, 2].max() + 360 - eastern[:, 0].min() >= bounds[:, 2].max() - bounds[:, 0].min():
        return list(shapes)
    moved = [
        [translate(part, 360) if part.bounds[2] <= 0 else part for part in shapely.get_parts(shape)] for shape in shapes
    ]
    return [shapely.GeometryCollection(parts) for parts in moved]


def _encode(
    pixels: np.ndarray, transform: rasterio.Affine, hazard: str, values: Sequence[int], tags: Mapping[str, str]
) -> bytes:
    profile = {"count": 1, "dtype": "uint8", "crs": "EPSG:4326", "transform": transform, "nodata": 0}
    height, width = pixels.shape
    with MemoryFile() as plain, MemoryFile() as cloud:
        with plain.open(driver="GTiff", width=width, height=height, **profile) as made:
            made.write(pixels, 1)
            made.write_colormap(1, {0: (0, 0, 0, 0)} | {value: _rgb(_COLOURS[value]) for value in values})
            made.update_tags(**tags)
            made.set_band_description(1, _NAMES[hazard])
            made.set_band_unit(1, _UNITS[hazard])
        options = {"COMPRESS": "DEFLATE", "BLOCKSIZE": "256", "OVERVIEW_RESAMPLING": "NEAREST"}
        with plain.open() as source:
            copy(source, cloud.name, driver="COG", **options)
        return bytes(cloud.read())


def _rgb(colour: str) -> tuple[int, int, int, int]:
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue, 255
