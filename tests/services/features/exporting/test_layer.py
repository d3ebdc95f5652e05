"""The description of the columns that the process which writes a file gets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.geo.crs import Crs, projjson
from libs.selection.selection import Selection
from services.features.exporting.layer import job_of
from services.features.formats.format import FileFormat
from services.features.formats.gpkg import FORMAT
from services.features.formats.parquet import FORMAT as PARQUET
from services.features.request.items_query import AS_STORED, GeometryOptions
from services.features.rows.columns import columns_of
from services.features.writers.job import Field, Job, Shape

ID = Column("id", "integer", "integer", not_null=True)
WORD = Column("itemid", "text", "string")
DAY = Column("day", "date", "string", format="date")
AT = Column("at", "timestamp with time zone", "string", format="date-time")
MERCATOR = Crs("http://www.opengis.net/def/crs/EPSG/0/3857", 3857, northing_first=False, in_degrees=False)
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


def test_columns_that_differ_only_in_case_have_own_names() -> None:
    fields = job(WORD, Column("GEOM", "text", "string"), composite_key=("id", "itemid")).fields
    assert [(field.name, field.place) for field in fields] == [("itemId", 0), ("itemid_1", 2), ("GEOM_1", 3)]


@pytest.mark.parametrize(("format_", "writer", "driver"), [(FORMAT, "ogr", "GPKG"), (PARQUET, "geoparquet", "")])
@pytest.mark.parametrize("indexed", [True, False])
def test_a_job_is_that_of_the_format_the_collection_and_the_path(
    format_: FileFormat, writer: str, driver: str, indexed: bool
) -> None:
    # a table without a key: nothing stands before the geometry
    collection = Collection("a.b", "a", "b", 1, "table", "B", None, (DAY,), (POINTS,))
    selection = Selection(collection, POINTS, (), (DAY,), ())
    options = GeometryOptions(crs=MERCATOR)
    _, layout = columns_of(selection, "wkb", options)
    assert job_of(format_, selection, options)(layout, Path("/elsewhere/file"), 77, indexed) == Job(
        writer=writer,
        driver=driver,
        path="/elsewhere/file",
        layer="a.b",
        fields=(Field("day", "date", 1),),
        shape=Shape("geom", "Point", 0, "EPSG:3857", projjson(MERCATOR)),
        most_bytes=77,
        indexed=indexed,
    )
    assert projjson(MERCATOR)["id"] == {"authority": "EPSG", "code": 3857}
    # rows without a requested geometry
    bare = replace(selection, geometry=None)
    _, layout = columns_of(bare, "wkb", AS_STORED)
    told = job_of(format_, bare, AS_STORED)(layout, Path("/there"), 77, indexed)
    assert (told.shape, told.fields) == (None, (Field("day", "date", 0),))


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
            job(ID, key="id", geometry=GeometryColumn("geom", "Polygon", 4326, crosses=True)),
            job(ID, key="id", geometry=GeometryColumn("geom", "LineString", 4326)),
        )
    ] == ["Polygon", "", "", "", "", "", "LineString"]
