"""Programs for tables read CSV and JSON, as an array or as lines, with the types of the schema."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import duckdb
import geopandas
import pandas as pd
import pytest

from tests.contract.conftest import COLLECTION, Api

pytestmark = pytest.mark.system

_ITEMS = f"/collections/{COLLECTION}/items"
_COLUMNS = ("id", "event_id", "title", "magnitude", "depth", "significance", "tsunami", "event_date")
_EVERY = {"limit": "10000", "properties": ",".join(_COLUMNS)}
_DUCKDB_TYPES = {
    "id": "BIGINT",
    "event_id": "VARCHAR",
    "title": "VARCHAR",
    "magnitude": "DOUBLE",
    "depth": "DOUBLE",
    "significance": "BIGINT",
    "tsunami": "BOOLEAN",
    "event_date": "TIMESTAMP WITH TIME ZONE",
}
_PANDAS_KINDS = {"id": "i", "magnitude": "f", "depth": "f", "significance": "i", "tsunami": "b", "event_date": "M"}

Rows = list[tuple[Any, ...]]


@pytest.fixture(scope="module")
def rows(api: Api) -> Rows:
    """Return the rows in GeoJSON, complete in every column."""
    features = api.get(_ITEMS, {**_EVERY, "f": "geojson"}).json()["features"]
    found = [tuple(feature["properties"][name] for name in _COLUMNS) for feature in features]
    assert len(found) > 1000
    return [(*row[:-1], pd.Timestamp(row[-1])) for row in found]


def _body(api: Api, format_: str, **more: str) -> bytes:
    return api.get(_ITEMS, {**_EVERY, "f": format_, **more}).body


def _same(found: Rows, rows: Rows) -> bool:
    # a missing value is None here and NaN there
    return [[None if pd.isna(value) else value for value in row] for row in found] == [list(row) for row in rows]


def _read_by_pandas(frame: pd.DataFrame, rows: Rows) -> None:
    assert {name: frame[name].dtype.kind for name in _PANDAS_KINDS} == _PANDAS_KINDS
    assert _same(list(frame[list(_COLUMNS)].itertuples(index=False, name=None)), rows)


@pytest.mark.parametrize("mark", ["false", "true"])
def test_pandas_reads_csv(api: Api, rows: Rows, mark: str) -> None:
    frame = pd.read_csv(BytesIO(_body(api, "csv", bom=mark)))
    # some times have fractions of a second, some have none; those for spreadsheets say nowhere that they are in UTC
    frame["event_date"] = pd.to_datetime(frame["event_date"], format="ISO8601", utc=mark == "true")
    _read_by_pandas(frame, rows)


@pytest.mark.parametrize("format_", ["json", "ndjson"])
def test_pandas_reads_json(api: Api, rows: Rows, format_: str) -> None:
    frame = pd.read_json(BytesIO(_body(api, format_)), lines=format_ == "ndjson", precise_float=True)
    frame["event_date"] = pd.to_datetime(frame["event_date"], format="ISO8601")
    _read_by_pandas(frame, rows)


@pytest.mark.parametrize("format_", ["csv", "json", "ndjson"])
def test_duckdb_reads(api: Api, rows: Rows, tmp_path: Path, format_: str) -> None:
    file = tmp_path / f"quakes.{format_}"
    file.write_bytes(_body(api, format_))
    with duckdb.connect() as connection:
        read = connection.read_csv(str(file)) if format_ == "csv" else connection.read_json(str(file))
        relation = read.project(", ".join(_COLUMNS))
        assert dict(zip(relation.columns, map(str, relation.types), strict=True)) == _DUCKDB_TYPES
        assert _same(relation.fetchall(), rows)


def test_an_export_comes_through_the_gateway_whole_or_in_parts(api: Api) -> None:
    address = f"/collections/{COLLECTION}/export?f=parquet"
    whole = api.get(address)
    assert (whole.status, whole.headers.get("X-Cache", "")) == (200, "")
    part = api.get(address, None, **{"Range": "bytes=1000-", "If-Range": whole.headers["ETag"]})
    assert (part.status, part.body) == (206, whole.body[1000:])
    # compressed content is not compressed again
    assert api.get(address, None, **{"Accept-Encoding": "gzip"}).headers["Content-Length"] == str(len(whole.body))


@pytest.mark.parametrize("format_", ["fgb", "gpkg"])
def test_geopandas_reads_files(api: Api, rows: Rows, tmp_path: Path, format_: str) -> None:
    file = tmp_path / f"quakes.{format_}"
    asked = {"properties": _EVERY["properties"], "f": format_}
    file.write_bytes(api.get(f"/collections/{COLLECTION}/export", asked).body)
    frame = geopandas.read_file(file).sort_values("id")
    assert frame.crs.to_epsg() == 4326
    assert _same(list(frame[list(_COLUMNS)].itertuples(index=False, name=None)), sorted(rows))
    features = api.get(_ITEMS, {"limit": "10000", "f": "geojson"}).json()["features"]
    places = {feature["id"]: feature["geometry"]["coordinates"] for feature in features}
    assert {id_: [shape.x, shape.y] for id_, shape in zip(frame["id"], frame.geometry, strict=True)} == {
        id_: pytest.approx(place[:2]) for id_, place in places.items()
    }
