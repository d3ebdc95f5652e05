"""Files that GDAL writes: FlatGeobuf and GeoPackage."""

import pickle
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from arro3.core import RecordBatchReader
from pyogrio.raw import write_arrow

from services.features.writers.batches import Batches, have_places
from services.features.writers.job import Job, Shape
from services.features.writers.kinds import gdal_type

Rows = Sequence[tuple[Any, ...]]

_ONLY_WITH_PLACES = {"FlatGeobuf"}
"""Drivers whose index requires a geometry for every feature."""


def write(job: Job, chunks: Iterable[Sequence[tuple[Any, ...]]]) -> Batches:
    """Write the file. Raises NoPlaceError, OtherKindsError, and errors of GDAL."""
    null_places = not (job.indexed and job.driver in _ONLY_WITH_PLACES)
    batches = Batches(job, null_places=null_places, milliseconds=True)
    shape = job.shape
    options = {"SPATIAL_INDEX": "YES" if shape is not None and job.indexed else "NO"}
    if job.driver == "GPKG":
        options |= {"FID": _free("fid", job), **({"GEOMETRY_NAME": shape.name} if shape is not None else {})}
    is_ordered = null_places and shape is not None and job.driver in _ONLY_WITH_PLACES
    ordered = _places_first(job, chunks) if is_ordered else chunks
    try:
        write_arrow(
            RecordBatchReader.from_batches(batches.schema, batches.of(ordered)),
            job.path,
            layer=job.layer,
            driver=job.driver,
            geometry_name=shape.name if shape is not None else None,
            geometry_type=_type(shape) if shape is not None else None,
            crs=shape.crs if shape is not None else None,
            layer_options=options,
        )
    except Exception as error:
        raise batches.fault or error from error
    return batches


def _places_first(job: Job, chunks: Iterable[Rows]) -> Iterator[Rows]:
    """Yield the rows with a geometry, then the others, which wait in a file.

    Readers of FlatGeobuf in JavaScript stop at the first feature without a geometry.
    """
    assert job.shape is not None  # noqa: S101  # only layers with geometries have an order
    place = job.shape.place
    with TemporaryFile(dir=Path(job.path).parent) as waiting:
        held = 0
        for rows in chunks:
            have = have_places([row[place] for row in rows])
            yield [row for row, has in zip(rows, have, strict=True) if has]
            if others := [row for row, has in zip(rows, have, strict=True) if not has]:
                pickle.dump(others, waiting)
                held += 1
        waiting.seek(0)
        for _ in range(held):
            # only this process writes there
            yield pickle.load(waiting)  # noqa: S301


def _type(shape: Shape) -> str:
    if shape.kinds is None:
        return shape.type or "Unknown"
    return gdal_type(shape.kinds) or "Unknown"


def _free(name: str, job: Job) -> str:
    """Return the name, with the first free number if a column has it in any case."""
    taken = {field.name.casefold() for field in job.fields}
    return next(text for text in (name, *(f"{name}_{n}" for n in range(1, 9999))) if text not in taken)
