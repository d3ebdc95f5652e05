"""What requests may name: properties to filter and to sort by, functions of filters."""

from __future__ import annotations

from libs.catalogue.model import Collection, Column, GeometryColumn
from services.features.queryables import queryables_json
from tests.services.in_process import Client


def test_a_property_is_described_in_the_words_of_its_column() -> None:
    columns = (
        Column("mag", "real", "number", title="Magnitude", description="Of the moment", format="float", unit="Mw"),
        Column("place", "text", "string"),
    )
    point = GeometryColumn("geom", "Point", 4326)
    quakes = Collection("a.quakes", "a", "quakes", 1, "table", "Quakes", None, columns, geometries=(point,))
    assert queryables_json(quakes, "http://example.org/queryables")["properties"] == {
        "geom": {"title": "geom", "format": "geometry-point"},
        "mag": {
            "title": "Magnitude",
            "description": "Of the moment",
            "type": "number",
            "format": "float",
            # no unit of UCUM
            "x-dams-unitLabel": "Mw",
        },
        "place": {"title": "place", "type": "string"},
    }


async def test_only_what_has_an_order_is_a_sortable(features: Client) -> None:
    path = "/collections/hostile.types"
    queryables, sortables = [await features.json(f"{path}/{name}") for name in ("queryables", "sortables")]
    names = list(sortables["properties"])
    assert 0 < len(names) < len(queryables["properties"])
    assert sortables["$id"].endswith(f"{path}/sortables")
    assert [each["x-ogc-propertySeq"] for each in sortables["properties"].values()] == list(range(1, len(names) + 1))
    for name, member in sortables["properties"].items():
        assert member.items() >= {"type": queryables["properties"][name]["type"]}.items()
    assert (await features.get(f"{path}/sortables", {"limit": "1"})).status == 422


async def test_the_function_of_filters_is_described_as_both_standards_have_it(features: Client) -> None:
    document = await features.json("/functions")
    (function,) = document["functions"]
    assert (function["name"], function["returns"]) == ("S_DWITHIN", ["boolean"])
    assert function["arguments"] == function["args"]
    assert [argument["type"] for argument in function["args"]] == [["geometry"], ["geometry"], ["number"], ["string"]]
    assert {link["rel"] for link in document["links"]} == {"self", "alternate", "up"}
    page = (await features.get("/functions", {"f": "html"})).body.decode()
    assert "S_DWITHIN(geom, POINT(139.69 35.68)" in page
    assert (await features.get("/functions", {"limit": "1"})).status == 422


async def test_programs_read_all_that_a_request_selects(features: Client) -> None:
    path = "/collections/hostile.events/programs"
    asked = {"filter": "magnitude > 7", "sortby": "name"}
    document = await features.json(path, **asked, f="json")
    assert {program["id"] for program in document["programs"]} > {"curl"}
    assert all("f=html" not in program["text"] for program in document["programs"])
    own = next(link["href"] for link in document["links"] if link["rel"] == "self")
    assert "filter=magnitude" in own
    page = (await features.get(path, {**asked, "f": "html"})).body.decode()
    assert "/collections/hostile.events/items?filter=magnitude" in page
    assert (await features.get(path, {"filter": "size > 7"})).status == 422
