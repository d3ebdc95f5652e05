"""SQL that converts stored geometries to longitude and latitude (CRS84, as SRID 4326). Pure."""

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
