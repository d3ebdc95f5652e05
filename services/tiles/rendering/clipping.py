"""SQL that cuts geometries to a box. Pure."""

from libs.pg.sql import Sql, bind, sql

_MOST_CHECKED = 20_000
"""Corners of a part whose validity PostGIS checks in some ten milliseconds, unless its edges are crowded."""
MANY_CORNERS = 5_000
"""Larger areas are checked for crowded edges even if they are valid: snapping may lay their edges over each other."""
_MOST_CROWDED, _MOST_SCRIBBLED = 200_000.0, 20_000.0
"""Quotients of `is_crowded`: above the first an area is crowded, below the second it is not."""
_SAMPLE = 16
"""Edges whose crossings are counted."""
_MOST_CROSSINGS = 6_500.0
"""Crossings of an outline that PostGIS repairs within a third of a second."""


def is_crowded(shape: Sql, smallest: Sql) -> Sql:
    """Whether the edges of an area, which is cheap to name several times, cross too often to repair it in time.

    Compares the square of the outline's length with the area of its box, whose sides count as `smallest` at least. For
    edges at random, the quotient is pi times the number of crossings (Buffon's needle), and PostGIS takes up to 3
    seconds for 60,000 crossings. Outlines with spikes are long too, but cross themselves rarely: of areas with at most
    `MANY_CORNERS` corners, the crossings of some edges are counted.
    """
    return sql(
        "(SELECT CASE WHEN size.quotient <= {scribbled} THEN false WHEN size.corners > {many} OR size.quotient > {most}"
        " THEN size.quotient > {most} ELSE {crossings} > {most_crossings} END FROM (SELECT ST_Perimeter({shape}) ^ 2"
        " / greatest(ST_XMax({shape}) - ST_XMin({shape}), {smallest})"
        " / greatest(ST_YMax({shape}) - ST_YMin({shape}), {smallest}) AS quotient,"
        " ST_NPoints({shape}) AS corners) AS size)",
        shape=shape,
        smallest=smallest,
        crossings=_crossings(shape),
        most_crossings=bind(_MOST_CROSSINGS, "float8"),
        many=bind(MANY_CORNERS, "int4"),
        most=bind(_MOST_CROWDED, "float8"),
        scribbled=bind(_MOST_SCRIBBLED, "float8"),
    )


def _crossings(shape: Sql) -> Sql:
    """An estimate of how often the edges of an area cross, from those of some edges."""
    return sql(
        "(WITH edges AS MATERIALIZED (SELECT edge.geom AS g, row_number() OVER () AS n"
        " FROM ST_DumpSegments({shape}) AS edge)"
        " SELECT count(*) FILTER (WHERE ST_LineCrossingDirection(edge.g, other.g) <> 0) * {apart} / 2.0"
        " FROM edges AS edge JOIN edges AS other ON edge.g && other.g WHERE edge.n % {apart} = 0)",
        shape=shape,
        apart=sql("(ST_NPoints({shape}) / {sample} + 1)", shape=shape, sample=bind(_SAMPLE, "int4")),
    )


def clip(shape: Sql, box: Sql) -> Sql:
    """`shape`, which is cheap to name several times, as far as it lies in a box; NULL or empty beside it.

    Parts are cut each by itself, for PostGIS compares all of them, and those within the box not at all: a line without
    length would be lost. An area that is not valid is repaired first: cut as it is, it could fill the whole box.
    """
    return sql(
        "CASE WHEN {shape} @ {box} THEN {shape} WHEN ST_NumGeometries({shape}) > 1 THEN"
        # empty parts, of which only the box meets the other, would fail ST_Segmentize
        " (SELECT ST_CollectionHomogenize(ST_Collect(piece.g)) FROM (SELECT CASE WHEN part.geom @ {box} THEN part.geom"
        " ELSE {cut_part} END AS g FROM ST_Dump({shape}) AS part WHERE part.geom && {box} OFFSET 0) AS piece"
        " WHERE NOT ST_IsEmpty(piece.g)) ELSE {cut} END",
        shape=shape,
        box=box,
        cut_part=_cut(sql("part.geom"), box),
        cut=_cut(shape, box),
    )


def _cut(shape: Sql, box: Sql) -> Sql:
    return sql(
        "ST_ClipByBox2D(CASE WHEN ST_Dimension({shape}) = 2 AND ST_NPoints({shape}) <= {most}"
        " AND ST_Perimeter({shape}) > 0 AND NOT {crowded} AND NOT ST_IsValid({shape})"
        " THEN ST_MakeValid({shape}, 'method=structure') ELSE {shape} END, {box})",
        shape=shape,
        box=box,
        most=bind(_MOST_CHECKED, "int4"),
        crowded=is_crowded(shape, sql("1e-9")),
    )
