"""The state at a past time: `asOf` in features, counts and tiles, and the versions of a feature (Memento)."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from html import unescape
from typing import Any

import asyncpg
import mapbox_vector_tile
import pytest

from deploy.database.apply import apply_schema, ensure_reader, keep_history
from libs.catalogue.model import Collection
from libs.ogc.temporal import parse_instant, rfc3339
from libs.pg.pool import Statements
from libs.selection.past import at_time
from services.features.resources import VERSIONS
from tests.conftest import MakeDatabase
from tests.eventually import eventually
from tests.running_stack import Cluster
from tests.services.conftest import PASSWORD, READER, reader_url
from tests.services.in_process import Answer, Client, Services, services

QUAKES = "/collections/seen.quakes"
PLACES = """
CREATE SCHEMA seen;
CREATE TABLE seen.quakes (id integer PRIMARY KEY, name text NOT NULL, magnitude float8, geom geometry(Point, 4326));
CREATE TABLE seen.unkept (id integer PRIMARY KEY, geom geometry(Point, 4326));
INSERT INTO seen.quakes SELECT n, 'first', n, ST_SetSRID(ST_Point(n, n), 4326) FROM generate_series(1, 20) n;
GRANT USAGE ON SCHEMA seen TO {reader};
GRANT SELECT ON ALL TABLES IN SCHEMA seen TO {reader};
"""
IMMUTABLE = "public, max-age=86400, immutable"


@dataclass(frozen=True)
class Past:
    """A table that was changed, and times before and between the changes."""

    running: Services
    owner_url: str
    before: str
    between: str
    after: str

    @property
    def features(self) -> Client:
        return self.running["features"]

    @property
    def tiles(self) -> Client:
        return self.running["tiles"]

    async def items(self, at: str | None = None, **parameters: str) -> Any:
        return await self.features.json(f"{QUAKES}/items", **({"asOf": at} if at else {}), **parameters)


async def _now(connection: asyncpg.Connection) -> str:
    moment = await connection.fetchval("SELECT clock_timestamp()")
    await connection.execute("SELECT pg_sleep(0.01)")
    return rfc3339(moment)


@pytest.fixture(scope="module")
async def past(make_database: MakeDatabase, cluster: Cluster) -> AsyncIterator[Past]:
    url = await make_database(_schema)
    connection = await asyncpg.connect(url)
    before = await _now(connection)
    await connection.execute(
        "UPDATE seen.quakes SET magnitude = 7.5, name = 'revised', geom = 'SRID=4326;POINT(100 40)' WHERE id = 5;"
        "DELETE FROM seen.quakes WHERE id = 6"
    )
    between = await _now(connection)
    await connection.execute(
        "UPDATE seen.quakes SET magnitude = 7.1 WHERE id = 5; "
        "INSERT INTO seen.quakes VALUES (30, 'new', 9, 'SRID=4326;POINT(-70 -30)')"
    )
    after = await _now(connection)
    await connection.close()
    env = {
        "DAMS_DATABASE_URL": reader_url(url),
        "DAMS_COLLECTION_SCHEMAS": "seen",
        "DAMS_CATALOGUE_REFRESH_SECONDS": "1",
        "DAMS_REDIS_URL": cluster.redis_url,
    }
    async with services() as running:
        for name in ("common", "features", "tiles"):
            await running.start(name, env)

        async def settled() -> None:
            app = running.apps["features"]
            assert app[VERSIONS].is_settled(_at(await _collection(running), after))

        await eventually(settled)
        yield Past(running, url, before, between, after)


async def _schema(owner: asyncpg.Connection) -> None:
    await apply_schema(owner)
    await ensure_reader(owner, READER, PASSWORD)
    await owner.execute(PLACES.format(reader=READER))
    await keep_history(owner, ["seen.quakes"], READER, "3 days")


async def _collection(running: Services) -> Collection:
    entries = (await running["common"].json("/internal/catalogue"))["collections"]
    return next(Collection.from_json(entry) for entry in entries if entry["id"] == "seen.quakes")


def _at(collection: Collection, moment: str) -> Collection:
    return at_time(collection, parse_instant(moment))


def _found(document: Any) -> dict[int, tuple[str, float]]:
    features = document["features"]
    assert document["numberReturned"] == len(features)
    return {each["id"]: (each["properties"]["name"], each["properties"]["magnitude"]) for each in features}


async def test_each_time_has_its_features_and_counts(past: Past) -> None:
    first, second, third = [await past.items(at, limit="100") for at in (past.before, past.between, past.after)]
    assert (_found(first)[5], _found(second)[5], _found(third)[5]) == (("first", 5), ("revised", 7.5), ("revised", 7.1))
    assert [6 in _found(each) for each in (first, second, third)] == [True, False, False]
    assert [30 in _found(each) for each in (first, second, third)] == [False, False, True]
    assert [each["numberMatched"] for each in (first, second, third)] == [20, 19, 20]
    assert _found(third) == _found(await past.items(limit="100"))


async def test_filters_boxes_orders_and_pages_are_of_that_time(past: Past) -> None:
    async def ids(at: str, **parameters: str) -> list[int]:
        return [each["id"] for each in (await past.items(at, **parameters))["features"]]

    assert await ids(past.before, filter="magnitude > 7 AND magnitude < 8") == []
    assert await ids(past.between, filter="magnitude > 7 AND magnitude < 8") == [5]
    assert await ids(past.before, bbox="4.5,4.5,5.5,5.5") == [5]
    assert await ids(past.between, bbox="4.5,4.5,5.5,5.5") == []
    assert await ids(past.between, filter="S_INTERSECTS(geom, BBOX(99, 39, 101, 41))") == [5]
    assert await ids(past.before, ids="5,6,30") == [5, 6]
    assert await ids(past.after, sortby="-magnitude", limit="2") == [20, 19]
    seen: list[int] = []
    page = await past.items(past.before, limit="7", sortby="-magnitude")
    while True:
        seen += [each["id"] for each in page["features"]]
        following = next((link["href"] for link in page["links"] if link["rel"] == "next"), None)
        if following is None:
            break
        page = (await past.features.get(following)).json()
    assert seen == list(range(20, 0, -1))


@pytest.mark.parametrize("path", ["items?f=csv", "items?f=html", "export?f=csv", "facets?facets=name&f=json"])
async def test_other_formats_are_of_that_time(past: Past, path: str) -> None:
    then = await past.features.get(f"{QUAKES}/{path}&asOf={past.before}")
    now = await past.features.get(f"{QUAKES}/{path}")
    assert (then.status, now.status) == (200, 200)
    assert b"revised" not in then.body
    assert b"revised" in now.body
    assert b"first" in then.body


async def test_data_queries_are_of_that_time(past: Past) -> None:
    for coords, at in {"POINT(5 5)": past.before, "POINT(100 40)": past.between}.items():
        for time in (past.before, past.between):
            near = {"coords": coords, "within": "1", "within-units": "km", "asOf": time}
            answer = await past.features.get(f"{QUAKES}/radius", near)
            found = [feature["id"] for feature in answer.json()["features"]]
            assert found == ([5] if time == at else []), (coords, time)
            assert "Memento-Datetime" in answer.headers


async def test_links_of_a_page_keep_the_time(past: Past) -> None:
    page = await past.features.get(f"{QUAKES}/items?asOf={past.before}&limit=3")
    for link in page.json()["links"]:
        if link["rel"] in ("self", "alternate", "next") or "facets" in link["href"]:
            assert "asOf=" in link["href"], link
            assert (await past.features.get(link["href"])).status == 200, link


async def test_a_time_with_an_offset_is_the_same(past: Past) -> None:
    moment = parse_instant(past.before) + timedelta(hours=2)
    page = await past.items(rfc3339(moment).replace("Z", "+02:00"), limit="100")
    assert _found(page)[5] == ("first", 5)


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("/collections/seen.quakes/items?asOf=yesterday", "'yesterday' is not an RFC 3339 date-time"),
        ("/collections/seen.quakes/items?asOf=2026-02-30T00:00:00Z", "does not exist in the calendar"),
        ("/collections/seen.quakes/items?asOf=2026-01-01", "is not an RFC 3339 date-time"),
        ("/collections/seen.quakes/items?asOf=2000-01-01T00:00:00Z", "the history of seen.quakes begins"),
        ("/collections/seen.quakes/items/5?asOf=2000-01-01T00:00:00Z", "the history of seen.quakes begins"),
        ("/collections/seen.quakes/items?asOf=2999-01-01T00:00:00Z", "is in the future"),
        ("/collections/seen.unkept/items?asOf=2026-01-01T00:00:00Z", "make history TABLE=seen.unkept"),
        ("/collections/seen.unkept/items/1?asOf=2026-01-01T00:00:00Z", "make history TABLE=seen.unkept"),
        ("/collections/seen.unkept/items/1/versions", "make history TABLE=seen.unkept"),
        ("/collections/seen.quakes/tiles/WebMercatorQuad/0/0/0?asOf=x", "is not an RFC 3339 date-time"),
        ("/tiles/WebMercatorQuad/0/0/0?asOf=2026-01-01T00:00:00Z", "make history TABLE=seen.unkept"),
        ("/tiles/WebMercatorQuad/tilejson.json?asOf=x", "is not an RFC 3339 date-time"),
    ],
)
async def test_times_without_an_answer_are_errors(past: Past, address: str, reason: str) -> None:
    client = past.tiles if "/tiles/" in address else past.features
    answer = await client.get(address)
    assert answer.status == 422
    messages = [fault["msg"] for fault in answer.json()["detail"]]
    assert any(reason in message for message in messages), messages
    assert len(messages) == len({*messages})


async def test_the_collection_says_since_when(past: Past) -> None:
    common = past.running["common"]
    assert (await common.json(QUAKES))["history"]["since"] <= past.before
    assert "history" not in await common.json("/collections/seen.unkept")


async def test_the_past_is_cached_for_long_and_the_present_is_not(past: Past) -> None:
    address = f"{QUAKES}/items?asOf={past.between}"
    then, now = await past.features.get(address), await past.features.get(f"{QUAKES}/items")
    assert (then.headers["Cache-Control"], "immutable" in now.headers["Cache-Control"]) == (IMMUTABLE, False)
    assert then.headers["Memento-Datetime"] == format_datetime(parse_instant(past.between).replace(microsecond=0), True)
    assert f'{QUAKES}/items>; rel="original"' in then.headers["Link"]
    assert "Memento-Datetime" not in now.headers
    assert (await past.features.get(address, headers={"If-None-Match": then.headers["ETag"]})).status == 304
    # a change of the table does not change the tag
    owner = await asyncpg.connect(past.owner_url)
    await owner.execute("INSERT INTO seen.quakes VALUES (99, 'later', 1, NULL); DELETE FROM seen.quakes WHERE id = 99")
    await owner.close()

    async def changed() -> None:
        assert (await past.features.get(f"{QUAKES}/items")).headers["ETag"] != now.headers["ETag"]

    await eventually(changed)
    assert (await past.features.get(address)).headers["ETag"] == then.headers["ETag"]


async def test_time_that_a_transaction_may_change_is_cached_briefly(past: Past) -> None:
    owner = await asyncpg.connect(past.owner_url)
    transaction = owner.transaction()
    await transaction.start()
    try:
        await owner.execute("UPDATE seen.quakes SET name = 'running' WHERE id = 9")
        moment = rfc3339(await owner.fetchval("SELECT clock_timestamp()"))
        app = past.running.apps["features"]
        assert await app[VERSIONS].look_again()
        during = await past.features.get(f"{QUAKES}/items?asOf={moment}&ids=9")
        assert "immutable" not in during.headers["Cache-Control"]
        assert "Memento-Datetime" not in during.headers
        tile, _ = await _tile(past, f"?asOf={moment}")
        assert ("immutable" in tile.headers["Cache-Control"], "Memento-Datetime" in tile.headers) == (False, False)
        assert during.json()["features"][0]["properties"]["name"] == "first"
    finally:
        await transaction.commit()
    assert await app[VERSIONS].look_again()
    afterwards = await past.features.get(f"{QUAKES}/items?asOf={moment}&ids=9")
    assert afterwards.json()["features"][0]["properties"]["name"] == "running"
    assert afterwards.headers["ETag"] != during.headers["ETag"]
    assert afterwards.headers["Cache-Control"] == IMMUTABLE
    await owner.execute("UPDATE seen.quakes SET name = 'first' WHERE id = 9")
    await owner.close()


async def _tile(past: Past, query: str = "") -> tuple[Answer, dict[int, dict[str, Any]]]:
    answer = await past.tiles.get(f"{QUAKES}/tiles/WebMercatorQuad/0/0/0{query}")
    assert answer.status == 200
    layer = mapbox_vector_tile.decode(answer.body)["seen.quakes"]["features"]
    return answer, {feature["id"]: feature["properties"] for feature in layer}


async def test_tiles_are_of_that_time_and_keep(past: Past) -> None:
    (first, then), (_, between), (present, now) = [
        await _tile(past, query) for query in (f"?asOf={past.before}", f"?asOf={past.between}", "")
    ]
    assert (then[5]["magnitude"], between[5]["magnitude"], now[5]["magnitude"]) == (5, 7.5, 7.1)
    assert (6 in then, 30 in then, 6 in now, 30 in now) == (True, False, False, True)
    assert (first.headers["Cache-Control"], "immutable" in present.headers["Cache-Control"]) == (IMMUTABLE, False)
    assert parsedate_to_datetime(first.headers["Memento-Datetime"]) <= parse_instant(past.before)
    (again, same), (_, strong) = [
        await _tile(past, f"?asOf={past.before}{more}") for more in ("", "&filter=magnitude%3E19")
    ]
    assert again.headers["ETag"] == first.headers["ETag"]
    assert (same, set(strong)) == (then, {20})


@pytest.mark.parametrize("path", [f"{QUAKES}/tiles/WebMercatorQuad", "/tiles/WebMercatorQuad"])
@pytest.mark.parametrize("document", ["tilejson.json", "style.json"])
async def test_documents_lead_to_tiles_of_that_time(past: Past, path: str, document: str) -> None:
    chosen = "" if path.startswith(QUAKES) else "&collections=seen.quakes"
    answer = await past.tiles.get(f"{path}/{document}?asOf={past.before}{chosen}")
    (template,) = [text for text in re.findall(r'http[^"]+\{z\}[^"]+', answer.body.decode()) if "v=" in text][:1]
    tile = await past.tiles.get(template.replace("{z}/{x}/{y}", "0/0/0"))
    features = mapbox_vector_tile.decode(tile.body)["seen.quakes"]["features"]
    assert {each["id"]: each["properties"] for each in features}[5]["magnitude"] == 5
    assert tile.headers["Cache-Control"] == "public, max-age=31536000, immutable"


async def test_a_feature_has_its_version(past: Past) -> None:
    async def magnitude(at: str) -> float:
        answer = await past.features.get(f"{QUAKES}/items/5?asOf={at}")
        assert 'items/5>; rel="original timegate"' in answer.headers["Link"]
        assert answer.headers["Cache-Control"] == IMMUTABLE
        return float(answer.json()["properties"]["magnitude"])

    assert [await magnitude(at) for at in (past.before, past.between, past.after)] == [5, 7.5, 7.1]
    gone = await past.features.get(f"{QUAKES}/items/6?asOf={past.between}")
    assert (gone.status, gone.headers["Cache-Control"]) == (410, "no-store")
    assert 'items/6/versions?f=link>; rel="timemap"' in gone.headers["Link"]
    assert (await past.features.get(f"{QUAKES}/items/6?asOf={past.before}")).status == 200
    for missing in ("77", "x"):
        assert (await past.features.get(f"{QUAKES}/items/{missing}?asOf={past.before}")).status == 404
        assert (await past.features.get(f"{QUAKES}/items/{missing}/versions")).status == 404
    page = await past.features.get(f"{QUAKES}/items/5?asOf={past.before}&f=html")
    assert b"first" in page.body
    # the map shows the present
    assert b"map.html" not in page.body
    assert b"map.html" in (await past.features.get(f"{QUAKES}/items/5?f=html")).body


async def test_rows_of_a_page_lead_to_features_of_its_time(past: Past) -> None:
    page = (await past.features.get(f"{QUAKES}/items?asOf={past.between}&f=html&ids=5")).body.decode()
    (address,) = {unescape(found) for found in re.findall(r'href="([^"]*/items/5[^"]*)"', page)}
    assert b"7.5" in (await past.features.get(address)).body
    assert "map.html" not in page


async def test_the_versions_of_a_feature_lead_to_each(past: Past) -> None:
    document = await past.features.json(f"{QUAKES}/items/5/versions")
    mementos = [link for link in document["links"] if link["rel"] == "memento"]
    found = [await past.features.get(link["href"]) for link in mementos]
    assert [each.json()["properties"]["magnitude"] for each in found] == [5, 7.5, 7.1]
    assert [each.headers["Memento-Datetime"] for each in found] == [link["datetime"] for link in mementos]
    ends = {link["rel"]: link["href"] for link in document["links"]}
    assert (ends["first"], ends["last"]) == (mementos[0]["href"], mementos[-1]["href"])
    assert ends["latest-version"].endswith("/items/5")
    middle = found[1].headers["Link"]
    for rel, link in zip(("predecessor-version", "canonical", "successor-version"), mementos, strict=True):
        assert f'<{link["href"]}>; rel="{rel}"' in middle
    text = await past.features.get(f"{QUAKES}/items/5/versions?f=link")
    assert text.type.startswith("application/link-format")
    assert len(re.findall(r'<[^>]+>; rel="[^"]*memento"; datetime="[^"]+ GMT"', text.body.decode())) == 3
    deleted = await past.features.json(f"{QUAKES}/items/6/versions")
    assert "latest-version" not in {link["rel"] for link in deleted["links"]}


async def test_a_feature_is_its_own_timegate(past: Past) -> None:
    async def at(moment: datetime) -> Answer:
        headers = {"Accept-Datetime": format_datetime(moment, usegmt=True)}
        return await past.features.get(f"{QUAKES}/items/5", headers=headers)

    plain = await past.features.get(f"{QUAKES}/items/5")
    assert plain.headers["Vary"].startswith("Accept, Accept-Datetime")
    assert "Memento-Datetime" not in plain.headers
    early = await at(datetime(2001, 1, 1, tzinfo=UTC))
    late = await at(datetime(2999, 1, 1, tzinfo=UTC))
    assert (early.json()["properties"]["magnitude"], late.json()["properties"]["magnitude"]) == (5, 7.1)
    for answer in (early, late):
        assert answer.headers["Vary"].startswith("Accept, Accept-Datetime")
        assert "immutable" not in answer.headers["Cache-Control"]
        memento = await past.features.get(answer.headers["Content-Location"])
        assert memento.headers["Memento-Datetime"] == answer.headers["Memento-Datetime"]
        assert memento.json()["properties"] == answer.json()["properties"]
    assert early.headers["ETag"] != late.headers["ETag"]
    wrong = await past.features.get(f"{QUAKES}/items/5", headers={"Accept-Datetime": "yesterday"})
    assert wrong.status == 400
    unkept = await past.features.get("/collections/seen.unkept/items", headers={"Accept-Datetime": "yesterday"})
    assert (unkept.status, "Accept-Datetime" in unkept.headers["Vary"]) == (200, False)


async def test_requests_without_a_time_do_not_touch_the_history(past: Past) -> None:
    texts: list[str] = []
    fetch = Statements.fetch

    async def noted(database: Statements, statement: Any) -> Any:
        texts.append(statement.render()[0])
        return await fetch(database, statement)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Statements, "fetch", noted)
        await past.items(limit="3")
        await past.features.get(f"{QUAKES}/items/5")
    assert any('"quakes"' in text for text in texts)
    assert [text for text in texts if '"dams_history"' in text] == []
