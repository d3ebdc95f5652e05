"""Values come out as they are stored, in every format; conditional requests know what exists."""

from __future__ import annotations

import csv
import json
import re
from email.utils import parsedate_to_datetime
from urllib.parse import parse_qs, quote, urlsplit

import asyncpg
import pytest
from jsonschema import Draft202012Validator

from tests.eventually import eventually
from tests.services.in_process import Client, Services


async def test_the_id_of_an_enumeration_leads_to_its_item(features: Client) -> None:
    document = await features.json("/collections/hostile.enum_key/items")
    assert {feature["id"] for feature in document["features"]} == {"low", "high", "Middle"}
    assert (await features.json("/collections/hostile.enum_key/items/Middle"))["properties"]["n"] == 3


async def test_numbers_are_numbers(features: Client) -> None:
    document = await features.json("/collections/hostile.types/items")
    rows = {feature["id"]: feature["properties"] for feature in document["features"]}
    first, second = rows["9007199254740993"], rows[-1]
    assert (first["single"], first["exact"], first["price"]) == (6.1, -12.5, -1234.5)
    assert (second["single"], second["exact"], second["unbounded"]) == (None, None, None)
    assert (first["level"], first["address"], first["span"]) == ('a "quoted", one', "10.0.0.0/8", "[1,5)")


async def test_tables_have_plain_cells(features: Client) -> None:
    answer = await features.get("/collections/hostile.types/items", {"f": "csv", "ids": "9007199254740993"})
    line = next(csv.DictReader(answer.body.decode().splitlines(keepends=True)))
    expected = {"exact": "-12.500", "level": 'a "quoted", one', "address": "10.0.0.0/8", "span": "[1,5)",
                "clock": "23:59:59.5", "single": "6.1", "short": "=1+1"}  # fmt: skip
    assert {name: line[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("collection", "properties", "names"),
    [
        ("events", None, ["collectionId", "itemId", "id", "name", "magnitude", "category", "at", "geometry"]),
        ("events", "magnitude,id,name", ["collectionId", "itemId", "magnitude", "id", "name", "geometry"]),
        ("events", "", ["collectionId", "itemId", "geometry"]),
        ("varchar_key", None, ["collectionId", "itemId", "code", "n"]),
        # an id that is not the key is another value
        ("other_id", None, ["collectionId", "itemId", "key", "id", "word"]),
        ("no_key_but_id", None, ["collectionId", "itemId", "word"]),
    ],
)
async def test_rows_have_the_same_columns_in_every_format(
    features: Client, owner: asyncpg.Connection, collection: str, properties: str | None, names: list[str]
) -> None:
    await owner.execute(
        "CREATE TABLE hostile.other_id AS"
        " SELECT 'k' || n AS key, -n AS id, 'w' || n AS word FROM generate_series(1, 3) n;"
        "ALTER TABLE hostile.other_id ADD PRIMARY KEY (key);"
        # a name of the service's own
        'CREATE TABLE hostile.no_key_but_id AS SELECT id AS "itemId", word FROM hostile.other_id;'
        "GRANT SELECT ON hostile.other_id, hostile.no_key_but_id TO hostile_reader"
    )
    try:
        path = f"/collections/hostile.{collection}/items"
        document = await eventually(lambda: features.json(path, limit="3"))
        asked = {"limit": "3", **({"properties": properties} if properties is not None else {})}
        answer = await features.get(path, {**asked, "f": "csv"})
        lines = list(csv.DictReader(answer.body.decode().splitlines()))
        assert list(lines[0]) == names
        objects = (await features.get(path, {**asked, "f": "json"})).json()
        newline = (await features.get(path, {**asked, "f": "ndjson"})).body
        assert [json.loads(line) for line in newline.splitlines()] == objects
        for line, row, feature in zip(lines, objects, document["features"], strict=True):
            own = {
                "collectionId": f"hostile.{collection}",
                "itemId": feature.get("id"),
                "geometry": feature["geometry"],
            }
            own = {**own, **feature["properties"]}
            assert row == {name: own[name] for name in names}
            assert list(row) == names
            assert {name: line[name] for name in names if name != "geometry"} == {
                name: "" if own[name] is None else str(own[name]) for name in names if name != "geometry"
            }
        if "id" in document["features"][0]:
            item = f"{path}/{document['features'][0]['id']}"
            assert (await features.get(item, {**asked_of_item(asked), "f": "json"})).json() == objects[0]
            one = (await features.get(item, {**asked_of_item(asked), "f": "ndjson"})).body
            assert one == newline.splitlines(keepends=True)[0]
            table = (await features.get(item, {**asked_of_item(asked), "f": "csv"})).body
            assert table.splitlines() == answer.body.splitlines()[:2]
    finally:
        await owner.execute("DROP TABLE hostile.other_id, hostile.no_key_but_id")


def asked_of_item(parameters: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in parameters.items() if name != "limit"}


async def test_plain_json_without_a_name_of_a_format_is_geojson(features: Client) -> None:
    path, plain = "/collections/hostile.events/items", {"Accept": "application/json"}
    for address, kind in ((path, "FeatureCollection"), (f"{path}/1", "Feature")):
        answer, named = await features.get(address, headers=plain), await features.get(address, {"f": "json"})
        assert (answer.type, answer.json()["type"]) == ("application/json", kind)
        links = {link["rel"]: link for link in answer.json()["links"] if link["rel"] in ("self", "next")}
        # the links' targets have the types that the links name
        assert {link["type"] for link in links.values()} == {"application/geo+json"}
        assert (named.type, answer.headers["ETag"] != named.headers["ETag"]) == ("application/json", True)
        assert 'rel="self"; type="application/json"' in named.headers["Link"]
        assert named.headers["Content-Crs"] == answer.headers["Content-Crs"]
    page = await features.get(path, {"f": "json"})
    assert (page.headers["OGC-NumberReturned"], len(page.json())) == ("10", 10)
    (following,) = re.findall(r'<([^>]*)>; rel="next"; type="application/json"', page.headers["Link"])
    assert [row["itemId"] for row in (await features.get(following)).json()] == [*range(11, 21)]


@pytest.mark.parametrize(
    ("collection", "query", "words"),
    [
        ("events", "f=geojson", "geometry is for rows alone: f=json, csv, ndjson"),
        ("events", "f=html", "geometry is for rows alone"),
        ("events", "f=csv&geom-column=none", "the geometry here is none"),
        ("events", "f=json&crs=http://www.opengis.net/def/crs/EPSG/0/3857", "another crs"),
        ("mixed_types", "f=csv", "geometry=lonlat is for points"),
    ],
)
async def test_numbers_are_for_points_in_rows(features: Client, collection: str, query: str, words: str) -> None:
    answer = await features.get(f"/collections/hostile.{collection}/items?geometry=lonlat&{query}")
    assert (answer.status, answer.json()["detail"][0]["loc"]) == (422, ["query", "geometry"])
    assert words in answer.json()["detail"][0]["msg"]


@pytest.mark.parametrize("limit", ["3", "5000"])
async def test_points_as_numbers_are_those_of_geojson(features: Client, limit: str) -> None:
    path = "/collections/hostile.events/items"
    places = {
        str(feature["id"]): (feature["geometry"] or {"coordinates": [None, None]})["coordinates"]
        for feature in (await features.json(path, limit=limit))["features"]
    }
    answer = await features.get(path, {"f": "csv", "geometry": "lonlat", "limit": limit})
    found = {
        line["itemId"]: [float(line[name]) if line[name] else None for name in ("longitude", "latitude")]
        for line in csv.DictReader(answer.body.decode().splitlines())
    }
    assert found == {name: place[:2] for name, place in places.items()}
    assert len(found) == min(int(limit), 237)
    # other formats do not have the parameter, so links to them do not either
    alternates = re.findall(r'<([^>]*)>; rel="alternate"', answer.headers["Link"])
    assert {(await features.get(address)).status for address in alternates} == {200}


async def test_times_without_a_zone_are_utc(features: Client) -> None:
    item = await features.json("/collections/hostile.several/items/1")
    assert item["properties"]["seen"] == "2020-06-01T12:00:00.25Z"


@pytest.mark.parametrize("given", ["{}T00:00:00", "{} 00:00:00", "{}T00:00:00Z"])
async def test_times_of_parameters_without_a_zone_are_utc(features: Client, given: str) -> None:
    path, said = "/collections/hostile.events/items", "2020-03-01T00:00:00Z"
    time = given.format("2020-03-01")
    expected = await features.json(path, datetime=f"{said}/..")
    for parameters in (
        {"datetime": f"{time}/.."},
        {"filter": f"at >= TIMESTAMP('{time}') OR at IS NULL"},
        {"filter": json.dumps({"op": "or", "args": [
            {"op": ">=", "args": [{"property": "at"}, {"timestamp": time}]},
            {"op": "isNull", "args": [{"property": "at"}]},
        ]}), "filter-lang": "cql2-json"},
    ):  # fmt: skip
        found = await features.json(path, **parameters)
        assert (found["numberMatched"], found["features"]) == (expected["numberMatched"], expected["features"])
    assert 0 < expected["numberMatched"] < 237
    # the links say how it was understood
    links = {link["rel"]: parse_qs(urlsplit(link["href"]).query) for link in (await features.json(
        path, datetime=f"{time}/..", limit="1"))["links"]}  # fmt: skip
    assert {links[rel]["datetime"][0] for rel in ("self", "next")} == {f"{said}/.."}
    one = await features.json(path, at=time)
    assert one["numberMatched"] == (await features.json(path, at=said))["numberMatched"] > 0
    (self_,) = (link["href"] for link in one["links"] if link["rel"] == "self")
    assert parse_qs(urlsplit(self_).query)["at"] == [said]


async def test_times_are_rfc_3339_or_null(features: Client) -> None:
    page = await features.json("/collections/hostile.moments/items")
    found = [
        (feature["id"], feature["properties"]["day"], feature["properties"]["seen"]) for feature in page["features"]
    ]
    assert found == [
        ("2020-01-01T00:00:00.25Z", "2020-01-01", "2020-01-01T00:00:00.000001Z"),
        ("2020-01-02T00:00:00Z", None, None),
        ("2020-01-03T00:00:00Z", None, None),
        ("2020-01-04T00:00:00Z", None, None),
        ("2020-01-05T00:00:00Z", "0001-01-01", "9999-12-31T23:59:59.999999Z"),
        ("2020-01-06T00:00:00Z", None, None),
    ]
    answer = await features.get("/collections/hostile.moments/items", {"f": "csv"})
    lines = list(csv.DictReader(answer.body.decode().splitlines(keepends=True)))
    assert [(line["itemId"], line["day"] or None, line["seen"] or None) for line in lines] == found


async def test_times_of_any_precision_and_age(features: Client) -> None:
    page = await features.json("/collections/hostile.long_ago/items")
    first, second = (feature["properties"] for feature in page["features"])
    assert (first["at"], first["brief"], first["day"]) == (None, "2024-05-01T10:30:00.25Z", None)
    assert second["brief"] == "2024-05-01T10:30:00Z"
    table = await features.get("/collections/hostile.long_ago/items", {"f": "csv"})
    assert table.body.splitlines()[1] == b"hostile.long_ago,1,1,,2024-05-01T10:30:00.25Z,"
    schema = await features.json("/collections/hostile.long_ago/schema")
    assert schema["properties"]["at"]["formatMaximum"] == "2020-01-01T00:00:00Z"
    assert schema["properties"]["at"].get("formatMinimum") is None


@pytest.mark.parametrize("order", [1, -1])
async def test_an_escaped_escape_is_another_request(features: Client, order: int) -> None:
    # a limit that no other test uses: the first of the two must not have been requested before
    asked = [("a%26b", "a&b"), ("a%2526b", "a%26b")][::order]
    for escaped, identifier in asked:
        page = (await features.get(f"/collections/hostile.odd_keys/items?ids={escaped}&limit={5 + order}")).json()
        assert [feature["id"] for feature in page["features"]] == [identifier]


async def test_pages_go_on_behind_a_time(features: Client) -> None:
    seen, address = [], "/collections/hostile.moments/items?limit=2&sortby=-at"
    while address:
        answer = await features.get(address)
        seen += [feature["id"][:10] for feature in answer.json()["features"]]
        address = answer.link("next") or ""
    assert seen == [f"2020-01-0{day}" for day in (6, 5, 4, 3, 2, 1)]


@pytest.mark.parametrize("header", [{"If-None-Match": "*"}, {"If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"}])
async def test_an_item_that_does_not_exist_is_never_unchanged(features: Client, header: dict[str, str]) -> None:
    assert (await features.get("/collections/hostile.events/items/999", headers=header)).status == 404
    assert (await features.get("/collections/hostile.events/items/1", headers={"If-None-Match": "*"})).status == 304


@pytest.mark.parametrize("name", ["geojsonseq", "ndjson"])
async def test_no_feature_is_no_line(features: Client, name: str) -> None:
    answer = await features.get("/collections/hostile.events/items", {"f": name, "filter": "id < 0"})
    assert (answer.status, answer.body) == (200, b"")


async def test_nothing_was_modified_after_its_answer(features: Client) -> None:
    for name in ("mixed_types", "dimensions", "planet", "several"):
        headers = (await features.get(f"/collections/hostile.{name}/items")).headers
        if "Last-Modified" in headers:
            assert parsedate_to_datetime(headers["Last-Modified"]) <= parsedate_to_datetime(headers["Date"])


async def test_features_are_as_their_schema_says(running: Services) -> None:
    collections = (await running["common"].json("/collections", limit="1000", f="json"))["collections"]
    seen = 0
    for collection in collections:
        path = f"/collections/{quote(collection['id'], safe='')}"
        answer = await running["features"].get(f"{path}/schema")
        if answer.status == 404:
            # another test has taken its table away
            continue
        schema = answer.json()
        Draft202012Validator.check_schema(schema)
        answer = await running["features"].get(f"{path}/items", {"limit": "20", "f": "geojson"})
        if answer.status != 200:
            # a function whose arguments have no defaults, or values from which no answer can be made
            continue
        for feature in answer.json()["features"]:
            # a null value counts as missing: a property that always has a value is required
            present = {name: value for name, value in feature["properties"].items() if value is not None}
            faults = [error.message for error in Draft202012Validator(schema).iter_errors(present)]
            assert not faults, (collection["id"], faults)
            seen += 1
    assert seen > 200


async def test_json_that_was_stored_on_several_lines_is_on_one(features: Client, owner: asyncpg.Connection) -> None:
    name = "hostile.lines_of_json"
    await owner.execute(
        f"CREATE TABLE {name} (id integer PRIMARY KEY, data json); GRANT SELECT ON {name} TO hostile_reader"
    )
    data = '{\n "a": \r\n[1,\n2], "b": "x\\ny"}'
    await owner.executemany(f"INSERT INTO {name} VALUES ($1, $2)", [(number, data) for number in range(3)])  # noqa: S608
    try:
        await eventually(lambda: features.json(f"/collections/{name}/items", limit="1"))
        body = (await features.get(f"/collections/{name}/items", {"f": "ndjson"})).body
        lines = [json.loads(line)["data"] for line in body.splitlines()]
        assert lines == [{"a": [1, 2], "b": "x\ny"}] * 3
    finally:
        await owner.execute(f"DROP TABLE {name}")
