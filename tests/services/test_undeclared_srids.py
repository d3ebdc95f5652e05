"""Columns without a declared SRID: their rows are found by index, and their CRS is known as if it were declared."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import mapbox_vector_tile
import pytest

from libs.pg.diagnosis import diagnose
from tests.eventually import eventually
from tests.services.in_process import Services, services

_TABLES = """
CREATE EXTENSION IF NOT EXISTS postgis;
CREATE SCHEMA own;
CREATE TABLE own.declared AS SELECT i AS id, ST_SetSRID(ST_Point((i % 360) - 179.5, (i / 360) % 160 - 79.5), 4326)
    ::geometry(Point, 4326) AS geom FROM generate_series(1, 50000) i;
CREATE TABLE own.metres AS SELECT id, ST_Transform(geom, 3857) AS geom FROM own.declared;
CREATE TABLE own.degrees AS SELECT id, ST_SetSRID(geom, 4326)::geometry AS geom FROM own.declared;
CREATE TABLE own.bare AS SELECT id, ST_SetSRID(geom, 0)::geometry AS geom FROM own.declared;
CREATE TABLE own.typed (id integer, geom geometry(Point));
INSERT INTO own.typed SELECT id, ST_Transform(geom, 3857) FROM own.declared;
CREATE TABLE own.several AS SELECT id, CASE id % 4 WHEN 0 THEN geom::geometry WHEN 1 THEN ST_SetSRID(geom, 0)
    WHEN 2 THEN ST_Transform(geom, 3857) ELSE ST_Transform(geom, 6933) END AS geom FROM own.declared;
CREATE TABLE own.unprojected AS SELECT id, ST_SetSRID(ST_Transform(geom, 3857), 0) AS geom FROM own.declared;
CREATE VIEW own.seen AS SELECT id, ST_Transform(geom, 6933) AS geom FROM own.declared WHERE id % 7 = 0;
CREATE TABLE own.strange AS SELECT 1 AS id, ST_SetSRID(ST_Point(1, 1), 990001) AS geom;
DO $$ DECLARE each text; BEGIN
    FOREACH each IN ARRAY ARRAY['declared', 'metres', 'degrees', 'bare', 'typed', 'several', 'unprojected'] LOOP
        EXECUTE format('ALTER TABLE own.%I ADD PRIMARY KEY (id)', each);
        EXECUTE format('CREATE INDEX %I ON own.%I USING gist (geom)', each || '_geom', each);
    END LOOP;
END $$;
ANALYZE;
"""
_INDEXED = ["metres", "degrees", "bare", "typed", "several"]
_BOXES = {"small": "9.9,19.9,14.1,24.1", "antimeridian": "178,-10,-178,10", "far": "-180,-79,180,-77.6"}
_3857 = "http://www.opengis.net/def/crs/EPSG/0/3857"


@pytest.fixture(scope="module")
async def url(make_database: object) -> str:
    async def tables(owner: asyncpg.Connection) -> None:
        await owner.execute(_TABLES)

    return await make_database(tables)  # type: ignore[operator,no-any-return]


@pytest.fixture(scope="module")
async def served(url: str) -> AsyncIterator[Services]:
    async with services() as running:
        for name in ("common", "features", "tiles"):
            await running.start(name, {"DAMS_DATABASE_URL": url, "DAMS_COLLECTION_SCHEMAS": "own"})
        yield running


async def _ids(served: Services, table: str, **query: str) -> list[str]:
    found = await served["features"].json(f"/collections/own.{table}/items", limit="10000", **query)
    return sorted(str(each["id"]) for each in found["features"])


@pytest.mark.parametrize("table", _INDEXED)
@pytest.mark.parametrize("box", _BOXES)
async def test_a_box_has_the_rows_of_a_declared_column(served: Services, table: str, box: str) -> None:
    expected = await _ids(served, "declared", bbox=_BOXES[box])
    assert expected
    assert await _ids(served, table, bbox=_BOXES[box]) == expected


@pytest.mark.parametrize("table", _INDEXED)
async def test_filters_have_the_rows_of_a_declared_column(served: Services, table: str) -> None:
    for text in (
        "S_WITHIN(geom, POLYGON((9 9, 19 9, 14 19, 9 9)))",
        "S_DWITHIN(geom, POINT(10.5 20.5), 150, 'kilometers')",
        "NOT S_DISJOINT(geom, POLYGON((10 10, 15 10, 15 11, 10 11, 10 10)))",
    ):
        expected = await _ids(served, "declared", filter=text)
        assert expected
        assert await _ids(served, table, filter=text) == expected, text


@pytest.mark.parametrize("table", _INDEXED)
async def test_a_tile_has_the_rows_of_a_declared_column(served: Services, table: str) -> None:
    async def drawn(name: str, tile: str) -> set[int]:
        answer = await served["tiles"].get(f"/collections/own.{name}/tiles/WebMercatorQuad/{tile}", {"f": "mvt"})
        assert answer.status in (200, 204), answer.body
        layers = mapbox_vector_tile.decode(answer.body) if answer.body else {}
        return {each["id"] for layer in layers.values() for each in layer["features"]}

    for tile in ("5/13/17", "3/5/2"):
        expected = await drawn("declared", tile)
        assert expected
        assert await drawn(table, tile) == expected


@pytest.mark.parametrize("table", _INDEXED)
async def test_a_box_is_found_by_the_index(served: Services, url: str, table: str) -> None:
    owner = await asyncpg.connect(url)

    async def scans() -> int:
        found = await owner.fetchval(
            "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = $1 || '_geom'", table
        )
        return int(found)

    west = itertools.count(-180)

    async def five_more() -> bool:
        # a session reports its scans after a statement, but at most once a second
        await _ids(served, table, bbox=f"{(at := next(west))},1,{at + 1},2")
        await asyncio.sleep(0.2)
        return await scans() >= before + 5

    try:
        before = await scans()
        await eventually(five_more, seconds=60)
    finally:
        await owner.close()


async def _described(served: Services, name: str) -> dict[str, Any]:
    """Return the collection as soon as its rows were read: a round of the catalogue reads as many as time allows."""
    for _ in range(100):
        collection = await served["common"].json(f"/collections/own.{name}")
        if "bbox" in collection.get("extent", {}).get("spatial", {}):
            break
        await asyncio.sleep(0.2)
    return collection  # type: ignore[no-any-return]


async def test_a_learned_crs_is_described_as_a_declared_one(served: Services) -> None:
    for name in ("metres", "typed"):
        collection = await _described(served, name)
        assert collection["storageCrs"] == _3857
        assert collection["extent"]["spatial"]["bbox"] == [[-179.5, -79.5, 179.5, 58.5]]
    for name in ("degrees", "bare", "several", "seen"):
        collection = await _described(served, name)
        west, south, east, north = collection["extent"]["spatial"]["bbox"][0]
        assert (west, east) == pytest.approx((-179.5, 179.5), abs=2e-5), name
        assert (south, north) == pytest.approx((-79.5, 58.5), abs=2e-5), name


async def test_a_row_of_an_unknown_srid_is_served_without_geometry(served: Services) -> None:
    found = await served["features"].json("/collections/own.strange/items")
    assert [each["geometry"] for each in found["features"]] == [None]
    assert await _ids(served, "strange", bbox="-180,-90,180,90") == []


async def test_metres_without_an_srid_are_omitted(served: Services) -> None:
    answer = await served["features"].get("/collections/own.unprojected/items", {"limit": "3"})
    assert [each["geometry"] for each in answer.json()["features"]] == [None] * 3
    assert answer.json()["geometriesOmitted"] == 3


async def test_a_new_srid_is_learned(make_database: object) -> None:
    async def tables(owner: asyncpg.Connection) -> None:
        await owner.execute(
            "CREATE EXTENSION IF NOT EXISTS postgis; CREATE SCHEMA own; CREATE TABLE own.growing AS"
            " SELECT 1 AS id, ST_Transform('SRID=4326;POINT(1 1)'::geometry, 3857) AS geom"
        )

    url = await make_database(tables)  # type: ignore[operator]
    owner = await asyncpg.connect(url)
    async with services() as running:
        for name in ("common", "features"):
            await running.start(name, {"DAMS_DATABASE_URL": url, "DAMS_COLLECTION_SCHEMAS": "own"})
        box = {"bbox": "0,0,2,2"}
        found = await running["features"].json("/collections/own.growing/items", **box)
        assert found["numberReturned"] == 1
        await owner.execute("INSERT INTO own.growing VALUES (2, 'SRID=4326;POINT(1 1)'), (3, 'SRID=2154;POINT(0 0)')")
        for _ in range(100):
            found = await running["features"].json("/collections/own.growing/items", **box)
            if found["numberReturned"] == 2:
                break
            await asyncio.sleep(0.2)
        assert found["numberReturned"] == 2
    await owner.close()


async def test_the_doctor_names_the_statement_that_helps(url: str) -> None:
    found = [str(finding) for finding in await diagnose(url, ["own"]) if "ALTER TABLE" in str(finding)]
    alter = 'ALTER TABLE "own".'
    assert (
        '"geom" of "own"."metres" does not declare the SRID of its rows, 3857: it was learned from them.'
        f' {alter}"metres" ALTER COLUMN "geom" TYPE geometry(POINT, 3857);'
    ) in found
    (beyond,) = [text for text in found if '"unprojected"' in text]
    assert "are not longitude and latitude: responses omit these geometries" in beyond
    assert beyond.endswith(
        f'{alter}"unprojected" ALTER COLUMN "geom" TYPE geometry(POINT, …) USING ST_SetSRID("geom", …);'
    )
    assert not [text for text in found if '"declared"' in text or '"bare"' in text]
    owner = await asyncpg.connect(url)
    try:
        for table in ("metres", "typed", "degrees", "several"):
            (text,) = [text for text in found if f'"own"."{table}"' in text]
            transaction = owner.transaction()
            await transaction.start()
            await owner.execute(text[text.index("ALTER TABLE") :])
            moved = await owner.fetchval(
                f"SELECT count(*) FROM own.{table} WHERE ST_SRID(geom) NOT IN (3857, 4326)"  # noqa: S608 of this test
            )
            await transaction.rollback()
            assert moved == 0
    finally:
        await owner.close()
