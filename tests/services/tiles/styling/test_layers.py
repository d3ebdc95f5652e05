"""Which layers a look makes of each kind of geometry, and which features they draw."""

from __future__ import annotations

from typing import Any

import pytest

from services.tiles.styling.hazard import look_of
from services.tiles.styling.layers import Look, data_layers, is_mark
from services.tiles.styling.palette import own_color

FULL = Look(mark=["get", "shape"], label="name", sort_key=["get", "rank"])
AREAS, LINES, POINTS = ("fill", "outline"), ("casing", "line"), ("circle",)


def _layers(geometry_type: str, look: Look) -> dict[str, dict[str, Any]]:
    layers = data_layers("s.t", geometry_type, look)
    assert all(
        layer["source"] == layer["source-layer"] == layer["metadata"]["dams:collection"] == "s.t" for layer in layers
    )
    return {layer["id"].removeprefix("s.t:"): layer for layer in layers}


@pytest.mark.parametrize(
    ("geometry_type", "look", "ids"),
    [
        ("Point", Look(), POINTS),
        ("MultiPoint", Look(cased=False), POINTS),
        ("LineString", Look(), LINES),
        ("MultiLineString", Look(cased=False), ("line",)),
        ("LineString", Look(provisional=True), ("line",)),
        ("Polygon", Look(), AREAS),
        ("MultiPolygon", Look(provisional=True), AREAS),
        # geometries of any type have layers for all types, areas below lines and these below points
        ("Geometry", Look(), (*AREAS, *LINES, *POINTS)),
        ("GeometryCollection", Look(cased=False), (*AREAS, "line", *POINTS)),
        ("Tin", Look(), (*AREAS, *LINES, *POINTS)),
        ("Point", FULL, (*POINTS, "shape", "label")),
        # lines have no marks
        ("LineString", FULL, (*LINES, "label")),
        ("Polygon", FULL, (*AREAS, "mark", "label")),
        ("Geometry", FULL, (*AREAS, *LINES, *POINTS, "mark", "shape", "label")),
    ],
)
def test_a_look_has_its_layers(geometry_type: str, look: Look, ids: tuple[str, ...]) -> None:
    layers = _layers(geometry_type, look)
    assert tuple(layers) == ids
    assert [name for name, layer in layers.items() if is_mark(layer)] == [
        name for name in ids if name in ("mark", "shape")
    ]


def test_each_kind_of_geometry_is_drawn_by_its_own_layers() -> None:
    kinds = {
        **dict.fromkeys((*AREAS, "mark"), "Polygon"),
        **dict.fromkeys(LINES, "LineString"),
        **dict.fromkeys((*POINTS, "shape"), "Point"),
    }
    filters = {name: layer.get("filter") for name, layer in _layers("Geometry", FULL).items()}
    expected: dict[str, Any] = {name: ["==", ["geometry-type"], kind] for name, kind in kinds.items()}
    # an area in several tiles has its mark in one of them
    expected["mark"] = ["all", expected["mark"], ["==", ["get", "dams:anchor"], True]]
    assert filters == {**expected, "label": None}
    # where all are of one kind there is nothing to tell apart, but for marks
    assert {name for name, layer in _layers("Polygon", FULL).items() if "filter" in layer} == {"mark"}


def test_what_counts_more_is_drawn_on_top() -> None:
    sorted_by = {
        name: key
        for name, layer in _layers("Geometry", FULL).items()
        for key in layer["layout"]
        if key.endswith("sort-key") and layer["layout"][key] == FULL.sort_key
    }
    assert sorted_by == {
        "fill": "fill-sort-key",
        "outline": "line-sort-key",
        "line": "line-sort-key",
        "circle": "circle-sort-key",
    }
    assert not [key for layer in _layers("Geometry", Look()).values() for key in layer["layout"] if "sort" in key]


def test_areas_have_marks_only_while_they_are_small() -> None:
    marks = {name: layer for name, layer in _layers("Geometry", FULL).items() if is_mark(layer)}
    assert {name: (layer.get("minzoom"), layer.get("maxzoom")) for name, layer in marks.items()} == {
        "mark": (None, 6),
        "shape": (2, None),
    }
    assert all(layer["layout"]["text-field"] == FULL.mark for layer in marks.values())
    label = _layers("Point", FULL)["label"]
    assert (label["layout"]["text-field"], label["minzoom"]) == (["to-string", ["get", "name"]], 3)
    assert (
        label["layout"]["symbol-placement"]
        == _layers("Geometry", FULL)["label"]["layout"]["symbol-placement"]
        == "point"
    )
    assert _layers("LineString", FULL)["label"]["layout"]["symbol-placement"] == "line"


def test_what_is_provisional_looks_so() -> None:
    look = Look(color="#123456", provisional=True)
    layers = _layers("Geometry", look)
    assert {name for name, layer in layers.items() if "line-dasharray" in layer["paint"]} == {"outline", "line"}
    assert layers["circle"]["paint"]["circle-stroke-color"] == "#123456"
    assert not [name for name, layer in _layers("Geometry", Look()).items() if "line-dasharray" in layer["paint"]]


def test_somebodys_own_features_are_labelled_by_their_names() -> None:
    for properties, name in (
        ({"ID": "integer", "NAME": "string"}, "NAME"),
        ({"station_name": "string", "Label": "string"}, "Label"),
        ({"name": "integer", "name_en": "string"}, "name_en"),
        ({"code": "string"}, None),
    ):
        look = look_of("own.stations", "Point", properties)
        assert look.label == name
        labels = [layer for layer in data_layers("own.stations", "Point", look) if layer["type"] == "symbol"]
        assert [layer["layout"]["text-field"] for layer in labels] == ([["to-string", ["get", name]]] if name else [])


def test_columns_that_any_table_may_have_make_no_hazard() -> None:
    for name, properties in (("accidents", {"severity": "integer"}), ("roads", {"category": "string"})):
        assert look_of(f"own.{name}", "Point", properties).color == own_color(f"own.{name}")
    for name, properties in (
        ("flooded_streets", {"severity": "integer"}),
        ("x", {"severity": "number", "began": "string"}),
        ("typhoons", {"category": "string"}),
        ("x", {"category": "string", "basin": "string"}),
        ("x", {"category": "string", "wind_kt": "number"}),
    ):
        assert look_of(f"own.{name}", "Point", properties).color != own_color(f"own.{name}")


def test_unknown_collections_have_a_look_and_a_legend() -> None:
    for geometry_type, symbol in (("Point", "circle"), ("MultiLineString", "line"), ("Polygon", "fill")):
        legend = look_of("other.x", geometry_type, {}).legend
        assert legend[0]["symbol"] == symbol
        assert legend[0]["classes"][0]["color"] == own_color("other.x")
