"""Features in other CRSs (OGC 18-058r1): answers, boxes and filters, compared with the results of pyproj."""

from __future__ import annotations

import csv
from collections.abc import AsyncIterator
from io import StringIO
from typing import Any

import asyncpg
import pytest
import shapely
from pyproj import Transformer

from libs.ogc.crs import CRS84, USUAL_SRIDS, crs_uri
from tests.conftest import MakeDatabase
from tests.running_stack import Cluster
from tests.services.conftest import reader_url
from tests.services.in_process import Services, services

PLACES = {
    1: (12.5, 48.25),
    2: (179.75, -16.5),
    3: (-179.75, -16.5),
    4: (170.5, -45.9),
    5: (-60.0, -75.0),
    6: (5.5, 52.0),
}
EVERYWHERE = (4326, 3857, 3395)
STORED = {"degrees": 4326, "mercator": 3857, "zone": 25832, "polar": 3031}
"""Tables by the SRID that they are stored in."""


async def tables(owner: asyncpg.Connection) -> None:
    await owner.execute("CREATE SCHEMA moved")
    for name, srid in STORED.items():
        await owner.execute(f"CREATE TABLE moved.{name} (id integer PRIMARY KEY, geom geometry(Point, {srid}))")
        for identifier, place in PLACES.items():
            if identifier not in {"zone": {1, 6}, "polar": {5}}.get(name, PLACES):
                continue
            inserted = (
                f"INSERT INTO moved.{name} SELECT $1, ST_Transform(ST_SetSRID(ST_MakePoint($2, $3), 4326), {srid})"
            )
            await owner.execute(inserted, identifier, *place)
        await owner.execute(f"CREATE INDEX ON moved.{name} USING gist (geom); ANALYZE moved.{name}")
    await owner.execute(
        "CREATE TABLE moved.shapes (id integer PRIMARY KEY, geom geometry(Geometry, 4326));"
        "INSERT INTO moved.shapes VALUES (1, 'SRID=4326;POLYGON((0 0, 2 0, 2 1, 0 1, 0 0))'), (2, NULL),"
        " (4, 'SRID=4326;POINT EMPTY'),"
        " (5, 'SRID=4326;LINESTRING(0 0, 1 0.0001, 2 0)'), (6, 'SRID=4326;LINESTRING(0 -90, 1 -80)');"
        "CREATE TABLE moved.plain (id integer PRIMARY KEY, name text);"
        "CREATE TABLE moved.around (id integer PRIMARY KEY, geom geometry(LineString, 4326));"
        "INSERT INTO moved.around VALUES (1, 'SRID=4326;LINESTRING(170 10, 190 10)');"
        "ANALYZE moved.around;"
        "CREATE TABLE moved.high (id integer PRIMARY KEY, geom geometry(GeometryZ, 4326));"
        "INSERT INTO moved.high VALUES (1, 'SRID=4326;POINT Z(10 50 300)'), (2, 'SRID=4326;POINT Z(10 50 3000)'),"
        " (3, 'SRID=4326;LINESTRING Z(10 50 100, 11 51 5000)'), (4, 'SRID=4326;POINT Z(10 50 NaN)'), (5, NULL),"
        " (6, 'SRID=4326;POINT Z(99 50 300)');"
        "CREATE TABLE moved.any (id integer PRIMARY KEY, geom geometry);"
        "INSERT INTO moved.any VALUES (1, 'SRID=4326;POINT Z(10 50 300)'), (2, 'SRID=4326;POINT(10 50)');"
        "CREATE TABLE moved.three (id integer PRIMARY KEY, geom geometry(PointZ, 4979));"
        "INSERT INTO moved.three VALUES (1, 'SRID=4979;POINT Z(11 48 520.5)');"
        "DO $$ BEGIN CREATE ROLE hostile_reader LOGIN PASSWORD 'only reads';"
        " EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;"
        "GRANT USAGE ON SCHEMA moved TO hostile_reader; GRANT SELECT ON ALL TABLES IN SCHEMA moved TO hostile_reader"
    )


@pytest.fixture(scope="module")
async def moved(
    make_database: MakeDatabase, cluster: Cluster, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Services]:
    config = tmp_path_factory.mktemp("moved") / "collections.yaml"
    # an operator may name CRSs that the collection does not lie in
    every = ", ".join(f"EPSG:{srid}" for srid in USUAL_SRIDS)
    named = ", ".join(f"moved.{name}: {{crs: [{every}]}}" for name in ("degrees", "shapes"))
    config.write_text(f"collections: {{moved.zone: {{crs: [EPSG:3857, EPSG:2154]}}, {named}}}")
    env = {
        "DAMS_DATABASE_URL": reader_url(await make_database(tables)),
        "DAMS_COLLECTION_SCHEMAS": "moved",
        "DAMS_COLLECTIONS_CONFIG": str(config),
        "DAMS_REDIS_URL": cluster.redis_url,
    }
    async with services() as started:
        for name in ("common", "features", "tiles"):
            await started.start(name, env | {"DAMS_CATALOGUE_REFRESH_SECONDS": "1"})
        yield started


def uri(srid: int) -> str:
    found = crs_uri(srid)
    assert found is not None
    return found


def in_crs(place: tuple[float, float], srid: int) -> tuple[float, float]:
    """Coordinates in the order of the authority."""
    found: tuple[float, float] = Transformer.from_crs(4326, srid).transform(place[1], place[0])
    return found


async def items(moved: Services, table: str, **parameters: str) -> dict[str, Any]:
    named = {name.replace("_", "-"): value for name, value in parameters.items()}
    page: dict[str, Any] = await moved["features"].json(f"/collections/moved.{table}/items", **named)
    return page


async def ids(moved: Services, table: str, **parameters: str) -> set[int]:
    return {feature["id"] for feature in (await items(moved, table, **parameters))["features"]}


async def test_collections_tell_their_crss(moved: Services) -> None:
    async def told(table: str) -> tuple[list[str], str | None]:
        collection = await moved["common"].json(f"/collections/moved.{table}")
        return collection["crs"], collection.get("storageCrs")

    assert await told("degrees") == ([CRS84, *map(uri, USUAL_SRIDS)], CRS84)
    # unless the operator names others, those whose area of use the collection lies in
    anywhere = [CRS84, *map(uri, EVERYWHERE)]
    assert await told("mercator") == (anywhere, uri(3857))
    assert await told("polar") == ([*anywhere, uri(5042), uri(3031)], uri(3031))
    assert await told("zone") == ([CRS84, uri(3857), uri(2154), uri(25832)], uri(25832))
    assert await told("plain") == ([CRS84], None)
    assert (
        "http://www.opengis.net/spec/ogcapi-features-2/1.0/conf/crs"
        in (await moved["features"].json("/internal/part"))["conformsTo"]
    )


@pytest.mark.parametrize("srid", EVERYWHERE)
@pytest.mark.parametrize("table", ["degrees", "mercator", "polar"])
async def test_points_are_where_pyproj_has_them(moved: Services, table: str, srid: int) -> None:
    near = 1e-7 if srid == 4326 else 1e-3
    page = await items(moved, table, crs=uri(srid))
    # GDAL would read it as JSON-FG, whose geometries are in longitude and latitude
    assert "coordRefSys" not in page
    for feature in page["features"]:
        expected = in_crs(PLACES[feature["id"]], srid)
        assert feature["geometry"]["coordinates"] == pytest.approx(expected, abs=near), feature["id"]
    one = await moved["features"].get(f"/collections/moved.{table}/items/5", {"crs": uri(srid)})
    assert one.headers["Content-Crs"] == f"<{uri(srid)}>"
    assert "coordRefSys" not in one.json()
    assert one.json()["geometry"]["coordinates"] == pytest.approx(in_crs(PLACES[5], srid), abs=near)


@pytest.mark.parametrize("srid", [srid for srid in USUAL_SRIDS if srid not in EVERYWHERE])
async def test_axes_are_in_the_order_of_the_authority(moved: Services, srid: int) -> None:
    """In national and polar systems, each at a place in its area of use."""
    identifier = {3035: 1, 3978: 6, 2193: 4, 5041: 1, 5042: 5, 5482: 5, 32631: 6}[srid]
    feature = await moved["features"].json(f"/collections/moved.degrees/items/{identifier}", crs=uri(srid))
    assert feature["geometry"]["coordinates"] == pytest.approx(in_crs(PLACES[identifier], srid), abs=1e-3)


async def test_without_a_crs_it_is_crs84_and_told(moved: Services) -> None:
    for parameters in ({}, {"crs": CRS84}):
        answer = await moved["features"].get("/collections/moved.mercator/items", parameters)
        assert answer.headers["Content-Crs"] == f"<{CRS84}>"
        assert "coordRefSys" not in answer.json()
        found = {feature["id"]: feature["geometry"]["coordinates"] for feature in answer.json()["features"]}
        assert found == {identifier: pytest.approx(place, abs=1e-7) for identifier, place in PLACES.items()}


async def test_what_is_stored_comes_as_it_is_stored(moved: Services) -> None:
    (feature,) = (await items(moved, "zone", crs=uri(25832), ids="1"))["features"]
    assert feature["geometry"]["coordinates"] == pytest.approx(in_crs(PLACES[1], 25832), abs=1e-4)
    # and is found by the very number
    x, y = feature["geometry"]["coordinates"]
    filter_ = f"S_INTERSECTS(geom, BBOX({x - 0.001}, {y - 0.001}, {x + 0.001}, {y + 0.001}))"
    assert await ids(moved, "zone", filter=filter_, filter_crs=uri(25832)) == {1}


@pytest.mark.parametrize("format_", ["geojson", "json", "ndjson", "geojsonseq", "csv"])
async def test_every_format_has_the_crs(moved: Services, format_: str) -> None:
    parameters = {"crs": uri(4326), "f": format_, "ids": "1"}
    answer = await moved["features"].get("/collections/moved.degrees/items", parameters)
    assert answer.headers["Content-Crs"] == f"<{uri(4326)}>"
    if format_ == "csv":
        (row,) = csv.DictReader(StringIO(answer.body.decode()))
        assert row["geometry"] == "POINT(48.25 12.5)"
    else:
        assert b"[48.25,12.5]" in answer.body


async def test_large_pages_and_their_next_links_keep_the_crs(moved: Services) -> None:
    page = await items(moved, "degrees", crs=uri(3857), limit="2")
    (address,) = (link["href"] for link in page["links"] if link["rel"] == "next")
    following = await moved["features"].get(address[address.index("/collections") :])
    assert following.headers["Content-Crs"] == f"<{uri(3857)}>"
    assert following.json()["features"][0]["id"] == 3


BOXES = [(12.0, 48.0, 13.0, 49.0), (5.0, 47.0, 13.0, 53.0), (-70.0, -80.0, -50.0, -70.0), (165.0, -50.0, 179.9, -10.0)]


@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize("table", ["degrees", "mercator", "polar"])
@pytest.mark.parametrize("srid", EVERYWHERE)
async def test_boxes_in_another_crs(moved: Services, table: str, srid: int, box: tuple[float, ...]) -> None:
    there = {5} if table == "polar" else PLACES
    expected = {key for key in there if box[0] <= PLACES[key][0] <= box[2] and box[1] <= PLACES[key][1] <= box[3]}
    numbers = [*in_crs((box[0], box[1]), srid), *in_crs((box[2], box[3]), srid)]
    text = ",".join(str(number) for number in numbers)
    assert await ids(moved, table, bbox=text, bbox_crs=uri(srid)) == expected
    page = await items(moved, table, bbox=text, bbox_crs=uri(srid))
    assert page["numberMatched"] == len(expected)


@pytest.mark.parametrize("table", STORED)
@pytest.mark.parametrize("far", ["2.1e7", "1e40", "1e308"])
async def test_a_box_beyond_the_world_has_everything(moved: Services, table: str, far: str) -> None:
    everything = await ids(moved, table)
    box = f"-{far},-{far},{far},{far}"
    assert await ids(moved, table, **{"bbox": box, "bbox-crs": uri(3857)}) == everything
    nothing = f"1e9,-{far},{far},{far}" if float(far) > 1e9 else f"2.05e7,-{far},{far},{far}"
    assert not await ids(moved, table, **{"bbox": nothing, "bbox-crs": uri(3857)})


@pytest.mark.parametrize("half", [3e6, 1e7, 2.5e7, 1e9])
async def test_own_crs_boxes_of_any_size_match_by_number(moved: Services, half: float) -> None:
    """The CRS of the storage needs no transformation: numbers far outside its area of use are valid."""
    for table in ("zone", "polar"):
        everything = await ids(moved, table)
        for key in everything:
            x, y = in_crs(PLACES[key], STORED[table])
            around = (x - half, y - half, x + half, y + half)
            box = ",".join(map(str, around))
            there = {
                other
                for other in everything
                for east, north in [in_crs(PLACES[other], STORED[table])]
                if around[0] <= east <= around[2] and around[1] <= north <= around[3]
            }
            own = uri(STORED[table])
            assert await ids(moved, table, bbox=box, bbox_crs=own) == there
            assert await ids(moved, table, filter=f"S_INTERSECTS(geom, BBOX({box}))", filter_crs=own) == there
            beside = f"{x + 1},{y - half},{x + half},{y + half}"
            assert key not in await ids(moved, table, bbox=beside, bbox_crs=own)


@pytest.mark.parametrize(
    ("table", "heights", "found"),
    [
        ("high", (0, 1000), {1, 3, 4, 5}),
        ("high", (300, 300), {1, 3, 4, 5}),
        ("high", (301, 2999), {3, 4, 5}),
        ("high", (3000, 9000), {2, 3, 4, 5}),
        ("high", (-10, 99), {4, 5}),
        # a place without a height matches
        ("any", (0, 299), {2}),
        ("any", (0, 300), {1, 2}),
        ("degrees", (5000, 6000), set()),
        ("degrees", (0, 0), set()),
    ],
)
@pytest.mark.parametrize("srid", [None, 4326, 3857])
async def test_six_numbers_filter_by_height(
    moved: Services, table: str, heights: tuple[int, int], found: set[int], srid: int | None
) -> None:
    low, high = heights
    ends = [(9.0, 49.0), (12.0, 52.0)]
    (x1, y1), (x2, y2) = ends if srid is None else [in_crs(end, srid) for end in ends]
    crs = {} if srid is None else {"bbox_crs": uri(srid)}
    assert await ids(moved, table, bbox=f"{x1},{y1},{low},{x2},{y2},{high}", **crs) == found
    answer = await moved["features"].get(
        f"/collections/moved.{table}/items",
        {"bbox": f"{x1},{y1},{high + 1},{x2},{y2},{low}", **({} if srid is None else {"bbox-crs": uri(srid)})},
    )
    assert answer.status == 422


async def test_a_crs_of_three_axes_is_not_declared(moved: Services) -> None:
    """Features in it could not be requested."""
    collection = await moved["common"].json("/collections/moved.three")
    assert "storageCrs" not in collection
    assert [each for each in collection["crs"] if each.endswith("/4979")] == []
    (feature,) = (await items(moved, "three"))["features"]
    assert feature["geometry"]["coordinates"] == [11, 48, 520.5]
    refused = await moved["features"].get("/collections/moved.three/items", {"crs": uri(4979)})
    assert refused.status == 422


async def test_a_box_in_degrees_may_cross_the_antimeridian(moved: Services) -> None:
    assert await ids(moved, "degrees", bbox="-17,179,-16,-179", bbox_crs=uri(4326)) == {2, 3}
    assert await ids(moved, "degrees", bbox="-17,179,0,-16,-179,5", bbox_crs=uri(4326)) == {2, 3}


async def test_a_box_around_the_pole(moved: Services) -> None:
    # both systems have a pole in the middle, one at (0, 0), one at (2000000, 2000000); all longitudes are around it
    for srid, middle in ((3031, 0), (5042, 2_000_000)):
        for half, found in ((1_000_000, set()), (2_000_000, {5}), (6_500_000, {4, 5})):
            ends = middle - half, middle + half
            box = f"{ends[0]},{ends[0]},{ends[1]},{ends[1]}"
            for table in ("degrees", "polar") if srid == 3031 else ("degrees",):
                if srid == 3031 and table == "degrees":
                    continue
                expected = found & {5} if table == "polar" else found
                assert await ids(moved, table, bbox=box, bbox_crs=uri(srid)) == expected, (srid, half, table)


@pytest.mark.parametrize("lang", ["cql2-text", "cql2-json"])
async def test_geometries_of_filters_are_in_the_crs_of_the_filter(moved: Services, lang: str) -> None:
    for srid in EVERYWHERE:
        corners = [in_crs(place, srid) for place in ((5, 47), (13, 47), (13, 53), (5, 53), (5, 47))]
        ring = ", ".join(f"{first} {second}" for first, second in corners)
        text = f"S_WITHIN(geom, POLYGON(({ring})))"
        if lang == "cql2-json":
            positions = str([[list(corner) for corner in corners]])
            text = '{"op":"s_within","args":[{"property":"geom"},{"type":"Polygon","coordinates":' + positions + "}]}"
        for table in ("degrees", "mercator"):
            found = await ids(moved, table, filter=text, filter_crs=uri(srid), filter_lang=lang)
            assert found == {1, 6}, (srid, table)


async def test_simplify_is_in_units_of_the_crs(moved: Services) -> None:
    async def corners(**parameters: str) -> int:
        page = await items(moved, "shapes", ids="5", **parameters)
        return len(page["features"][0]["geometry"]["coordinates"])

    # eleven metres, a ten-thousandth of a degree
    assert await corners(crs=uri(3857), simplify="5") == 3
    assert await corners(crs=uri(3857), simplify="50") == 2
    assert await corners(crs=uri(4326), simplify="0.00005") == 3
    assert await corners(crs=uri(4326), simplify="0.001") == 2


async def test_boxes_instead_of_geometries(moved: Services) -> None:
    page = await items(moved, "shapes", ids="1", crs=uri(4326), bbox_only="true")
    assert shapely.geometry.shape(page["features"][0]["geometry"]).bounds == (0, 0, 1, 2)
    page = await items(moved, "shapes", ids="1", crs=uri(3857), bbox_only="true")
    expected = (*in_crs((0, 0), 3857), *in_crs((2, 1), 3857))
    assert shapely.geometry.shape(page["features"][0]["geometry"]).bounds == pytest.approx(expected, abs=1e-3)


async def test_what_has_no_place_in_the_crs_is_counted(moved: Services) -> None:
    # which has the south pole at infinity
    answer = await moved["features"].get("/collections/moved.shapes/items", {"crs": uri(5041)})
    found = {feature["id"]: feature["geometry"] for feature in answer.json()["features"]}
    assert [identifier for identifier, geometry in found.items() if geometry is None] == [2, 4, 6]
    # features that have no geometry are not counted as omitted
    assert answer.headers["DAMS-Geometries-Omitted"] == "1"
    assert answer.json()["geometriesOmitted"] == 1


async def test_what_crosses_the_antimeridian_is_cut_there(moved: Services) -> None:
    (feature,) = (await items(moved, "around", crs=uri(3857)))["features"]
    lines = feature["geometry"]["coordinates"]
    assert feature["geometry"]["type"] == "MultiLineString"
    assert sorted(abs(x) for line in lines for x, _ in line)[-2:] == pytest.approx([20037508.3428] * 2, abs=1e-3)


@pytest.mark.parametrize("name", ["crs", "bbox-crs", "filter-crs"])
@pytest.mark.parametrize("value", ["EPSG:3857", uri(25832), "", "http://www.opengis.net/def/crs/EPSG/0/999999"])
async def test_a_crs_that_is_none_of_the_collections_is_a_fault(moved: Services, name: str, value: str) -> None:
    answer = await moved["features"].get("/collections/moved.degrees/items", {name: value, "bbox": "1,2,3,4"})
    assert answer.status == 422
    (fault,) = answer.json()["detail"]
    assert fault["loc"] == ["query", name]
    assert fault["msg"].startswith(f"{name} '{value}' is not available for this collection; use one of {CRS84}, ")


@pytest.mark.parametrize(
    ("name", "beside"),
    [("bbox-crs", {"bbox": "900000,9,1,1"}), ("filter-crs", {"filter": "S_WITHIN(geom, POINT(900000 9))"})],
)
async def test_numbers_of_a_crs_that_is_a_fault_are_no_fault_beside_it(
    moved: Services, name: str, beside: dict[str, str]
) -> None:
    answer = await moved["features"].get("/collections/moved.degrees/items", {name: "EPSG:3857", **beside})
    assert [fault["loc"] for fault in answer.json()["detail"]] == [["query", name]]


@pytest.mark.parametrize(
    ("box", "sentence"),
    [
        ("5,0,1,1", "bbox has a least coordinate that is greater than the greatest"),
        ("0,5,1,1", "bbox has a least coordinate that is greater than the greatest"),
        ("0,1,2", "bbox has 3 items, minimum is 4"),
        ("0,1,2,3,4", "bbox must have 4 or 6 numbers, has 5"),
    ],
)
async def test_boxes_that_cannot_be(moved: Services, box: str, sentence: str) -> None:
    answer = await moved["features"].get("/collections/moved.degrees/items", {"bbox": box, "bbox-crs": uri(3857)})
    assert answer.status == 422
    assert [fault["msg"] for fault in answer.json()["detail"]] == [sentence]
    assert [fault["loc"] for fault in answer.json()["detail"]] == [["query", "bbox"]]


async def test_tiles_take_boxes_and_filters_in_other_crss(moved: Services) -> None:
    tile = "/collections/moved.degrees/tiles/WebMercatorQuad/0/0/0"
    numbers = ",".join(str(number) for place in ((5, 47), (13, 53)) for number in in_crs(place, 4326))
    wanted = await moved["tiles"].get(tile, {"ids": "1,6"})
    assert wanted.body
    assert (await moved["tiles"].get(tile, {"bbox": numbers, "bbox-crs": uri(4326)})).body == wanted.body


async def test_pages_for_people_stay_in_longitude_and_latitude(moved: Services) -> None:
    for path in ("/collections/moved.degrees/items", "/collections/moved.degrees/items/1"):
        answer = await moved["features"].get(path, {"f": "html", "crs": uri(3857)})
        assert answer.status == 200
        assert "Content-Crs" not in answer.headers
