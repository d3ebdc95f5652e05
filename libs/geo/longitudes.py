"""Longitudes beyond ±180: how far around the Earth a column goes, and SQL that brings its rows back to ±180. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING

from libs.pg.sql import Sql, any_of, join, sql

if TYPE_CHECKING:
    # without PROJ, which `common` does not need
    from libs.geo.boxes import Box

TURN = 360.0
MOST_TURNS = (-1, 1)
"""Whole turns around the Earth by which rows may lie beyond: longitudes from -540 to 540."""

_NEGLIGIBLE = 1e-4
"""Degrees: boxes of indexes are in single precision, which misses 180 by a fifth of this."""
_MOST_SPLIT = 2000
"""Corners of an area that GEOS takes apart; of more it takes minutes where they are jagged."""


def turns_of(west: float, east: float) -> tuple[int, ...]:
    """The whole turns, but none, that bring rows between these longitudes to ±180: 1 for those from 180 to 540."""
    beyond = 180.0 + _NEGLIGIBLE
    return tuple(turn for turn in MOST_TURNS if (east > beyond if turn > 0 else west < -beyond))


def can_be_given(box: Box) -> bool:
    """Whether all rows in a box of degrees have a place in longitude and latitude, turned or not."""
    west, south, east, north = box
    furthest = 180.0 + TURN + _NEGLIGIBLE
    return west >= -furthest and east <= furthest and south >= -90.0 - _NEGLIGIBLE and north <= 90.0 + _NEGLIGIBLE


def turned_ends(west: float, east: float) -> tuple[float, float]:
    """Westernmost and easternmost longitude as they are on Earth; west is greater where they cross the antimeridian."""
    if not (isfinite(west) and isfinite(east)) or east - west >= TURN:
        return -180.0, 180.0
    turns = (west + 180.0) // TURN
    west, east = west - turns * TURN, east - turns * TURN
    return west, east - TURN if east > 180.0 else east


def turned(shape: Sql, turns: Sequence[int], *, is_point: bool = False) -> Sql:
    """`shape`, in longitude and latitude, with longitudes within ±180: cut in two where it crosses the antimeridian.

    What crosses becomes a Multi geometry, as RFC 7946 wants it (section 3.1.9). Rows that are within ±180, and those
    that lie further out than `turns`, stay as they are. Heights are kept, measures (M) are not.
    """
    if not turns:
        return shape
    moved = shape
    for turn in turns:
        moved = sql(
            "ST_WrapX({moved}, 180, -360)" if turn > 0 else "ST_WrapX({moved}, -180, 360)",
            moved=moved,
        )
    if not is_point:
        moved = _cut(shape, moved, turns)
    return sql(
        "CASE WHEN {shape} @ 'LINESTRING(-180.0000000005 -1e30, 180.0000000005 1e30)'::geometry THEN {shape}"
        " WHEN {shape} @ 'LINESTRING(-540 -1e30, 540 1e30)'::geometry THEN {moved} ELSE {shape} END",
        shape=shape,
        moved=moved,
    )


def _cut(shape: Sql, moved: Sql, turns: Sequence[int]) -> Sql:
    """The pieces as one geometry that holds no collections of collections."""
    # without NaN, on which GEOS loops; areas of many corners by boxes, which takes no topology
    pieces = sql(
        "CASE WHEN ST_Length({shape}) + ST_Perimeter({shape}) < 'Infinity' THEN CASE WHEN ST_NPoints({shape}) > {most}"
        " AND ST_Dimension({shape}) = 2 AND ({crosses}) THEN ST_Collect(ARRAY[{boxes}]) ELSE {moved} END END",
        shape=shape,
        most=Sql((str(_MOST_SPLIT),)),
        crosses=any_of(
            sql("{shape} && {seam}", shape=shape, seam=_meridian(180 if turn > 0 else -180)) for turn in turns
        ),
        boxes=join(", ", [_piece(shape, turn) for turn in (0, *turns)]),
        moved=moved,
    )
    one = sql(
        "CASE WHEN GeometryType(pieces.g) = 'GEOMETRYCOLLECTION' THEN ST_CollectionHomogenize(pieces.g)"
        " ELSE pieces.g END"
    )
    if len(turns) > 1:
        # an area that is wider than the world meets itself
        wide = sql("ST_XMax({shape}) - ST_XMin({shape}) > 360 AND ST_Dimension({shape}) = 2", shape=shape)
        one = sql("CASE WHEN {wide} THEN ST_UnaryUnion(pieces.g) ELSE {one} END", wide=wide, one=one)
    return sql("(SELECT {one} FROM (SELECT {pieces} AS g OFFSET 0) AS pieces)", one=one, pieces=pieces)


def _piece(shape: Sql, turn: int) -> Sql:
    west = Sql((f"{turn * 360 - 180}",))
    return sql(
        "ST_Translate(ST_ClipByBox2D({shape}, ST_MakeEnvelope({west}, -90, {west} + 360, 90)::box2d), {by}, 0)",
        shape=shape,
        west=west,
        by=Sql((f"{-360 * turn}",)),
    )


def _meridian(longitude: int) -> Sql:
    return Sql((f"'LINESTRING({longitude} -1e30, {longitude} 1e30)'::geometry",))
