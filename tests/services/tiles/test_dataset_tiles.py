"""Tiles of several collections: the layers of the collections' own tiles, and never fewer than requested."""

from __future__ import annotations

import re
import zlib
from typing import Any

import asyncpg
import mapbox_vector_tile
import pytest

from tests.eventually import eventually
from tests.services.in_process import Answer, Client, Services
from tests.services.tiles.cache import OwnRedis, keys, tier
from tests.services.tiles.conftest import Placed

ALL = "/tiles/WebMercatorQuad"
NAMED = ["placed.polygons", "placed.lines", "placed.points"]
PLACES = ("0/0/0", "1/1/0", "3/4/3")


async def _own(tiles: Client, place: str, **parameters: str) -> bytes:
    """The collections' own tiles one after another."""
    found = [await tiles.get(f"/collections/{name}/tiles/WebMercatorQuad/{place}", parameters) for name in NAMED]
    assert all(answer.status == 200 for answer in found)
    return b"".join(answer.body for answer in found)


def _layers(answer: Answer) -> dict[str, list[dict[str, Any]]]:
    assert answer.status == 200, (answer.url, answer.body)
    return {name: layer["features"] for name, layer in mapbox_vector_tile.decode(answer.body).items()}


def _faults(answer: Answer) -> list[tuple[str, str]]:
    assert answer.status == 422, (answer.url, answer.status, answer.body)
    return [(fault["loc"][1], fault["msg"]) for fault in answer.json()["detail"]]


async def test_layers_are_in_the_order_of_the_request(placed_tiles: Client) -> None:
    for place in PLACES:
        for parameters in ({}, {"bbox": "0,-80,180,80"}, {"filter": "id < 40", "limit": "7", "properties": "name"}):
            answer = await placed_tiles.get(f"{ALL}/{place}", {"collections": ",".join(NAMED), **parameters})
            assert answer.status == 200
            assert answer.body == await _own(placed_tiles, place, **parameters)
            assert answer.type == "application/vnd.mapbox-vector-tile"


async def test_it_is_one_gzip_stream(placed_services: Services) -> None:
    client = placed_services["tiles"]
    address = f"{client.base}{ALL}/0/0/0?collections={','.join(NAMED)}"
    async with client.session.get(address, headers={"Accept-Encoding": "gzip"}, auto_decompress=False) as response:
        assert response.headers["Content-Encoding"] == "gzip"
        # not with what Accept says: only `f` makes another answer
        assert response.headers["Vary"] == "Accept-Encoding"
        stream = zlib.decompressobj(31)
        plain = stream.decompress(await response.read())
    # browsers read the first member alone
    assert stream.eof
    assert stream.unused_data == b""
    assert plain == await _own(client, "0/0/0")
    identity = await client.get(f"{ALL}/0/0/0", {"collections": ",".join(NAMED)}, {"Accept-Encoding": "identity"})
    assert identity.body == plain


async def test_without_names_it_has_all_collections_with_a_geometry(placed_services: Services) -> None:
    listed = (await placed_services["common"].json("/collections", limit="1000"))["collections"]
    own = {entry["id"]: await placed_services["tiles"].get(f"/collections/{entry['id']}/tiles") for entry in listed}
    drawable = [name for name, answer in own.items() if answer.status == 200]
    tilejson = await placed_services["tiles"].json(f"{ALL}/tilejson.json")
    assert [layer["id"] for layer in tilejson["vector_layers"]] == drawable
    assert set(NAMED) < set(drawable)
    answer = await placed_services["tiles"].get(f"{ALL}/0/0/0")
    assert set(NAMED) <= _layers(answer).keys() <= set(drawable)
    assert "DAMS-Collections-Omitted" not in answer.headers


async def test_collections_may_be_named_by_their_addresses(placed_tiles: Client) -> None:
    address = f"{placed_tiles.base}/collections/placed.lines"
    answer = await placed_tiles.get(f"{ALL}/0/0/0", {"collections": f"{address},placed.points"})
    assert list(_layers(answer)) == ["placed.lines", "placed.points"]


async def test_the_style_of_several_tells_the_style_of_each(placed_tiles: Client) -> None:
    names = ["placed.points", "placed.lines"]
    document = (await placed_tiles.get(f"{ALL}/style.json", {"collections": ",".join(names)})).json()
    parts = document["metadata"]["dams:styles"]
    assert [part["metadata"]["dams:collection"] for part in parts] == names
    for name, part in zip(names, parts, strict=True):
        own = (await placed_tiles.get(f"/collections/{name}/tiles/WebMercatorQuad/style.json")).json()
        assert part["metadata"] == own["metadata"]
        assert part["metadata"]["dams:version"]
        assert part["source"] == own["sources"][name]
        layers = [layer for layer in own["layers"] if layer["id"] in own["metadata"]["dams:layers"]]
        told = [layer for layer in document["layers"] if layer["id"] in own["metadata"]["dams:layers"]]
        assert [{**layer, "source": name} for layer in told] == layers


async def test_what_is_wrong_with_the_choice_is_said(placed_tiles: Client) -> None:
    for path in ("/tiles", ALL, f"{ALL}/0/0/0", f"{ALL}/tilejson.json", f"{ALL}/style.json"):
        answer = await placed_tiles.get(path, {"collections": "placed.points,placed.pionts,placed.points"})
        (name, unknown), (_, twice) = _faults(answer)
        assert name == "collections"
        assert "'placed.pionts'; did you mean placed.points" in unknown
        assert "more than once" in twice
    # a search for similar names takes long: it is done only for the first
    several = await placed_tiles.get("/tiles", {"collections": ",".join(["placed.pionts", "placed.lnies"] * 16)})
    assert ["did you mean" in said for _, said in _faults(several)] == [True] + [False] * 31
    many = await placed_tiles.get(f"{ALL}/0/0/0", {"collections": ",".join(map(str, range(33)))})
    assert "maximum is 32" in _faults(many)[0][1]


async def test_what_one_collection_does_not_know_names_it(placed_tiles: Client) -> None:
    named = {"collections": "placed.points,placed.graded"}
    for parameters in ({"filter": "name = 'points 1'"}, {"properties": "name"}, {"name": "points 1"}):
        ((name, sentence),) = _faults(await placed_tiles.get(f"{ALL}/0/0/0", {**named, **parameters}))
        assert name in parameters
        assert "collection placed.graded; collections=" in sentence
    # a name that is in none of them, and a value that is wrong for any, is reported once
    ((_, lacking),) = _faults(await placed_tiles.get(f"{ALL}/0/0/0", {**named, "datetime": "yesterday"}))
    assert "placed." not in lacking
    for name in ("ids", "geom-column"):
        ((given, sentence),) = _faults(await placed_tiles.get(f"{ALL}/0/0/0", {**named, name: "1"}))
        assert given == name
        assert "of one collection" in sentence


async def test_a_place_that_the_set_does_not_have_does_not_exist(placed_tiles: Client) -> None:
    for path in (f"{ALL}/0/1/0", f"{ALL}/99/0/0", "/tiles/Nothing/0/0/0", "/tiles/Nothing"):
        assert (await placed_tiles.get(path)).status == 404


async def test_a_change_of_one_collection_renews_its_layer_alone(
    cached: Services, own_redis: OwnRedis, placed: Placed
) -> None:
    address, tiles = f"{ALL}/0/0/0?collections={','.join(NAMED)}", cached["tiles"]
    first = await tiles.get(address)
    assert tier(first) == "postgis"
    assert 'desc="3 of 3 layers"' in first.headers["Server-Timing"]

    async def all_from_the_cache() -> None:
        assert tier(await tiles.get(address)) == "redis"

    await eventually(all_from_the_cache)
    unchanged = await tiles.get(address, headers={"If-None-Match": first.headers["ETag"]})
    assert (unchanged.status, unchanged.body) == (304, b"")
    before = await keys(own_redis.url)

    owner = await asyncpg.connect(placed.owner_url)
    await owner.execute("INSERT INTO placed.lines VALUES (4000, 'new', 'SRID=4326;LINESTRING(0 0, 40 40)')")
    try:

        async def renewed() -> Answer:
            answer = await tiles.get(address, headers={"If-None-Match": first.headers["ETag"]})
            assert answer.status == 200
            return answer

        answer = await eventually(renewed)
        assert 'desc="1 of 3 layers"' in answer.headers["Server-Timing"]
        assert any(feature["id"] == 4000 for feature in _layers(answer)["placed.lines"])

        async def written() -> None:
            new = (await keys(own_redis.url)).keys() - before.keys()
            assert {name.rpartition(b":")[2] for name in new} == {b"placed.lines"}

        await eventually(written)
    finally:
        await owner.execute("DELETE FROM placed.lines WHERE id = 4000")
        await owner.close()


@pytest.mark.faults
async def test_no_tile_lacks_the_layer_of_a_collection_that_cannot_be_read(cached: Services, placed: Placed) -> None:
    tiles, owner = cached["tiles"], await asyncpg.connect(placed.owner_url)
    await owner.execute("BEGIN; LOCK TABLE placed.lines IN ACCESS EXCLUSIVE MODE")
    try:
        answer = await tiles.get(f"{ALL}/2/2/1", {"collections": ",".join(NAMED)})
        assert answer.status == 503
        assert "placed.lines" in answer.json()["detail"]
        assert "collections=" in answer.json()["detail"]
        assert answer.headers["Cache-Control"] == "no-store"
        assert "Retry-After" in answer.headers
        others = await tiles.get(f"{ALL}/2/2/1", {"collections": "placed.polygons,placed.points"})
        assert list(_layers(others)) == ["placed.polygons", "placed.points"]
    finally:
        await owner.execute("ROLLBACK")
        await owner.close()


@pytest.mark.parametrize("f", ["mvt", "json", "html"])
async def test_any_tag_is_that_of_what_is_unchanged(placed_tiles: Client, f: str) -> None:
    address = f"{ALL}/0/0/0?collections={','.join(NAMED)}&f={f}"
    unchanged = await placed_tiles.get(address, headers={"If-None-Match": "*"})
    assert (unchanged.status, unchanged.body) == (304, b"")
    invalid = await placed_tiles.get(f"{address}&filter=nothing%3D1", headers={"If-None-Match": "*"})
    assert invalid.status == 422


async def test_what_is_in_it_can_be_looked_at(placed_tiles: Client) -> None:
    document = await placed_tiles.json(f"{ALL}/0/0/0", f="json", collections=",".join(NAMED))
    assert document["collections"] == NAMED
    assert [layer["name"] for layer in document["layers"]] == NAMED
    assert all(
        f"collections={'%2C'.join(NAMED)}" in link["href"] for link in document["links"] if link["rel"] != "collection"
    )
    page = await placed_tiles.get(f"{ALL}/0/0/0", {"f": "html", "collections": ",".join(NAMED)})
    assert page.status == 200
    text = page.body.decode()
    assert all(f"Layer {name}" in text for name in NAMED)
    assert re.search(r"/collections/placed\.lines/items/\d+\?f=html", text)


async def test_metadata_describe_every_layer_and_lead_to_tiles(placed_tiles: Client) -> None:
    named = ",".join(NAMED)
    tilesets = (await placed_tiles.json("/tiles", collections=named))["tilesets"]
    assert len(tilesets) == 13
    entry = next(entry for entry in tilesets if entry["tileMatrixSetId"] == "WebMercatorQuad")
    listed = {link["rel"]: link["href"] for link in entry["links"]}
    tileset = (await placed_tiles.get(listed["self"])).json()
    assert entry["tileMatrixSetLimits"] == tileset["tileMatrixSetLimits"]
    assert [layer["id"] for layer in tileset["layers"]] == NAMED
    whole = next(limit for limit in tileset["tileMatrixSetLimits"] if limit["tileMatrix"] == "1")
    assert (whole["minTileRow"], whole["maxTileRow"], whole["minTileCol"], whole["maxTileCol"]) == (0, 1, 0, 1)
    links = {link["rel"]: link["href"] for link in tileset["links"]}
    assert listed["item"] == links["item"]
    place = links["item"].replace("{tileMatrix}", "0").replace("{tileCol}", "0").replace("{tileRow}", "0")
    assert list(_layers(await placed_tiles.get(place))) == NAMED
    tilejson = (await placed_tiles.get(links["describedby"])).json()
    assert [layer["id"] for layer in tilejson["vector_layers"]] == NAMED
    assert tilejson["bounds"][0] < tilejson["bounds"][2]
    template = tilejson["tiles"][0].replace("{z}", "0").replace("{x}", "0").replace("{y}", "0")
    assert list(_layers(await placed_tiles.get(template))) == NAMED
    style = (await placed_tiles.get(links["stylesheet"])).json()
    drawn = [layer for layer in style["layers"] if layer.get("source") == "dataset"]
    assert {layer["source-layer"] for layer in drawn} == set(NAMED)
    assert style["sources"]["dataset"]["tiles"] == tilejson["tiles"]
    # areas below lines below points, for any order in the request
    kinds = [layer["type"] for layer in drawn]
    assert kinds == sorted(kinds, key=["fill", "line", "circle", "symbol"].index)
    for path in ("/tiles", ALL):
        page = await placed_tiles.get(path, {"f": "html", "collections": named})
        assert page.status == 200
        assert all(name in page.body.decode() for name in NAMED)


async def test_more_collections_than_a_tile_may_have_are_reported(tiles_on: Any) -> None:
    table = "CREATE TABLE hazard.{name} AS SELECT 1 AS id, 'SRID=4326;POINT(1 1)'::geometry(Point, 4326) AS geom;"
    tables = "".join(table.format(name=f"t{number:02}") for number in range(40))
    async with tiles_on(f"{tables} GRANT SELECT ON ALL TABLES IN SCHEMA hazard TO dams_reader", "{}") as services:
        tiles = services["tiles"]
        tilejson = await tiles.json(f"{ALL}/tilejson.json")
        layers = [layer["id"] for layer in tilejson["vector_layers"]]
        assert len(layers) == 32
        answer = await tiles.get(f"{ALL}/0/0/0")
        assert set(_layers(answer)) <= set(layers)
        omitted = int(answer.headers["DAMS-Collections-Omitted"])
        assert omitted >= 8
        assert f"the first 32 of {32 + omitted} collections" in tilejson["description"]
        assert list(_layers(await tiles.get(f"{ALL}/0/0/0", {"collections": "hazard.t39"}))) == ["hazard.t39"]
