"""The cache's entry for a tile, and its name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from libs.geo.tile_matrix_sets import tile_matrix_set
from services.tiles.request.plain_tile import plain_tile, tile_of
from services.tiles.store.keys import TileKey, ancestors, says_empty
from services.tiles.store.tile_store import Tile, is_empty
from tests.services.tiles.store.points import POINTS

MOST = 2**30 - 1
KEY = TileKey("build.100.200", "token", "CDB1GlobalGrid", -10, 190, 42, "variant", "schema.a:b:c")
NAME = "build.100.200:token:CDB1GlobalGrid:-10:190:42:variant:schema.a:b:c"


@pytest.mark.parametrize("gzipped", [b"", b"a tile"])
@pytest.mark.parametrize("left_out", [0, 1, MOST])
@pytest.mark.parametrize(("estimated", "exact"), [(False, False), (True, False), (False, True), (True, True)])
def test_a_tile_comes_back_as_it_was(gzipped: bytes, left_out: int, estimated: bool, exact: bool) -> None:
    made = Tile(gzipped, "postgis", left_out, estimated, "why", exact=exact, simplified=left_out)
    name, content = made.entry("key")
    assert name == "t:key"
    assert Tile.of_entry(content) == replace(made, tier="redis", why="")
    assert is_empty(name, len(content)) is not bool(gzipped)


def test_more_is_left_out_than_can_be_counted() -> None:
    _, content = Tile(b"x", "postgis", MOST + 1, estimated=True, simplified=MOST + 1).entry("key")
    assert Tile.of_entry(content) == Tile(b"x", "redis", MOST, estimated=True, simplified=MOST)


@pytest.mark.parametrize("exact", [False, True])
def test_a_sign_says_that_nothing_is_near(exact: bool) -> None:
    name, content = Tile(b"", "postgis", exact=exact, nothing_near=True).entry("key")
    assert name == "e:key"
    sign = Tile.of_sign(content, "empty parent")
    assert (sign.gzipped, sign.tier, sign.why) == (b"", "redis", "empty parent")
    assert (sign.exact, sign.nothing_near) == (exact, True)
    assert is_empty(name, len(content))
    assert not is_empty("t:key", 9)


def test_a_name_can_be_read_again() -> None:
    assert str(KEY) == NAME
    assert TileKey.parse(NAME) == KEY
    for wrong in ("a:b:c", NAME.replace("190", "x"), "build:token:set:1:2:3:variant"):
        with pytest.raises(ValueError, match=r"unpack|literal"):
            TileKey.parse(wrong)


@pytest.mark.parametrize(
    "other",
    [
        {"build": "b"}, {"token": "t"}, {"tile_matrix_set": "s"}, {"z": 1}, {"x": 1}, {"y": 1}, {"variant": "v"},
        {"collection": "c"},
    ],
)  # fmt: skip
def test_what_makes_other_bytes_makes_another_name(other: dict[str, str]) -> None:
    assert str(replace(KEY, **other)) != NAME  # type: ignore[arg-type]


def test_four_tiles_above_may_say_that_one_is_empty() -> None:
    tms = tile_matrix_set("WebMercatorQuad")
    plain = plain_tile(POINTS, tms, 6, 37, 22, 100)
    places = [(5, 18, 11), (4, 9, 5), (3, 4, 2), (2, 2, 1)]
    names = [f"build:token:WebMercatorQuad:{z}:{x}:{y}" for z, x, y in places]
    assert ancestors(plain, "build", "token") == [
        (f"{name}::points", *place) for name, place in zip(names, places, strict=True)
    ]
    some = tile_of(POINTS, tms, 6, 37, 22, 100, [("limit", "7")])
    assert [name for name, *_ in ancestors(some, "build", "token")] == [
        f"{name}:{some.variant}:points" for name in names
    ]
    assert ancestors(plain_tile(POINTS, tms, 0, 0, 0, 100), "build", "token") == []
    # that of the columns which make one tile, in a set whose lowest zoom is another
    grid = plain_tile(POINTS, tile_matrix_set("GNOSISGlobalGrid"), 2, 5, 0, 100)
    assert [place for _, *place in ancestors(grid, "build", "token")] == [[1, 2, 0], [0, 1, 0]]
    assert says_empty(plain, 5, 18, 11)
    assert not says_empty(plain, 5, 18, 12)
    assert not says_empty(plain, 7, 75, 45)
