"""Numbers that PostgreSQL has and a double has not."""

from __future__ import annotations

import json

import asyncpg
import mapbox_vector_tile
import orjson
import pytest

from tests.faults.places import good, make_places, on_places

pytestmark = pytest.mark.faults

ITEMS = "/collections/places.extremes/items"
TILE = "/collections/places.extremes/tiles/WebMercatorQuad/0/0/0"


HUGE = "1" + 400 * "0"
WORDS = f'{HUGE}, "\\": {HUGE}, 1e400'


async def make_extremes(url: str) -> None:
    """A table with a number beyond the doubles, one nearer to zero than any, one that is none, and an ordinary one."""
    owner = await asyncpg.connect(url)
    await owner.execute(
        "CREATE TABLE places.extremes"
        " (id integer PRIMARY KEY, size numeric, sizes numeric[], b jsonb, j json, geom geometry(Point, 4326))"
    )
    await owner.execute(
        "INSERT INTO places.extremes (id, size, sizes, b, j) VALUES"
        " (1, 1e400, '{1e400,-1e-400}', jsonb_build_object('a', 1e400, 'words', $1::text),"
        """ json_build_array('{"a": 1e400, "least": 1e308}'::json, json_build_object('words', $1::text))),"""
        " (2, -1e400, NULL, '1e400', '-1e400'),"
        " (3, 1e-400, NULL, NULL, NULL), (4, 'NaN', NULL, NULL, NULL), (5, 2.5, NULL, NULL, NULL)",
        WORDS,
    )
    await owner.execute(
        "UPDATE places.extremes SET geom = ST_Point(id, id, 4326);"
        "GRANT SELECT ON places.extremes TO dams_reader; ANALYZE places.extremes"
    )
    await owner.close()


async def test_numbers_beyond_the_doubles_are_null_in_json_and_left_out_of_tiles(database_url: str) -> None:
    await make_places(database_url)
    await make_extremes(database_url)
    async with on_places(database_url, "features", "tiles") as started:
        features, tiles = started["features"], started["tiles"]
        # numbers of any size are JSON, but few readers know those beyond the doubles (RFC 8259 section 6)
        answer = await good(features, ITEMS, limit="10")
        found = orjson.loads(answer.body)["features"]
        assert [feature["properties"]["size"] for feature in found] == [None, None, 0, None, 2.5]
        assert found[0]["properties"]["sizes"] == [None, 0]
        # the values around them are as stored
        words = {"words": WORDS}
        assert found[0]["properties"]["b"] == {"a": None, **words}
        assert found[0]["properties"]["j"] == [{"a": None, "least": 1e308}, words]
        assert [found[1]["properties"][name] for name in ("b", "j")] == [None, None]
        for path in (ITEMS, f"{ITEMS}/1"):
            for f in ("html", "json"):
                await good(features, path, f=f)
        for f in ("csv", "ndjson", "geojsonseq"):
            await good(features, ITEMS, f=f)
        # what is shown as null is null to filters, too
        for filter_, number in {"size > 1": 1, "size IS NULL": 3, "NOT (size > 1)": 1}.items():
            assert json.loads((await good(features, ITEMS, filter=filter_)).body)["numberMatched"] == number, filter_
        for name in ("filter", "size"):
            answer = await features.get(ITEMS, {name: "size = 1e400" if name == "filter" else "1e400"})
            assert (answer.status, b"below 1.8e308" in answer.body) == (422, True)
        for parameters in ({}, {"filter": "size > 1"}, {"sortby": "size", "limit": "1"}):
            assert (await good(tiles, TILE, **parameters)).body
        rows = mapbox_vector_tile.decode((await good(tiles, TILE)).body)["places.extremes"]["features"]
        assert {row["id"]: row["properties"].get("size") for row in rows} == {1: None, 2: None, 3: 0, 4: None, 5: 2.5}
        for f in ("html", "json"):
            await good(tiles, TILE, f=f)
