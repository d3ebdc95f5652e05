"""A row that PostGIS cannot draw costs the others nothing: it is left out and counted."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from libs.ogc.errors import StoredValueError
from libs.pg.pool import Statements
from libs.pg.sql import Sql
from services.tiles.rendering.invalid_rows import exclude_invalid_rows
from services.tiles.rendering.statement import condition
from services.tiles.rendering.thinning import chosen_rows
from tests.services.in_process import Answer, Client, Services
from tests.services.tiles.conftest import TilesOn, drawn_tile
from tests.services.tiles.places import Drawn
from tests.services.tiles.rendering.statements import request, whole

OMITTED = "DAMS-Features-Omitted"
# In the box around the part of the plane that has places on Earth, but beyond it: PROJ refuses.
_LOST = "ST_SetSRID(ST_MakePoint(15700000, 14800000), 3035)"
_LOST_NEARER = "ST_SetSRID(ST_MakePoint(14200000, 14600000), 3035)"
_FOUND = "ST_Transform(ST_SetSRID(ST_MakePoint(n % 30, 40 + n % 20), 4326), 3035)"
_TABLES = f"""
CREATE SCHEMA ward;
CREATE TABLE ward.places (id integer PRIMARY KEY, size integer, geom geometry(Point, 3035));
INSERT INTO ward.places SELECT n, n, CASE WHEN n % 400 = 7 THEN {_LOST} ELSE {_FOUND} END
FROM generate_series(1, 1000) n;
CREATE INDEX ON ward.places USING gist (geom);
CREATE TABLE ward.unlucky (LIKE ward.places INCLUDING ALL);
INSERT INTO ward.unlucky SELECT * FROM ward.places;
CREATE TABLE ward.parent (LIKE ward.places INCLUDING ALL);
CREATE TABLE ward_child () INHERITS (ward.parent);
INSERT INTO ward.parent SELECT * FROM ward.places WHERE id <= 500;
INSERT INTO ward_child SELECT * FROM ward.places WHERE id <= 500;
CREATE TABLE ward.parted (id text PRIMARY KEY, geom geometry(Point, 3035)) PARTITION BY HASH (id);
CREATE TABLE ward_parted_0 PARTITION OF ward.parted FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE ward_parted_1 PARTITION OF ward.parted FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO ward.parted SELECT 'a ' || id, geom FROM ward.places;
-- each row in another CRS, one of them in an unknown CRS
CREATE TABLE ward.mixed (id integer PRIMARY KEY, geom geometry(Geometry));
INSERT INTO ward.mixed SELECT id, geom FROM ward.places WHERE id < 5;
INSERT INTO ward.mixed VALUES (5, 'SRID=4326;POINT(10 50)'), (6, 'POINT(11 51)'), (7, 'SRID=990001;POINT(1 1)');
CREATE VIEW ward.seen AS SELECT id + 0 AS id, geom FROM ward.places;
CREATE VIEW ward.half_named AS SELECT nullif(id, 8) AS id, geom FROM ward.places WHERE id < 20;
-- twelve of a place that is lost nearer to the others
CREATE TABLE ward.apart (LIKE ward.places INCLUDING ALL);
INSERT INTO ward.apart SELECT n, n, CASE WHEN n < 3 THEN {_FOUND} WHEN n < 15 THEN {_LOST_NEARER} ELSE {_LOST} END
FROM generate_series(1, 16) n;
CREATE TABLE ward.hopeless (LIKE ward.places INCLUDING ALL);
INSERT INTO ward.hopeless SELECT n, n, CASE WHEN n = 1 THEN {_FOUND} ELSE {_LOST} END FROM generate_series(1, 40) n;
CREATE SCHEMA other_ward;
CREATE TABLE other_ward.unlucky (LIKE ward.places INCLUDING ALL);
INSERT INTO other_ward.unlucky SELECT * FROM ward.places;
ANALYZE;
GRANT USAGE ON SCHEMA ward, other_ward TO dams_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA ward, other_ward TO dams_reader;
"""  # noqa: S608 - our own words


@pytest.fixture(scope="module")
async def ward(tiles_on: TilesOn) -> AsyncIterator[Services]:
    """Common and tiles on tables with rows that cannot be drawn."""
    described = "collections: {ward.half_named: {id_column: id}}"
    async with tiles_on(_TABLES, described, DAMS_COLLECTION_SCHEMAS="ward,other_ward") as started:
        yield started


@pytest.fixture
def tiles(ward: Services) -> Client:
    """The tiles service on those tables."""
    return ward["tiles"]


async def _tile(tiles: Client, table: str, place: str = "0/0/0", **parameters: str) -> tuple[list[Drawn], Answer]:
    return await drawn_tile(tiles, f"ward.{table}", place, parameters)


@pytest.mark.parametrize(("table", "drawn", "left_out"), [("places", 997, 3), ("parted", 997, 3), ("parent", 996, 4)])
async def test_the_others_are_drawn_and_it_is_counted(tiles: Client, table: str, drawn: int, left_out: int) -> None:
    features, answer = await _tile(tiles, table)
    assert len(features) == drawn
    assert answer.headers[OMITTED] == str(left_out)
    assert not {7, 407, 807} & {feature.id for feature in features}


async def test_a_crowded_tile_is_full_all_the_same(tiles: Client) -> None:
    for parameters in ({"limit": "300"}, {"limit": "300", "sortby": "size"}):
        features, answer = await _tile(tiles, "places", **parameters)
        assert len(features) == 300
        assert answer.headers[OMITTED] == "700"
        assert not {7, 407, 807} & {feature.id for feature in features}


async def test_a_filter_and_invalid_rows_go_together(tiles: Client) -> None:
    features, answer = await _tile(tiles, "places", filter="size BETWEEN 5 AND 10")
    assert {feature.id for feature in features} == {5, 6, 8, 9, 10}
    assert answer.headers[OMITTED] == "1"


async def test_rows_each_in_a_crs_of_its_own(tiles: Client) -> None:
    features, answer = await _tile(tiles, "mixed")
    assert {feature.id for feature in features} == {1, 2, 3, 4, 5, 6}
    # a row with an unknown CRS is in no tile, and counted by each
    assert answer.headers[OMITTED] == "1"
    # nor does it cost the tiles elsewhere theirs
    assert not (await _tile(tiles, "mixed", "3/0/0"))[0]


async def test_invalid_rows_elsewhere_are_no_matter_of_the_tile(tiles: Client) -> None:
    features, answer = await _tile(tiles, "apart", "1/1/0")
    assert {feature.id for feature in features} == {1, 2}
    assert answer.headers[OMITTED] == "12"


async def test_invalid_rows_without_an_identity_are_an_error_that_says_so(tiles: Client) -> None:
    answer = await tiles.get("/collections/ward.seen/tiles/WebMercatorQuad/0/0/0")
    assert answer.status == 503
    assert "stored value" in answer.json()["detail"]


async def test_rows_in_place_of_invalid_ones_are_searched_five_times(tiles: Client) -> None:
    features, answer = await _tile(tiles, "hopeless", limit="39")
    assert ([feature.id for feature in features], answer.headers[OMITTED]) == ([1], "39")
    # the two that are chosen are invalid, and so are those in their place
    answer = await tiles.get("/collections/ward.hopeless/tiles/WebMercatorQuad/0/0/0?limit=2")
    assert answer.status == 503


async def test_rows_without_a_name_stay(ward: Services) -> None:
    features, answer = await _tile(ward["tiles"], "half_named")
    assert len(features) == 18
    assert answer.headers[OMITTED] == "1"


async def test_a_search_that_led_to_nothing_is_not_made_again(ward: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[float] = []

    async def in_vain(_database: object, _request: object, _matched: object, until: float) -> None:
        times.append(until - asyncio.get_running_loop().time())
        raise StoredValueError

    monkeypatch.setattr("services.tiles.rendering.render.exclude_invalid_rows", in_vain)
    for limit in (901, 902):
        address = f"/collections/ward.unlucky/tiles/WebMercatorQuad/0/0/0?limit={limit}"
        assert (await ward["tiles"].get(address)).status == 503
    # eight seconds for the first, none for the second
    assert 7 < times[0] <= 8
    assert times[1] <= 0
    monkeypatch.undo()
    assert (await ward["tiles"].get("/collections/ward.unlucky/tiles/WebMercatorQuad/0/0/0?limit=903")).status == 503
    # others are searched, also one of the same name
    for other in ("ward.places", "other_ward.unlucky"):
        assert (await ward["tiles"].get(f"/collections/{other}/tiles/WebMercatorQuad/0/0/0?limit=903")).status == 200


MOST = "<50000 int8>"


class Failing(Statements):
    """A database that cannot work out the size of a row, nor draw the second of three."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def connection(self, *, transaction: bool = False) -> Any:
        raise AssertionError(transaction)

    async def fetch(self, statement: Sql) -> list[Any]:
        self.asked.append(whole(statement))
        if '"size" > <1 float4>' in self.asked[-1] or "'(0,2)'" in self.asked[-1]:
            raise StoredValueError
        return [(f"(0,{number})",) for number in (1, 2, 3)]


async def test_where_a_condition_fails_on_a_row_each_row_is_tried() -> None:
    database, now = Failing(), asyncio.get_running_loop().time()
    asked = request(9, where="size > 1")
    valid, number = await exclude_invalid_rows(database, asked, 10, now + 60)
    assert number == 1
    assert valid.selection.conditions[:-1] == asked.selection.conditions
    assert whole(valid.selection.conditions[-1]) == "((ctid) = ANY(<['(0,2)'] text>[]::tid[])) IS NOT TRUE"
    # first those near that match, then all there are
    near, every = database.asked[:2]
    assert (
        near
        == f'SELECT (ctid)::text\nFROM "s"."t"\nWHERE {whole(condition(asked))}\nAND (ctid) IS NOT NULL LIMIT {MOST}'
    )
    assert every == f'SELECT (ctid)::text\nFROM "s"."t"\nWHERE TRUE\nAND (ctid) IS NOT NULL LIMIT {MOST}'
    assert [rows for text in database.asked[2:] for rows in re.findall(r"unnest\(<\[(.*?)\]", text)] == [
        "'(0,1)', '(0,2)', '(0,3)'",
        *("'(0,1)'", "'(0,2)', '(0,3)'", "'(0,2)'", "'(0,3)'"),
    ]
    # no longer than there is time
    for until in (now, now - 1):
        nobody = Failing()
        with pytest.raises(StoredValueError):
            await exclude_invalid_rows(nobody, asked, 10, until)
        assert nobody.asked == []


class Healthy(Failing):
    """One that draws every row, and takes its time to find them."""

    def __init__(self, until: float = 0) -> None:
        super().__init__()
        self.until = until

    async def fetch(self, statement: Sql) -> list[Any]:
        self.asked.append(whole(statement))
        while asyncio.get_running_loop().time() <= self.until:
            pass
        return [("(0,1)",)]


async def test_rows_are_looked_for_among_those_of_the_tile_and_in_time() -> None:
    now = asyncio.get_running_loop().time()
    full, ordered = request(9, limit=5), request(9, limit=5, sortby="size")
    thinned = f"SELECT (feature)::text\nFROM ({whole(chosen_rows(full, 6))}) AS chosen"
    near = f'SELECT (ctid)::text\nFROM "s"."t"\nWHERE {whole(condition(full))}\nAND (ctid) IS NOT NULL LIMIT {MOST}'
    for asked, matched, expected in ((full, 6, thinned), (full, 5, near), (ordered, 6, near)):
        database = Healthy()
        # none of them was at fault
        with pytest.raises(StoredValueError):
            await exclude_invalid_rows(database, asked, matched, now + 60)
        assert database.asked[0] == expected
        assert len(database.asked) == 2
    late = Healthy(asyncio.get_running_loop().time() + 0.002)
    with pytest.raises(StoredValueError):
        await exclude_invalid_rows(late, full, 5, late.until)
    assert len(late.asked) == 1


async def test_the_healthy_pay_nothing(ward: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("services.tiles.rendering.render.exclude_invalid_rows", fail)
    features, answer = await _tile(ward["tiles"], "places", filter="size > 900")
    assert len(features) == 100
    assert answer.headers[OMITTED] == "0"
