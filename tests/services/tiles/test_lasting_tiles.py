"""Addresses with a version of the data: the tile of just that version keeps for ever, any other for a second."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from services.tiles.store.tile_store import Tile, TileStore
from tests.eventually import eventually
from tests.services.in_process import Answer, Client, Services, services
from tests.services.tiles.cache import OwnRedis, keys
from tests.services.tiles.conftest import Placed, TilesOn

POINTS = "/collections/placed.points/tiles/WebMercatorQuad"
BOTH = "/tiles/WebMercatorQuad"
CHOSEN = "collections=placed.points,placed.lines"
MADE_TOO = "collections=hazard.named,hazard.made"
LASTING = "public, max-age=31536000, immutable"
SHORT = "public, max-age=1, stale-while-revalidate=2, stale-if-error=60"


@pytest.fixture
async def owner(placed: Placed) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(placed.owner_url)
    yield connection
    await connection.close()


async def _template(tiles: Client, address: str) -> str:
    document = (await tiles.get(address)).json()
    sources = [document, *document.get("sources", {}).values()]
    templates = (str(source["tiles"][0]) for source in sources if "tiles" in source)
    return next(template for template in templates if "/basemap/" not in template)


def _tile(template: str, place: str = "1/1/0") -> str:
    return template.replace("{z}/{x}/{y}", place)


async def _lasting(tiles: Client, address: str) -> Answer:
    async def lasts() -> Answer:
        answer = await tiles.get(address)
        assert answer.headers["Cache-Control"] == LASTING
        return answer

    return await eventually(lasts)


@pytest.mark.parametrize("metadata", [f"{POINTS}/tilejson.json", f"{BOTH}/tilejson.json?{CHOSEN}"])
async def test_tile_of_the_present_version_is_immutable(
    cached: Services, owner: asyncpg.Connection, metadata: str
) -> None:
    tiles = cached["tiles"]
    before = await _template(tiles, metadata)
    version = before.partition("v=")[2]
    first = await tiles.get(_tile(before))
    # it is not known yet whether a row changed while it was made
    assert first.headers["Cache-Control"] == SHORT
    assert first.headers["DAMS-Version"] == version
    lasting = await _lasting(tiles, _tile(before))
    assert lasting.body == first.body
    # without it, or with another, it is the same tile for a second
    for query in ("", "v=", "v=0123456789abcdef"):
        plain = await tiles.get(_tile(before).replace(f"v={version}", query).rstrip("?&"))
        assert (plain.status, plain.body, plain.headers["Cache-Control"]) == (200, first.body, SHORT)
        assert plain.headers["DAMS-Version"] == version

    await owner.execute("INSERT INTO placed.points VALUES (5000, 'new', 'SRID=4326;POINT(20 20)')")
    try:

        async def renewed() -> str:
            found = await _template(tiles, metadata)
            assert found != before
            return found

        after = await eventually(renewed)
        old = await tiles.get(_tile(before))
        assert old.headers["Cache-Control"] == SHORT
        assert old.headers["DAMS-Version"] == after.partition("v=")[2] != version
        new = await _lasting(tiles, _tile(after))
        assert new.body == old.body != first.body
    finally:
        await owner.execute("DELETE FROM placed.points WHERE id = 5000")


@pytest.mark.parametrize(
    ("metadata", "layers"), [(f"{POINTS}/tilejson.json", 1), (f"{BOTH}/tilejson.json?{CHOSEN}", 2)]
)
async def test_only_a_tile_that_is_wanted_for_ever_is_looked_into(
    placed_tiles: Client, monkeypatch: pytest.MonkeyPatch, metadata: str, layers: int
) -> None:
    wanted: list[bool] = []
    tile = TileStore.tile

    async def noted(store: TileStore, *given: Any, lasting: bool = False) -> Tile:
        wanted.append(lasting)
        return await tile(store, *given, lasting=lasting)

    monkeypatch.setattr(TileStore, "tile", noted)
    address = _tile(await _template(placed_tiles, metadata))
    plain = address.partition("v=")[0].rstrip("?&")
    told = f"{address}&f=json"
    for each, is_wanted in ((address, True), (plain, False), (f"{address}0", False), (told, False)):

        async def is_as_wanted(each: str = each, is_wanted: bool = is_wanted) -> None:
            wanted.clear()
            answer = await placed_tiles.get(each)
            assert (answer.status, wanted) == (200, [is_wanted] * layers)
            # a description of a tile is not a tile with a version
            assert ("DAMS-Version" in answer.headers, answer.headers["Vary"] == "Accept-Encoding") == (
                each != told,
            ) * 2

        # a busy service does not know for a moment whether the version still holds
        await eventually(is_as_wanted)


async def test_tiles_of_a_materialised_view_last_until_it_is_refreshed(
    placed: Placed, own_redis: OwnRedis, owner: asyncpg.Connection
) -> None:
    await owner.execute(
        "CREATE SCHEMA refreshed; GRANT USAGE ON SCHEMA refreshed TO hostile_reader;"
        "CREATE TABLE refreshed.rows (id integer PRIMARY KEY, geom geometry(Point, 4326));"
        "INSERT INTO refreshed.rows VALUES (1, 'SRID=4326;POINT(10 10)');"
        "CREATE VIEW refreshed.shown AS SELECT id, geom FROM refreshed.rows;"
        "CREATE MATERIALIZED VIEW refreshed.kept AS SELECT id, geom FROM refreshed.rows;"
        "CREATE UNIQUE INDEX ON refreshed.kept (id); GRANT SELECT ON ALL TABLES IN SCHEMA refreshed TO hostile_reader;"
        "SELECT dams.watch('refreshed.rows')"
    )
    try:
        async with services() as started:
            for name in ("common", "tiles"):
                settings = {"DAMS_REDIS_URL": own_redis.url, "DAMS_COLLECTION_SCHEMAS": "refreshed"}
                await started.start(name, {**placed.env, **settings})
            tiles = started["tiles"]
            path = "/collections/refreshed.{}/tiles/WebMercatorQuad/tilejson.json"
            before = await eventually(lambda: _template(tiles, path.format("kept")))
            first = await _lasting(tiles, _tile(before))
            # a view's rows depend on its definition, too, which the catalogue follows later
            assert "v=" not in await _template(tiles, path.format("shown"))
            for place, concurrently in (("20 20", ""), ("30 30", "CONCURRENTLY")):
                await owner.execute(
                    "INSERT INTO refreshed.rows VALUES ($1, $2::text::geometry)",
                    int(place[0]),
                    f"SRID=4326;POINT({place})",
                )
                await owner.execute(f"REFRESH MATERIALIZED VIEW {concurrently} refreshed.kept")

                # its counters follow some seconds later, and are another version of the same rows
                async def renewed(old: str = before, size: int = len(first.body)) -> tuple[str, Answer]:
                    found = await _template(tiles, path.format("kept"))
                    answer = await tiles.get(_tile(found))
                    assert found != old
                    assert (answer.headers["Cache-Control"], len(answer.body) > size) == (LASTING, True)
                    return found, answer

                old = before
                before, first = await eventually(renewed)
                assert (await tiles.get(_tile(old))).headers["Cache-Control"] == SHORT
    finally:
        await owner.execute("DROP SCHEMA refreshed CASCADE")


@pytest.mark.parametrize("metadata", [f"{POINTS}/tilejson.json", f"{BOTH}/tilejson.json?{CHOSEN}"])
async def test_a_copy_that_may_be_newer_than_its_version_is_never_confirmed(cached: Services, metadata: str) -> None:
    tiles = cached["tiles"]
    address = _tile(await _template(tiles, metadata))
    first = await tiles.get(address)
    lasting = await _lasting(tiles, address)
    again = await tiles.get(address, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status, again.headers["ETag"]) == (200, lasting.headers["ETag"])
    unchanged = await tiles.get(address, headers={"If-None-Match": lasting.headers["ETag"]})
    assert (unchanged.status, unchanged.headers["Cache-Control"]) == (304, LASTING)
    assert "Last-Modified" not in first.headers


async def test_empty_tiles_and_those_with_parameters_keep_for_ever_too(cached: Services) -> None:
    tiles = cached["tiles"]
    template = await _template(tiles, f"{POINTS}/tilejson.json")
    # placed.points are on every tile of low zooms
    assert (await _lasting(tiles, _tile(template, "20/7/7"))).body == b""
    filtered = f"{_tile(template)}&filter=id<40"
    assert (await _lasting(tiles, filtered)).body != (await tiles.get(_tile(template))).body


async def test_the_version_makes_no_other_entries_in_the_cache(cached: Services, own_redis: OwnRedis) -> None:
    template = await _template(cached["tiles"], f"{POINTS}/style.json")
    assert "?v=" in template
    await _lasting(cached["tiles"], _tile(template))
    before = await keys(own_redis.url)
    for version in ("x", "y", "0123456789abcdef"):
        await cached["tiles"].get(f"{POINTS}/1/1/0?v={version}")
    assert (await keys(own_redis.url)).keys() == before.keys()


async def test_a_question_mark_that_clients_append_means_nothing(placed_tiles: Client) -> None:
    address = _tile(await _template(placed_tiles, f"{POINTS}/tilejson.json"))
    assert (await placed_tiles.get(f"{address}?")).headers["DAMS-Version"] == address.partition("v=")[2]
    await _lasting(placed_tiles, f"{address}?")
    joined = await placed_tiles.get(f"{address}?filter=id=1")
    assert joined.status == 422
    assert "joined by &" in joined.json()["detail"][0]["msg"]


async def test_what_has_no_exact_version_has_none_in_its_addresses(tiles_on: TilesOn) -> None:
    tables = """
    CREATE TABLE hazard.unwatched (id integer PRIMARY KEY, geom geometry(Point, 4326));
    CREATE TABLE hazard.named (id integer PRIMARY KEY, v integer, geom geometry(Point, 4326));
    INSERT INTO hazard.named SELECT n, n, ST_SetSRID(ST_MakePoint(n, n), 4326) FROM generate_series(1, 5) n;
    CREATE VIEW hazard.seen AS SELECT id, geom FROM hazard.named;
    CREATE FUNCTION hazard.made() RETURNS TABLE (id integer, geom geometry(Point, 4326)) STABLE
        LANGUAGE sql AS 'SELECT 1, ST_SetSRID(ST_MakePoint(1, 1), 4326)';
    SELECT dams.watch('hazard.named');
    GRANT SELECT ON ALL TABLES IN SCHEMA hazard TO dams_reader;
    """
    async with tiles_on(tables, "{}") as services:
        tiles = services["tiles"]
        for name in ("unwatched", "named", "seen", "made"):
            address = f"/collections/hazard.{name}/tiles/WebMercatorQuad"
            assert "v=" not in await _template(tiles, f"{address}/tilejson.json")
            assert "v=" not in await _template(tiles, f"{BOTH}/tilejson.json?collections=hazard.{name}")
            answer = await tiles.get(f"{address}/0/0/0")
            assert "DAMS-Version" not in answer.headers
            assert "immutable" not in answer.headers["Cache-Control"]
        # if the state of one collection's rows is unknown, no copy is kept
        for address in ("/collections/hazard.made/tiles/WebMercatorQuad/0/0/0", f"{BOTH}/0/0/0?{MADE_TOO}"):
            answer = await tiles.get(address)
            assert (answer.headers["Cache-Control"], "ETag" in answer.headers) == ("no-cache", False)
        # a property that has this name is what it was
        document = await tiles.json("/collections/hazard.named/tiles/WebMercatorQuad/0/0/0", v="3", f="json")
        assert [feature["id"] for layer in document["layers"] for feature in layer["features"]] == [3]


async def test_cdns_learn_how_long_and_by_which_name_to_forget(cached: Services, placed: Placed) -> None:
    tiles = cached["tiles"]
    template = await _template(tiles, f"{BOTH}/tilejson.json?{CHOSEN}")
    lasting = await _lasting(tiles, _tile(template))
    assert lasting.headers["Surrogate-Key"] == "placed.points placed.lines"
    assert lasting.headers["CDN-Cache-Control"] == "max-age=31536000, immutable"
    own = await tiles.get(f"{POINTS}/1/1/0")
    assert own.headers["Surrogate-Key"] == "placed.points"
    assert own.headers["CDN-Cache-Control"] == SHORT.removeprefix("public, ")
    unchanged = await tiles.get(f"{POINTS}/1/1/0", headers={"If-None-Match": own.headers["ETag"]})
    assert (unchanged.status, unchanged.headers["Surrogate-Key"]) == (304, "placed.points")
    wrong = await tiles.get(f"{POINTS}/1/1/0?limit=x")
    assert not {"Surrogate-Key", "CDN-Cache-Control"} & wrong.headers.keys()
    kept = await cached.start("tiles", {**placed.env, "DAMS_CDN_MAX_AGE_SECONDS": "600"})
    assert (await kept.get(f"{POINTS}/1/1/0")).headers["CDN-Cache-Control"] == "max-age=600, stale-if-error=60"
    # a purge does not cover changes of the list of collections
    assert "600" not in (await kept.get(f"{POINTS}/tilejson.json")).headers["CDN-Cache-Control"]
