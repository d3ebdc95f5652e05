"""A user's tables: every type as the schema describes it, in every format and in tiles; extents; odd times."""

from __future__ import annotations

import csv
import html
import re
from collections.abc import AsyncIterator
from io import StringIO
from typing import Any
from urllib.parse import quote

import asyncpg
import orjson
import pytest

from tests.conftest import MakeDatabase
from tests.eventually import eventually
from tests.running_stack import Cluster
from tests.services.conftest import reader_url
from tests.services.in_process import Services, services
from tests.services.tiles.places import decoded

ANY = None
"""The schema of a property without a type."""
COLUMNS: list[tuple[str, str, Any, str | None]] = [
    # type, value as PostgreSQL reads it, value in JSON, type of the schema: of members where it is an array
    ("oid", "4000000000", 4000000000, "integer"),
    ("oid[]", "{1,4000000000}", [1, 4000000000], "integer"),
    ("bigint", "-5", -5, "integer"),
    ("smallint[]", "{1,NULL}", [1, None], "integer"),
    ("numeric", "1.50", 1.5, "number"),
    ("numeric[]", "{1.5,NaN}", [1.5, None], "number"),
    ("double precision", "NaN", None, "number"),
    ("double precision[]", "{NaN,1.5,Infinity,-Infinity}", [None, 1.5, None, None], "number"),
    ("real", "0.1", 0.1, "number"),
    ("real[]", "{0.1}", [0.1], "number"),
    ("money", "5", 5, "number"),
    ("money[]", "{5,6}", [5, 6], "number"),
    ("boolean", "true", True, "boolean"),
    ("boolean[]", "{t,NULL}", [True, None], "boolean"),
    ("text[]", '{a,NULL,"b,c"}', ["a", None, "b,c"], "string"),
    ("date", "infinity", None, "string"),
    ("date[]", "{2020-01-01,infinity}", ["2020-01-01", None], "string"),
    ("timestamptz", "0044-03-15 12:00:00+00 BC", None, "string"),
    ("timestamptz[]", "{2020-01-01T00:00:00+02,-infinity}", ["2019-12-31T22:00:00Z", None], "string"),
    ("timestamp[]", '{2020-01-01T00:00:00.25,"0044-03-15 BC"}', ["2020-01-01T00:00:00.25Z", None], "string"),
    ("interval", "1 day 02:00", "P1DT2H", "string"),
    ("jsonb", '{"a": [1, null]}', {"a": [1, None]}, ANY),
    ("jsonb[]", '{"{\\"a\\": 1}",2}', [{"a": 1}, 2], ANY),
    ("own.pair", "(1,x)", {"a": 1, "b": "x"}, ANY),
    ("own.pair[]", '{"(1,x)"}', [{"a": 1, "b": "x"}], ANY),
    ("own.level[]", "{low}", ["low"], "string"),
    ("hstore", "a=>1,b=>NULL", {"a": "1", "b": None}, ANY),
    ("tstzrange", "[2020-01-01Z,2020-02-01Z)", '["2020-01-01 00:00:00+00","2020-02-01 00:00:00+00")', "string"),
    ("bytea", "\\x00ff", "\\x00ff", "string"),
    ("citext", "Abc", "Abc", "string"),
    ("numeric[]", "{1e400,-1e400,1.5}", [None, None, 1.5], "number"),
]
OTHERS = """
CREATE TABLE own.rows_hidden (id integer PRIMARY KEY, who text, at timestamptz, geom geometry(Point, 4326), note text);
INSERT INTO own.rows_hidden VALUES
    (1, 'all', '2020-01-01Z', 'SRID=4326;POINT(1 1)'), (2, 'none', '2030-01-01Z', 'SRID=4326;POINT(100 50)');
-- more than are read where the server keeps an extent itself
INSERT INTO own.rows_hidden
SELECT n, 'none', '2030-01-01Z', 'SRID=4326;POINT(90 40)', repeat('x', 1500) FROM generate_series(3, 8000) n;
CREATE INDEX ON own.rows_hidden (at);
CREATE INDEX ON own.rows_hidden USING gist (geom);
ALTER TABLE own.rows_hidden ENABLE ROW LEVEL SECURITY;
CREATE POLICY open ON own.rows_hidden USING (who = 'all');
CREATE TABLE own.geographies (id integer PRIMARY KEY, geom geography(Point));
INSERT INTO own.geographies VALUES (1, 'POINT(10 50)'), (2, 'POINT(20 60)');
CREATE TABLE own.periods (id integer PRIMARY KEY, at tstzrange, days daterange, naive tsrange);
INSERT INTO own.periods VALUES
    (1, '[2020-01-01Z,2020-02-01Z)', '[2020-01-01,2020-02-01)', '[2020-01-01,2020-02-01]'),
    (2, '[2020-02-01Z,)', '[2020-02-01,2020-02-01]', '(,2019-01-01)'),
    (3, 'empty', NULL, 'empty'), (4, NULL, NULL, '(2010-01-01,2010-02-01)');
CREATE TABLE own.bounded (id integer PRIMARY KEY, at tstzrange);
INSERT INTO own.bounded VALUES (1, '[2020-01-01Z,2020-02-01Z)'), (2, '[2019-01-01Z,2019-02-01Z)');
CREATE TABLE own.odd_times (id integer PRIMARY KEY, day date, at timestamptz);
INSERT INTO own.odd_times VALUES
    (1, 'infinity', 'infinity'), (2, '-infinity', '-infinity'), (3, '0044-03-15 BC', '0044-03-15 BC'),
    (4, '2020-01-01', '2020-01-01Z'), (5, '20000-01-01', '20000-01-01Z');
CREATE MATERIALIZED VIEW own.unfilled AS SELECT * FROM own.odd_times WITH NO DATA;
CREATE COLLATION own.any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE own.odd_collation (id integer PRIMARY KEY, name text COLLATE own.any_case);
INSERT INTO own.odd_collation VALUES (1, 'Abc');
CREATE TYPE own.grade;
CREATE FUNCTION own.level_in(cstring) RETURNS own.grade STRICT IMMUTABLE LANGUAGE internal AS 'int4in';
CREATE FUNCTION own.level_out(own.grade) RETURNS cstring STRICT IMMUTABLE LANGUAGE internal AS 'int4out';
CREATE TYPE own.grade (INTERNALLENGTH = 4, INPUT = own.level_in, OUTPUT = own.level_out, PASSEDBYVALUE);
CREATE TABLE own.made_types AS SELECT 1 AS id, '5'::own.grade AS grade, NULL::pg_node_tree AS node;
CREATE TABLE own.lost_places AS
SELECT n AS id, ST_SetSRID(ST_MakePoint(n, n), CASE WHEN n > 2 THEN 12 ELSE 4326 END) AS geom
FROM generate_series(1, 5) n;
INSERT INTO own.lost_places VALUES (6, NULL);
-- a place that PROJ cannot transform, and a ring that is not closed, as older versions of PostGIS let it in
CREATE TABLE own.misplaced (id integer PRIMARY KEY, word text, geom geometry);
INSERT INTO own.misplaced
SELECT n, 'row ' || n, CASE WHEN n <> 17 THEN ST_Transform(ST_Point(n / 10.0, 45, 4326), 3035)
    ELSE 'SRID=3035;POINT(1e9 1e9)' END
FROM generate_series(1, 39) n; INSERT INTO own.misplaced VALUES (40, 'unknown SRID', 'SRID=990001;POINT(1 1)');
CREATE TABLE own.open_rings (id integer PRIMARY KEY, geom geometry(Polygon, 4326));
INSERT INTO own.open_rings SELECT n, ST_MakeEnvelope(n, 0, n + 0.5, 9, 4326) FROM generate_series(1, 20) n;
INSERT INTO own.open_rings SELECT 21, ST_SetSRID(('01030000000100000004000000' || repeat('0', 64)
    || '00000000000010400000000000001040' || '00000000000010400000000000000000')::geometry, 4326);
ALTER TABLE own.made_types ADD PRIMARY KEY (id);
ALTER TABLE own.lost_places ADD PRIMARY KEY (id);
CREATE TABLE own."odd names" ("the ""key"" <b>" integer PRIMARY KEY, "and" text);
INSERT INTO own."odd names" VALUES (1, 'x');
ANALYZE;
"""


async def own_data(owner: asyncpg.Connection) -> None:
    """Make a row of every type, and other rows that cause faults on unprepared databases."""
    columns = ", ".join(f"c{number} {sql_type}" for number, (sql_type, *_) in enumerate(COLUMNS))
    await owner.execute(
        "CREATE EXTENSION hstore; CREATE EXTENSION citext; CREATE SCHEMA own; SET timezone = 'UTC';"
        "CREATE TYPE own.pair AS (a integer, b text); CREATE TYPE own.level AS ENUM ('low', 'high');"
        f"CREATE TABLE own.types (id integer PRIMARY KEY, {columns}, geom geometry(Point, 4326))"
    )
    values = ", ".join(f"${number + 1}::text::{sql_type}" for number, (sql_type, *_) in enumerate(COLUMNS))
    await owner.execute(
        f"INSERT INTO own.types VALUES (1, {values}, 'SRID=4326;POINT(10 50)')",  # noqa: S608
        *(value for _, value, *_ in COLUMNS),
    )
    await owner.execute("INSERT INTO own.types (id, geom) VALUES (2, 'SRID=4326;POINT(11 51)')")
    await owner.execute(OTHERS)
    await owner.execute(
        "DO $$ BEGIN CREATE ROLE hostile_reader LOGIN PASSWORD 'only reads';"
        " EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;"
        "GRANT USAGE ON SCHEMA own TO hostile_reader; GRANT SELECT ON ALL TABLES IN SCHEMA own TO hostile_reader"
    )


@pytest.fixture(scope="module")
async def own(make_database: MakeDatabase, cluster: Cluster) -> AsyncIterator[Services]:
    url = await make_database(own_data)
    env = {"DAMS_DATABASE_URL": reader_url(url), "DAMS_COLLECTION_SCHEMAS": "own", "DAMS_REDIS_URL": cluster.redis_url}
    async with services() as started:
        for name in ("common", "features", "tiles"):
            await started.start(name, env | {"DAMS_CATALOGUE_REFRESH_SECONDS": "1"})
        yield started


ITEMS = "/collections/own.types/items"
NAMES = [f"c{number}" for number in range(len(COLUMNS))]
EXPECTED = {name: value for name, (_, _, value, _) in zip(NAMES, COLUMNS, strict=True)}


async def test_values_are_as_the_schema_says(own: Services) -> None:
    schema = (await own["features"].json("/collections/own.types/schema"))["properties"]
    for name, (sql_type, _, value, kind) in zip(NAMES, COLUMNS, strict=True):
        if sql_type.endswith("[]"):
            assert schema[name]["type"] == "array", sql_type
            assert schema[name]["items"] == ({"type": [kind, "null"]} if kind else {}), sql_type
            members = [member for member in value if member is not None]
        else:
            anything = ["object", "array", "string", "number", "boolean"] if sql_type.startswith("json") else "object"
            assert schema[name]["type"] == (kind or anything), sql_type
            members = [] if value is None else [value]
        assert kind is None or all(_is(kind, member) for member in members), sql_type


def _is(kind: str, value: Any) -> bool:
    kinds = {"integer": (int,), "number": (int, float), "boolean": (bool,), "string": (str,)}
    return isinstance(value, kinds[kind]) and (kind == "boolean" or not isinstance(value, bool))


@pytest.mark.parametrize("format_", ["geojson", "json", "geojsonseq", "ndjson"])
async def test_values_in_json(own: Services, format_: str) -> None:
    body = (await own["features"].get(ITEMS, {"f": format_})).body
    if format_ in ("geojsonseq", "ndjson"):
        rows = [orjson.loads(line.strip(b"\x1e")) for line in body.splitlines()]
    else:
        found = orjson.loads(body)
        rows = found["features"] if format_ == "geojson" else found
    if format_.startswith("geojson"):
        rows = [feature["properties"] for feature in rows]
    assert {name: rows[0][name] for name in NAMES} == EXPECTED
    assert {rows[1][name] for name in NAMES} == {None}
    one = await own["features"].json(f"{ITEMS}/1")
    assert {name: one["properties"][name] for name in NAMES} == EXPECTED


async def test_values_in_csv_are_those_of_json(own: Services) -> None:
    text = (await own["features"].get(ITEMS, {"f": "csv"})).body.decode()
    first, second = csv.DictReader(StringIO(text))
    for name, value in EXPECTED.items():
        cell = first[name]
        if isinstance(value, bool | list | dict | float | int):
            assert orjson.loads(cell) == value, name
        else:
            assert cell == ("" if value is None else value), name
    assert {second[name] for name in NAMES} == {""}


@pytest.mark.parametrize("tms", ["WebMercatorQuad", "WorldCRS84Quad", "EuropeanETRS89_LAEAQuad"])
async def test_values_in_tiles_are_those_of_json(own: Services, tms: str) -> None:
    address = f"/collections/own.types/tiles/{tms}/0/{1 if tms == 'WorldCRS84Quad' else 0}/0"
    tile = await own["tiles"].get(address)
    found = {feature.id: feature for feature in decoded(tile.body, "own.types")}
    for name, value in EXPECTED.items():
        shown = found[1].properties.get(name)
        if isinstance(value, list | dict):
            shown = orjson.loads(str(shown))
        assert shown == (pytest.approx(value) if isinstance(value, float) else value), name
    for format_ in ("json", "html"):
        answer = await own["tiles"].get(address, {"f": format_})
        assert answer.status == 200


async def test_every_page_of_every_collection_answers(own: Services) -> None:
    for collection in (await own["common"].json("/collections", limit="1000"))["collections"]:
        address = f"/collections/{quote(collection['id'])}"
        for resource in ("items", "schema", "queryables", "items/1", "items/2"):
            answer = await own["features"].get(f"{address}/{resource}", {"f": "html"})
            # of some there is one feature alone
            assert answer.status == 200 or (answer.status == 404 and resource == "items/2"), answer.url


async def test_filters_that_pages_propose_are_read(own: Services) -> None:
    page = (await own["features"].get("/collections/own.odd%20names/items", {"f": "html"})).body.decode()
    proposed = re.search(r'name="filter"[^>]*placeholder="([^"]*)"', page)
    assert proposed
    text = html.unescape(proposed[1])
    assert (await own["features"].json("/collections/own.odd%20names/items", filter=text))["numberMatched"] == 1


async def test_orders_that_a_type_does_not_have_are_refused(own: Services) -> None:
    for name in ("grade", "node"):
        answer = await own["features"].get("/collections/own.made_types/items", {"sortby": name})
        assert answer.status == 422
        assert "sortby" in answer.json()["detail"][0]["loc"]


async def test_rows_of_a_crs_that_nobody_knows_are_counted(own: Services) -> None:
    for resource in ("items", "feed"):
        page = await own["features"].json(f"/collections/own.lost_places/{resource}", f="geojson")
        assert [feature["geometry"] is None for feature in page["features"]] == [False, False, True, True, True, True]
        assert page["geometriesOmitted"] == 3
    others = [f"/collections/own.lost_places/items?f={form}" for form in ("csv", "html", "gpkg")]
    assert {(await own["features"].get(path)).headers["DAMS-Geometries-Omitted"] for path in others} == {"3"}
    found = await own["features"].json("/collections/own.lost_places/items", bbox="0,0,9,9")
    # the two that are there, and the one without a geometry
    assert found["numberMatched"] == 3


async def test_rows_that_are_in_no_tile_are_counted_by_each(own: Services) -> None:
    for tile in ("0/0/0", "9/0/0"):
        answer = await own["tiles"].get(f"/collections/own.lost_places/tiles/WebMercatorQuad/{tile}")
        assert answer.headers["DAMS-Features-Omitted"] == "3"
    one = await own["tiles"].get("/collections/own.lost_places/tiles/WebMercatorQuad/0/0/0?filter=id<4")
    assert one.headers["DAMS-Features-Omitted"] == "1"


async def test_row_on_which_a_filter_fails_does_not_match(own: Services) -> None:
    inside = "S_INTERSECTS(geom, POLYGON((0.95 44, 3.05 44, 3.05 46, 0.95 46, 0.95 44)))"
    for conditions, numbers in {
        f"filter={inside}": {*range(10, 31)} - {17},
        f"filter=NOT {inside}": {*range(1, 10), *range(31, 40)},
        f"filter=id < 20 AND {inside}": {*range(10, 20)} - {17},
        "bbox=0.95,44,3.05,46": {*range(10, 31)} - {17},
    }.items():
        assert await ids_of(own, "misplaced", conditions) == numbers, conditions
    # conditions that leave these rows out are answered as before
    assert 17 in await ids_of(own, "misplaced", "filter=id < 20")
    assert await ids_of(own, "open_rings", "bbox=0,1,5.2,2") == {1, 2, 3, 4, 5}
    page = await own["features"].json("/collections/own.misplaced/items", bbox="0.95,44,3.05,46", limit="5")
    assert page["numberMatched"] == 20
    for format_ in ("csv", "html"):
        answer = await own["features"].get("/collections/own.misplaced/items", {"bbox": "2,44,3,46", "f": format_})
        assert (answer.status, answer.headers["DAMS-Features-Omitted"]) == (200, "1")
    large = await own["features"].get("/collections/own.misplaced/items", {"bbox": "0.95,44,3.05,46", "limit": "1000"})
    assert large.headers["DAMS-Features-Omitted"] == "1"
    assert "DAMS-Features-Omitted" not in (await own["features"].get("/collections/own.misplaced/items")).headers
    answers = (
        ("facets", {"facets": "word"}, b'"numberMatched":20'),
        ("feed", {"f": "geojson"}, b'"numberReturned":20'),
        ("feed", {"f": "atom"}, b"<entry>"),
        ("export", {"f": "csv"}, b"row 30"),
        # and of the same once more
        ("export", {"f": "gpkg", "filter": "id <> 103"}, b"SQLite"),
    )
    for place, (path, parameters, number) in enumerate(answers, start=100):
        # with different conditions each time, so that no cache has the answer
        beside = {"bbox": "0.95,44,3.05,46", "filter": f"id <> {place}"}
        answer = await own["features"].get(f"/collections/own.misplaced/{path}", {**beside, **parameters})
        assert (answer.status, answer.headers.get("DAMS-Features-Omitted")) == (200, "1"), answer.url
        assert number in answer.body, answer.url
        assert b"row 17" not in answer.body, answer.url
    # the row has no position and is in no cell; the same is true of the one with an unknown SRID
    for query, matched, nulls in (("", 40, 2), ("&bbox=0.95,44,3.05,46", 20, 0), ("&filter=id<31", 30, 1)):
        path = f"/collections/own.misplaced/facets?facets=geom:grid:1,geom:hexagon:1{query}"
        for _ in range(2):
            found = (await own["features"].get(path)).json()
            assert found["numberMatched"] == matched
            assert [facet["nulls"] for facet in found["facets"].values()] == [nulls, nulls]
    for condition, omitted in (("", "2"), (f"?filter={inside}".replace(" ", "%20"), "1")):
        tile = await own["tiles"].get(f"/collections/own.misplaced/tiles/WebMercatorQuad/0/0/0{condition}")
        assert (tile.status, tile.headers["DAMS-Features-Omitted"]) == (200, omitted)


async def test_a_feature_whose_geometry_cannot_be_had_is_given_without(own: Services) -> None:
    for format_ in ("geojson", "csv", "html"):
        answer = await own["features"].get("/collections/own.misplaced/items/17", {"f": format_})
        assert (answer.status, b"row 17" in answer.body) == (200, True), format_
        assert format_ != "geojson" or answer.json()["geometry"] is None


async def test_a_view_that_was_never_filled_is_no_collection(own: Services) -> None:
    assert (await own["features"].get("/collections/own.unfilled/items")).status == 404


async def test_times_beyond_the_calendar_are_found(own: Services) -> None:
    for condition, ids in {
        "datetime=2019-01-01/..": {1, 4, 5},
        "datetime=../2019-01-01": {2, 3},
        "datetime=../2019-01-01&datetime-column=at": {2, 3},
        "filter=day > DATE('9999-12-31')": set(),
        "filter=T_BEFORE(at, DATE('0001-01-01'))": set(),
    }.items():
        assert await ids_of(own, "odd_times", condition) == ids, condition


async def ids_of(own: Services, name: str, conditions: str) -> set[int]:
    """The ids of the features that a query string finds."""
    parameters = dict(condition.split("=", 1) for condition in conditions.split("&"))
    items = await own["features"].json(f"/collections/own.{name}/items", limit="100", **parameters)
    return {feature["id"] for feature in items["features"]}


@pytest.mark.parametrize(
    ("condition", "ids"),
    [
        # a row without a time matches; an empty range is a time, and contains none
        ("datetime=2020-01-15", {1, 4}),
        ("datetime=2020-01-31T23:59:59.999999Z", {1, 4}),
        ("datetime=2020-02-01", {2, 4}),
        ("datetime=2025-01-01/..", {2, 4}),
        ("datetime=2020-02-01&datetime-column=days", {2, 3, 4}),
        ("datetime=2020-02-01T00:00:00Z&datetime-column=naive", {1}),
        ("datetime=../2018-01-01&datetime-column=naive", {2, 4}),
        ("datetime=2010-01-01T00:00:00Z&datetime-column=naive", {2}),
        ("filter=T_AFTER(naive, TIMESTAMP('2010-01-01T00:00:00Z'))", {1, 4}),
        ("filter=T_BEFORE(naive, TIMESTAMP('2010-02-01T00:00:00Z'))", {4}),
        ("filter=T_INTERSECTS(at, INTERVAL('2020-01-31', '2020-02-01'))", {1, 2}),
        ("filter=T_DURING(days, INTERVAL('2019-12-31', '2020-02-01'))", {1}),
        ("filter=T_EQUALS(days, INTERVAL('2020-01-01', '2020-01-31'))", {1}),
        ("filter=T_AFTER(at, TIMESTAMP('2020-01-15T00:00:00Z'))", {2}),
        ("filter=T_MEETS(INTERVAL('2019-01-01', '2020-01-01'), days)", {1}),
        ("filter=T_FINISHES(INTERVAL('2021-01-01', '..'), at)", {2}),
        ("filter=NOT T_INTERSECTS(at, INTERVAL('2020-01-15', '2020-01-16'))", {2}),
    ],
)
async def test_ranges_are_times(own: Services, condition: str, ids: set[int]) -> None:
    assert await ids_of(own, "periods", condition) == ids


@pytest.mark.parametrize(
    ("condition", "ids"),
    [
        ("filter=c0 = 4000000000 AND c0 > 5 AND c0 IN (1, 4000000000) AND A_CONTAINS(c1, (1))", {1}),
        ("filter=c10 = 5 AND c10 + 1 = 6 AND A_OVERLAPS(c11, (6, 7))", {1}),
        ("c10=5.00&c0=4000000000", {1}),
        ("filter=c20 = 'PT26H' AND c20 > 'P1D' AND c20 < '2 days' AND c20 IN ('PT1H', 'P1DT2H')", {1}),
        ("filter=c20 BETWEEN 'P1D' AND 'P1DT1H'", set()),
        ("c20=PT26H", {1}),
    ],
)
async def test_filters_take_values_as_they_are_shown(own: Services, condition: str, ids: set[int]) -> None:
    assert await ids_of(own, "types", condition) == ids


async def test_faults_of_durations_and_collations_are_told(own: Services) -> None:
    answer = await own["features"].get(ITEMS, {"filter": "c20 > 'a while'"})
    assert answer.status == 422
    assert "'a while' is a string, but no duration such as P1DT2H30M" in answer.body.decode()
    answer = await own["features"].get("/collections/own.odd_collation/items", {"filter": "name LIKE 'a%'"})
    assert answer.status == 422
    assert "put both sides into CASEI()" in answer.body.decode()
    assert await ids_of(own, "odd_collation", "filter=CASEI(name) LIKE CASEI('A%')") == {1}


async def test_extents_that_only_the_rows_tell(own: Services) -> None:
    async def extents() -> dict[str, Any]:
        collections = (await own["common"].json("/collections", limit="1000"))["collections"]
        return {collection["id"].removeprefix("own."): collection.get("extent") for collection in collections}

    async def complete() -> dict[str, Any]:
        found = await extents()
        assert all(found[name] for name in ("bounded", "geographies", "rows_hidden"))
        return found

    found = await eventually(complete)
    assert found["rows_hidden"]["spatial"]["bbox"] == [[1, 1, 1, 1]]
    assert found["rows_hidden"]["temporal"]["interval"] == [["2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z"]]
    assert found["geographies"]["spatial"]["bbox"] == [[10, 50, 20, 60]]
    assert found["bounded"]["temporal"]["interval"] == [["2019-01-01T00:00:00Z", "2020-02-01T00:00:00Z"]]
