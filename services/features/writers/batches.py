"""Convert rows to Arrow record batches, with the types that `/schema` documents."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import isfinite
from typing import Any

import numpy as np
import shapely
from arro3.core import Array, DataType, RecordBatch, Schema, struct_array
from arro3.core import Field as ArrowField

from services.features.rows.layout import rfc3339_dates, rfc3339_times
from services.features.writers.job import Field, Job
from services.features.writers.kinds import OtherKindsError, kinds_of

_SIDES = ("xmin", "ymin", "xmax", "ymax")
COVERING = "bbox"
"""Name of the column of boxes."""


class NoPlaceError(Exception):
    """A geometry is missing, but the format requires one."""


def have_places(values: Sequence[bytes | None]) -> list[bool]:
    """Return for each geometry in WKB whether a file can have it."""
    bounds = shapely.bounds(shapely.from_wkb([value or None for value in values], on_invalid="ignore"))
    return [bool(is_finite) for is_finite in np.atleast_1d(np.isfinite(bounds).all(axis=1))]


class Batches:
    """The record batches of a job; counts the rows, and the geometries that cannot be written."""

    def __init__(
        self, job: Job, *, covered: bool = False, null_places: bool = True, milliseconds: bool = False
    ) -> None:
        """`covered` adds the box of each geometry; without `null_places` a missing geometry raises NoPlaceError.

        `milliseconds` rounds times for formats that store milliseconds, where GDAL would write second 60.
        """
        self._job = job
        self._covered = covered and job.shape is not None
        self._null_places = null_places
        self._milliseconds = milliseconds
        self.rows = 0
        self.omitted = 0
        self.fault: NoPlaceError | OtherKindsError | None = None
        """The error that was raised; libraries replace it with errors of their own."""
        fields = [ArrowField(field.name, _TYPES[field.kind]) for field in job.fields]
        if job.shape is not None:
            metadata = {"ARROW:extension:name": "geoarrow.wkb"} if not self._covered else {}
            fields.append(ArrowField(job.shape.name, DataType.binary(), metadata=metadata))
        if self._covered:
            fields.append(ArrowField(self.covering, DataType.struct(_box_fields())))
        self.schema = Schema(fields)

    @property
    def covering(self) -> str:
        """Name of the column of boxes."""
        taken = {field.name for field in self._job.fields}
        return next(name for name in (COVERING, *(f"{COVERING}_{n}" for n in range(1, 9999))) if name not in taken)

    def of(self, chunks: Iterable[Sequence[tuple[Any, ...]]]) -> Iterator[RecordBatch]:
        """Yield a batch for each chunk of rows."""
        for rows in chunks:
            if not rows:
                continue
            columns = list(zip(*rows, strict=True))
            arrays = [self._array(field, columns[field.place]) for field in self._job.fields]
            if self._job.shape is not None:
                arrays += self._shapes(columns[self._job.shape.place])
            self.rows += len(rows)
            yield RecordBatch(arrays, schema=self.schema)

    def _array(self, field: Field, values: Sequence[Any]) -> Array:
        if field.kind == "timestamp" and self._milliseconds:
            return _times(values, 1000)
        return _ARRAYS[field.kind](values)

    def _shapes(self, values: Sequence[Any]) -> list[Array]:
        known = self._job.shape.kinds if self._job.shape is not None else None
        if known is not None and (found := kinds_of(values)) - known:
            self.fault = OtherKindsError(known | found)
            raise self.fault
        # formats forbid what GEOS cannot read, such as a ring of two positions
        shapes = shapely.from_wkb([value or None for value in values], on_invalid="ignore")
        bounds = shapely.bounds(shapes)
        finite = [bool(is_finite) for is_finite in np.atleast_1d(np.isfinite(bounds).all(axis=1))]
        given = [value if is_given else None for value, is_given in zip(values, finite, strict=True)]
        self.omitted += sum(value is not None and shown is None for value, shown in zip(values, given, strict=True))
        if not self._null_places and None in given:
            self.fault = NoPlaceError()
            raise self.fault
        arrays = [Array(given, DataType.binary())]
        if self._covered:
            sides = [
                Array([float(side) if is_given else None for side, is_given in zip(column, finite, strict=True)],
                      DataType.float64())
                for column in bounds.T
            ]  # fmt: skip
            arrays.append(struct_array(sides, fields=_box_fields()))
        return arrays


def _box_fields() -> list[ArrowField]:
    return [ArrowField(name, DataType.float64()) for name in _SIDES]


def _floats(values: Sequence[Any]) -> Array:
    numbers = [None if value is None else float(str(value).strip('"')) for value in values]
    # non-finite numbers become null, as in JSON
    return Array(
        [number if number is not None and isfinite(number) else None for number in numbers], DataType.float64()
    )


def _times(values: Sequence[str | None], step: int = 1) -> Array:
    """Return times in microseconds, rounded to a multiple of `step`."""
    return _count_units(rfc3339_times(values), "us", "int64", step).cast(_TYPES["timestamp"])


def _dates(values: Sequence[str | None]) -> Array:
    return _count_units(rfc3339_dates(values), "D", "int32").cast(_TYPES["date"])


def _count_units(texts: Sequence[str | None], unit: str, kind: str, step: int = 1) -> Array:
    """Return times as a number of units since 1970, rounded to a multiple of `step`."""
    moments = np.array([text.removesuffix("Z") if text else "NaT" for text in texts], dtype=f"datetime64[{unit}]")
    numbers = moments.astype("int64").tolist()
    if step > 1:
        numbers = [(number + step // 2) // step * step for number in numbers]
    given = [number if text else None for number, text in zip(numbers, texts, strict=True)]
    return Array(given, DataType.int64() if kind == "int64" else DataType.int32())


_TYPES: dict[str, DataType] = {
    "int64": DataType.int64(),
    "float64": DataType.float64(),
    "bool": DataType.bool(),
    "timestamp": DataType.timestamp("us", tz="UTC"),
    "date": DataType.date32(),
    "text": DataType.utf8(),
    "moment": DataType.utf8(),
}
_ARRAYS: dict[str, Callable[[Sequence[Any]], Array]] = {
    "int64": lambda values: Array([None if value is None else int(value) for value in values], DataType.int64()),
    "float64": _floats,
    "bool": lambda values: Array(list(values), DataType.bool()),
    "timestamp": _times,
    "moment": lambda values: Array(rfc3339_times(values), DataType.utf8()),
    "date": _dates,
    "text": lambda values: Array([None if value is None else str(value) for value in values], DataType.utf8()),
}
