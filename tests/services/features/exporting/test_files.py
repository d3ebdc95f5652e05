"""FlatGeobuf, GeoPackage and GeoParquet, of pages, features and collections, as GDAL and DuckDB read them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb
import pyogrio
import pytest
import shapely
from pyproj import Transformer

from tests.services.in_process import Client

EVENTS = "/collections/hostile.events"
_OGR = {"fgb": "FlatGeobuf", "gpkg": "GPKG"}


async def saved(features: Client, folder: Path, address: str, format_: str, **parameters: str) -> Path:
    answer = await features.get(address, {**parameters, "f": format_})
    assert answer.status == 200, answer.body
    file = folder / f"found.{format_}"
    file.write_bytes(answer.body)
    return file


def by_gdal(file: Path) -> tuple[dict[str, Any], list[dict[str, Any]], list[Any]]:
    """Return GDAL's description of the layer, the properties of each feature, and the geometries."""
    meta, _, shapes, columns = pyogrio.raw.read(file)
    rows = [dict(zip(meta["fields"], values, strict=True)) for values in zip(*columns, strict=True)]
    return meta, rows, list(shapely.from_wkb(shapes)) if shapes is not None else []


@pytest.mark.parametrize(("format_", "address"), [("fgb", f"{EVENTS}/items"), ("gpkg", f"{EVENTS}/export")])
async def test_gdal_reads_what_geojson_says(features: Client, tmp_path: Path, format_: str, address: str) -> None:
    asked = {"filter": "id <= 60", **({"limit": "100"} if address.endswith("items") else {})}
    expected = await features.json(f"{EVENTS}/items", filter="id <= 60", limit="100")
    file = await saved(features, tmp_path, address, format_, **asked)
    assert pyogrio.detect_write_driver(str(file)) == _OGR[format_]
    meta, rows, shapes = by_gdal(file)
    assert meta["geometry_type"] == "Point"
    assert "4326" in meta["crs"] or "WGS 84" in meta["crs"]
    found = {row["id"]: (row, shape) for row, shape in zip(rows, shapes, strict=True)}
    assert len(found) == len(expected["features"]) == 60
    for feature in expected["features"]:
        row, shape = found[feature["id"]]
        said = feature["properties"]
        assert shapely.get_coordinates(shape)[0].tolist() == pytest.approx(feature["geometry"]["coordinates"])
        assert (row["name"], row["category"]) == (said["name"], said["category"])
        assert row["magnitude"] == pytest.approx(said["magnitude"], nan_ok=True) if said["magnitude"] else True
        assert str(row["at"]).startswith(said["at"].removesuffix("Z"))
    # an index answers boxes
    area = (-50, -50, 50, 50)
    inside = [shape for shape in shapes if shapely.box(*area).intersects(shape)]
    assert len(pyogrio.raw.read(file, bbox=area)[2]) == len(inside) > 0


async def test_parquet_has_types_boxes_and_places(features: Client, tmp_path: Path) -> None:
    expected = (await features.json(f"{EVENTS}/items", limit="1000"))["features"]
    file = await saved(features, tmp_path, f"{EVENTS}/export", "parquet")
    with duckdb.connect() as connection:
        relation = connection.read_parquet(str(file))
        types = dict(zip(relation.columns, map(str, relation.types), strict=True))
        assert types == {
            "id": "BIGINT",
            "name": "VARCHAR",
            "magnitude": "DOUBLE",
            "category": "VARCHAR",
            "at": "TIMESTAMP WITH TIME ZONE",
            "geom": types["geom"],
            "bbox": "STRUCT(xmin DOUBLE, ymin DOUBLE, xmax DOUBLE, ymax DOUBLE)",
        }
        rows = relation.project('id, magnitude, epoch_us("at"), bbox.xmin, bbox.ymax, geom::BLOB').fetchall()
        (geo,) = connection.execute(
            "SELECT decode(value) FROM parquet_kv_metadata(?) WHERE decode(key) = 'geo'", [str(file)]
        ).fetchall()[0]
    said = json.loads(geo)
    assert (said["version"], said["primary_column"]) == ("1.1.0", "geom")
    column = said["columns"]["geom"]
    assert (column["encoding"], column["geometry_types"], "crs" in column) == ("WKB", ["Point"], False)
    assert column["covering"]["bbox"]["ymax"] == ["bbox", "ymax"]
    found = {row[0]: row for row in rows}
    assert len(found) == len(expected) == 237
    for feature in expected:
        row, place = found[feature["id"]], feature["geometry"]["coordinates"]
        assert row[1] == feature["properties"]["magnitude"]
        assert [row[3], row[4]] == pytest.approx(place)
        # without its spatial extension the geometry is well-known binary
        assert list(shapely.from_wkb(row[5]).coords[0]) == pytest.approx(place)


@pytest.mark.parametrize("format_", ["fgb", "gpkg", "parquet", "csv", "json", "ndjson"])
async def test_of_nothing_that_matches_the_file_has_no_rows(features: Client, tmp_path: Path, format_: str) -> None:
    file = await saved(features, tmp_path, f"{EVENTS}/export", format_, filter="magnitude > 99")
    if format_ in _OGR:
        assert (len(by_gdal(file)[1]), "magnitude" in by_gdal(file)[0]["fields"]) == (0, True)
    elif format_ == "parquet":
        with duckdb.connect() as connection:
            relation = connection.read_parquet(str(file))
            assert (relation.fetchall(), "magnitude" in relation.columns) == ([], True)
    else:
        head = "collectionId,itemId,id,name,magnitude,category,at,geometry" if format_ == "csv" else ""
        assert file.read_text().splitlines() == {"csv": [head], "json": ["[]"], "ndjson": []}[format_]


async def test_every_kind_of_table_is_given(features: Client, tmp_path: Path) -> None:
    """All types, names, geometries that are missing, mixed, of curves or none: as many rows as GeoJSON has."""
    for name in ("types", "a b", "mixed_types", "dimensions"):
        collection = quote(f"hostile.{name}", safe="")
        page = await features.get(f"/collections/{collection}/items", {"limit": "500"})
        if page.status == 404:
            continue
        number = page.json()["numberReturned"]
        for format_ in ("fgb", "gpkg", "parquet"):
            answer = await features.get(f"/collections/{collection}/export", {"f": format_})
            if (name, format_) == ("dimensions", "fgb"):
                assert (answer.status, b"Point Z" in answer.body) == (422, True), "it would lose heights"
                continue
            # a feature without a geometry has not lost one
            assert (answer.status, "DAMS-Geometries-Omitted" in answer.headers) == (200, False)
            file = tmp_path / f"found.{format_}"
            file.write_bytes(answer.body)
            if format_ == "parquet":
                with duckdb.connect() as connection:
                    rows = connection.read_parquet(str(file)).count("*").fetchall()[0][0]
            else:
                rows = pyogrio.read_info(file)["features"]
            assert rows == number, (name, format_)


async def test_files_have_the_crs_and_easting_first(features: Client, tmp_path: Path) -> None:
    format_ = "gpkg"
    uri = "http://www.opengis.net/def/crs/EPSG/0/3857"
    file = await saved(features, tmp_path, f"{EVENTS}/export", format_, crs=uri, ids="1,2,3")
    meta, rows, shapes = by_gdal(file)
    assert "3857" in meta["crs"]
    plain = {feature["id"]: feature for feature in (await features.json(f"{EVENTS}/items", ids="1,2,3"))["features"]}
    moved = Transformer.from_crs(4326, 3857, always_xy=True)
    for row, shape in zip(rows, shapes, strict=True):
        assert [shape.x, shape.y] == pytest.approx(moved.transform(*plain[row["id"]]["geometry"]["coordinates"]))
    file.unlink()
    latitude_first = "http://www.opengis.net/def/crs/EPSG/0/4326"
    _, _, shapes = by_gdal(await saved(features, tmp_path, f"{EVENTS}/export", format_, crs=latitude_first, ids="1"))
    assert [shapes[0].x, shapes[0].y] == pytest.approx(plain[1]["geometry"]["coordinates"])


async def test_one_feature_and_links_of_pages(features: Client) -> None:
    format_ = "parquet"
    one = await features.get(f"{EVENTS}/items/7", {"f": format_})
    assert (one.status, one.headers["Content-Disposition"]) == (200, f"attachment; filename=hostile.events.{format_}")
    page = await features.get(f"{EVENTS}/items", {"f": format_, "limit": "5"})
    assert (page.headers["OGC-NumberReturned"], page.headers["OGC-NumberMatched"]) == ("5", "237")
    assert f"f={format_}&cursor=" in page.headers["Link"]
    assert page.headers["ETag"].startswith("W/")
