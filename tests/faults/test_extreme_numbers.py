"""Numbers that PostgreSQL has and a double has not."""

from __future__ import annotations

import json

import asyncpg
import mapbox_vector_tile
import pytest

from tests.faults.places import good, make_places, on_places

pytestmark = pytest.mark.faults

ITEMS = "/collections/places.extremes/items"
TILE = "/collections/places.extremes/tiles/WebMercatorQuad/0/0/0"


HUGE = "1" + 400 * "0"


async def make_extremes(url: str) -> None:
    """A table with a number beyond the doubles, one nearer to zero than any, one that is none, and an ordinary one."""
    owner = await asyncpg.connect(url)
    await owner.execute(
        "CREATE TABLE places.extremes"
        " (id integer PRIMARY KEY, size numeric, sizes numeric[], b jsonb, j json, geom geometry(Point, 4326));"
        "INSERT INTO places.extremes (id, size, sizes, b, j) VALUES"
        """ (1, 1e400, '{1e400,-1e-400}', '{"a": 1e400}', '[{"a": 1e400}]'), (2, -1e400, NULL, '1e400', '-1e400'),"""
        " (3, 1e-400, NULL, NULL, NULL), (4, 'NaN', NULL, NULL, NULL), (5, 2.5, NULL, NULL, NULL);"
        "UPDATE places.extremes SET geom = ST_Point(id, id, 4326);"
        "GRANT SELECT ON places.extremes TO dams_reader; ANALYZE places.extremes"
    )
    await owner.close()


async def test_numbers_beyond_the_doubles_are_whole_in_json_and_left_out_of_tiles(database_url: str) -> None:
    await make_places(database_url)
    await make_extremes(database_url)
    async with on_places(database_url, "features", "tiles") as started:
        features, tiles = started["features"], started["tiles"]
        # numbers of any size are JSON (RFC 8259 section 6)
        answer = await good(features, ITEMS, limit="10")
        found = json.loads(answer.body, parse_int=str, parse_float=str)["features"]
        sizes = [feature["properties"]["size"] for feature in found]
        assert sizes == [HUGE, f"-{HUGE}", f"0.{399 * '0'}1", None, "2.5"]
        assert found[0]["properties"]["b"] == {"a": HUGE}
        assert found[0]["properties"]["j"] == [{"a": "1e400"}]
        for path in (ITEMS, f"{ITEMS}/1"):
            for f in ("html", "json"):
                await good(features, path, f=f)
        for f in ("csv", "ndjson", "geojsonseq"):
            await good(features, ITEMS, f=f)
        assert json.loads((await good(features, ITEMS, filter="size > 1")).body)["numberMatched"] == 3
        for name in ("filter", "size"):
            answer = await features.get(ITEMS, {name: "size = 1e400" if name == "filter" else "1e400"})
            assert (answer.status, b"below 1.8e308" in answer.body) == (422, True)
        for parameters in ({}, {"filter": "size > 1"}, {"sortby": "size", "limit": "1"}):
            assert (await good(tiles, TILE, **parameters)).body
        rows = mapbox_vector_tile.decode((await good(tiles, TILE)).body)["places.extremes"]["features"]
        assert {row["id"]: row["properties"].get("size") for row in rows} == {1: None, 2: None, 3: 0, 4: None, 5: 2.5}
        for f in ("html", "json"):
            await good(tiles, TILE, f=f)
