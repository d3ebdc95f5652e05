"""SQL that draws areas in a tile. Pure.

Each area goes through the same steps. Lengths are units of the tile, 4096 to a side.

1. Clip the area to the tile and its buffer, part by part.
2. Reduce it: snap it to the grid of the tile, and drop corners that are nearly on a line.
3. Coarsen it if its edges are too crowded to repair in time: snap it to a grid of 4, 16 or 64 units.
4. Unite parts that overlap. Vector tiles fill a place that two parts cover as if it were a hole.
5. Fill it: snap it to the grid of the tile and repair it (`ST_AsMVTGeom`). Parts and holes smaller than a unit merge
   or vanish there, which keeps the total area on average.
6. Draw what collapsed as a strip along its outline, one unit wide, where it reaches a pixel beyond the filled area.
   In areas of at most four pixels, and in tiles of more than `MANY` areas, only if they have no other part.
7. Draw an area smaller than a unit as one square unit.

No step draws a bounding box. Steps 3, 4 and 7, and what vanishes or collapses in step 5, make the feature a simplified
one.
"""

from typing import LiteralString

from libs.geo.boxes import Box
from libs.pg.sql import Sql, bind, binds, join, sql
from services.tiles.rendering.clipping import MANY_CORNERS, clip, is_crowded
from services.tiles.request.region import BUFFER, EXTENT

_FEW_CORNERS = 300
"""PostGIS repairs an area of so few corners in time, however its edges cross."""
_GRIDS = (4, 16, 64)
"""Grids for areas that are more crowded, in units."""
_UNCUT_CORNERS = 300
"""Corners of an area that keeps what lies beyond the buffer: to cut it again could lose what is thin there."""
_LEFT_CORNERS = 200
"""Corners of an outline that is too crowded on each grid."""
STRAIGHT = 0.25
"""Units that a corner may be off the line between its neighbours, and be left out."""
MANY = 500
"""Areas in a tile that are compared with their filled parts in some 100 ms."""
NO_MANY = sql("false")
_PIXEL = 8
"""Units of a pixel where 512 pixels show a tile: a strip thinner than a unit and shorter than this cannot be seen."""
_MOST_COMPARED = 500
"""Corners of an area whose distance from the filled one is measured, in a time that grows with their square."""
_MOST_UNITED = 12_000
"""Corners that PostGIS unites within some ten milliseconds."""


def drawn_area(
    shape: Sql, tile: Box, antimeridian: tuple[bool, bool] = (False, False), *, is_one_of_many: Sql = NO_MANY
) -> Sql:
    """A query of one row: `drawn`, a polygon in units of the tile or NULL, and `simplified`.

    `shape` names a 2D area in the CRS of the tile; `tile` is the box of the tile in that CRS. `antimeridian` says
    whether the tile ends there on its left and on its right. `is_one_of_many`: the tile has more than `MANY` areas. In
    `drawn`, x goes right and y down, as in vector tiles, and outer rings are clockwise on the screen.
    """
    left, bottom, right, top = tile
    wide, high = (right - left) / EXTENT, (top - bottom) / EXTENT
    beyond = 4 * BUFFER
    around = binds((left - beyond * wide, bottom - beyond * high, right + beyond * wide, top + beyond * high), "float8")
    sides = {"wide": bind(wide, "float8"), "high": bind(high, "float8")}
    return sql(
        _STEPS,
        clipped=sql(
            # a tiny area needs no step but the last
            "CASE WHEN ST_XMax({shape}) - ST_XMin({shape}) <= {wide} AND ST_YMax({shape}) - ST_YMin({shape}) <= {high}"
            " THEN NULL ELSE ST_TransScale({clipped}, -{left}, -{bottom}, 1 / {wide}, 1 / {high}) END",
            shape=shape,
            clipped=clip(shape, sql("(SELECT ST_MakeEnvelope({around}, 0)::box2d)", around=around)),
            left=bind(left, "float8"),
            bottom=bind(bottom, "float8"),
            **sides,
        ),
        crowded=_is_crowded("clip.g"),
        coarse=_coarse("reduced.g"),
        continued=_continue(antimeridian),
        tile=_constant_box(0),
        seen=_constant_box(BUFFER),
        straight=bind(STRAIGHT, "float8"),
        units=binds((EXTENT, BUFFER), "int4"),
        extent=bind(EXTENT, "int4"),
        # so far that it cuts nothing more: the fill and the outline then have the same corners
        beyond=bind(beyond + 4, "int4"),
        uncut=bind(_UNCUT_CORNERS, "int4"),
        many=bind(MANY_CORNERS, "int4"),
        pixel=bind(_PIXEL, "int4"),
        many_areas=is_one_of_many,
        compared=bind(_MOST_COMPARED, "int4"),
        strips=sql(_STRIPS, united=bind(_MOST_UNITED, "int4"), pixel=bind(_PIXEL, "int4")),
        dot=dot(shape, tile),
    )


# y goes up but for what is encoded: that goes down
_STEPS: LiteralString = """
 SELECT steps.g AS drawn, steps.g IS NOT NULL AND steps.simplified AS simplified FROM (
  SELECT coalesce(strip.g, fill.g, {dot}) AS g,
   fill.g IS NULL OR strip.g IS NOT NULL OR coalesce(collapse.length > 2, false) OR light.coarse OR light.overlaps
    OR ST_NumGeometries(whole.g) < ST_NumGeometries(clip.g) AS simplified
  FROM (SELECT {clipped} AS g OFFSET 0) AS clip
  CROSS JOIN LATERAL (SELECT CASE WHEN ST_NPoints(clip.g) > {many} AND {crowded} THEN clip.g
    ELSE ST_Simplify(ST_SnapToGrid(clip.g, 1), {straight}, true) END AS g OFFSET 0) AS reduced
  CROSS JOIN LATERAL (SELECT {coarse} AS g OFFSET 0) AS coarse
  {continued}
  CROSS JOIN LATERAL (SELECT CASE WHEN coarse.g IS NULL AND ST_NumGeometries(reduced.g) > 1
    AND NOT ST_IsValid(reduced.g) AND NOT ST_IsValid(clip.g)
    THEN ST_MakeValid(reduced.g, 'method=structure') END AS g OFFSET 0) AS one
  CROSS JOIN LATERAL (SELECT coalesce(coarse.g, one.g, continued.g, reduced.g, clip.g) AS g,
    coarse.g IS NOT NULL AS coarse, one.g IS NOT NULL AS overlaps OFFSET 0) AS light
  CROSS JOIN LATERAL (SELECT ST_SnapToGrid(light.g, 1) AS g OFFSET 0) AS snapped
  CROSS JOIN LATERAL (SELECT ST_AsMVTGeom(snapped.g, {tile}, {extent}, {beyond}, true) AS g OFFSET 0) AS whole
  CROSS JOIN LATERAL (SELECT CASE WHEN ST_NPoints(whole.g) <= {uncut} OR light.g @ {seen} THEN whole.g
    ELSE ST_AsMVTGeom(snapped.g, {tile}, {units}, true) END AS g OFFSET 0) AS fill
  CROSS JOIN LATERAL (SELECT CASE WHEN ST_NumGeometries(snapped.g) = ST_NumGeometries(clip.g)
    THEN ST_Perimeter(snapped.g) - ST_Perimeter(whole.g) END AS length OFFSET 0) AS collapse
  CROSS JOIN LATERAL (SELECT CASE WHEN collapse.length <= 2 * {pixel} OR whole.g IS NOT NULL
      AND ({many_areas} OR ST_XMax(snapped.g) - ST_XMin(snapped.g) <= 4 * {pixel}
        AND ST_YMax(snapped.g) - ST_YMin(snapped.g) <= 4 * {pixel}
       OR ST_NPoints(snapped.g) <= {compared}
        AND ST_HausdorffDistance(ST_TransScale(snapped.g, 0, -{extent}, 1, -1), whole.g) <= {pixel}) THEN NULL
    ELSE (SELECT ST_Collect(ST_SnapToGrid(ST_TransScale(ring.geom, 0, -{extent}, 1, -1), 1))
     FROM ST_Dump(ST_Boundary(CASE WHEN light.coarse OR light.overlaps
      OR ST_NumGeometries(light.g) = ST_NumGeometries(clip.g) THEN light.g ELSE clip.g END)) AS ring
     WHERE ST_XMax(ring.geom) - ST_XMin(ring.geom) > 2 OR ST_YMax(ring.geom) - ST_YMin(ring.geom) > 2)
    END AS g OFFSET 0) AS outline
  CROSS JOIN LATERAL (SELECT ST_ClipByBox2D(CASE WHEN whole.g IS NULL THEN outline.g
    WHEN outline.g IS NOT NULL THEN ST_Difference(outline.g, whole.g) END, {seen}) AS g OFFSET 0) AS collapsed
  CROSS JOIN LATERAL (SELECT {strips} AS g OFFSET 0) AS strip
 ) AS steps"""

# a parallelogram for each edge, so that all corners are on the grid; what is as short as a unit need not be drawn
_STRIPS: LiteralString = """CASE WHEN collapsed.g IS NULL OR ST_IsEmpty(collapsed.g) THEN NULL ELSE
 (SELECT ST_ForcePolygonCCW(CASE WHEN ST_NPoints(whole.g) <= {united} THEN ST_UnaryUnion(whole.g, 1)
   ELSE ST_CollectionExtract(whole.g, 3) END)
  FROM (SELECT ST_Collect(fill.g, ST_Collect(ST_MakePolygon(ST_MakeLine(
     ARRAY[edge.a, edge.b, ST_Translate(edge.b, edge.x, edge.y), ST_Translate(edge.a, edge.x, edge.y), edge.a])))) AS g,
    count(*) AS edges
   FROM (SELECT a, b, (abs(ST_X(b) - ST_X(a)) < abs(ST_Y(b) - ST_Y(a)))::int4 AS x,
      (abs(ST_X(b) - ST_X(a)) >= abs(ST_Y(b) - ST_Y(a)))::int4 AS y
    FROM (SELECT ST_StartPoint(edge.geom) AS a, ST_EndPoint(edge.geom) AS b
     FROM ST_Dump(ST_LineMerge(ST_SnapToGrid(ST_CollectionExtract(collapsed.g, 2), 1))) AS line
     CROSS JOIN LATERAL ST_DumpSegments(line.geom) AS edge
     WHERE ST_Length(line.geom) > CASE WHEN fill.g IS NULL THEN 1 ELSE {pixel} END OFFSET 0) AS ends
    OFFSET 0) AS edge) AS whole WHERE whole.edges > 0) END"""


def dot(shape: Sql, tile: Box) -> Sql:
    """One square unit of the tile at the middle of a shape of at most two units; NULL for others, and off the tile."""
    left, bottom, right, top = tile
    return sql(
        "(SELECT CASE WHEN small.wide <= {two_wide} AND small.high <= {two_high}"
        " AND small.x BETWEEN {first} AND {last} AND small.y BETWEEN {first} AND {last}"
        " THEN ST_Translate('POLYGON((0 0, 1 0, 1 1, 0 1, 0 0))'::geometry, small.x, small.y) END"
        " FROM (SELECT ST_XMax(g) - ST_XMin(g) AS wide, ST_YMax(g) - ST_YMin(g) AS high,"
        " floor((ST_XMin(g) + ST_XMax(g) - 2 * {left}) / {two_wide}) AS x,"
        " floor((2 * {top} - ST_YMin(g) - ST_YMax(g)) / {two_high}) AS y"
        " FROM (SELECT {shape} AS g OFFSET 0) AS shape OFFSET 0) AS small)",
        shape=shape,
        two_wide=bind(2 * (right - left) / EXTENT, "float8"),
        two_high=bind(2 * (top - bottom) / EXTENT, "float8"),
        left=bind(left, "float8"),
        top=bind(top, "float8"),
        first=bind(-BUFFER, "int4"),
        last=bind(EXTENT + BUFFER - 1, "int4"),
    )


def _coarse(name: LiteralString) -> Sql:
    """A coarser area for one that is too crowded; NULL for others."""
    shape = sql(name)
    tries = [
        sql(
            "(SELECT coarser.g FROM (SELECT ST_SnapToGrid(ST_SimplifyVW({shape}, {side} * {side}), {side}) AS g"
            " OFFSET 0) AS coarser WHERE NOT coalesce({crowded}, false))",
            shape=shape,
            side=bind(side, "float8"),
            crowded=_is_crowded("coarser.g"),
        )
        for side in _GRIDS
    ]
    return sql(
        "CASE WHEN ST_NPoints({shape}) <= {few} OR ST_NPoints({shape}) <= {many} AND ST_IsValid({shape})"
        " OR NOT coalesce({crowded}, false) THEN NULL ELSE coalesce({tries}, {last}) END",
        shape=shape,
        few=bind(_FEW_CORNERS, "int4"),
        many=bind(MANY_CORNERS, "int4"),
        crowded=_is_crowded(name),
        tries=join(", ", tries),
        last=_sample_corners(shape),
    )


def _is_crowded(name: LiteralString) -> Sql:
    """Return whether an area has too many edges in its box for PostGIS to repair it in time."""
    return sql(
        "(SELECT {crowded} FROM (SELECT ST_SnapToGrid({shape}, 1) AS g OFFSET 0) AS edges)",
        crowded=is_crowded(sql("edges.g"), sql("1")),
        shape=sql(name),
    )


def _continue(antimeridian: tuple[bool, bool]) -> Sql:
    """A join of an area that ends at the antimeridian with the buffer beyond it, as `continued.g`; NULL for others.

    Maps go on beyond the antimeridian, so that no outline may show there.
    """
    seams = [
        (float(x), float(x + sign * 3 * BUFFER))
        for x, sign, ends in zip((0, EXTENT), (-1, 1), antimeridian, strict=True)
        if ends
    ]
    if not seams:
        return sql("CROSS JOIN (SELECT NULL::geometry AS g) AS continued")
    return sql(
        "CROSS JOIN LATERAL (SELECT CASE WHEN ST_XMin(reduced.g) <= 0 OR ST_XMax(reduced.g) >= {extent} THEN"
        " (SELECT CASE WHEN count(edge.geom) > 0 THEN ST_MakeValid(ST_CollectionExtract(ST_Collect(reduced.g,"
        " ST_Collect(ST_MakeEnvelope(seam.x, ST_YMin(edge.geom), seam.beyond, ST_YMax(edge.geom),"
        " ST_SRID(reduced.g)))), 3),"
        " 'method=structure') END"
        " FROM unnest({seams}, {beyond}) AS seam(x, beyond)"
        " CROSS JOIN LATERAL ST_Dump(ST_Intersection(ST_SetSRID(ST_Boundary(reduced.g), 0),"
        " ST_MakeLine(ST_Point(seam.x, -9999), ST_Point(seam.x, 9999)))) AS edge"
        " WHERE ST_Dimension(edge.geom) = 1) END AS g OFFSET 0) AS continued",
        extent=bind(EXTENT, "int4"),
        seams=bind(tuple(x for x, _ in seams), "float8[]"),
        beyond=bind(tuple(beyond for _, beyond in seams), "float8[]"),
    )


def _sample_corners(shape: Sql) -> Sql:
    """Corners of the longest ring, at equal numbers of corners."""
    return sql(
        "(SELECT ST_MakePolygon(ST_AddPoint(few.line, ST_StartPoint(few.line))) FROM"
        " (SELECT ST_MakeLine(corner.geom ORDER BY corner.path) AS line"
        " FROM (SELECT ST_ExteriorRing(part.geom) AS ring FROM ST_Dump({shape}) AS part"
        " ORDER BY ST_NPoints(part.geom) DESC LIMIT 1) AS longest CROSS JOIN LATERAL ST_DumpPoints(ring) AS corner"
        " WHERE corner.path[1] % (ST_NPoints(ring) / {left} + 1) = 0) AS few)",
        shape=shape,
        left=bind(_LEFT_CORNERS, "int4"),
    )


def _constant_box(buffer: int) -> Sql:
    low, high = f"{-buffer} {-buffer}", f"{EXTENT + buffer} {EXTENT + buffer}"
    return Sql((f"'BOX({low},{high})'::box2d",))
