"""The look that an operator configured."""

from libs.catalogue.own_look import OwnLook
from services.tiles.styling.hazard import look_of
from services.tiles.styling.layers import data_layers

_PROPERTIES = {"name": "string", "depth": "number", "status": "string"}


def test_one_colour_label_and_symbol() -> None:
    look = look_of("own.wells", "Point", _PROPERTIES, OwnLook("#b33156", "status", "triangle"))
    layers = {layer["id"].rpartition(":")[2]: layer for layer in data_layers("own.wells", "Point", look)}
    assert layers["circle"]["paint"]["circle-color"] == "#b33156"
    assert layers["label"]["layout"]["text-field"] == ["to-string", ["get", "status"]]
    assert layers["shape"]["layout"]["text-field"] == "▲"
    assert [item["color"] for item in look.legend[0]["classes"]] == ["#b33156"]


def test_classes_by_breaks_have_colours_from_yellow_to_purple() -> None:
    look = look_of("own.wells", "Point", _PROPERTIES, OwnLook(column="depth", title="Depth", breaks=(10, 70.5)))
    (legend,) = look.legend
    assert (legend["title"], legend["properties"]) == ("Depth", ["depth"])
    assert [(item["label"], item["from"]) for item in legend["classes"]] == [
        ("< 10", -1e8),
        ("10 – 70.5", 10),
        ("≥ 70.5", 70.5),
    ]
    assert [item["color"] for item in legend["classes"]] == ["#daba17", "#de540d", "#591877"]
    assert look.color[-1] == "#8d99a5"
    assert (look.label, look.mark) == ("name", None)


def test_classes_with_own_colours_or_by_values() -> None:
    own = OwnLook(column="depth", breaks=(10,), colors=("#aabbcc", "#112233"))
    assert [item["color"] for item in look_of("own.wells", "Point", _PROPERTIES, own).legend[0]["classes"]] == [
        "#aabbcc",
        "#112233",
    ]
    own = OwnLook(column="status", values=(("open", "#007152"), ("closed", "#b33156")))
    look = look_of("own.wells", "Polygon", _PROPERTIES, own)
    assert look.color == [
        "match",
        ["to-string", ["get", "status"]],
        ["open"],
        "#007152",
        ["closed"],
        "#b33156",
        "#8d99a5",
    ]
    assert [item["values"] for item in look.legend[0]["classes"]] == [["open"], ["closed"]]


def test_an_own_look_of_a_hazard_replaces_its_scale() -> None:
    look = look_of("own.alerts", "Polygon", {"alert_level": "string"}, OwnLook("#b33156"))
    assert (look.color, look.mark, look.sort_key) == ("#b33156", None, None)
    labelled = look_of("own.alerts", "Polygon", {"alert_level": "string"}, OwnLook(label="alert_level"))
    assert (labelled.label, labelled.mark is None) == ("alert_level", False)
