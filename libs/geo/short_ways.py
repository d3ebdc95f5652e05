"""SQL that draws edges of geographies the short way, across the antimeridian if that is shorter. Pure."""

from __future__ import annotations

from libs.geo.longitudes import MOST_TURNS, wrap_shape
from libs.pg.sql import Sql, sql

# An edge of a whole turn, from -180 to 180, is intended, for example along the bottom of Antarctica.
_JUMP = sql(
    "CASE WHEN abs(ST_X(p) - ST_X(before)) > 180 AND abs(ST_X(p) - ST_X(before)) < 360"
    " THEN sign(ST_X(before) - ST_X(p)) ELSE 0 END"
)
_CROSSES = sql(
    "EXISTS (SELECT FROM (SELECT point.geom AS p, lag(point.geom) OVER (PARTITION BY"
    " point.path[:cardinality(point.path) - 1] ORDER BY point.path) AS before"
    " FROM ST_DumpPoints(stored.g) AS point) AS points WHERE {jump} <> 0)",
    jump=_JUMP,
)
# `turn` is the number of times 360 degrees to add beyond ±180, `piece` counts the crossings so far
_STEPS = sql(
    "SELECT *, sum(jump) OVER (ORDER BY n) AS turn, sum(abs(jump)) OVER (ORDER BY n) AS piece"
    " FROM (SELECT *, {jump} AS jump FROM (SELECT point.path[1] AS n, point.geom AS p,"
    " lag(point.geom) OVER (ORDER BY point.path[1]) AS before FROM ST_DumpPoints(line.g) AS point) AS points) AS jumps",
    jump=_JUMP,
)
# the position where an edge meets the antimeridian, on the side where the edge starts
_SEAMS = sql(
    "SELECT n, jump, piece, ST_Translate(met, 180 * jump - ST_X(met), 0) AS seam"
    " FROM (SELECT *, ST_LineInterpolatePoint(ST_MakeLine(before, ST_Translate(p, 360 * jump, 0)),"
    " (180 * jump - ST_X(before)) / (ST_X(p) + 360 * jump - ST_X(before))) AS met"
    " FROM steps WHERE jump <> 0) AS crossing"
)
# piece by piece, because a line may go around the Earth many times
_LINE = sql(
    "WITH steps AS MATERIALIZED ({steps}), seams AS MATERIALIZED ({seams})"
    " SELECT ST_Collect(g) FROM (SELECT ST_RemoveRepeatedPoints(ST_MakeLine(p ORDER BY n)) AS g"
    " FROM (SELECT piece, n::float8 AS n, p FROM steps UNION ALL SELECT piece - 1, n - 0.7, seam FROM seams"
    " UNION ALL SELECT piece, n - 0.3, ST_Translate(seam, -360 * jump, 0) FROM seams) AS places"
    " GROUP BY piece) AS pieces WHERE ST_Length(g) > 0",
    steps=_STEPS,
    seams=_SEAMS,
)
# a ring that does not return to its start goes around the pole of its hemisphere
_RING = sql(
    "SELECT ST_Translate(g, -360 * round((ST_XMin(g) + ST_XMax(g)) / 720), 0) AS g FROM ("
    "SELECT ST_MakePolygon(CASE WHEN turns = 0 THEN unwrapped ELSE ST_MakeLine(ARRAY[unwrapped,"
    " ST_Translate(ST_EndPoint(unwrapped), 0, pole - ST_Y(ST_EndPoint(unwrapped))),"
    " ST_Translate(ST_StartPoint(unwrapped), 0, pole - ST_Y(ST_EndPoint(unwrapped))),"
    " ST_StartPoint(unwrapped)]) END) AS g"
    " FROM (SELECT ST_MakeLine(ST_Translate(p, 360 * turn, 0) ORDER BY n) AS unwrapped,"
    " (array_agg(turn ORDER BY n DESC))[1] AS turns, CASE WHEN avg(ST_Y(p)) < 0 THEN -90 ELSE 90 END AS pole"
    " FROM ({steps}) AS steps) AS ring) AS areas",
    steps=_STEPS,
)
_AREA = sql(
    "SELECT CASE WHEN holes IS NULL THEN shell ELSE ST_Difference(shell, holes) END"
    " FROM (SELECT (array_agg(within ORDER BY n))[1] AS shell, ST_Union(within) FILTER (WHERE n > 0) AS holes"
    " FROM (SELECT ring.path[1] AS n, (SELECT {within} FROM (SELECT ST_ExteriorRing(ring.geom) AS g OFFSET 0) AS line"
    " CROSS JOIN LATERAL ({unwrapped} OFFSET 0) AS area) AS within"
    " FROM ST_DumpRings(part.geom) AS ring) AS rings) AS parts",
    within=wrap_shape(sql("area.g"), MOST_TURNS),
    unwrapped=_RING,
)
_CUT = sql(
    "(SELECT ST_CollectionHomogenize(ST_Collect(CASE ST_Dimension(part.geom)"
    " WHEN 1 THEN (SELECT cut.g FROM (SELECT part.geom AS g) AS line CROSS JOIN LATERAL ({line}) AS cut(g))"
    " WHEN 2 THEN ({area}) ELSE part.geom END)) FROM ST_Dump(stored.g) AS part)",
    line=_LINE,
    area=_AREA,
).merge_texts()


def short_way(shape: Sql) -> Sql:
    """Return `shape`, a geography as a geometry in longitude and latitude, with each edge drawn the short way.

    An edge that crosses the antimeridian is cut in two there, so that its line or area becomes a Multi geometry, as RFC
    7946 requires (section 3.1.9); an area around a pole is extended to it. All other edges, and rows without such an
    edge, stay unchanged: straight in longitude and latitude, not bent like geodesics.
    """
    return _replace_crossing(shape, _CUT)


def shift_crossing(shape: Sql) -> Sql:
    """Return the same with longitudes from 0 to 360 in rows with such an edge, for a narrow box around a cut shape.

    If longitude 0 is inside a piece, the box is as wide as the world.
    """
    shifted = sql(
        "(SELECT CASE WHEN bool_or(ST_XMin(piece.geom) < 0 AND ST_XMax(piece.geom) > 0) THEN cut.g"
        " ELSE ST_ShiftLongitude(cut.g) END FROM (SELECT {cut} AS g OFFSET 0) AS cut, ST_Dump(cut.g) AS piece"
        " GROUP BY cut.g)",
        cut=_CUT,
    )
    return _replace_crossing(shape, shifted)


def may_cross(shape: Sql) -> Sql:
    """Return whether a geography, as a geometry, is wide enough to have such an edge."""
    return sql("ST_XMax({shape}) - ST_XMin({shape}) > 180", shape=shape)


def _replace_crossing(shape: Sql, cut: Sql) -> Sql:
    return sql(
        "(SELECT CASE WHEN {may} AND ST_Dimension(stored.g) > 0 AND {crosses} THEN {cut} ELSE stored.g END"
        " FROM (SELECT {shape} AS g OFFSET 0) AS stored)",
        may=may_cross(sql("stored.g")),
        crosses=_CROSSES,
        cut=cut,
        shape=shape,
    )
