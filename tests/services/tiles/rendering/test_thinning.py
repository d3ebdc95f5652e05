"""Tiles with more features than they may hold: what they keep, and what they say about the rest."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.eventually import eventually
from tests.services.in_process import Answer, Client, Services
from tests.services.tiles.conftest import TilesOn, drawn_tile
from tests.services.tiles.places import Drawn, decoded

MANY = 250_000
OMITTED = "DAMS-Features-Omitted"
WORLD = "tiles/WebMercatorQuad/0/0/0"

# Stored from west to east; the strong ones all lie in one place; the north-west is nearly empty.
_TABLES = f"""
CREATE SCHEMA crowd;
CREATE TABLE crowd.shocks (id integer PRIMARY KEY, magnitude float8, geom geometry(Point, 4326));
INSERT INTO crowd.shocks
SELECT n, CASE WHEN n % 1000 = 7 THEN 6 + (n % 37) / 37.0 WHEN n % 11 > 0 THEN (n % 50) / 10.0 END,
    ST_SetSRID(CASE WHEN n % 1000 = 7 THEN ST_MakePoint(140 + (n % 13) / 13.0, 36 + (n % 17) / 17.0)
        WHEN n <= 40 THEN ST_MakePoint(-179 + n * 2, 20 + n)
        ELSE ST_MakePoint(-90 + n * 269.0 / {MANY}, -80 + (n * 7919 % 15000) / 100.0) END, 4326)
FROM generate_series(1, {MANY}) n;
CREATE INDEX ON crowd.shocks USING gist (geom);
CREATE INDEX ON crowd.shocks (magnitude);
CREATE TABLE crowd.plain AS SELECT id, geom FROM crowd.shocks;
CREATE INDEX ON crowd.plain USING gist (geom);
ALTER TABLE crowd.plain ADD PRIMARY KEY (id);
CREATE VIEW crowd.seen AS SELECT id + 0 AS id, magnitude, geom FROM crowd.shocks WHERE id <= 30000;
COMMENT ON VIEW crowd.seen IS 'No key.';
CREATE TABLE crowd.stations (id integer PRIMARY KEY, name text, geom geometry(Point, 4326));
CREATE TABLE crowd_stations_north () INHERITS (crowd.stations);
CREATE TABLE crowd_stations_south () INHERITS (crowd.stations);
-- the same places of the same blocks in each of the three, and the same numbers
INSERT INTO crowd.stations SELECT n, 'own', ST_SetSRID(ST_MakePoint(n % 340 - 170, n % 7), 4326)
FROM generate_series(1, 3000) n;
INSERT INTO crowd_stations_north SELECT id, 'north', ST_Translate(geom, 0, 40) FROM crowd.stations;
INSERT INTO crowd_stations_south SELECT id, 'south', ST_Translate(geom, 0, -40) FROM ONLY crowd.stations;
CREATE TABLE crowd.daily (day integer, geom geometry(Point, 4326)) PARTITION BY RANGE (day);
CREATE TABLE crowd_daily_1 PARTITION OF crowd.daily FOR VALUES FROM (0) TO (2000);
CREATE TABLE crowd_daily_2 PARTITION OF crowd.daily FOR VALUES FROM (2000) TO (9000);
INSERT INTO crowd.daily SELECT n, ST_SetSRID(ST_MakePoint(n % 340 - 170, n % 150 - 75), 4326)
FROM generate_series(1, 4000) n;
CREATE TABLE crowd.weekly (LIKE crowd.daily) PARTITION BY LIST (day);
DO $$ BEGIN FOR week IN 0..39 LOOP
    EXECUTE format('CREATE TABLE crowd_weekly_%1$s PARTITION OF crowd.weekly FOR VALUES IN (%1$s)', week);
END LOOP; END $$;
INSERT INTO crowd.weekly SELECT day % 40, geom FROM crowd.daily;
CREATE TABLE crowd.fields (id integer PRIMARY KEY, area_km2 float8, note text, geom geometry(Polygon, 4326));
INSERT INTO crowd.fields SELECT n, n, repeat(md5(n::text), 4),
    ST_Buffer(ST_SetSRID(ST_MakePoint(n % 300 - 150, n % 140 - 70), 4326), 0.00001 * (n % 3) + 0.00001)
FROM generate_series(1, 3000) n;
CREATE INDEX ON crowd.fields USING gist (geom);
ANALYZE;
GRANT USAGE ON SCHEMA crowd TO dams_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA crowd TO dams_reader;
SELECT dams.watch(t) FROM unnest(ARRAY['crowd.shocks', 'crowd.plain', 'crowd.fields']::regclass[]) t;
"""  # noqa: S608 - our own number


@pytest.fixture(scope="module")
async def crowded(tiles_on: TilesOn) -> AsyncIterator[Services]:
    """Start common and tiles on the crowded tables; tiles have at most 150,000 bytes."""
    described = "collections: {crowd.fields: {tile_properties: {0-2: [area_km2]}}}"
    async with tiles_on(_TABLES, described, DAMS_COLLECTION_SCHEMAS="crowd", DAMS_TILE_MAX_BYTES="150000") as started:
        yield started


@pytest.fixture
def tiles(crowded: Services) -> Client:
    """The tiles service on the crowded tables."""
    return crowded["tiles"]


async def _tile(tiles: Client, table: str, place: str = "0/0/0", **parameters: str) -> tuple[list[Drawn], Answer]:
    return await drawn_tile(tiles, f"crowd.{table}", place, parameters)


def _squares(features: list[Drawn]) -> set[tuple[int, int]]:
    """Return the squares with a feature, of eight by eight in the tile."""
    return {(int(feature.x // 512), int(feature.y // 512)) for feature in features}


async def test_the_most_important_stay(tiles: Client) -> None:
    features, _ = await _tile(tiles, "shocks", limit="500")
    assert len(features) == 500
    magnitudes = sorted((f.properties.get("magnitude", 0.0) for f in features), reverse=True)
    strongest = sorted((6 + (n % 37) / 37.0 for n in range(7, MANY, 1000)), reverse=True)
    # all 250 of them, for half of the tile is theirs
    assert magnitudes[:250] == pytest.approx(strongest)


async def test_the_most_important_stay_where_rows_have_no_key_too(tiles: Client) -> None:
    features, _ = await _tile(tiles, "seen", limit="30")
    assert {feature.properties["id"] for feature in features} == set(range(7, 30_000, 1000))


@pytest.mark.parametrize("table", ["shocks", "plain"])
async def test_the_others_are_spread_over_the_tile(tiles: Client, table: str) -> None:
    features, _ = await _tile(tiles, table, limit="1000")
    assert len(features) == 1000
    everything = {(x, y) for x in range(2, 8) for y in range(1, 7)}
    assert everything <= _squares(features)


@pytest.mark.parametrize("table", ["plain", "seen"])
async def test_no_kind_of_relation_comes_in_storage_order(tiles: Client, table: str) -> None:
    features, _ = await _tile(tiles, table, limit="400")
    assert len(features) == 400
    numbers = sorted(feature.id or int(feature.properties["id"]) for feature in features)
    last = {"plain": MANY, "seen": 30_000}[table]
    assert numbers[0] < last / 10
    assert numbers[-1] > last * 0.9


@pytest.mark.parametrize("limit", [1000, 7000])
async def test_a_table_with_children_keeps_its_limit(tiles: Client, limit: int) -> None:
    features, answer = await _tile(tiles, "stations", limit=str(limit))
    assert len(features) == limit
    assert answer.headers[OMITTED] == str(9000 - limit)
    counts = [sum(feature.properties["name"] == name for feature in features) for name in ("own", "north", "south")]
    # of each about a third: a row is chosen for itself, not for another in the same place of another table
    assert min(counts) > limit / 4
    if limit == 1000:
        assert len({(feature.id, feature.properties["name"]) for feature in features}) == limit
        again, _ = await _tile(tiles, "stations", limit=str(limit), properties="name")
        assert [feature.id for feature in again] == [feature.id for feature in features]


@pytest.mark.parametrize("table", ["daily", "weekly"])
async def test_a_partitioned_table_without_a_key_is_spread(tiles: Client, table: str) -> None:
    features, answer = await _tile(tiles, table, limit="900")
    assert len(features) == 900
    assert answer.headers[OMITTED] == "3100"
    # the rows of all partitions have the same few addresses, of which each is chosen for itself
    assert len({(feature.properties["day"], feature.x, feature.y) for feature in features}) == 900
    assert len(_squares(features)) > 30


async def test_a_filtered_tile_is_spread_too(tiles: Client) -> None:
    features, answer = await _tile(tiles, "plain", limit="300", filter="id > 41 AND id <= 30041")
    assert len(features) == 300
    assert int(answer.headers[OMITTED].removesuffix(";estimate")) == pytest.approx(29_700, rel=0.1)
    assert {y for _, y in _squares(features)} >= set(range(1, 7))


async def test_the_same_rows_give_the_same_tile(tiles: Client) -> None:
    for table in ("shocks", "plain"):
        first, _ = await _tile(tiles, table, limit="700")
        # another name for the same rows, which no cache knows
        second, answer = await _tile(tiles, table, limit="700", filter="id > 0")
        assert answer.headers["Server-Timing"].startswith("postgis")
        assert {f.id for f in first} & {f.id for f in second}
        third, _ = await _tile(tiles, table, limit="700", filter="id > 0")
        assert {f.id for f in second} == {f.id for f in third}


async def test_what_the_request_orders_is_kept_in_that_order(tiles: Client) -> None:
    for sortby, expected in (("id", set(range(1, 51))), ("-id", set(range(MANY - 49, MANY + 1)))):
        features, answer = await _tile(tiles, "shocks", limit="50", sortby=sortby)
        assert {feature.id for feature in features} == expected
        assert answer.headers[OMITTED].endswith(";estimate")
    nulls, _ = await _tile(tiles, "shocks", limit="50", sortby="-magnitude,id", filter="magnitude IS NULL OR id = 12")
    # nulls come last, also where an index has them first
    assert nulls[0].id == 12
    assert {feature.id for feature in nulls} == {12, *range(11, 540, 11)}


async def test_the_number_left_out_is_given(tiles: Client) -> None:
    _, full = await _tile(tiles, "seen", limit="100")
    assert full.headers[OMITTED].removesuffix(";estimate").isdecimal()
    _, exact = await _tile(tiles, "fields", limit="100")
    assert exact.headers[OMITTED] == "2900"
    _, all_there = await _tile(tiles, "fields", "5/16/15")
    assert all_there.headers[OMITTED] == "0"
    _, estimated = await _tile(tiles, "plain")
    number, _, word = estimated.headers[OMITTED].partition(";")
    assert word == "estimate"
    assert int(number) == pytest.approx(MANY, rel=0.1)


async def test_the_number_survives_the_cache(tiles: Client) -> None:
    async def cached() -> Answer:
        _, answer = await _tile(tiles, "plain")
        assert answer.headers["Server-Timing"].startswith("redis")
        return answer

    _, made = await _tile(tiles, "plain")
    first, second = made.headers[OMITTED], (await eventually(cached)).headers[OMITTED]
    assert first == second
    assert first.endswith(";estimate")


async def test_a_tile_has_a_byte_budget(tiles: Client) -> None:
    for table in ("fields", "shocks"):
        features, answer = await _tile(tiles, table, properties="id,note" if table == "fields" else "id,magnitude")
        assert 100_000 < len(answer.body) <= 150_000
        assert int(answer.headers[OMITTED].partition(";")[0]) > 0
        if table == "fields":
            assert int(answer.headers[OMITTED]) == 3000 - len(features)
            assert 3000 in {feature.id for feature in features}, "the largest of all"
    ordered, answer = await _tile(tiles, "fields", sortby="id", properties="note")
    assert len(answer.body) <= 150_000
    assert {feature.id for feature in ordered} == set(range(1, len(ordered) + 1))


async def test_areas_smaller_than_the_grid_stay_visible(tiles: Client) -> None:
    features, _ = await _tile(tiles, "fields", ids="1,2,3,150,2999")
    assert {feature.id for feature in features} == {1, 2, 3, 150, 2999}
    for feature in features:
        assert feature.geometry.geom_type == "Polygon"
        assert feature.geometry.area == 1
        assert feature.id is not None
        x = (feature.id % 300 - 150 + 180) / 360 * 4096
        assert abs(feature.geometry.centroid.x - x) <= 1


async def test_the_configuration_says_what_properties_tiles_of_a_zoom_hold(tiles: Client) -> None:
    async def names(tms: str, z: int, **parameters: str) -> set[str]:
        tileset = await tiles.json(f"/collections/crowd.fields/tiles/{tms}")
        (limit,) = (limit for limit in tileset["tileMatrixSetLimits"] if limit["tileMatrix"] == str(z))
        row, column = (limit["minTileRow"] + limit["maxTileRow"]) // 2, limit["minTileCol"] + 1
        answer = await tiles.get(f"/collections/crowd.fields/tiles/{tms}/{z}/{column}/{row}", parameters)
        features = decoded(answer.body, "crowd.fields")
        assert features
        return {name for feature in features for name in feature.properties}

    assert await names("WebMercatorQuad", 2) == {"area_km2"}
    assert await names("WebMercatorQuad", 3) == {"area_km2", "note"}
    # as wide on the ground as a tile of zoom 2
    assert await names("WorldCRS84Quad", 1) == {"area_km2"}
    assert await names("WorldCRS84Quad", 2) == {"area_km2", "note"}
    # what a request names it gets
    assert await names("WebMercatorQuad", 2, properties="note,id") == {"id", "note"}


async def test_a_tile_that_was_not_thought_to_be_full(tiles: Client) -> None:
    place = "8/227/100"
    whole, answer = await _tile(tiles, "shocks", place)
    assert len(whole) > 90
    assert answer.headers[OMITTED] == "0"
    # were the rows spread evenly, the tile would have four of them
    some, answer = await _tile(tiles, "shocks", place, limit="80")
    assert len(some) == 80
    assert answer.headers[OMITTED] == str(len(whole) - 80)
    strongest = sorted((drawn.properties["magnitude"] for drawn in whole), reverse=True)[:40]
    assert set(strongest) <= {drawn.properties["magnitude"] for drawn in some}
