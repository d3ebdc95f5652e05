"""Ids: every feature with an id is at the address that it names, for any type of id."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

import asyncpg
import pytest

from tests.conftest import MakeDatabase
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Services, services

_KEYS = {
    "large": ("bigint", ["9007199254740993", "9007199254740991", "-9007199254740995", "3"]),
    "oids": ("oid", ["1", "4000000000"]),
    "arrays": ("int[]", ["{1,2}", "{}"]),
    "amounts": ("money", ["1.50", "-2000.25"]),
    "spans": ("int4range", ["[1,5)", "empty"]),
    "answers": ("boolean", ["true", "false"]),
    "durations": ("interval", ["P1D", "PT-2H"]),
    "bits": ("bit(3)", ["101"]),
    "bytes": ("bytea", ["\\x00ff", "\\x"]),
    "networks": ("inet", ["10.0.0.1/8"]),
    "documents": ("jsonb", ['{"a": 1}', '"x"']),
    "moments": ("timestamp", ["2020-01-01T10:00:00.123Z"]),
    "texts": ("text", ["a/b", "a b", "%41", "é", "a~b", "a,b", "a%2Cc", " c "]),
}


@pytest.fixture(scope="module")
def configured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collections file that names ids, some of which repeat."""
    file = tmp_path_factory.mktemp("ids") / "collections.yaml"
    file.write_text("collections:\n  ids.countries: {id_column: code}\n  ids.fine: {id_column: code}\n")
    return file


@pytest.fixture(scope="module")
async def identified(make_database: MakeDatabase, configured: Path) -> AsyncIterator[Services]:
    """Common and features on tables with keys of many types, and on two whose `id_column` is configured."""
    url = await make_database(tables_with_keys)
    env = {
        **HostileDatabase(url, url).env(),
        "DAMS_COLLECTION_SCHEMAS": "ids",
        "DAMS_COLLECTIONS_CONFIG": str(configured),
    }
    async with services() as running:
        for name in ("common", "features"):
            await running.start(name, env)
        yield running


async def tables_with_keys(owner: asyncpg.Connection) -> None:
    """A table for each type of key, one of a key of several columns, a view of it, and two without keys."""
    await owner.execute("CREATE SCHEMA ids")
    for name, (kind, values) in _KEYS.items():
        await owner.execute(f"CREATE TABLE ids.{name} (key {kind} PRIMARY KEY, word text)")
        for value in values:
            literal = value.replace("'", "''")
            await owner.execute(f"INSERT INTO ids.{name} VALUES ('{literal}', 'w')")  # noqa: S608 ours
    await owner.execute(
        "CREATE TABLE ids.hits (quake int, place text, at timestamptz, n int, PRIMARY KEY (quake, place, at));"
        "INSERT INTO ids.hits SELECT n % 3, 'x~y,z%/' || n, '2020-01-01 00:00:00.5Z', n FROM generate_series(1, 7) n;"
        "CREATE TABLE ids.spells (place int, until timestamptz, day date, share float8, exact numeric, n int,"
        " PRIMARY KEY (place, until, day, share, exact));"
        "INSERT INTO ids.spells SELECT n, u::timestamptz, d::date, s::float8, e::numeric, n FROM unnest("
        " '{infinity,-infinity,0044-03-15 12:00:00.5+00 BC,20000-01-01 10:00:00+00,2020-01-01,2020-01-01,2020-01-01}'"
        " ::text[], '{infinity,-infinity,0044-03-15 BC,20000-01-01,2020-01-01,2020-01-01,2020-01-01}'::text[],"
        " '{NaN,Infinity,-Infinity,1e-300,-0,0.1,1e300}'::text[], '{NaN,0,1.50,1e30,-1,1e-20,2}'::text[])"
        " WITH ORDINALITY AS values (u, d, s, e, n);"
        "CREATE TABLE ids.prices (price money, code text, n int, PRIMARY KEY (price, code));"
        "INSERT INTO ids.prices SELECT (n - 4) * 1234.5, 'c,' || n, n FROM generate_series(1, 7) n;"
        "CREATE VIEW ids.seen AS SELECT at, place, quake AS number, n FROM ids.hits;"
        "CREATE TABLE ids.countries AS SELECT n, 'C' || n / 2 AS code FROM generate_series(1, 40) n;"
        "CREATE TABLE ids.fine AS SELECT n, 'C' || n AS code FROM generate_series(1, 40) n"
    )


@pytest.mark.parametrize("name", [*_KEYS, "hits", "seen", "spells", "prices"])
async def test_every_id_leads_to_its_feature(identified: Services, name: str) -> None:
    features = identified["features"]
    found: dict[object, dict[str, object]] = {}
    answer = await features.get(f"/collections/ids.{name}/items?limit=2")
    while True:
        found |= {feature["id"]: feature for feature in answer.json()["features"]}
        following = answer.link("next")
        if following is None:
            break
        answer = await features.get(following)
    if name in _KEYS:
        assert sorted(map(str, found)) == sorted(_KEYS[name][1])
    else:
        assert len(found) == 7
    for identifier, feature in found.items():
        item = (await features.get(f"/collections/ids.{name}/items/{quote(str(identifier), safe='')}")).json()
        assert {member: item[member] for member in feature} == feature
    nobodies = ("no such", "1~2", "1~2~3", "~~", "\0", "1~infinity~99999999-99-99~NaN~NaN")
    for nobody in nobodies:
        assert (await features.get(f"/collections/ids.{name}/items/{quote(nobody, safe='')}")).status == 404


async def test_ids_beyond_what_javascript_can_tell_apart_are_text(identified: Services) -> None:
    found = await identified["features"].json("/collections/ids.large/items")
    assert [feature["id"] for feature in found["features"]] == [
        "-9007199254740995", 3, 9007199254740991, "9007199254740993"
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["texts", "hits"])
async def test_files_on_the_page_of_a_feature_are_of_this_feature_alone(identified: Services, name: str) -> None:
    path = f"/collections/ids.{name}/items"
    for feature in (await identified["features"].json(path))["features"]:
        page = await identified["features"].get(f"{path}/{quote(str(feature['id']), safe='')}?f=html")
        (address, *_) = re.findall(r'href="([^"]*/export\?[^"]*f=csv[^"]*)"', page.body.decode())
        table = await identified["features"].get(html.unescape(address))
        assert (table.status, len(list(csv.reader(io.StringIO(table.body.decode("utf-8-sig")))))) == (200, 2), address


async def test_several_ids_of_several_columns(identified: Services) -> None:
    path = "/collections/ids.hits/items"
    names = [feature["id"] for feature in (await identified["features"].json(path))["features"]]
    some = await identified["features"].json(path, ids=f"{names[5]},{names[1]},nobody")
    assert [feature["id"] for feature in some["features"]] == [names[1], names[5]]


@pytest.mark.parametrize("name", _KEYS)
async def test_every_id_can_be_one_of_several(identified: Services, name: str) -> None:
    path = f"/collections/ids.{name}/items"
    for feature in (await identified["features"].json(path))["features"]:
        escaped = str(feature["id"]).replace("%", "%25").replace(",", "%2C").replace(" ", "%20")
        found = await identified["features"].json(path, ids=f"{escaped},{escaped}")
        assert [each["id"] for each in found["features"]] == [feature["id"]]


@pytest.mark.parametrize("name", [*_KEYS, "hits"])
async def test_all_ids_in_one_list_find_all_features(identified: Services, name: str) -> None:
    path = f"/collections/ids.{name}/items"
    ids = [feature["id"] for feature in (await identified["features"].json(path, limit="1000"))["features"]]
    listed = [str(each).replace("%", "%25").replace(",", "%2C").replace(" ", "%20") for each in ids]
    found = await identified["features"].json(path, limit="1000", ids=",".join(listed))
    assert [each["id"] for each in found["features"]] == ids


async def test_configured_ids_that_repeat_are_not_used(identified: Services) -> None:
    features = identified["features"]
    fine = await features.json("/collections/ids.fine/items", limit="40")
    assert {feature["id"] for feature in fine["features"]} == {f"C{n}" for n in range(1, 41)}
    assert (await features.get("/collections/ids.fine/items/C7")).json()["properties"]["n"] == 7
    numbers: list[int] = []
    answer = await features.get("/collections/ids.countries/items?limit=7")
    while answer.link("next"):
        numbers += [feature["properties"]["n"] for feature in answer.json()["features"]]
        assert "id" not in answer.json()["features"][0]
        answer = await features.get(answer.link("next") or "")
    assert numbers + [feature["properties"]["n"] for feature in answer.json()["features"]] == list(range(1, 41))
    described = await identified["common"].json("/collections/ids.countries")
    assert described["suggestedIdColumn"] == "code"
