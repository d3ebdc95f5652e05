"""The style of several collections: each as by itself, areas below lines below points, labels of the map above all."""

from __future__ import annotations

from typing import Any

from libs.catalogue.model import Collection, Column, GeometryColumn
from services.tiles.styling.dataset import dataset_style, layer_styles
from services.tiles.styling.own_colors import own_colors
from services.tiles.styling.palette import own_color

KINDS = {"points": "Point", "areas": "Polygon", "lines": "LineString"}
LAYERS = [
    (
        Collection(f"s.{name}", "s", name, 1, "table", name.capitalize(), None, (Column("name", "text", "string"),)),
        GeometryColumn("geom", kind, 4326),
    )
    for name, kind in KINDS.items()
]
SOURCE = {"type": "vector", "tiles": ["/tiles/{z}/{x}/{y}"]}


def _styles(**more: Any) -> list[dict[str, Any]]:
    return layer_styles(
        LAYERS,
        base_url="/api",
        tile_matrix_set_id="WorldCRS84Quad",
        minzoom=2,
        maxzoom=6,
        bounds=(10.0, 20.0, 30.0, 50.0),
        **more,
    )


def test_each_has_the_style_that_it_has_by_itself() -> None:
    styles = _styles()
    assert [style["name"] for style in styles] == ["Points", "Areas", "Lines"]
    for style, (collection, geometry) in zip(styles, LAYERS, strict=True):
        said = style["metadata"]
        assert (said["dams:collection"], said["dams:geometryType"]) == (collection.id, geometry.type)
        assert said["dams:tileMatrixSet"] == "WorldCRS84Quad"
        source = style["sources"][collection.id]
        assert (source["minzoom"], source["maxzoom"], source["bounds"]) == (2, 6, [10, 20, 30, 50])
        assert style["center"] == [20, 35]
    assert len(_styles(plain=True)[0]["metadata"]["dams:layers"]) >= 1


def test_all_of_them_are_drawn_from_one_source() -> None:
    styles = _styles()
    found = dataset_style(styles, title="All", source=SOURCE)
    own = [style["metadata"] for style in styles]
    assert found["name"] == "All"
    assert found["metadata"] == {
        "dams:collections": ["s.points", "s.areas", "s.lines"],
        "dams:tileMatrixSet": "WorldCRS84Quad",
        "dams:layers": [name for each in own for name in each["dams:layers"]],
        "dams:legend": [entry for each in own for entry in each["dams:legend"]],
    }
    assert found["sources"] == {"basemap": styles[0]["sources"]["basemap"], "dataset": SOURCE}
    drawn = [layer for layer in found["layers"] if layer["id"] in found["metadata"]["dams:layers"]]
    assert {layer["source"] for layer in drawn} == {"dataset"}
    kinds = ["fill", "line", "circle", "symbol"]
    assert [layer["type"] for layer in drawn] == sorted((layer["type"] for layer in drawn), key=kinds.index)
    # labels of points above those of areas, and these above those of lines
    assert [layer["id"] for layer in drawn if layer["type"] == "symbol"] == [
        "s.lines:label",
        "s.areas:label",
        "s.points:label",
    ]
    assert {layer["id"]: "text-offset" in layer["layout"] for layer in drawn if layer["type"] == "symbol"} == {
        "s.lines:label": False,
        "s.areas:label": False,
        "s.points:label": True,
    }
    # of one kind in the order of the collections
    assert [layer["id"] for layer in drawn if layer["type"] == "line"] == [
        "s.areas:outline",
        "s.lines:casing",
        "s.lines:line",
    ]


def test_the_map_lies_below_and_its_labels_above() -> None:
    styles = _styles()
    found = dataset_style(styles, title="All", source=SOURCE)
    ids = [layer["id"] for layer in found["layers"]]
    data = [ids.index(name) for name in found["metadata"]["dams:layers"]]
    below = list(ids[: min(data)])
    above = list(ids[max(data) + 1 :])
    assert all(name.startswith("basemap-") for name in [*below, *above])
    assert all(name.startswith("basemap-labels-") for name in above)
    assert not [name for name in below if name.startswith("basemap-labels-")]
    assert {*below, *above} == {layer["id"] for layer in styles[0]["layers"]} - {*styles[0]["metadata"]["dams:layers"]}


def test_collections_without_a_scale_have_different_colours() -> None:
    layers = [
        (
            Collection(f"own.table_{number}", "own", f"table_{number}", number, "table", "T", None, (), (geometry,)),
            geometry,
        )
        for number, geometry in enumerate([GeometryColumn("geom", "Point", 4326)] * 9)
    ]
    collections = [collection for collection, _ in layers]
    found = own_colors(collections)
    assert len({*list(found.values())[:8]}) == 8
    assert found["own.table_0"] == own_color("own.table_0")
    # in any order, and on a map of some of them
    assert own_colors(collections[::-1]) == found
    shown = {"base_url": "", "tile_matrix_set_id": "x", "minzoom": 0, "maxzoom": 1, "bounds": None}
    one = layer_styles(layers[5:6], **shown, colors=found)  # type: ignore[arg-type]
    assert one[0]["metadata"]["dams:legend"][0]["classes"][0]["color"] == found["own.table_5"]
    all_of_them = layer_styles(layers, **shown)  # type: ignore[arg-type]
    drawn = [style["metadata"]["dams:legend"][0]["classes"][0]["color"] for style in all_of_them]
    assert drawn == [found[collection.id] for collection in collections]
