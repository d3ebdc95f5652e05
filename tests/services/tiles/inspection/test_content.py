"""Decoding stays within its limits for any content of a tile."""

from __future__ import annotations

import re

import mapbox_vector_tile
import pytest
from google.protobuf.message import DecodeError

from services.tiles.inspection.content import MOST_FEATURES, MOST_NUMBERS, decode
from services.tiles.inspection.drawing import drawing


def _tile(**layers: list[dict[str, object]]) -> bytes:
    encoded: bytes = mapbox_vector_tile.encode(
        [{"name": name, "features": features} for name, features in layers.items()],
        default_options={"y_coord_down": True},
    )
    return encoded


def _point(number: int, **properties: object) -> dict[str, object]:
    return {"id": number, "geometry": f"POINT({number % 4096} 7)", "properties": properties}


def test_an_empty_tile_has_no_layers() -> None:
    assert decode(b"") == ()
    assert drawing(()) is None


def test_what_is_no_tile() -> None:
    with pytest.raises(DecodeError):
        decode(b"no tile")


def test_many_features_are_counted_and_the_first_decoded() -> None:
    (layer,) = decode(_tile(many=[_point(number, n=number) for number in range(1, MOST_FEATURES + 501)]))
    assert layer.count == layer.geometry_types["Point"] == MOST_FEATURES + 500
    assert [feature["id"] for feature in layer.features] == list(range(1, MOST_FEATURES + 1))
    assert layer.properties[0].samples == (1, 2, 3, 4, 5)
    assert layer.properties[0].features == MOST_FEATURES


def test_many_corners_are_counted_too() -> None:
    corners = ", ".join(f"{n % 4000} {n // 4000 * 2 + n % 2}" for n in range(MOST_NUMBERS // 5))
    line: dict[str, object] = {"geometry": f"LINESTRING({corners})", "properties": {}}
    (layer,) = decode(_tile(long=[line] * 4))
    assert layer.count == 4
    # each has two fifths of the numbers that are decoded
    assert len(layer.features) == 2


def test_the_limit_is_that_of_all_layers() -> None:
    first, second = decode(
        _tile(one=[_point(n) for n in range(1, MOST_FEATURES)], two=[_point(n) for n in range(1, 6)])
    )
    assert (len(first.features), len(second.features)) == (MOST_FEATURES - 1, 1)
    assert (first.count, second.count) == (MOST_FEATURES - 1, 5)


def test_types_and_samples_of_properties() -> None:
    values = [True, 1, 1.5, "a", "b"]
    (layer,) = decode(_tile(mixed=[*(_point(n + 1, v=value) for n, value in enumerate(values)), _point(9, w="x")]))
    by_name = {each.name: each for each in layer.properties}
    assert by_name["v"].types == ("boolean", "integer", "number", "string")
    assert by_name["v"].features == 5
    assert by_name["w"].types == ("string",)
    assert by_name["w"].features == 1


def test_a_drawing_has_a_path_of_each_kind() -> None:
    polygon = "POLYGON((0 0, 90 0, 90 50, 0 50, 0 0), (10 10, 10 20, 20 20, 20 10, 10 10))"
    shapes = [polygon, "LINESTRING(0 9, 5 6)", "MULTILINESTRING((1 8, 2 7), (3 3, 4 4))", "MULTIPOINT((7 8), (9 10))"]
    found = drawing(decode(_tile(shapes=[{"geometry": shape, "properties": {}} for shape in shapes])))
    assert found is not None
    assert (found.extent, found.buffer) == (4096, 64)
    assert found.points == "M7 8h0M9 10h0"
    assert found.lines == "M0 9L5 6M1 8L2 7M3 3L4 4"
    # a ring of the outside and one of the hole
    assert found.areas.count("M") == found.areas.count("Z") == 2
    assert {"0 0", "90 0", "90 50", "0 50"} < set(re.split("[MLZ]", found.areas))
