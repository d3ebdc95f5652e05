"""TileJSON and styles hand parameters that select features on to the addresses of their tiles."""

from __future__ import annotations

import re

import pytest

from tests.services.in_process import Client
from tests.services.tiles.places import decoded

OF_ONE = "/collections/placed.points/tiles/WebMercatorQuad"
OF_ALL = "/tiles/WebMercatorQuad"
FILTER = {"filter": "id <= 5 AND name <> '{z}'"}


async def _template(tiles: Client, path: str, document: str, **parameters: str) -> str:
    found = await tiles.json(f"{path}/{document}", **parameters)
    if document == "tilejson.json":
        return str(found["tiles"][0])
    (source,) = [each for each in found["sources"].values() if "placed" in each["tiles"][0]]
    return str(source["tiles"][0])


@pytest.mark.parametrize("document", ["tilejson.json", "style.json"])
@pytest.mark.parametrize("path", [OF_ONE, OF_ALL])
async def test_the_addresses_of_tiles_select_what_the_request_selects(
    placed_tiles: Client, path: str, document: str
) -> None:
    chosen = {"collections": "placed.points"} if path == OF_ALL else {}
    template = await _template(placed_tiles, path, document, **chosen, **FILTER)
    # a brace in a filter is not a variable of the template
    assert re.findall(r"\{.*?\}", template) == ["{z}", "{x}", "{y}"]
    address = template.replace("{z}", "0").replace("{x}", "0").replace("{y}", "0")
    answer = await placed_tiles.get(address)
    assert answer.status == 200, answer.body
    assert {feature.id for feature in decoded(answer.body, "placed.points")} <= {1, 2, 3, 4, 5}
    plain = await _template(placed_tiles, path, document, **chosen)
    assert "filter" not in plain


@pytest.mark.parametrize("document", ["tilejson.json", "style.json"])
@pytest.mark.parametrize(
    ("name", "text"), [("filter", "no_such = 1"), ("datetime", "yesterday"), ("limit", "0"), ("no_such", "1")]
)
async def test_a_faulty_parameter_is_refused_where_it_is_given(
    placed_tiles: Client, document: str, name: str, text: str
) -> None:
    answer = await placed_tiles.get(f"{OF_ONE}/{document}", {name: text})
    assert answer.status == 422
    assert name.encode() in answer.body


@pytest.mark.parametrize("resource", ["tilejson.json", "style.json", "0/0/0"])
async def test_what_map_libraries_add_to_addresses_is_ignored(placed_tiles: Client, resource: str) -> None:
    path = f"{OF_ONE}/{resource}"
    plain = await placed_tiles.get(path)
    added = await placed_tiles.get(path, {"_": "1732700000", "access_token": "pk.x", "utm_source": "mail"})
    assert (added.status, added.body) == (200, plain.body)


async def test_tilejson_has_no_negative_zooms(placed_tiles: Client) -> None:
    for path in ("/collections/placed.points/tiles/CDB1GlobalGrid", "/tiles/CDB1GlobalGrid"):
        document = await placed_tiles.json(f"{path}/tilejson.json")
        zooms = [document, *document["vector_layers"]]
        assert all(0 <= each["minzoom"] <= each["maxzoom"] for each in zooms)
