"""People from a raster: the cells within a zone, those at its edge by the part that lies in it."""

import hashlib
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from math import ceil, floor, isclose
from pathlib import Path

import numpy as np
import numpy.typing as npt
import rasterio
import shapely
from exactextract import exact_extract
from exactextract.raster import NumPyRasterSource, RasterioRasterSource
from pyproj import CRS, Transformer
from pyproj.exceptions import CRSError
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
    # the worker runs for months: a file that was replaced must not be read from the cache
    "CPL_VSIL_CURL_NON_CACHED": "/vsicurl/",
    "GDAL_CACHEMAX": 128,
}
_CELLS = 4_000_000
"""Cells that are in memory at once."""
_MOST_READ = 50_000_000
"""Cells of an event that are read at once: 400 MB of 64-bit numbers, as GHS-POP has."""
_LONG_EDGE = 0.05
"""Degrees after which an edge gets another corner before it is projected: it is straight in degrees, not on the map."""


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
        self._source = RasterioRasterSource(dataset)
        self._read: NumPyRasterSource | None = None
        self._plane = _Plane.of(dataset)
        self._extent = shapely.box(*dataset.bounds)
        self._cell = abs(dataset.transform.a * dataset.transform.e)
        self.config = config
        self.fingerprint = fingerprint

    @property
    def cells(self) -> int:
        """Number of cells."""
        return int(self._dataset.width * self._dataset.height)

    @contextmanager
    def reading(self, shapes: Sequence[BaseGeometry]) -> Iterator[None]:
        """Keep the cells around these shapes in memory, if they are not too many. Raise RasterError.

        The zones of an event and the land in them lie over each other: else their cells are read and decompressed for
        each of them.
        """
        if self._plane is not None:
            shapes = [self._plane.projected(shape) for shape in shapes]
        inside = [shape for shape in shapes if self._extent.intersects(shape)]
        self._read = self._window(shapely.total_bounds(inside)) if inside else None
        try:
            yield
        finally:
            self._read = None

    def _window(self, bounds: npt.NDArray[np.float64]) -> NumPyRasterSource | None:
        """Return the cells within these bounds; None if they are too many."""
        step = self._dataset.transform
        (west, south, east, north), (left, top) = bounds, (step.c, step.f)
        first, last = max(0, floor((west - left) / step.a)), min(self._dataset.width, ceil((east - left) / step.a))
        upper, lower = max(0, floor((north - top) / step.e)), min(self._dataset.height, ceil((south - top) / step.e))
        columns, rows = last - first, lower - upper
        if columns * rows > _MOST_READ:
            return None
        try:
            with rasterio.Env(**_OPTIONS):
                cells = self._source.read_window(first, upper, columns, rows)
        except RasterioError as error:
            raise RasterError(f"it cannot be read: {error}") from None
        edges = (left + first * step.a, top + lower * step.e, left + last * step.a, top + upper * step.e)
        return NumPyRasterSource(cells, *edges, nodata=self._source.nodata_value())

    def count(self, shapes: Sequence[BaseGeometry]) -> list[Cells]:
        """Return the cells of each shape in WGS 84. Raise RasterError.

        Shapes are projected rather than cells: no cell is resampled, so the sum of all cells stays what it is.
        """
        if self._plane is not None:
            shapes = [self._plane.projected(shape) for shape in shapes]
        inside = [shapely.intersects(self._extent, shape) for shape in shapes]
        features: list[dict[str, object]] = [
            {"type": "Feature", "properties": {}, "geometry": mapping(shape)}
            for shape, is_inside in zip(shapes, inside, strict=True)
            if is_inside
        ]
        found = iter(self._extract(features) if features else [])
        return [
            self._cells(shape, next(found)) if is_inside else Cells(0.0, 0.0)
            for shape, is_inside in zip(shapes, inside, strict=True)
        ]

    def _extract(self, features: list[dict[str, object]]) -> list[dict[str, float | None]]:
        try:
            with rasterio.Env(**_OPTIONS):
                rows = exact_extract(
                    self._read or self._source, features, ["sum", "count", "min"], max_cells_in_memory=_CELLS
                )
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


@dataclass(frozen=True, slots=True)
class _Plane:
    """The plane of a raster that is not in WGS 84, and where it is of use, in degrees; None if that is not known."""

    transformer: Transformer
    use: BaseGeometry | None

    @classmethod
    def of(cls, dataset: rasterio.DatasetReader) -> "_Plane | None":
        """Return the plane of a raster; None in WGS 84. Raise RasterError."""
        if dataset.crs.to_epsg() == _WGS84:
            return None
        try:
            crs = CRS.from_user_input(dataset.crs)
            transformer = Transformer.from_crs(_WGS84, crs, always_xy=True)
        except CRSError as error:
            raise RasterError(f"its coordinate reference system is not known: {error}. {_WARP}") from None
        area = crs.area_of_use
        return cls(transformer, None if area is None or area.west > area.east else shapely.box(*area.bounds))

    def projected(self, shape: BaseGeometry) -> BaseGeometry:
        """Return a shape in WGS 84 on the plane, without what lies outside the use of the plane. Raise RasterError."""
        if self.use is not None:
            shape = shapely.intersection(shape, self.use)
        if shape.is_empty:
            return shape
        found = shapely.transform(shapely.segmentize(shape, _LONG_EDGE), self._positions)
        if not np.isfinite(shapely.get_coordinates(found)).all():
            raise RasterError(f"a zone lies where its coordinate reference system has no positions. {_WARP}")
        return found if found.is_valid else shapely.make_valid(found)

    def _positions(self, degrees: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return np.column_stack(self.transformer.transform(degrees[:, 0], degrees[:, 1]))


_WARP = "`gdalwarp -t_srs EPSG:4326 -r sum` makes a raster in WGS 84 with the same number of people"
"""The way out, for operators."""


@contextmanager
def open_raster(config: Population) -> Iterator[PopulationRaster]:
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
    """Raise RasterError unless the cells are people at known positions."""
    if dataset.crs is None:
        raise RasterError("it has no coordinate reference system; `gdal_edit.py -a_srs` states the one that it has")
    if dataset.count != 1:
        raise RasterError(f"it has {dataset.count} bands; one is needed")
    west, south, east, north = dataset.bounds
    if dataset.transform.is_rectilinear is False:
        raise RasterError("it is rotated; `gdalwarp -r sum` makes one that is not")
    if dataset.crs.is_geographic and not (-181 <= west < east <= 181 and -91 <= south < north <= 91):
        raise RasterError("it lies beyond ±180° of longitude or ±90° of latitude")
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
