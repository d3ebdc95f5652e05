"""Values come out as they are stored, in every format; conditional requests know what exists."""

from __future__ import annotations

import csv
import json
from email.utils import parsedate_to_datetime
from urllib.parse import quote

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
                "clock": "23:59:59.5", "single": "6.1", "short": "'=1+1"}  # fmt: skip
    assert {name: line[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("collection", "properties", "names"),
    [
        ("events", None, ["id", "geometry", "name", "magnitude", "category", "at"]),
        ("events", "magnitude,id,name", ["id", "geometry", "magnitude", "name"]),
        ("events", "", ["id", "geometry"]),
        # a key of another name stays a property
        ("varchar_key", None, ["id", "code", "n"]),
        # an id that is not the key is another value
        ("other_id", None, ["id", "key", "id_1", "word"]),
        ("no_key_but_id", None, ["id", "word"]),
    ],
)
async def test_a_key_named_id_is_one_column(
    features: Client, owner: asyncpg.Connection, collection: str, properties: str | None, names: list[str]
) -> None:
    await owner.execute(
        "CREATE TABLE hostile.other_id AS"
        " SELECT 'k' || n AS key, -n AS id, 'w' || n AS word FROM generate_series(1, 3) n;"
        "ALTER TABLE hostile.other_id ADD PRIMARY KEY (key);"
        "CREATE TABLE hostile.no_key_but_id AS SELECT id, word FROM hostile.other_id;"
        "GRANT SELECT ON hostile.other_id, hostile.no_key_but_id TO hostile_reader"
    )
    try:
        path = f"/collections/hostile.{collection}/items"
        document = await eventually(lambda: features.json(path, limit="3"))
        answer = await features.get(
            path, {"limit": "3", "f": "csv", **({"properties": properties} if properties is not None else {})}
        )
        lines = list(csv.DictReader(answer.body.decode().splitlines()))
        assert list(lines[0]) == names
        for line, feature in zip(lines, document["features"], strict=True):
            own = {"id": feature.get("id"), **feature["properties"]}
            own |= {"id": feature["id"], "id_1": feature["properties"].get("id")} if "id" in feature else {}
            assert {name: line[name] for name in names if name != "geometry"} == {
                name: "" if own[name] is None else str(own[name]) for name in names if name != "geometry"
            }
        if "id" in document["features"][0]:
            item = await features.get(f"{path}/{document['features'][0]['id']}", {"f": "csv"})
            assert item.body.decode().splitlines()[0].split(",")[0] == "id"
            assert item.body.decode().splitlines()[0].count("id_1") == names.count("id_1")
    finally:
        await owner.execute("DROP TABLE hostile.other_id, hostile.no_key_but_id")


async def test_times_without_a_zone_are_utc(features: Client) -> None:
    item = await features.json("/collections/hostile.several/items/1")
    assert item["properties"]["seen"] == "2020-06-01T12:00:00.25Z"


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
    assert [(line["id"], line["day"] or None, line["seen"] or None) for line in lines] == found


async def test_times_of_any_precision_and_age(features: Client) -> None:
    page = await features.json("/collections/hostile.long_ago/items")
    first, second = (feature["properties"] for feature in page["features"])
    assert (first["at"], first["brief"], first["day"]) == (None, "2024-05-01T10:30:00.25Z", None)
    assert second["brief"] == "2024-05-01T10:30:00Z"
    table = await features.get("/collections/hostile.long_ago/items", {"f": "csv"})
    assert table.body.splitlines()[1] == b"1,,2024-05-01T10:30:00.25Z,"
    schema = await features.json("/collections/hostile.long_ago/schema")
    assert schema["properties"]["at"]["formatMaximum"] == "2020-01-01T00:00:00Z"
    assert schema["properties"]["at"].get("formatMinimum") is None


@pytest.mark.parametrize("order", [1, -1])
async def test_an_escaped_escape_is_another_request(features: Client, order: int) -> None:
    # a limit of its own: the first of the two must not have been asked before
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
        answer = await running["features"].get(f"{path}/items", {"limit": "20", "f": "json"})
        if answer.status != 200:
            # a function whose arguments have no defaults, values that no answer can be computed from
            continue
        for feature in answer.json()["features"]:
            # null is no value: what has always one is required
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
        await eventually(lambda: features.json(f"/collections/{name}/items", limit="1", f="json"))
        body = (await features.get(f"/collections/{name}/items", {"f": "ndjson"})).body
        lines = [json.loads(line)["properties"]["data"] for line in body.splitlines()]
        assert lines == [{"a": [1, 2], "b": "x\ny"}] * 3
    finally:
        await owner.execute(f"DROP TABLE {name}")
