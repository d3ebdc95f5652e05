"""SQL that converts curves and surfaces, which neither GEOS nor GeoJSON knows, to simple features. Pure."""

from libs.pg.sql import Sql, sql

SIMPLE = frozenset({"Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon"})
"""Types of columns whose rows are always simple features."""


def simple_shape(shape: Sql) -> Sql:
    """Return curves as lines, surfaces as polygons, collections without nested ones; other types unchanged."""
    parts = sql(
        "(SELECT CASE WHEN bool_or(ST_Zmflag(part.g) >= 2)"
        " THEN ST_Collect(ST_Force3D(part.g)) ELSE ST_Collect(ST_Force2D(part.g)) END"
        " FROM (SELECT CASE GeometryType(dumped.geom) WHEN 'TRIANGLE'"
        " THEN ST_MakePolygon(ST_ExteriorRing(dumped.geom)) ELSE dumped.geom END AS g"
        " FROM ST_Dump(ST_CurveToLine({shape})) AS dumped WHERE NOT ST_IsEmpty(dumped.geom)) AS part)",
        shape=shape,
    )
    return sql(
        "CASE WHEN GeometryType({shape}) IN"
        " ('POINT', 'LINESTRING', 'POLYGON', 'MULTIPOINT', 'MULTILINESTRING', 'MULTIPOLYGON') THEN {shape}"
        " WHEN GeometryType({shape}) = 'GEOMETRYCOLLECTION' THEN ST_ForceCollection({parts})"
        " WHEN GeometryType({shape}) IN ('POLYHEDRALSURFACE', 'TIN', 'TRIANGLE') THEN {parts}"
        " ELSE ST_CurveToLine({shape}) END",
        shape=shape,
        parts=parts,
    )
