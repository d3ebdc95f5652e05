"""SQL of areas with very many corners: with fewer where a tile cannot show them and PostGIS would take minutes. Pure.

PostGIS clips an area, and makes it valid, in a time that grows with the square of its pieces and of the edges that lie
over each other, and mostly cannot be interrupted there: a valid jagged area of 100,000 corners takes minutes. How long
the edges in the tile are, and in how many pieces, tells in milliseconds.
"""

from libs.geo.boxes import Box
from libs.pg.sql import Sql, bind, join, sql
from services.tiles.request.region import EXTENT

_HEAVY_BYTES = 20_000
"""As it is stored, perhaps compressed: smaller ones are not looked at."""
_HEAVY_CORNERS = 5_000
_MOST_CROWDED = 25_000.0
"""Square of the edges' length over the area that they lie in: as crowded as 300 corners strewn over a tile."""
_MOST_PIECES = 1_000
_SIDES = (4, 16, 64)
"""Units of the tile: triangles that are smaller than the square of these are cut off, one after another."""


def lightened(shape: Sql, stored: Sql, box: Box, *, clip: bool) -> Sql:
    """`shape` as it is, save an area of very many corners, of which a tile of this box shows fewer.

    `stored` is the column that it is made of, `box` in the CRS of the shape. With `clip` such an area is cut to
    the box.
    """
    left, bottom, right, top = box
    unit = (right - left) / EXTENT
    bounds = sql(
        "(SELECT ST_MakeEnvelope({left}, {bottom}, {right}, {top}, 0)::box2d)",
        left=bind(left, "float8"),
        bottom=bind(bottom, "float8"),
        right=bind(right, "float8"),
        top=bind(top, "float8"),
    )
    simpler = [sql("ST_SimplifyVW(heavy.g, {area})", area=bind((side * unit) ** 2, "float8")) for side in _SIDES]
    # what is cut off may leave edges that cross
    valid = sql("ST_CollectionExtract(ST_MakeValid(lighter.g), 3)")
    tries = [_if_light(sql("heavy.g"), sql("lighter.g"), bounds, unit, clip=clip)]
    tries += [_if_light(lighter, valid, bounds, unit, clip=clip) for lighter in simpler]
    return sql(
        "CASE WHEN pg_column_size({stored}) < {bytes} OR GeometryType({shape}) NOT IN ('POLYGON', 'MULTIPOLYGON')"
        " OR ST_NPoints({shape}) <= {corners} THEN {shape}"
        " ELSE (SELECT coalesce({tries}, ST_Envelope(heavy.g)) FROM (SELECT {shape} AS g OFFSET 0) AS heavy) END",
        stored=stored,
        shape=shape,
        bytes=bind(_HEAVY_BYTES, "int4"),
        corners=bind(_HEAVY_CORNERS, "int4"),
        tries=join(", ", tries),
    )


def _if_light(lighter: Sql, drawn: Sql, bounds: Sql, unit: float, *, clip: bool) -> Sql:
    """`drawn`, made of `lighter.g`; NULL where that has too much in the box."""
    return sql(
        "(SELECT {drawn} FROM (SELECT {lighter} AS g OFFSET 0) AS lighter CROSS JOIN LATERAL"
        " (SELECT ST_ClipByBox2D(ST_Boundary(lighter.g), {bounds}) AS g OFFSET 0) AS edges"
        " WHERE coalesce(ST_IsEmpty(edges.g), true) OR (ST_NumGeometries(edges.g) <= {pieces}"
        " AND ST_Length(edges.g) ^ 2 <= {crowded} * greatest(ST_XMax(edges.g) - ST_XMin(edges.g), {unit})"
        " * greatest(ST_YMax(edges.g) - ST_YMin(edges.g), {unit})))",
        drawn=sql("ST_ClipByBox2D({drawn}, {bounds})", drawn=drawn, bounds=bounds) if clip else drawn,
        lighter=lighter,
        bounds=bounds,
        pieces=bind(_MOST_PIECES, "int4"),
        crowded=bind(_MOST_CROWDED, "float8"),
        unit=bind(unit, "float8"),
    )
