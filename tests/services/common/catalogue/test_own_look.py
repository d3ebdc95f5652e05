"""The members of the collections file that say how a collection is drawn."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from libs.catalogue.model import Collection, Column
from libs.catalogue.own_look import OwnLook
from services.common.catalogue.configuration import CatalogueConfig, ConfigError
from tests.services.common.catalogue.test_configuration import QUAKES, load

STATIONS = replace(
    QUAKES,
    columns=(*QUAKES.columns, Column("name", "text", "string"), Column("depth", "real", "number", title="Depth")),
)


def _said(tmp_path: Path, members: str) -> CatalogueConfig:
    return load(tmp_path, f"collections: {{hazard.quakes: {{{members}}}}}")


def test_the_look_is_part_of_the_catalogue(tmp_path: Path) -> None:
    members = "color: '#B33156', label: name, symbol: triangle, style: {column: depth, breaks: [10, 70.5]}"
    found = _said(tmp_path, members).apply(STATIONS)
    assert found.look == OwnLook("#b33156", "name", "triangle", "depth", "Depth", (10, 70.5))
    assert Collection.from_json(json.loads(json.dumps(found.to_json()))) == found
    by_value = _said(tmp_path, "style: {column: id, values: {1: '#ff0000', open: '#00ff00'}}").apply(STATIONS)
    assert by_value.look is not None
    assert by_value.look.values == (("1", "#ff0000"), ("open", "#00ff00"))
    assert Collection.from_json(json.loads(json.dumps(by_value.to_json()))) == by_value
    plain = CatalogueConfig().apply(STATIONS)
    assert (plain.look, len({found.shape, by_value.shape, plain.shape})) == (None, 3)


@pytest.mark.parametrize(
    ("members", "fault"),
    [
        ("color: red", "color must be a colour such as '#b33156'"),
        ("symbol: star", "symbol "),
        ("style: {column: depth}", "style: there must be either breaks or values"),
        (
            "style: {column: depth, breaks: [2, 1]}",
            r"style.breaks must be a list of 1 to 6 numbers, the smallest first",
        ),
        ("style: {column: depth, breaks: [a]}", r"style.breaks must be a list of 1 to 6 numbers"),
        ("style: {column: depth, breaks: [1], colors: ['#ffffff']}", "colors must be one more than breaks: 2"),
        ("style: {column: depth, values: {a: blue}}", r"style.values.a must be a colour"),
        (
            "style: {column: depth, classes: 5}",
            r"style.classes is unknown \(there are breaks, colors, column, values\)",
        ),
    ],
)
def test_a_faulty_look_is_refused(tmp_path: Path, members: str, fault: str) -> None:
    with pytest.raises(ConfigError, match=fault):
        _said(tmp_path, members)


@pytest.mark.parametrize(
    ("members", "fault"),
    [
        ("label: title", "label: there is no column 'title'; there are id, magnitude"),
        (
            "style: {column: name, breaks: [1]}",
            r"style\.column: there is no column 'name'; there are id, magnitude, depth",
        ),
        ("style: {column: depth, breaks: [1]}, properties: [name]", r"style\.column: there is no column 'depth'"),
    ],
)
def test_a_look_by_a_missing_column_is_refused(tmp_path: Path, members: str, fault: str) -> None:
    with pytest.raises(ConfigError, match=fault):
        _said(tmp_path, members).apply(STATIONS)
