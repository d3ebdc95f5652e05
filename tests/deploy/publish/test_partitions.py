"""Partitions by year have all rows of a GeoParquet file, and are GeoParquet themselves."""

from __future__ import annotations

from pathlib import Path

import duckdb
import geopandas
import pandas as pd
import pyarrow.parquet as pq
import pytest
from arro3.io import write_parquet
from shapely import Point

from deploy.publish.partitions import partition

_TIMES = ["2017-09-01T00:00:00Z", "2018-01-01T00:00:00Z", None, "2017-12-31T23:59:59Z"]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A file with rows of two years, and one without a time."""
    times = pd.to_datetime(pd.Series(_TIMES), utc=True)
    frame = geopandas.GeoDataFrame({"id": range(4), "at": times}, geometry=[Point(n, n) for n in range(4)], crs=4326)
    file = tmp_path / "whole.parquet"
    frame.to_parquet(file, write_covering_bbox=True)
    return _as_the_service_writes(file)


def _as_the_service_writes(file: Path) -> Path:
    metadata = (pq.read_metadata(file).metadata or {})[b"geo"]
    # its Arrow schema has no metadata: they are only those of the file
    table = pq.read_table(file).replace_schema_metadata(None)
    write_parquet(table, file, key_value_metadata={"geo": metadata.decode()})
    return file


def test_each_year_is_a_file_and_no_row_is_lost(source: Path, tmp_path: Path) -> None:
    found = partition(source, "at", tmp_path / "parts")
    null = "year=__HIVE_DEFAULT_PARTITION__/part-0.parquet"
    assert {part.path: part.rows for part in found} == {
        "year=2017/part-0.parquet": 2,
        "year=2018/part-0.parquet": 1,
        null: 1,
    }
    read = duckdb.read_parquet(f"{tmp_path}/parts/*/*.parquet", hive_partitioning=True)
    rows = read.project("id, year").order("id").fetchall()
    assert rows == [(0, 2017), (1, 2018), (2, None), (3, 2017)]


def test_partitions_keep_geometries_crs_and_boxes(source: Path, tmp_path: Path) -> None:
    for part in partition(source, "at", tmp_path / "parts"):
        frame = geopandas.read_parquet(part.file)
        assert frame.crs == 4326
        assert [point.x for point in frame.geometry] == list(frame["id"])
        assert len(geopandas.read_parquet(part.file, bbox=(50, 50, 51, 51))) == 0


def test_rows_without_a_time_column_are_one_file(source: Path, tmp_path: Path) -> None:
    (part,) = partition(source, None, tmp_path / "parts")
    assert (part.path, part.rows) == ("part-0.parquet", 4)


def test_a_file_without_rows_has_no_partitions(source: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.parquet"
    geopandas.read_parquet(source).iloc[:0].to_parquet(empty)
    assert partition(empty, "at", tmp_path / "parts") == []
