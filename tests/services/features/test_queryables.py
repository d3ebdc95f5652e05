"""The names that requests may use: properties to filter and to sort by, functions of filters."""

from __future__ import annotations

import pytest

from libs.catalogue.model import Argument, Collection, Column, GeometryColumn
from services.features.queryables import queryables_json
from services.features.sortables import sortables_json
from tests.services.in_process import Client


def test_a_property_is_described_in_the_words_of_its_column() -> None:
    columns = (
        Column("mag", "real", "number", title="Magnitude", description="Of the moment", format="float", unit="Mw"),
        Column("place", "text", "string"),
    )
    shapes = GeometryColumn("geom", "Point", 4326), GeometryColumn("area", "Polygon", 4326)
    quakes = Collection("a.quakes", "a", "quakes", 1, "table", "Quakes", None, columns, geometries=shapes)
    assert queryables_json(quakes, "http://example.org/queryables")["properties"] == {
        "geom": {"title": "geom", "format": "geometry-point"},
        "area": {"title": "area", "format": "geometry-polygon"},
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


def test_both_lists_of_properties_say_what_they_are() -> None:
    columns = (
        Column("mag", "real", "number", format="float"),
        Column("tags", "json", "object"),
        Column("place", "text", "string"),
    )
    point = GeometryColumn("geom", "Point", 4326)
    arguments = (Argument("least", "real", "number"), Argument("", "real", "number", default="1"))
    asked = Collection("a.f", "a", "f", 1, "function", "Asked", "Long", columns, (point,), arguments=arguments)
    assert queryables_json(asked, "http://example.org/queryables") == {
        "title": "Asked",
        "type": "object",
        "properties": {
            "geom": {"title": "geom", "format": "geometry-point"},
            "mag": {"title": "mag", "type": "number", "format": "float"},
            "tags": {"title": "tags", "type": "object"},
            "place": {"title": "place", "type": "string"},
        },
        "additionalProperties": False,
        "$schema": "https://json-schema.org/draft/2019-09/schema",
        "$id": "http://example.org/queryables",
    }
    assert sortables_json(asked, "http://example.org/sortables") == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "http://example.org/sortables",
        "title": "Asked",
        "type": "object",
        "properties": {
            "mag": {"title": "mag", "type": "number", "format": "float", "x-ogc-propertySeq": 1},
            "place": {"title": "place", "type": "string", "x-ogc-propertySeq": 2},
        },
        "additionalProperties": False,
    }


@pytest.mark.parametrize("name", ["queryables", "sortables", "schema"])
async def test_lists_of_properties_are_pages_too(features: Client, name: str) -> None:
    path = f"/collections/hostile.events/{name}"
    page = await features.get(path, {"f": "html"})
    assert page.type == "text/html; charset=utf-8"
    text = page.body.decode()
    assert f'<a href="{features.base}{path}?f=schemajson" type="application/schema+json">' in text
    assert "<code>magnitude</code>" in text
    assert (await features.get(path, {"f": "html"}, {"If-None-Match": page.headers["ETag"]})).status == 304
    document = await features.json(path)
    assert (document["$id"], document["title"]) == (f"{features.base}{path}", "Events")


async def test_the_functions_are_told_word_by_word(features: Client) -> None:
    answer = await features.get("/functions")
    geometry, number, string = ["geometry"], ["number"], ["string"]
    arguments = [
        {"title": "geometry", "type": geometry, "description": "A geometry of the features, or a literal"},
        {"title": "geometry", "type": geometry, "description": "Another, such as POINT(longitude latitude)"},
        {"title": "distance", "type": number, "description": "No less than 0; in metres where no units follow"},
        {
            "title": "units",
            "type": string,
            "description": "May be left out: 'meters', 'kilometers', 'feet', 'statute miles', 'nautical miles'",
        },
    ]
    words = (
        "Whether two geometries are no further apart than a distance, by the shortest way on the ellipsoid of WGS 84."
    )
    document = answer.json()
    assert document == {
        "functions": [
            {
                "name": "S_DWITHIN",
                "description": words,
                "arguments": arguments,
                "args": arguments,
                "returns": ["boolean"],
            }
        ],
        "links": document["links"],
    }
    assert [(link["href"], link["rel"], link["type"]) for link in document["links"]] == [
        (f"{features.base}/functions?f=json", "self", "application/json"),
        (f"{features.base}/functions?f=html", "alternate", "text/html"),
        (f"{features.base}/", "up", "application/json"),
    ]
    page = await features.get("/functions", {"f": "html"})
    assert words in page.body.decode()
    for each in (answer, page):
        assert (await features.get(each.url, headers={"If-None-Match": each.headers["ETag"]})).status == 304


async def test_programs_are_told_with_the_files_that_they_read(features: Client) -> None:
    path = f"{features.base}/collections/hostile.events"
    for given, asked in (("", ""), ("?filter=id%20%3C%207&sortby=-at", "filter=id%20%3C%207&sortby=-at&")):
        answer = await features.get(f"{path}/programs{given}")
        document = answer.json()
        assert list(document) == ["title", "spreadsheet", "files", "programs", "links"]
        assert document["title"] == "Events"
        # points are columns
        assert document["spreadsheet"] == f"{path}/export?{asked}f=csv&geometry=lonlat&bom=true"
        names = ("geojson", "json", "csv", "geojsonseq", "ndjson", "fgb", "parquet", "gpkg")
        assert document["files"] == {name: f"{path}/export?{asked}f={name}" for name in names}
        programs = {program["id"]: program for program in document["programs"]}
        assert programs["address"] == {
            "id": "address",
            "title": "Address",
            "language": "url",
            "text": document["files"]["geojson"],
        }
        assert '"type": "circle"' in programs["maplibre"]["text"]
        assert [(link["href"], link["rel"], link["type"], link["title"]) for link in document["links"]] == [
            (f"{path}/programs?{asked}f=json", "self", "application/json", "This document as json"),
            (f"{path}/programs?{asked}f=html", "alternate", "text/html", "This document as html"),
            (path, "collection", "application/json", "The collection"),
        ]
        page = await features.get(f"{path}/programs?{asked}f=html")
        assert f'href="{path}/items?{asked}f=html"'.replace("&", "&amp;") in page.body.decode()
        assert document["spreadsheet"].replace("&", "&amp;") in page.body.decode()
        for each in (answer, page):
            assert (await features.get(each.url, headers={"If-None-Match": each.headers["ETag"]})).status == 304


@pytest.mark.parametrize("name", ["limit", "offset", "cursor"])
async def test_programs_have_no_pages(features: Client, name: str) -> None:
    assert (await features.get("/collections/hostile.events/programs", {name: "1"})).status == 422
