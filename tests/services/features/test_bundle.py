"""The features of an event as zipped GeoPackage and Shapefiles, as GDAL reads them."""

from __future__ import annotations

import csv
import gc
import io
import time
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pyogrio
import pytest

from services.features.exporting.folder import ExportFolder, Making
from services.features.writers.bundle import short_names
from tests.conftest import MakeDatabase
from tests.eventually import eventually
from tests.services.in_process import Client, Services, services

_TABLES = """
CREATE SCHEMA hazard;
CREATE TABLE hazard.storm_tracks (id integer PRIMARY KEY, event_id text, began timestamptz,
    population_in_places integer, population_in_provinces integer, is_over boolean,
    geom geometry(MultiLineString, 4326));
CREATE TABLE hazard.storm_seen (id integer PRIMARY KEY, event_id text, geom geometry(Geometry, 4326));
CREATE TABLE hazard.storm_notes (id integer PRIMARY KEY, event_id text, note text);
INSERT INTO hazard.storm_tracks VALUES
    (1, 'S/1', '2020-05-01T06:30:00Z', 7, 8, true, 'SRID=4326;MULTILINESTRING((170 10, 180 11), (-180 11, -175 12))'),
    (2, 'S/1', NULL, NULL, NULL, NULL, 'SRID=4326;MULTILINESTRING((0 0, 1 1))'),
    (3, 'S2', NULL, NULL, NULL, NULL, NULL);
INSERT INTO hazard.storm_seen VALUES (1, 'S/1', 'SRID=4326;POINT(1 2)'), (2, 'S/1', 'SRID=4326;LINESTRING(1 2, 3 4)');
INSERT INTO hazard.storm_notes VALUES (1, 'S/1', 'Ä note');
"""


async def _fill(owner: asyncpg.Connection) -> None:
    await owner.execute(_TABLES)


@pytest.fixture(scope="module")
async def served(make_database: MakeDatabase) -> AsyncIterator[Services]:
    """Common and features on the tables."""
    url = await make_database(_fill)
    async with services() as running:
        for name in ("common", "features"):
            await running.start(name, {"DAMS_DATABASE_URL": url})
        yield running


@pytest.fixture(scope="module")
def features(served: Services) -> Client:
    """The features service."""
    return served["features"]


async def test_gdal_reads_layers_and_shapefiles(features: Client, tmp_path: Path) -> None:
    answer = await features.get("/events/S%2F1/bundle")
    assert (answer.status, answer.type) == (200, "application/zip")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="S_1.zip"'
    archive = zipfile.ZipFile(io.BytesIO(answer.body))
    assert [name for name in archive.namelist() if name.endswith(".shp")] == ["storm_tracks.shp"]
    archive.extractall(tmp_path)
    layers = dict(pyogrio.list_layers(tmp_path / "S_1.gpkg").tolist())
    assert layers == {
        "hazard.storm_tracks": "MultiLineString",
        "hazard.storm_seen": "Unknown",
        "hazard.storm_notes": None,
    }
    described = pyogrio.read_info(tmp_path / "S_1.gpkg", layer="hazard.storm_tracks")
    assert (described["features"], described["crs"]) == (2, "EPSG:4326")
    shapes = pyogrio.read_info(tmp_path / "storm_tracks.shp")
    assert (shapes["features"], shapes["encoding"]) == (2, "UTF-8")
    assert tuple(shapes["total_bounds"]) == (-180, 0, 180, 12)
    assert {"began", "population", "populati_1", "is_over"} <= set(shapes["fields"])
    meta, _, _, values = pyogrio.raw.read(tmp_path / "storm_tracks.shp")
    row = dict(zip(meta["fields"].tolist(), (column[0] for column in values), strict=True))
    assert (row["began"], row["population"], row["populati_1"], row["is_over"]) == (
        "2020-05-01T06:30:00Z",
        7,
        8,
        1,
    )


async def test_bundle_says_what_is_in_it(features: Client) -> None:
    answer = await features.get("/events/S%2F1/bundle")
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        about = archive.read("README.txt").decode()
        columns = list(csv.DictReader(archive.read("columns.csv").decode().splitlines()))
    assert about.startswith("S/1\nhazard.storm_notes: 1 features.")
    assert "hazard.storm_tracks: 2 features." in about
    assert {"shapefile": "storm_tracks", "column": "populati_1", "name": "population_in_provinces"} in columns


async def test_bundle_is_cached_and_given_in_parts(features: Client) -> None:
    first = await features.get("/events/S%2F1/bundle")
    tag = first.headers["ETag"]
    again = await features.get("/events/S%2F1/bundle", headers={"If-None-Match": tag})
    assert (again.status, again.body) == (304, b"")
    part = await features.get("/events/S%2F1/bundle", headers={"Range": "bytes=2-5", "If-Range": tag})
    assert (part.status, part.body) == (206, first.body[2:6])
    head = await features.get("/events/S%2F1/bundle", method="HEAD")
    assert (head.status, head.type, head.body) == (200, "application/zip", b"")


async def test_bundle_that_takes_too_long_for_its_request_is_there_for_a_later_one(make_database: MakeDatabase) -> None:
    async with services() as running:
        url = await make_database(_fill)
        await running.start("common", {"DAMS_DATABASE_URL": url})
        # the process that writes it needs longer than that to start
        hurried = await running.start("features", {"DAMS_DATABASE_URL": url, "DAMS_REQUEST_TIMEOUT_SECONDS": "0.3"})

        async def refused() -> None:
            answer = await hurried.get("/events/S%2F1/bundle")
            assert (answer.status, answer.headers.get("Retry-After")) == (503, "5")
            assert "took too long" in answer.json()["detail"]

        async def found() -> None:
            assert (await hurried.get("/events/S%2F1/bundle")).status == 200

        await eventually(refused)
        await eventually(found)


async def test_service_that_stops_right_after_a_bundle_closes_its_file(
    make_database: MakeDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(folder: ExportFolder, making: Making) -> None:
        time.sleep(1)
        ended(folder, making)

    # the service stops while the folder is being deleted
    ended = ExportFolder.end
    monkeypatch.setattr(ExportFolder, "end", end)
    async with services() as running:
        url = await make_database(_fill)
        await running.start("common", {"DAMS_DATABASE_URL": url})
        hurried = await running.start("features", {"DAMS_DATABASE_URL": url, "DAMS_REQUEST_TIMEOUT_SECONDS": "0.3"})

        async def found() -> None:
            assert (await hurried.get("/events/S%2F1/bundle")).status == 200

        await eventually(found)
    # pytest turns the warning about a file that was never closed into an error
    gc.collect()


async def test_bundle_that_cannot_be_written_is_refused_with_the_reason(make_database: MakeDatabase) -> None:
    async with services() as running:
        url = await make_database(_fill)
        await running.start("common", {"DAMS_DATABASE_URL": url})
        limits = {"DAMS_EXPORT_MAX_BYTES": "1000", "DAMS_REQUEST_TIMEOUT_SECONDS": "0.3"}
        small = await running.start("features", {"DAMS_DATABASE_URL": url, **limits})

        async def refused() -> int:
            answer = await small.get("/events/S%2F1/bundle")
            assert answer.status == 503
            assert answer.json()["detail"] == (
                "The bundle would be larger than 1,000 bytes, the maximum of this server. "
                "Export the collections of the event one by one, with a filter."
            )
            return int(answer.headers["Retry-After"])

        # its request ends before the reason is known; a later one gets it, and does not begin again
        assert 3500 < await eventually(refused) <= 3600
        assert 3500 < await refused() <= 3600


async def test_event_without_geometries_has_a_bundle_too(features: Client) -> None:
    assert (await features.get("/events/S2/bundle")).status == 200


async def test_unknown_event_and_parameter_are_refused(features: Client) -> None:
    missing = await features.get("/events/none/bundle")
    assert (missing.status, missing.json()["detail"]) == (404, "No collection has features of an event 'none'.")
    assert (await features.get("/events/S2/bundle", {"f": "zip"})).status == 422


def test_short_names_are_told_apart() -> None:
    names = ["a", "A", "population_in_places", "population_in_provinces", "populati_1", "geometry_of_it"]
    assert short_names(names) == ["a", "A_1", "population", "populati_1", "populati_2", "geometry_o"]
