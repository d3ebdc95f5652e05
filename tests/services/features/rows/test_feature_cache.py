"""Features from the cache: the same answers as without it, and new ones after a change."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest

from libs.pg.pool import Statements
from tests.eventually import eventually
from tests.services.conftest import HostileDatabase
from tests.services.features.conftest import Fetch
from tests.services.in_process import Answer, Client, Services, services

_NAME = "hostile.cached"
_ITEMS = f"/collections/{_NAME}/items"
_ROWS = 2600
pytestmark = pytest.mark.usefixtures("table")


@pytest.fixture(scope="module")
async def table(hostile: HostileDatabase, running: Services) -> AsyncIterator[None]:
    """Points with text that has to be escaped, JSON with objects like ours in it, times and nulls."""
    owner = await asyncpg.connect(hostile.owner_url)
    await owner.execute(
        f"CREATE TABLE {_NAME} (id integer PRIMARY KEY, word text, data jsonb, moment timestamptz, size float8,"
        f" geom geometry(LineString, 4326)); GRANT SELECT ON {_NAME} TO hostile_reader; SELECT dams.watch('{_NAME}')"
    )
    await owner.execute(
        f"INSERT INTO {_NAME} SELECT n, 'said \"' || n || '\\, tab' || chr(9),"  # noqa: S608
        """ jsonb_build_array('{"type": "Feature", "id": 1}'::jsonb, '},{'::text),"""
        " '2024-01-01'::timestamptz + n * '1 h'::interval, nullif(n % 7, 0) / 3.0::float8,"
        " CASE WHEN n % 11 > 0 THEN"
        " ST_SetSRID(ST_MakeLine(ST_MakePoint(1 + n % 80, 1 + n % 70), ST_MakePoint(0, 0)), 4326) END"
        f" FROM generate_series(1, {_ROWS}) n; ANALYZE {_NAME}"
    )
    await eventually(lambda: running["features"].json(_ITEMS, limit="1"))
    yield
    await owner.execute(f"DROP TABLE {_NAME}")
    await owner.close()


@pytest.fixture
async def features(running: Services, hostile: HostileDatabase) -> AsyncIterator[Client]:
    """A features service whose cache is empty."""
    async with _features(running, hostile, cache_bytes=8_000_000) as client:
        yield client


@pytest.fixture(scope="module")
async def plain(running: Services, hostile: HostileDatabase) -> AsyncIterator[Client]:
    """A features service without a cache."""
    async with _features(running, hostile, cache_bytes=0) as client:
        yield client


@asynccontextmanager
async def _features(running: Services, hostile: HostileDatabase, *, cache_bytes: int) -> AsyncIterator[Client]:
    async with services() as started:
        started.clients["common"] = running["common"]
        yield await started.start("features", hostile.env(DAMS_FEATURES_KEPT_BYTES=str(cache_bytes)))


def _parts(answer: Answer) -> tuple[object, list[str], object]:
    document = answer.json()
    # each service has a different address
    links = [json.dumps(link).replace(answer.url.partition("/collections")[0], "") for link in document["links"]]
    return [json.dumps(feature) for feature in document["features"]], sorted(links), document["numberReturned"]


def _of_table(fetches: list[Fetch], name: str = _NAME) -> list[Fetch]:
    """Return the statements for pages of the table; other services poll and count during that time."""
    table = '"' + name.replace(".", '"."') + '"'
    return [fetch for fetch in fetches if f"FROM {table} AS item" in fetch.text]


def _hits(fetches: list[Fetch], name: str = _NAME) -> bool:
    """Return whether pages were looked up in the cache and all features were there."""
    found = _of_table(fetches, name)
    return bool(found) and not [fetch for fetch in found if "item.xmin" not in fetch.text or "= ANY(" in fetch.text]


async def _ask(features: Client, times: int = 4, /, **parameters: str) -> list[Answer]:
    answers = [await features.get(_ITEMS, parameters) for _ in range(times)]
    assert {answer.status for answer in answers} == {200}
    return answers


@pytest.mark.parametrize("limit", [150, 2400], ids=["a page", "a page in chunks"])
@pytest.mark.parametrize("sortby", ["id", "-size,word"])
async def test_the_same_page_again_fetches_keys_alone(
    features: Client, plain: Client, fetches: list[Fetch], limit: int, sortby: str
) -> None:
    await _ask(features, 3, limit=str(limit), sortby=sortby)
    fetches.clear()
    first, *again = await _ask(features, 2, limit=str(limit), sortby=sortby)
    assert _of_table(fetches)
    assert not [fetch for fetch in _of_table(fetches) if '"data"' in fetch.text]
    for answer in [*again, *await _ask(plain, 1, limit=str(limit), sortby=sortby)]:
        assert _parts(answer) == _parts(first)
    assert _parts(first)[2] == limit


async def test_another_page_takes_what_is_there_and_fetches_the_rest(
    features: Client, plain: Client, fetches: list[Fetch]
) -> None:
    for parameters in ({"limit": "300"}, {"limit": "300", "sortby": "-id", "filter": "id < 400"}):
        await _ask(features, 4, **parameters)
    fetches.clear()
    other = {"limit": "200", "sortby": "word", "filter": "id > 50 AND id < 1000 AND size > 1"}
    found = (await _ask(features, 1, **other))[0]
    versions, rest = _of_table(fetches)
    assert '"data"' not in versions.text
    assert "= ANY(" in rest.text
    assert _parts(found) == _parts((await _ask(plain, 1, **other))[0])


async def test_back_and_forth_by_links(features: Client, fetches: list[Fetch]) -> None:
    for _ in range(4):
        fetches.clear()
        first = (await _ask(features, 1, limit="200"))[0]
        second = await features.get(first.link("next") or "")
        back = await features.get(second.link("prev") or "")
        assert back.json()["features"] == first.json()["features"]
        ids = [feature["id"] for feature in first.json()["features"] + second.json()["features"]]
        assert ids == list(range(1, 401))
    assert _hits(fetches)


async def test_sequences_are_made_of_them_too(features: Client, plain: Client, fetches: list[Fetch]) -> None:
    answers = await _ask(features, limit="150", f="geojsonseq")
    fetches.clear()
    answers += await _ask(features, 1, limit="150", f="geojsonseq")
    assert _hits(fetches)
    assert len({answer.body for answer in answers}) == 1
    lines = [json.loads(line.lstrip(b"\x1e")) for line in answers[0].body.strip().split(b"\n")]
    assert lines == (await _ask(plain, 1, limit="150"))[0].json()["features"]


async def test_boxes_and_other_properties_are_not_mistaken(features: Client) -> None:
    await _ask(features, limit="150")
    fewer = (await _ask(features, limit="150", properties="word"))[-1].json()["features"]
    assert {tuple(feature["properties"]) for feature in fewer} == {("word",)}
    none = (await _ask(features, 4, limit="150", **{"geom-column": "none"}))[-1].json()["features"]
    assert {feature["geometry"] for feature in none} == {None}
    boxes = (await _ask(features, 4, limit="150", **{"bbox-only": "true"}))[-1].json()["features"]
    assert {feature["geometry"]["type"] for feature in boxes if feature["geometry"]} == {"Polygon"}
    assert (await _ask(features, 1, limit="150"))[0].json()["features"][0]["properties"]["data"]


async def test_a_change_shows_at_once(features: Client, fetches: list[Fetch], owner: asyncpg.Connection) -> None:
    await _ask(features, limit="150")
    fetches.clear()
    await _ask(features, 1, limit="150")
    assert _hits(fetches)
    await owner.execute(f"UPDATE {_NAME} SET word = 'changed' WHERE id = 42")  # noqa: S608
    await owner.execute(f"DELETE FROM {_NAME} WHERE id = 43")  # noqa: S608
    found = (await _ask(features, 1, limit="150"))[0].json()["features"]
    words = {feature["id"]: feature["properties"]["word"] for feature in found}
    assert words[42] == "changed"
    assert 43 not in words
    assert len(words) == 150
    await _ask(features, 4, limit="150")
    # a load in bulk, of which no trigger tells
    async with owner.transaction():
        await owner.execute(f"ALTER TABLE {_NAME} DISABLE TRIGGER USER")
        await owner.execute(f"UPDATE {_NAME} SET word = 'in bulk' WHERE id < 100")  # noqa: S608
        await owner.execute(f"ALTER TABLE {_NAME} ENABLE TRIGGER USER")
    found = (await _ask(features, 1, limit="150"))[0].json()["features"]
    assert {feature["properties"]["word"] for feature in found if feature["id"] < 100} == {"in bulk"}


async def test_what_was_moved_is_not_taken_for_what_was_there(
    features: Client, fetches: list[Fetch], owner: asyncpg.Connection
) -> None:
    name = "hostile.cached_moved"
    fill = f"INSERT INTO {name} SELECT n, 1000 - n, $1 || n FROM generate_series(1, 200) n"  # noqa: S608
    await owner.execute(
        f"CREATE TABLE {name} (id integer PRIMARY KEY, rank integer UNIQUE, word text);"
        f"GRANT SELECT ON {name} TO hostile_reader"
    )
    await owner.execute(fill, "first ")

    async def shows(word: str) -> None:
        for _ in range(4):
            fetches.clear()
            found = (await features.json(f"/collections/{name}/items", limit="200"))["features"]
            assert [feature["properties"]["word"] for feature in found] == [f"{word} {n}" for n in range(1, 201)]

    try:
        await eventually(lambda: shows("first"))
        assert _hits(fetches, name)
        # others of the same keys in the same places
        await owner.execute(f"TRUNCATE {name}")
        await owner.execute(fill, "second ")
        await shows("second")
        # others of the same transaction in the same places
        await owner.execute(f"CLUSTER {name} USING cached_moved_rank_key")
        await shows("second")
    finally:
        await owner.execute(f"DROP TABLE {name}")


async def test_rows_that_change_while_they_are_looked_for_are_as_they_are_then(
    features: Client, owner: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = {"limit": "150", "filter": "id > 500 AND moment > DATE('2024-01-01')"}
    await _ask(features, 4, **query)
    # new versions of these rows, which are not cached
    await owner.execute(f"UPDATE {_NAME} SET word = word WHERE id IN (510, 520)")  # noqa: S608
    fetch, changed = Statements.fetch, []

    async def late(database: Statements, statement: Any) -> list[asyncpg.Record]:
        if "= ANY(" in statement.render()[0] and '"cached"' in statement.render()[0]:
            changed.append(statement)
            await owner.execute(f"DELETE FROM {_NAME} WHERE id = 510")  # noqa: S608
            await owner.execute(f"UPDATE {_NAME} SET moment = '2020-01-01' WHERE id = 520")  # noqa: S608
        return await fetch(database, statement)

    monkeypatch.setattr(Statements, "fetch", late)
    page = (await _ask(features, 1, **query))[0]
    assert changed
    ids = [feature["id"] for feature in page.json()["features"]]
    assert ids == [number for number in range(501, 653) if number not in (510, 520)]
    assert page.json()["numberReturned"] == 150
    following = (await features.get(page.link("next") or "")).json()["features"]
    assert following[0]["id"] == 653


async def test_a_harvest_while_rows_come_and_go_takes_each_that_stays_once(
    features: Client, hostile: HostileDatabase, fetches: list[Fetch]
) -> None:
    await _harvest(features)
    writer = asyncio.create_task(_write(hostile.owner_url))
    try:
        for _ in range(6):
            ids = await _harvest(features)
            assert len(ids) == len(set(ids))
            # those that the writer leaves alone
            assert {number for number in ids if 1000 < number < 2000} == set(range(1001, 2000))
    finally:
        writer.cancel()
        await asyncio.wait([writer])
    assert [fetch for fetch in _of_table(fetches) if "item.xmin" in fetch.text]


async def _harvest(features: Client) -> list[int]:
    answer, ids = await features.get(_ITEMS, {"limit": "150"}), []
    while True:
        ids += [feature["id"] for feature in answer.json()["features"]]
        following = answer.link("next")
        if following is None:
            return ids
        answer = await features.get(following)
        assert answer.status == 200


async def _write(url: str) -> None:
    """Deletes rows below a thousand and puts them back, over and over."""
    connection = await asyncpg.connect(url)
    try:
        while True:
            for number in range(600, 900, 7):
                await connection.execute(f"DELETE FROM {_NAME} WHERE id = $1", number)  # noqa: S608
                await asyncio.sleep(0.01)
                await connection.execute(f"INSERT INTO {_NAME} (id, word) VALUES ($1, 'again')", number)  # noqa: S608
    finally:
        await connection.close()


async def test_any_request_has_the_same_answer_as_without(
    features: Client, plain: Client, fetches: list[Fetch]
) -> None:
    choice = random.Random(20)  # noqa: S311
    cached = 0
    for _ in range(60):
        parameters = {name: choice.choice(texts) for name, texts in _CHOICES.items()}
        parameters = {name: text for name, text in parameters.items() if text}
        with_cache = await _chain(features, parameters)
        cached += any("item.xmin" in fetch.text for fetch in _of_table(fetches))
        assert await _chain(plain, parameters) == with_cache, parameters
    assert cached > 30


_CHOICES = {
    "limit": ["100", "150", "400", "1999", "2300"],
    "f": ["geojson", "geojson", "geojsonseq", "ndjson", "csv"],
    "sortby": ["", "-id", "size", "-size,word", "moment", "-word"],
    "filter": ["", "size > 0.5", "id < 700 OR size IS NULL", "word LIKE '%7%'"],
    "bbox": ["", "", "0,0,20,20"],
    "offset": ["", "", "37", "2590"],
    "bbox-only": ["", "", "true"],
    "geom-column": ["", "", "none"],
    "simplify": ["", "", "", "0.5"],
    "properties": ["", "", "", "word,size"],
}


async def _chain(features: Client, parameters: dict[str, str]) -> list[object]:
    """The page, and of JSON the next one and what comes before and after it."""
    answer = await features.get(_ITEMS, parameters)
    if parameters["f"] != "geojson":
        return [answer.status, answer.body]
    found: list[object] = [_parts(answer)]
    following = answer.link("next")
    if following is not None:
        second = await features.get(following)
        found.append(_parts(second))
        found += [_parts(await features.get(link)) for rel in ("prev", "next") if (link := second.link(rel))]
    return found


async def test_rows_of_children_that_share_a_key_are_all_there(features: Client, owner: asyncpg.Connection) -> None:
    name = "hostile.cached_parent"
    await owner.execute(
        f"CREATE TABLE {name} (id integer PRIMARY KEY, word text); CREATE TABLE {name}_child () INHERITS ({name});"
    )
    try:
        for table in (name, f"{name}_child"):
            await owner.execute(f"INSERT INTO {table} SELECT n, '{table}' FROM generate_series(1, 80) n")  # noqa: S608
        await owner.execute(f"GRANT SELECT ON {name} TO hostile_reader; SELECT dams.watch('{name}')")
        await eventually(lambda: features.json(f"/collections/{name}/items", limit="1"))
        for _ in range(4):
            found = (await features.json(f"/collections/{name}/items", limit="200"))["features"]
            assert {(feature["id"], feature["properties"]["word"]) for feature in found} == {
                (number, table) for number in range(1, 81) for table in (name, f"{name}_child")
            }
    finally:
        await owner.execute(f"DROP TABLE {name} CASCADE")


@pytest.mark.parametrize(
    ("key", "value"), [("float8", "CASE WHEN n = 7 THEN 'NaN'::float8 ELSE n END"), ("int[]", "ARRAY[n]"), ("oid", "n")]
)
async def test_keys_that_may_not_read_back_are_not_looked_for(
    features: Client, owner: asyncpg.Connection, key: str, value: str
) -> None:
    name = f"hostile.cached_{key[:3]}"
    await owner.execute(
        f"CREATE TABLE {name} (k {key} PRIMARY KEY, word text); GRANT SELECT ON {name} TO hostile_reader;"  # noqa: S608
        f"INSERT INTO {name} SELECT {value}, 'word ' || n FROM generate_series(1, 150) n"
    )
    try:
        await eventually(lambda: features.json(f"/collections/{name}/items", limit="1"))
        for _ in range(5):
            found = (await features.json(f"/collections/{name}/items", limit="200"))["features"]
            assert sorted(feature["properties"]["word"] for feature in found) == sorted(
                f"word {number}" for number in range(1, 151)
            )
    finally:
        await owner.execute(f"DROP TABLE {name}")
