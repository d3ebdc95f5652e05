"""SQL that cuts geometries to a box. Pure."""

from libs.pg.sql import Sql, bind, sql

_MOST_CHECKED = 20_000
"""Corners of a part whose validity PostGIS checks in some ten milliseconds, unless its edges are crowded."""
MANY_CORNERS = 5_000
"""Larger areas are checked for crowded edges even if they are valid: snapping may lay their edges over each other."""
_MOST_CROWDED, _MOST_SCRIBBLED = 200_000.0, 20_000.0
"""Limits of `most_crowded` for areas of more corners than `MANY_CORNERS`, and for others."""


def most_crowded(shape: Sql) -> Sql:
    """Largest square of an outline's length, over the area of its box, that PostGIS checks and repairs in time.

    For edges at random it is pi times their number of crossings (Buffon's needle), and PostGIS takes up to 3 seconds
    for 60,000 crossings. Valid masks of many corners have long outlines, too, but cross themselves rarely. A comb of
    few corners, but more than 70 teeth in a square, is treated like a scribble, although its edges do not cross.
    """
    return sql(
        "(CASE WHEN ST_NPoints({shape}) > {many} THEN {most} ELSE {scribbled} END)",
        shape=shape,
        many=bind(MANY_CORNERS, "int4"),
        most=bind(_MOST_CROWDED, "float8"),
        scribbled=bind(_MOST_SCRIBBLED, "float8"),
    )


def clipped(shape: Sql, box: Sql) -> Sql:
    """`shape`, which is cheap to name several times, as far as it lies in a box; NULL or empty beside it.

    Parts are cut each by itself, for PostGIS compares all of them, and those within the box not at all: a line without
    length would be lost. An area that is not valid is repaired first: cut as it is, it could fill the whole box.
    """
    return sql(
        "CASE WHEN {shape} @ {box} THEN {shape} WHEN ST_NumGeometries({shape}) > 1 THEN"
        " (SELECT ST_CollectionHomogenize(ST_Collect(CASE WHEN part.geom @ {box} THEN part.geom ELSE {cut_part} END))"
        " FROM ST_Dump({shape}) AS part WHERE part.geom && {box}) ELSE {cut} END",
        shape=shape,
        box=box,
        cut_part=_cut(sql("part.geom"), box),
        cut=_cut(shape, box),
    )


def _cut(shape: Sql, box: Sql) -> Sql:
    return sql(
        "ST_ClipByBox2D(CASE WHEN ST_Dimension({shape}) = 2 AND ST_NPoints({shape}) <= {most}"
        " AND ST_Perimeter({shape}) ^ 2 <= {crowded} * (ST_XMax({shape}) - ST_XMin({shape}))"
        " * (ST_YMax({shape}) - ST_YMin({shape})) AND NOT ST_IsValid({shape})"
        " THEN ST_MakeValid({shape}, 'method=structure') ELSE {shape} END, {box})",
        shape=shape,
        box=box,
        most=bind(_MOST_CHECKED, "int4"),
        crowded=most_crowded(shape),
    )
