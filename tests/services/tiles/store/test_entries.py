"""What the cache holds of a tile, and under which name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from services.tiles.store.keys import TileKey
from services.tiles.store.tile_store import Tile, is_empty

MOST = 2**30 - 1
KEY = TileKey("build.100.200", "token", "CDB1GlobalGrid", -10, 190, 42, "variant", "schema.a:b:c")
NAME = "build.100.200:token:CDB1GlobalGrid:-10:190:42:variant:schema.a:b:c"


@pytest.mark.parametrize("gzipped", [b"", b"a tile"])
@pytest.mark.parametrize("left_out", [0, 1, MOST])
@pytest.mark.parametrize(("estimated", "exact"), [(False, False), (True, False), (False, True), (True, True)])
def test_a_tile_comes_back_as_it_was(gzipped: bytes, left_out: int, estimated: bool, exact: bool) -> None:
    made = Tile(gzipped, "postgis", left_out, estimated, "why", exact=exact)
    name, content = made.entry("key")
    assert name == "t:key"
    assert Tile.of_entry(content) == replace(made, tier="redis", why="")
    assert is_empty(name, len(content)) is not bool(gzipped)


def test_more_is_left_out_than_can_be_counted() -> None:
    _, content = Tile(b"x", "postgis", MOST + 1, estimated=True).entry("key")
    assert Tile.of_entry(content) == Tile(b"x", "redis", MOST, estimated=True)


@pytest.mark.parametrize("exact", [False, True])
def test_a_sign_says_that_nothing_is_near(exact: bool) -> None:
    name, content = Tile(b"", "postgis", exact=exact, nothing_near=True).entry("key")
    assert name == "e:key"
    sign = Tile.of_sign(content, "empty parent")
    assert (sign.gzipped, sign.tier, sign.why) == (b"", "redis", "empty parent")
    assert (sign.exact, sign.nothing_near) == (exact, True)
    assert is_empty(name, len(content))
    assert not is_empty("t:key", 5)


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
