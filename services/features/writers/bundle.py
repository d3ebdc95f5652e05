"""Layers of a GeoPackage, and the same as Shapefiles beside it, with the names that their columns have there."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from services.features.writers import ogr
from services.features.writers.batches import Batches
from services.features.writers.job import COLUMNS, Field, Job

_LONGEST = 10
"""Characters of a column's name in a Shapefile."""


@dataclass(slots=True)
class Done:
    """What was written: rows, and geometries that could not be given."""

    rows: int = 0
    omitted: int = 0


def write(_: Job, layers: Iterable[tuple[Job, list[tuple[Any, ...]]]]) -> Done:
    """Write each layer, a job and its rows, into the folder of its path. Raise what GDAL raises."""
    done = Done()
    for job, rows in layers:
        written = _write_layer(job, rows)
        done.rows += written.rows
        done.omitted += written.omitted
    return done


def _write_layer(job: Job, rows: list[tuple[Any, ...]]) -> Batches:
    """Both files. A Shapefile has one kind of geometries: of features with several there is none."""
    done = ogr.write(job, [rows])
    if job.shape is None or not job.shape.type:
        return done
    folder, name = Path(job.path).parent, job.layer.rpartition(".")[2]
    names = short_names([field.name for field in job.fields])
    fields = tuple(Field(short, _kind(field.kind), field.place) for short, field in zip(names, job.fields, strict=True))
    path = str(folder / f"{name}.shp")
    ogr.write(replace(job, driver="ESRI Shapefile", path=path, layer=name, fields=fields, indexed=False), [rows])
    with (folder / COLUMNS).open("a", encoding="utf-8", newline="") as file:
        lines = ((name, short, field.name) for short, field in zip(names, job.fields, strict=True))
        csv.writer(file).writerows(lines)
    return done


def short_names(names: Sequence[str]) -> list[str]:
    """Return names of at most ten characters, each only once, ignoring case."""
    taken: set[str] = set()
    shortened = []
    for name in names:
        short, number = name[:_LONGEST], 0
        while short.casefold() in taken:
            number += 1
            short = f"{name[: _LONGEST - len(str(number)) - 1]}_{number}"
        taken.add(short.casefold())
        shortened.append(short)
    return shortened


def _kind(kind: str) -> str:
    # a Shapefile has days, but no times, and no truth values
    return {"timestamp": "moment", "bool": "int64"}.get(kind, kind)
