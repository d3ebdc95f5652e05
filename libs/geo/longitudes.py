"""Longitudes beyond ±180: how far around the Earth a column goes, and SQL that moves its rows back. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, isfinite, radians
from typing import TYPE_CHECKING

from libs.pg.sql import Sql, any_of, join, sql

if TYPE_CHECKING:
    # without PROJ, which the viewer does not need
    from libs.geo.boxes import Box

TURN = 360.0
MOST_TURNS = (-1, 1)
"""Whole turns around the Earth by which rows may lie beyond: longitudes from -540 to 540."""

WEB_MERCATOR = 3857
HALF_OF_EQUATOR = 20_037_508.342789244
"""Metres from longitude 0 to 180 in all Mercator projections on WGS 84."""
_NEGLIGIBLE = 1e-4
"""Tolerance in degrees: boxes of indexes are in single precision, whose error at 180 is a fifth of this."""
_FURTHEST_NORTH = 1e9
"""A northing in metres of Web Mercator, above all latitudes that doubles can represent."""
_MOST_SPLIT = 2000
"""Maximum number of corners of an area that GEOS splits; jagged areas with more take minutes."""


def wrap_longitude(longitude: float) -> float:
    """Return the same longitude in degrees, at least -180 and below 180."""
    return (longitude + 180.0) % TURN - 180.0


def width_of_world(srid: int | None) -> float:
    """Return one turn around the Earth in the units of a CRS whose rows may be turned: metres or degrees."""
    return 2 * HALF_OF_EQUATOR if srid == WEB_MERCATOR else TURN


def turns_of(west: float, east: float) -> tuple[int, ...]:
    """Return the whole turns, except 0, that move rows between these longitudes to ±180: 1 for 180 to 540."""
    beyond = 180.0 + _NEGLIGIBLE
    return tuple(turn for turn in MOST_TURNS if (east > beyond if turn > 0 else west < -beyond))


def reaches_antimeridian(east: float) -> bool:
    """Return whether rows that end at most at this longitude may reach 180."""
    return east >= 180.0 - _NEGLIGIBLE


def can_be_given(box: Box) -> bool:
    """Return whether all rows in a box of degrees have a place in longitude and latitude, turned or not."""
    west, south, east, north = box
    furthest = 180.0 + TURN + _NEGLIGIBLE
    return west >= -furthest and east <= furthest and south >= -90.0 - _NEGLIGIBLE and north <= 90.0 + _NEGLIGIBLE


def wrap_ends(west: float, east: float) -> tuple[float, float]:
    """Return the real westernmost and easternmost longitude; west is greater if they cross the antimeridian."""
    if not (isfinite(west) and isfinite(east)) or east - west >= TURN:
        return -180.0, 180.0
    turns = (west + 180.0) // TURN
    west, east = west - turns * TURN, east - turns * TURN
    return west, east - TURN if east > 180.0 else east


def wrap_shape(shape: Sql, turns: Sequence[int], *, is_point: bool = False, srid: int | None = 4326) -> Sql:
    """Return `shape`, in longitude and latitude, with longitudes within ±180, cut in two at the antimeridian.

    With `srid` 3857 it does the same in Web Mercator.

    A shape that crosses becomes a Multi geometry, as RFC 7946 requires (section 3.1.9). Rows within ±180, and those
    that lie further out than `turns`, stay unchanged. Heights are preserved, measures (M) are not.
    """
    if not turns:
        return shape
    width = width_of_world(srid)
    moved = shape
    for turn in turns:
        moved = sql(
            "ST_WrapX({moved}, {seam}, {by})", moved=moved, seam=_number(turn * width / 2), by=_number(-turn * width)
        )
    if not is_point:
        moved = _cut(shape, moved, turns, width)
    return sql(
        "CASE WHEN {shape} @ {world} THEN {shape} WHEN {shape} @ {around} THEN {moved} ELSE {shape} END",
        shape=shape,
        moved=moved,
        world=_between(width / 2 + 5e-10),
        around=_between(width * 3 / 2),
    )


def _cut(shape: Sql, moved: Sql, turns: Sequence[int], width: float) -> Sql:
    """Return the pieces as one geometry without nested collections."""
    # skip NaN, on which GEOS loops; cut areas with many corners by boxes, which needs no topology
    pieces = sql(
        "CASE WHEN ST_Length({shape}) + ST_Perimeter({shape}) < 'Infinity' THEN CASE WHEN ST_NPoints({shape}) > {most}"
        " AND ST_Dimension({shape}) = 2 AND ({crosses})"
        " THEN (SELECT ST_Collect(piece) FROM unnest(ARRAY[{boxes}]) AS piece WHERE NOT ST_IsEmpty(piece))"
        " ELSE {moved} END END",
        shape=shape,
        most=Sql((str(_MOST_SPLIT),)),
        crosses=any_of(sql("{shape} && {seam}", shape=shape, seam=_meridian(turn * width / 2)) for turn in turns),
        boxes=join(", ", [_piece(shape, turn, width) for turn in (0, *turns)]),
        moved=moved,
    )
    one = sql(
        "CASE WHEN GeometryType(pieces.g) = 'GEOMETRYCOLLECTION' THEN ST_CollectionHomogenize(pieces.g)"
        " ELSE pieces.g END"
    )
    if len(turns) > 1:
        # an area wider than the world overlaps itself
        wide = sql(
            "ST_XMax({shape}) - ST_XMin({shape}) > {width} AND ST_Dimension({shape}) = 2",
            shape=shape,
            width=_number(width),
        )
        one = sql("CASE WHEN {wide} THEN ST_UnaryUnion(pieces.g) ELSE {one} END", wide=wide, one=one)
    return sql("(SELECT {one} FROM (SELECT {pieces} AS g OFFSET 0) AS pieces)", one=one, pieces=pieces)


def _piece(shape: Sql, turn: int, width: float) -> Sql:
    return sql(
        "ST_Translate(ST_ClipByBox2D({shape}, ST_MakeEnvelope({west}, {south}, {east}, {north})::box2d), {by}, 0)",
        shape=shape,
        west=_number(turn * width - width / 2),
        east=_number(turn * width + width / 2),
        south=_number(-90.0 if width == TURN else -_FURTHEST_NORTH),
        north=_number(90.0 if width == TURN else _FURTHEST_NORTH),
        by=_number(-turn * width),
    )


def _number(number: float) -> Sql:
    return Sql((f"{number!r}",))


def _between(longitude: float) -> Sql:
    return Sql((f"'LINESTRING({-longitude!r} -1e30, {longitude!r} 1e30)'::geometry",))


def _meridian(longitude: float) -> Sql:
    return Sql((f"'LINESTRING({longitude!r} -1e30, {longitude!r} 1e30)'::geometry",))


_LEAST = 0.17
"""Minimum, the value at 80 degrees: nearer to the poles, maps would be narrow strips."""


def stretch(south: float, north: float) -> float:
    """Return the relative width of a degree of longitude in the middle of a box; 1 for the whole world."""
    if north - south > 120:
        return 1.0
    middle = max(-90.0, min(90.0, (south + north) / 2))
    return max(_LEAST, cos(radians(middle)))
