"""SQL that converts stored geometries: to longitude and latitude (CRS84, as SRID 4326), to simple features. Pure."""

from libs.pg.sql import Sql, sql


def in_lonlat(shape: Sql, srid: int | None, *, stored: Sql | None = None) -> Sql:
    """Return `shape`, a geometry expression, in longitude and latitude in degrees.

    `srid` is that of all rows; 0 if they have none, so that coordinates are interpreted as longitude and latitude. None
    says that each row may have its own, which is read from `stored`, a cheaper expression with the same SRID; the
    result is NULL if the database does not know that SRID. No index on the column serves conditions on the result,
    except if `srid` is 4326.
    """
    if srid == 4326:
        return shape
    if srid == 0:
        return sql("ST_SetSRID({shape}, 4326)", shape=shape)
    if srid is not None:
        return sql("ST_Transform({shape}, 4326)", shape=shape)
    return sql(
        "(CASE ST_SRID({stored}) WHEN 4326 THEN {shape} WHEN 0 THEN ST_SetSRID({shape}, 4326)"
        " ELSE (SELECT ST_Transform({shape}, 4326) FROM spatial_ref_sys AS known WHERE known.srid = ST_SRID({stored}))"
        " END)",
        stored=stored or shape,
        shape=shape,
    )


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
