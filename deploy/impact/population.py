"""People from a raster: the cells within a zone, those at its edge by the part that lies in it."""

import hashlib
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from math import isclose
from pathlib import Path

import rasterio
import shapely
from exactextract import exact_extract
from rasterio.errors import RasterioError
from shapely.geometry import mapping
from shapely.geometry.base import BaseGeometry

from libs.catalogue.exposure import Population

_WGS84 = 4326
_SECONDS = 30.0
"""Time allowed for an HTTP request, in seconds."""
_OPTIONS = {
    "GDAL_HTTP_TIMEOUT": 30,
    "GDAL_HTTP_MAX_RETRY": 3,
    "GDAL_HTTP_RETRY_DELAY": 1,
    # no look for side files in a folder that cannot be listed
    "GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR",
    # the worker runs for months: a file that was replaced must not come from the cache
    "CPL_VSIL_CURL_NON_CACHED": "/vsicurl/",
    "GDAL_CACHEMAX": 128,
}
_CELLS = 4_000_000
"""Cells that are in memory at once."""


class RasterError(Exception):
    """The raster cannot be used; the message says why, for operators and for readers of the figures."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells of a shape: the people in them, and the share of the shape in which the raster has values, 0 to 1."""

    people: float
    covered: float


class PopulationRaster:
    """An open raster with the number of people in each cell."""

    def __init__(self, dataset: rasterio.DatasetReader, config: Population, fingerprint: str) -> None:
        self._dataset = dataset
        self._extent = shapely.box(*dataset.bounds)
        self._cell = abs(dataset.transform.a * dataset.transform.e)
        self.config = config
        self.fingerprint = fingerprint

    @property
    def cells(self) -> int:
        """Number of cells."""
        return int(self._dataset.width * self._dataset.height)

    def count(self, shapes: Sequence[BaseGeometry]) -> list[Cells]:
        """Return the cells of each shape in WGS 84. Raise RasterError."""
        inside = [shapely.intersects(self._extent, shape) for shape in shapes]
        features: list[dict[str, object]] = [
            {"type": "Feature", "properties": {}, "geometry": mapping(shape)}
            for shape, is_inside in zip(shapes, inside, strict=True)
            if is_inside
        ]
        found = iter(self._extracted(features) if features else [])
        return [
            self._cells(shape, next(found)) if is_inside else Cells(0.0, 0.0)
            for shape, is_inside in zip(shapes, inside, strict=True)
        ]

    def _extracted(self, features: list[dict[str, object]]) -> list[dict[str, float | None]]:
        try:
            with rasterio.Env(**_OPTIONS):
                rows = exact_extract(self._dataset, features, ["sum", "count", "min"], max_cells_in_memory=_CELLS)
        except (RasterioError, RuntimeError) as error:
            raise RasterError(f"it cannot be read: {error}") from None
        return [row["properties"] for row in rows]

    def _cells(self, shape: BaseGeometry, found: dict[str, float | None]) -> Cells:
        lowest = found["min"]
        if lowest is not None and lowest < 0:
            raise RasterError(f"it has negative values ({lowest:g}) that are not declared as no data")
        area = shape.area
        covered = (found["count"] or 0.0) * self._cell / area if area else 0.0
        return Cells(found["sum"] or 0.0, min(covered, 1.0))


@contextmanager
def opened(config: Population) -> Iterator[PopulationRaster]:
    """Open the raster. Raise RasterError."""
    try:
        with rasterio.Env(**_OPTIONS):
            dataset = rasterio.open(config.raster)
    except RasterioError as error:
        raise RasterError(f"it cannot be opened: {error}") from None
    with dataset:
        _check(dataset)
        yield PopulationRaster(dataset, config, _fingerprint(config))


def _check(dataset: rasterio.DatasetReader) -> None:
    """Raise RasterError unless the cells are people by longitude and latitude."""
    if dataset.crs is None:
        raise RasterError("it has no coordinate reference system; WGS 84 (EPSG:4326) is needed")
    if dataset.crs.to_epsg() != _WGS84:
        name = dataset.crs.to_string()
        name = name if len(name) < 40 else "another one"
        raise RasterError(
            f"its coordinate reference system is {name}; WGS 84 (EPSG:4326) is needed. Publishers offer it; "
            "`gdalwarp -t_srs EPSG:4326 -r sum` keeps the number of people"
        )
    if dataset.count != 1:
        raise RasterError(f"it has {dataset.count} bands; one is needed")
    west, south, east, north = dataset.bounds
    if not (-181 <= west < east <= 181 and -91 <= south < north <= 91) or dataset.transform.is_rectilinear is False:
        raise RasterError("it lies beyond ±180° of longitude or ±90° of latitude, or is rotated")
    if dataset.transform.a <= 0 or dataset.transform.e >= 0 or isclose(dataset.transform.a, 0):
        raise RasterError("its rows must run from north to south and its columns from west to east")


def _fingerprint(config: Population) -> str:
    """Return a digest that changes with the file and with its description. Raise RasterError."""
    if config.is_remote:
        try:
            request = urllib.request.Request(config.raster, method="HEAD")  # noqa: S310 http or https
            with urllib.request.urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310
                state = [answer.headers.get(name, "") for name in ("ETag", "Last-Modified", "Content-Length")]
        except (OSError, HTTPException) as error:
            raise RasterError(f"it cannot be requested: {error}") from None
    else:
        try:
            status = Path(config.raster).stat()
        except OSError as error:
            raise RasterError(f"it cannot be read: {error.strerror}") from None
        state = [str(status.st_size), str(status.st_mtime_ns)]
    return hashlib.sha256("|".join([config.model_dump_json(), *state]).encode()).hexdigest()[:32]
