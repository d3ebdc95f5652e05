"""What the process that writes a file is told of its columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.selection.selection import Selection
from services.features.exporting.layer import job_of
from services.features.formats.gpkg import FORMAT
from services.features.request.geometry_options import AS_STORED, GeometryOptions
from services.features.rows.columns import columns_of
from services.features.writers.job import Field, Job, Shape

ID = Column("id", "integer", "integer", not_null=True)
WORD = Column("itemid", "text", "string")
DAY = Column("day", "date", "string", format="date")
AT = Column("at", "timestamp with time zone", "string", format="date-time")
POINTS = GeometryColumn("geom", "Point", 4326)


def job(
    *columns: Column,
    beside: Column = ID,
    options: GeometryOptions = AS_STORED,
    geometry: GeometryColumn = POINTS,
    **ids: object,
) -> Job:
    """That of these columns, of a table that has another, too."""
    every = tuple(dict.fromkeys((beside, *columns)))
    collection = Collection("a.b", "a", "b", 1, "table", "B", None, every, (geometry,), **ids)  # type: ignore[arg-type]
    selection = Selection(collection, geometry, (), columns, ())
    _, layout = columns_of(selection, "wkb", options)
    return job_of(FORMAT, selection, options)(layout, Path("/there"), 99, True)


def test_the_key_is_a_column_like_any_other() -> None:
    assert job(ID, DAY, AT, key="id").fields == (
        Field("id", "int64", 2),
        Field("day", "date", 3),
        Field("at", "timestamp", 4),
    )


@pytest.mark.parametrize(("key", "kind"), [("id", "text"), ("at", "timestamp")])
def test_where_the_key_is_not_asked_for_there_is_the_id(key: str, kind: str) -> None:
    made = job(DAY, AT, key="id") if key == "id" else job(ID, DAY, beside=AT, key="at")
    assert made.fields[0] == Field("itemId", kind, 0)


def test_columns_that_differ_in_case_alone_and_the_id_have_names_of_their_own() -> None:
    fields = job(WORD, Column("GEOM", "text", "string"), composite_key=("id", "itemid")).fields
    assert [(field.name, field.place) for field in fields] == [("itemId", 0), ("itemid_1", 2), ("GEOM_1", 3)]


def test_files_have_one_type_where_all_geometries_have_it() -> None:
    assert job(ID, key="id").shape == Shape("geom", "Point", 1, "EPSG:4326")
    areas = GeometryColumn("geom", "Polygon", 4326)
    assert [
        found.shape and found.shape.type
        for found in (
            job(ID, key="id", geometry=areas),
            job(ID, key="id", geometry=areas, options=GeometryOptions(bbox_only=True)),
            job(ID, key="id", geometry=areas, options=GeometryOptions(simplify=0.5)),
            job(ID, key="id", geometry=GeometryColumn("geom", "Geometry", 4326)),
            job(ID, key="id", geometry=GeometryColumn("geom", "Point", 4326, dimensions=3)),
        )
    ] == ["Polygon", "", "", "", ""]
