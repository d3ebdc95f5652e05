"""Files that GDAL writes: FlatGeobuf and GeoPackage."""

from collections.abc import Iterable, Sequence
from typing import Any

from arro3.core import RecordBatchReader
from pyogrio.raw import write_arrow

from services.features.writers.batches import Batches
from services.features.writers.job import Job, Shape
from services.features.writers.kinds import gdal_type

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
    try:
        write_arrow(
            RecordBatchReader.from_batches(batches.schema, batches.of(chunks)),
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


def _type(shape: Shape) -> str:
    if shape.kinds is None:
        return shape.type or "Unknown"
    return gdal_type(shape.kinds) or "Unknown"


def _free(name: str, job: Job) -> str:
    """Return the name, with the first free number if a column has it in any case."""
    taken = {field.name.casefold() for field in job.fields}
    return next(text for text in (name, *(f"{name}_{n}" for n in range(1, 9999))) if text not in taken)
