"""Which areas are too heavy for a tile, and with how many corners they are tried: without a database."""

from __future__ import annotations

import re

import pytest

from libs.pg.sql import sql
from services.tiles.rendering.heavy import lightened

BOX = (100.0, 50.0, 100.0 + 2 * 4096, 9000.0)
"""A unit of the tile is two wide."""


def _filled(*, clip: bool = True) -> str:
    """The text with the values that are bound in it."""
    text, args = lightened(sql("shape"), sql("stored"), BOX, clip=clip).render()
    return re.sub(r"\$(\d+)::(float8|int4)\b", lambda found: str(args[int(found[1]) - 1]), text)


def test_what_is_small_or_no_area_or_has_few_corners_stays() -> None:
    condition, _, rest = _filled().partition(" THEN shape ELSE ")
    assert [part.strip() for part in condition.removeprefix("CASE WHEN").split(" OR ")] == [
        "pg_column_size(stored) < 20000",
        "GeometryType(shape) NOT IN ('POLYGON', 'MULTIPOLYGON')",
        "ST_NPoints(shape) <= 5000",
    ]
    assert rest


def test_it_is_tried_as_it_is_and_with_fewer_and_fewer_corners() -> None:
    # triangles of 4, 16 and 64 units of the tile, squared
    tries = re.findall(r"FROM \(SELECT ([^()]*|ST_SimplifyVW\([^()]*\)) AS g OFFSET 0\) AS lighter", _filled())
    assert tries == ["heavy.g", *(f"ST_SimplifyVW(heavy.g, {area})" for area in (64.0, 1024.0, 16384.0))]
    assert _filled().endswith("ST_Envelope(heavy.g)) FROM (SELECT shape AS g OFFSET 0) AS heavy) END")


@pytest.mark.parametrize("clip", [False, True])
def test_only_what_had_corners_cut_off_is_made_valid(clip: bool) -> None:
    text = _filled(clip=clip)
    assert text.count("ST_MakeValid") == 3
    first, *others = [found.partition(" FROM ")[0] for found in re.split(r"\(SELECT (?=ST_Clip|ST_Coll|lighter)", text)]
    assert "ST_MakeValid" not in first
    drawn = [found for found in others if "ST_Boundary" not in found]
    assert ["ST_MakeValid" in found for found in drawn] == [False, True, True, True]
    # cut to the box where that is in the CRS of the tile
    assert {found.startswith("ST_ClipByBox2D") for found in drawn} == {clip}


@pytest.mark.parametrize(
    ("limit", "number"),
    [
        ("ST_NumGeometries(edges.g) <= 1000 ", 4),
        ("ST_Length(edges.g) ^ 2 <= 25000.0 ", 4),
        # what is narrower than a unit of the tile is as wide as one
        ("greatest(ST_XMax(edges.g) - ST_XMin(edges.g), 2.0)", 4),
        ("greatest(ST_YMax(edges.g) - ST_YMin(edges.g), 2.0)", 4),
        ("(SELECT ST_MakeEnvelope(100.0, 50.0, 8292.0, 9000.0, 0)::box2d)", 8),
    ],
)
def test_each_try_is_held_against_the_same_limits(limit: str, number: int) -> None:
    assert _filled().count(limit) == number
