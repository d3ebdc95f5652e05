"""The basemap stays behind the data: the more important a feature, the more it stands out from its ground, light or
dark.
"""

from __future__ import annotations

from typing import Any

import pytest

from services.tiles.styling.basemap import basemap_layers
from tests.services.tiles.styling.colour_vision import difference

Colours = dict[str, str]


def _colours(*properties: str, dark: bool) -> Colours:
    """Return the colours of the layers that have one of these properties, by what they show."""

    def paint(layer: dict[str, Any]) -> dict[str, Any]:
        return {**layer["paint"], **(layer["metadata"]["dams:dark"] if dark else {})}

    found = {}
    for layer in (each for layers in basemap_layers() for each in layers):
        for name in properties:
            if name in layer["paint"]:
                found[layer["id"].removeprefix("basemap-").removeprefix("labels-")] = paint(layer)[name]
    return found


@pytest.mark.parametrize("dark", [False, True])
def test_names_stand_out_by_what_they_name(dark: bool) -> None:
    grounds, names = _colours("background-color", "fill-color", dark=dark), _colours("text-color", dark=dark)
    halos = _colours("text-halo-color", dark=dark)
    assert grounds["lakes"] == grounds["sea"] != grounds["land"]
    assert names.keys() == halos.keys() == {"sea", "province", "town", "country"}
    town, country, province = (difference(names[kind], grounds["land"]) for kind in ("town", "country", "province"))
    assert town > country > province > 20
    # in the water, with a separate colour, its edge like the water
    assert difference(names["sea"], grounds["sea"]) > 20
    assert names["sea"] not in {names[kind] for kind in ("town", "country", "province")}
    assert halos.pop("sea") == grounds["sea"]
    assert all(difference(halo, names[kind]) > 20 for kind, halo in halos.items())


@pytest.mark.parametrize("dark", [False, True])
def test_lines_stand_out_by_what_they_part(dark: bool) -> None:
    grounds, lines = _colours("background-color", "fill-color", dark=dark), _colours("line-color", dark=dark)
    assert lines.keys() == {"graticule", "rivers", "provinces", "coast", "borders"}
    assert len({*lines.values(), *grounds.values()}) == len(lines) + 2
    assert difference(lines["borders"], grounds["land"]) > difference(lines["provinces"], grounds["land"])
    assert difference(lines["coast"], grounds["sea"]) > difference(lines["graticule"], grounds["sea"])
