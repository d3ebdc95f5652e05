"""Describe the columns of a file for the process that writes it. Pure."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from libs.catalogue.model import Column, GeometryColumn
from libs.geo.crs import projjson
from libs.geo.shape_sql import SIMPLE
from libs.ogc.errors import Fault, InvalidParameters
from libs.selection.selection import Selection
from services.features.formats.fgb import FlatGeobuf
from services.features.formats.format import FileFormat
from services.features.request.items_query import GeometryOptions
from services.features.rows.layout import Layout, Rows
from services.features.writers.job import Field, Job, Shape
from services.features.writers.kinds import gdal_type, kinds_of

JobOf = Callable[[Layout, Path, int, bool], Job]
"""Returns a job from the layout of rows, the path, the maximum size in bytes, and whether to write an index."""

_LONLAT = 4326
_PLANE = 2
_KINDS = {"integer": "int64", "number": "float64", "boolean": "bool"}
_FORMATS = {"date": "date", "date-time": "timestamp"}
_ITEM = "itemId"


def job_of(format_: FileFormat, selection: Selection, options: GeometryOptions) -> JobOf:
    """Return a function that makes the job of a file of these rows from their layout."""

    def make(layout: Layout, path: Path, most_bytes: int, indexed: bool) -> Job:
        geometry = selection.geometry if layout.has_geometry else None
        return Job(
            writer=format_.writer,
            driver=format_.driver,
            path=str(path),
            layer=selection.collection.id,
            fields=_fields(layout, geometry),
            shape=None if geometry is None else _shape(geometry, options, int(layout.has_id)),
            most_bytes=most_bytes,
            indexed=indexed,
        )

    return make


def _fields(layout: Layout, geometry: GeometryColumn | None) -> tuple[Field, ...]:
    start = layout.has_id + layout.has_geometry
    taken = set() if geometry is None else {geometry.name.casefold()}
    times = {place for place, _ in layout.times}
    fields = []
    if layout.has_id and layout.key not in {column.name for column in layout.properties}:
        # the id has several columns, or its column is not among the requested properties
        fields.append(Field(_free(_ITEM, taken), "timestamp" if 0 in times else "text", 0))
    for place, column in enumerate(layout.properties, start):
        fields.append(Field(_free(column.name, taken), _kind(column, is_time=place in times), place))
    return tuple(fields)


def _free(name: str, taken: set[str]) -> str:
    """Return the name, with a number if a column has it already in any case; adds it to `taken`."""
    number, found = 0, name
    while found.casefold() in taken:
        number += 1
        found = f"{name}_{number}"
    taken.add(found.casefold())
    return found


def _kind(column: Column, *, is_time: bool) -> str:
    if is_time:
        return _FORMATS.get(column.format or "", "timestamp")
    return _KINDS.get(column.type, "text")


def _shape(geometry: GeometryColumn, options: GeometryOptions, place: int) -> Shape:
    srid, kind = options.crs.srid, ""
    if geometry.type in SIMPLE and not geometry.is_cut and not options.bbox_only and options.simplify is None:
        kind = geometry.type if geometry.dimensions == _PLANE else ""
    return Shape(
        name=geometry.name,
        type=kind,
        place=place,
        crs=f"EPSG:{srid}",
        projjson=None if srid == _LONLAT else projjson(options.crs),
    )


def with_kinds(job: Job, first: Rows, known: frozenset[str]) -> Job:
    """Return the job with the kinds of geometries, if the header of its format names them.

    Raises InvalidParameters if the format has no type for them.
    """
    if job.driver != FlatGeobuf.driver or job.shape is None:
        return job
    place = job.shape.place
    kinds = known | kinds_of(row[place] for row in first.rows)
    if gdal_type(kinds) is None:
        sentence = (
            f"f: a FlatGeobuf file with heights or measures holds one kind of geometries, and these features have"
            f" {', '.join(sorted(kinds))}; use f=gpkg or f=parquet, which hold all kinds"
        )
        raise InvalidParameters([Fault(("query", "f"), sentence)])
    return replace(job, shape=replace(job.shape, kinds=kinds))
