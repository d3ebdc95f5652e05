"""Grids of GloFAS in GRIB or NetCDF, as the Early Warning Data Store has them: discharge, and levels of return.

A band of a forecast is the discharge of a member on a day; GDAL says which one in the band's tags. Cells have 0.05°.
A map of the discharge that is exceeded once in 2, 5 or 20 years is a variable `rl_2.0` and so on.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import rasterio
from rasterio.errors import RasterioError
from rasterio.windows import Window
from shapely.geometry import Point

from deploy.loader.documents.faults import FAULTS
from deploy.loader.geometry.antimeridian import normalise
from deploy.loader.source import Document, DocumentError

YEARS = (2, 5, 20)
"""Return periods with a column."""

_MAGIC = (b"GRIB", b"\x89HDF", b"CDF\x01", b"CDF\x02", b"CDF\x05")
_LEVEL = re.compile(r"\brl_(2|5|20)(?:\.0)?\b")
_MEMBERS = ("number", "realization")
_STEPS = ("forecast_period", "step", "leadtime")
_TIMES = ("valid_time", "time")
_ISSUES = ("forecast_reference_time",)
_OF_ENSEMBLES = {"1", "11"}
"""Templates of GRIB 2 (code table 4.0) whose octets have the number of a member, here by its place in GDAL's list."""
_PERTURBATION = 16
_UNITS = {"hours": 3600, "hour": 3600, "h": 3600, "days": 86400, "day": 86400, "seconds": 1, "nanoseconds": 1e-9}
_HIGHEST = 1e30
"""A value above any discharge; files use larger ones for cells without a value."""
_RUN = re.compile(r"(?<!\d)(20\d{6})(?!\d)")
_SQUARE = 1.0
"""Side in degrees of the squares of which each has one gauge, where no list names gauges."""
_SMALLEST = 500.0
"""Smallest discharge in m³/s, exceeded once in two years, of such gauges."""


class Grid(NamedTuple):
    """A forecast at some places: UTC; m³/s, by place, member and day."""

    issued: datetime
    days: list[datetime]
    discharge: npt.NDArray[np.float64]


class _Band(NamedTuple):
    """What a band has: its number, from 1, the member, the day (UTC), and the time of the forecast, if it is known."""

    number: int
    member: int
    day: datetime
    issued: datetime | None


def is_grid(document: Document) -> bool:
    """Return whether a document is GRIB or NetCDF."""
    with document.path.open("rb") as file:
        return file.read(4) in _MAGIC


def years_of(document: Document) -> int | None:
    """Return the return period of a map of levels; None for a forecast. Raises DocumentError."""
    with _opened(document) as raster:
        names = f"{raster.tags(1).get('NETCDF_VARNAME', '')} {Path(document.address).name.replace('_rl_', ' rl_')}"
        found = _LEVEL.search(names)
        return int(found[1]) if found else None


def values_at(document: Document, places: Sequence[Point]) -> list[float | None]:
    """Return the values of the cells of a map that have the places; None without a value. Raises DocumentError."""
    with _opened(document) as raster:
        cells = _cells(raster, places)
        found = _read(raster, 1, cells[:, 0], cells[:, 1])
    return [round(value, 1) if np.isfinite(value) else None for value in found.tolist()]


def main_cells(document: Document) -> list[Point]:
    """Return the centre of the largest river of each square of a map of levels. Raises DocumentError."""
    with _opened(document) as raster:
        values = raster.read(1, out_dtype="float32")
        values[~_is_known(values, raster.nodatavals[0])] = -1
        side = max(1, round(_SQUARE / abs(raster.transform.a)))
        rows, columns = -(-raster.height // side), -(-raster.width // side)
        margin = ((0, rows * side - raster.height), (0, columns * side - raster.width))
        padded = np.pad(values, margin, constant_values=-1).reshape(rows, side, columns, side)
        squares = padded.transpose(0, 2, 1, 3).reshape(rows, columns, side * side)
        largest, at = squares.max(axis=2), squares.argmax(axis=2)
        found = []
        for row, column in np.argwhere(largest >= _SMALLEST).tolist():
            down, right = divmod(int(at[row, column]), side)
            x, y = raster.xy(row * side + down, column * side + right)
            found.append(Point(normalise(float(x)), round(float(y), 6)))
    return found


def forecast_at(document: Document, places: Sequence[Point]) -> tuple[list[int], Grid]:
    """Return the forecast at those of the places that the grid has, and which these are. Raises DocumentError."""
    with _opened(document) as raster:
        bands = [_band(raster, index) for index in range(1, raster.count + 1)]
        days = sorted({band.day for band in bands})
        members = sorted({band.member for band in bands})
        issues = [each for each in {band.issued or _run_of(raster.name, days[0]) for band in bands} if each]
        if len(issues) != 1:
            raise DocumentError(f"{document.address} has several forecasts, of {min(issues)} and of {max(issues)}")
        cells = _cells(raster, places)
        inside = np.flatnonzero(_is_inside(raster, cells))
        discharge = np.full((len(inside), len(members), len(days)), np.nan)
        for band in bands:
            values = _read(raster, band.number, cells[inside, 0], cells[inside, 1])
            discharge[:, members.index(band.member), days.index(band.day)] = values
    return inside.tolist(), Grid(issues.pop(), days, discharge)


@contextmanager
def _opened(document: Document) -> Iterator[rasterio.DatasetReader]:
    """Open the grid. Raises DocumentError if GDAL cannot read it, or if its position or its cells are missing."""
    try:
        with rasterio.open(_variable(document.path)) as raster:
            place = raster.transform
            if not raster.count or place.is_identity or place.b or place.d or not (place.a and place.e):
                raise DocumentError(f"{document.address} has no grid of at least two rows and columns with positions")
            yield raster
    except (RasterioError, OSError, *FAULTS) as error:
        raise DocumentError(f"{document.address} is not a grid that GDAL can read, or not whole: {error}") from error


def _variable(path: Path) -> str:
    """Return the name by which GDAL opens the discharge of a file, which may have other variables beside it."""
    with path.open("rb") as file:
        if file.read(4) == b"GRIB":
            return str(path)
    # GDAL recognises NetCDF 4 by the name of the file only
    name = f"netcdf:{path}"
    with rasterio.open(name) as root:
        beside = [each for each in root.subdatasets if re.search(r":(dis24|avg_dis|rl_[\d.]+)\Z", each)]
    return beside[0] if beside else name


def _band(raster: rasterio.DatasetReader, index: int) -> _Band:
    """Return what a band has. Raises one of FAULTS."""
    tags = raster.tags(index)
    if "GRIB_VALID_TIME" in tags:
        values = tags.get("GRIB_PDS_TEMPLATE_ASSEMBLED_VALUES", "").split()
        is_member = tags.get("GRIB_PDS_PDTN") in _OF_ENSEMBLES and len(values) > _PERTURBATION
        member = int(values[_PERTURBATION]) if is_member else 0
        return _Band(index, member, _of_epoch(tags["GRIB_VALID_TIME"]), _of_epoch(tags["GRIB_REF_TIME"]))
    units = raster.tags()
    dimensions = {name: tags.get(f"NETCDF_DIM_{name}") for name in (*_MEMBERS, *_STEPS, *_TIMES, *_ISSUES)}
    member = next((int(float(text)) for name in _MEMBERS if (text := dimensions[name]) is not None), 0)
    step = next(
        (_span(text, units[f"{name}#units"]) for name in _STEPS if (text := dimensions[name]) is not None), None
    )
    told = {name: _moment(text, units[f"{name}#units"]) for name in (*_TIMES, *_ISSUES) if (text := dimensions[name])}
    issued: datetime | None = told.get("forecast_reference_time") or (told.get("time") if step is not None else None)
    if issued is None and step is not None and "valid_time" not in told:
        issued = _run_of(raster.name, None)
    ahead = issued + step if issued is not None and step is not None else told.get("time")
    day = told.get("valid_time") or ahead
    if day is None:
        raise ValueError(f"band {index} has no time")
    return _Band(index, member, day, issued)


def _of_epoch(text: str) -> datetime:
    return datetime.fromtimestamp(int(text.split(maxsplit=1)[0]), UTC)


def _span(text: str, unit: str) -> timedelta:
    return timedelta(seconds=float(text) * _UNITS[unit])


def _moment(text: str, unit: str) -> datetime:
    """Return the time of a number in units such as `hours since 1970-01-01`."""
    name, _, start = unit.partition(" since ")
    begin = datetime.fromisoformat(start.strip())
    return (begin if begin.tzinfo else begin.replace(tzinfo=UTC)).astimezone(UTC) + _span(text, name)


def _run_of(name: str, first: datetime | None) -> datetime | None:
    """Return the run that the name of a file has, else the day before its first one, if it is known."""
    run = _RUN.search(Path(name).name)
    if run is not None:
        return datetime.strptime(run[1], "%Y%m%d").replace(tzinfo=UTC)
    return first - timedelta(days=1) if first else None


def _cells(raster: rasterio.DatasetReader, places: Sequence[Point]) -> npt.NDArray[np.int64]:
    """Return rows and columns of the places, which may be outside."""
    west = raster.transform.c
    east = np.array([west + (place.x - west) % 360 for place in places])
    north = np.array([place.y for place in places])
    columns = np.floor((east - west) / raster.transform.a)
    rows = np.floor((north - raster.transform.f) / raster.transform.e)
    return np.column_stack([rows, columns]).astype(np.int64)


def _is_inside(raster: rasterio.DatasetReader, cells: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    rows, columns = cells[:, 0], cells[:, 1]
    inside: npt.NDArray[np.bool_] = (rows >= 0) & (rows < raster.height) & (columns >= 0) & (columns < raster.width)
    return inside


def _read(
    raster: rasterio.DatasetReader, index: int, rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Return the values of cells of a band; NaN without a value, and outside."""
    found = np.full(len(rows), np.nan)
    inside = np.flatnonzero(_is_inside(raster, np.column_stack([rows, columns])))
    if not inside.size:
        return found
    rows, columns = rows[inside], columns[inside]
    top, left = int(rows.min()), int(columns.min())
    window = Window(left, top, int(columns.max()) - left + 1, int(rows.max()) - top + 1)
    values = raster.read(index, window=window, out_dtype="float64")[rows - top, columns - left]
    found[inside] = np.where(_is_known(values, raster.nodatavals[index - 1]), values, np.nan)
    return found


def _is_known(values: npt.NDArray[np.floating], missing: float | None) -> npt.NDArray[np.bool_]:
    known: npt.NDArray[np.bool_] = np.isfinite(values) & (values < _HIGHEST)
    return known if missing is None else known & (values != values.dtype.type(missing))
