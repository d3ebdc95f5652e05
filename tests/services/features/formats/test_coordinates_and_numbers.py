"""Rings, heights, measures, whole numbers and times as clients and files need them."""

from __future__ import annotations

import json
import sqlite3
import struct
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import asyncpg
import numpy as np
import pyogrio
import pytest
import shapely

from services.features import export
from tests.services.in_process import Client, Services, services

_TABLES = """
CREATE EXTENSION IF NOT EXISTS postgis;
CREATE SCHEMA own;
CREATE TABLE own.rings (id integer PRIMARY KEY, geom geometry(Polygon, 4326));
INSERT INTO own.rings VALUES
    (1, 'SRID=4326;POLYGON((0 0, 0 10, 10 10, 10 0, 0 0), (2 2, 4 2, 4 4, 2 4, 2 2))'),
    (2, 'SRID=4326;POLYGON((170 -10, 190 -10, 190 10, 170 10, 170 -10))');
CREATE TABLE own.any_rings (id integer PRIMARY KEY, geom geometry(Geometry, 4326));
INSERT INTO own.any_rings SELECT * FROM own.rings UNION ALL SELECT 3, 'SRID=4326;LINESTRING(0 0, 0 1, 1 1, 0 0)';
CREATE TABLE own.utm_rings (id integer PRIMARY KEY, geom geometry(MultiPolygon, 32631));
INSERT INTO own.utm_rings VALUES
    (1, 'SRID=32631;MULTIPOLYGON(((400000 5000000, 400000 5100000, 500000 5100000, 500000 5000000, 400000 5000000)))');
CREATE TABLE own.numbers (id integer PRIMARY KEY, unscaled numeric, scaled numeric(8, 2), whole numeric(30, 0));
INSERT INTO own.numbers VALUES (1, 6, 6, 6), (2, 6.25, 6.25, 39800000000000000000000), (3, 398e20, NULL, NULL),
    (4, 'NaN', NULL, NULL);
CREATE TABLE own.times (id integer PRIMARY KEY, at timestamptz, geom geometry(Point, 4326));
INSERT INTO own.times VALUES (1, '2024-05-01 10:11:12.345678+00', 'SRID=4326;POINT(1 1)'),
    (2, '2024-05-01 10:11:59.9997+00', 'SRID=4326;POINT(1 1)'),
    (3, '1969-12-31 23:59:59.9996+00', 'SRID=4326;POINT(1 1)');
CREATE TABLE own.heights (id integer PRIMARY KEY, geom geometry(PointZ, 4326));
INSERT INTO own.heights VALUES (1, 'SRID=4326;POINT Z (10 50 300)'), (2, 'SRID=4326;POINT Z (10 50 3000)');
CREATE TABLE own.measures (id integer PRIMARY KEY, geom geometry(LineStringZM, 4326));
INSERT INTO own.measures VALUES (1, 'SRID=4326;LINESTRING ZM (10 50 300 1.5, 11 51 400 2.5)');
CREATE TABLE own.measures_only (id integer PRIMARY KEY, geom geometry(PointM, 4326));
INSERT INTO own.measures_only VALUES (1, 'SRID=4326;POINT M (10 50 7)');
CREATE TABLE own.unplaced (id integer PRIMARY KEY, geom geometry(Point, 4326));
INSERT INTO own.unplaced SELECT n, CASE WHEN n % 3 > 0 THEN ST_Point(n % 90, 10, 4326) END
    FROM generate_series(1, 5000) n;
CREATE TABLE own.undeclared (id integer PRIMARY KEY, geom geometry);
INSERT INTO own.undeclared SELECT n, ST_SetSRID(ST_MakePoint(n % 90, 10, n), 4326) FROM generate_series(1, 3000) n;
CREATE TABLE own.mixed (id integer PRIMARY KEY, geom geometry);
INSERT INTO own.mixed SELECT n, ST_SetSRID(ST_MakePoint(n % 90, 10), 4326) FROM generate_series(1, 3000) n;
INSERT INTO own.mixed VALUES (5000, 'SRID=4326;POINT Z (1 2 3)');
CREATE TABLE own.flat (id integer PRIMARY KEY, geom geometry);
INSERT INTO own.flat SELECT n, ST_SetSRID(ST_MakePoint(n % 90, 10), 4326) FROM generate_series(1, 3000) n;
INSERT INTO own.flat VALUES (5000, 'SRID=4326;LINESTRING(1 2, 3 4)');
ANALYZE;
"""


@pytest.fixture(scope="module")
async def served(make_database: object) -> AsyncIterator[Services]:
    async def tables(owner: asyncpg.Connection) -> None:
        await owner.execute(_TABLES)

    url = await make_database(tables)  # type: ignore[operator]
    async with services() as running:
        for name in ("common", "features"):
            await running.start(name, {"DAMS_DATABASE_URL": url, "DAMS_COLLECTION_SCHEMAS": "own"})
        yield running


@pytest.fixture(scope="module")
def features(served: Services) -> Client:
    return served["features"]


def rings(geometry: dict[str, Any]) -> list[list[list[list[float]]]]:
    coordinates: list[Any] = geometry["coordinates"]
    return coordinates if geometry["type"] == "MultiPolygon" else [coordinates]


@pytest.mark.parametrize("table", ["rings", "any_rings", "utm_rings"])
@pytest.mark.parametrize("query", [{}, {"crs": "http://www.opengis.net/def/crs/EPSG/0/3857"}], ids=["crs84", "moved"])
async def test_outer_rings_are_counterclockwise_and_holes_are_not(
    features: Client, table: str, query: dict[str, str]
) -> None:
    """RFC 7946, section 3.1.6; also of parts that are cut at ±180°."""
    found = await features.json(f"/collections/own.{table}/items", **query)
    areas = [each["geometry"] for each in found["features"] if each["geometry"]["type"] != "LineString"]
    assert areas
    for outer, *holes in (part for area in areas for part in rings(area)):
        assert shapely.LinearRing(outer).is_ccw
        assert not any(shapely.LinearRing(hole).is_ccw for hole in holes)
    one = await features.json(f"/collections/own.{table}/items/1", **query)
    assert one["geometry"] == found["features"][0]["geometry"]


async def test_a_whole_number_of_a_column_without_a_scale_has_a_decimal(features: Client) -> None:
    """Clients take the type of a column from its first values, and would cut those that follow."""
    for format_ in ("geojson", "json", "csv"):
        text = (await features.get("/collections/own.numbers/items", {"f": format_})).body.decode()
        assert ("6.0" in text, "39800000000000000000000.0" in text) == (True, True), format_
    found = (await features.json("/collections/own.numbers/items"))["features"]
    values = [each["properties"]["unscaled"] for each in found]
    assert values == [6, 6.25, 3.98e22, None]
    assert [type(value) for value in values[:3]] == [float] * 3
    # a column of whole numbers stays one, as long as clients can hold its values
    assert [(each["properties"]["whole"], type(each["properties"]["whole"])) for each in found[:2]] == [
        (6, int),
        (3.98e22, float),
    ]


@pytest.mark.parametrize("format_", ["fgb", "gpkg", "parquet"])
async def test_no_file_has_a_second_60(features: Client, tmp_path: Path, format_: str) -> None:
    answer = await features.get("/collections/own.times/export", {"f": format_})
    file = tmp_path / f"times.{format_}"
    file.write_bytes(answer.body)
    if format_ == "parquet":
        return
    meta, _, _, columns = pyogrio.raw.read(file, datetime_as_string=True)
    at = dict(zip(meta["fields"], columns, strict=True))["at"].tolist()
    assert [text.replace("/", "-").replace(" ", "T")[:23] for text in at] == [
        "2024-05-01T10:11:12.346",
        "2024-05-01T10:12:00Z",
        "1970-01-01T00:00:00Z",
    ]


async def fgb(features: Client, table: str, path: str = "export") -> bytes:
    answer = await features.get(f"/collections/own.{table}/{path}", {"f": "fgb"})
    assert answer.status == 200, answer.body
    return answer.body


@pytest.mark.parametrize("path", ["items", "export"])
async def test_files_keep_heights_and_measures(features: Client, tmp_path: Path, path: str) -> None:
    (tmp_path / "heights.fgb").write_bytes(await fgb(features, "heights", path))
    meta, _, shapes, _ = pyogrio.raw.read(tmp_path / "heights.fgb")
    assert meta["geometry_type"] == "Point Z"
    assert sorted(shapely.get_coordinates(shapely.from_wkb(shapes), include_z=True)[:, 2].tolist()) == [300, 3000]
    # GDAL drops measures when pyogrio reads them
    content = await fgb(features, "measures", path)
    assert all(struct.pack("<d", value) in content for value in (300, 400, 1.5, 2.5))
    answer = await features.get(f"/collections/own.measures/{path}", {"f": "gpkg"})
    (tmp_path / "measures.gpkg").write_bytes(answer.body)
    with closing(sqlite3.connect(tmp_path / "measures.gpkg")) as file:
        (shape,) = file.execute('SELECT geom FROM "own.measures"').fetchone()
    assert all(struct.pack("<d", value) in shape for value in (300, 400, 1.5, 2.5))


async def test_heights_of_a_column_that_declares_none_are_kept(features: Client, tmp_path: Path) -> None:
    (tmp_path / "z.fgb").write_bytes(await fgb(features, "undeclared"))
    _, _, shapes, _ = pyogrio.raw.read(tmp_path / "z.fgb")
    assert set(shapely.get_coordinates(shapely.from_wkb(shapes), include_z=True)[:, 2]) == set(range(1, 3001))


async def test_a_file_that_would_lose_heights_is_refused(
    features: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if only a row of a later chunk has them."""
    # on a busy machine the file is not written within the usual time, and the response begins before the fault is known
    monkeypatch.setattr(export, "PATIENCE", 60)
    answer = await features.get("/collections/own.mixed/export", {"f": "fgb"})
    assert answer.status == 422
    assert "Point, Point Z; use f=gpkg or f=parquet" in json.dumps(answer.json())
    packed = await features.get("/collections/own.mixed/export", {"f": "gpkg"})
    (tmp_path / "mixed.gpkg").write_bytes(packed.body)
    _, _, shapes, _ = pyogrio.raw.read(tmp_path / "mixed.gpkg")
    heights = shapely.get_coordinates(shapely.from_wkb(shapes), include_z=True)[:, 2]
    assert heights[~np.isnan(heights)].tolist() == [3]


async def test_types_without_heights_may_be_mixed(features: Client, tmp_path: Path) -> None:
    (tmp_path / "flat.fgb").write_bytes(await fgb(features, "flat"))
    _, _, shapes, _ = pyogrio.raw.read(tmp_path / "flat.fgb")
    assert {shape.geom_type for shape in shapely.from_wkb(shapes)} == {"Point", "LineString"}


_CRS84H = "http://www.opengis.net/def/crs/OGC/0/CRS84h"


async def test_collections_with_heights_offer_crs84h(served: Services, features: Client) -> None:
    offered = {
        name: _CRS84H in (await served["common"].json(f"/collections/own.{name}"))["crs"]
        for name in ("heights", "measures", "measures_only", "flat", "rings")
    }
    assert offered == {"heights": True, "measures": True, "measures_only": False, "flat": False, "rings": False}
    answer = await features.get("/collections/own.heights/items", {"crs": _CRS84H})
    assert answer.headers["Content-Crs"] == f"<{_CRS84H}>"
    assert [each["geometry"]["coordinates"] for each in answer.json()["features"]] == [[10, 50, 300], [10, 50, 3000]]
    box = {"bbox": "9,49,0,11,51,1000", "bbox-crs": _CRS84H, "filter-crs": _CRS84H, "filter": "id < 9"}
    found = await features.json("/collections/own.heights/items", **box)
    assert [each["id"] for each in found["features"]] == [1]
    item = await features.get("/collections/own.heights/items/2", {"crs": _CRS84H})
    assert (item.headers["Content-Crs"], item.json()["geometry"]["coordinates"]) == (f"<{_CRS84H}>", [10, 50, 3000])
    flat = await features.get("/collections/own.rings/items", {"crs": _CRS84H})
    assert flat.status == 422


@pytest.mark.parametrize("format_", ["fgb", "gpkg", "parquet", "csv", "geojson", "html"])
async def test_every_format_answers_in_crs84h(features: Client, tmp_path: Path, format_: str) -> None:
    plain, with_heights = [
        await features.get("/collections/own.heights/items", {"f": format_, "crs": crs})
        for crs in ("http://www.opengis.net/def/crs/OGC/1.3/CRS84", _CRS84H)
    ]
    assert (plain.status, with_heights.status) == (200, 200)
    if format_ == "csv":
        assert with_heights.body == plain.body
    if format_ == "geojson":
        query = {"profile": "jsonfg", "crs": _CRS84H}
        profiled = await features.json("/collections/own.heights/items", **query)
        assert profiled["coordRefSys"] == _CRS84H
        assert [each["geometry"]["coordinates"][2] for each in profiled["features"]] == [300, 3000]
    if format_ in ("fgb", "gpkg"):
        found = []
        for name, answer in (("plain", plain), ("heights", with_heights)):
            file = tmp_path / f"{name}.{format_}"
            file.write_bytes(answer.body)
            meta, _, shapes, _ = pyogrio.raw.read(file)
            found.append((meta["crs"], shapely.get_coordinates(shapely.from_wkb(shapes), include_z=True).tolist()))
        assert found[0] == found[1]


@pytest.mark.parametrize("path", ["items", "export"])
async def test_flatgeobuf_has_features_without_geometry_last(features: Client, tmp_path: Path, path: str) -> None:
    """Its reader in JavaScript stops at the first one."""
    query = {"f": "fgb", **({"limit": "5000"} if path == "items" else {})}
    answer = await features.get(f"/collections/own.unplaced/{path}", query)
    assert answer.status == 200, answer.body
    (tmp_path / "unplaced.fgb").write_bytes(answer.body)
    _, _, shapes, (ids,) = pyogrio.raw.read(tmp_path / "unplaced.fgb", columns=["id"])
    numbers = range(1, 5001)
    assert ids.tolist() == [*(n for n in numbers if n % 3), *(n for n in numbers if n % 3 == 0)]
    assert [shape is not None for shape in shapes] == [n % 3 > 0 for n in ids]
