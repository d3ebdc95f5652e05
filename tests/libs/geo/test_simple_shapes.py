"""How curves and surfaces become simple features, word for word; what PostGIS makes of it is tried with filters."""

from __future__ import annotations

from libs.geo.shape_sql import SIMPLE, simple_shape
from libs.pg.sql import ident


def test_curves_become_lines_and_surfaces_polygons() -> None:
    parts = (
        "(SELECT CASE WHEN bool_or(ST_Zmflag(part.g) >= 2)"
        " THEN ST_Collect(ST_Force3D(part.g)) ELSE ST_Collect(ST_Force2D(part.g)) END"
        " FROM (SELECT CASE GeometryType(dumped.geom) WHEN 'TRIANGLE'"
        " THEN ST_MakePolygon(ST_ExteriorRing(dumped.geom)) ELSE dumped.geom END AS g"
        ' FROM ST_Dump(ST_CurveToLine("geom")) AS dumped WHERE NOT ST_IsEmpty(dumped.geom)) AS part)'
    )
    assert simple_shape(ident("geom")).render() == (
        "CASE WHEN GeometryType(\"geom\") IN ('POINT', 'LINESTRING', 'POLYGON', 'MULTIPOINT', 'MULTILINESTRING',"
        " 'MULTIPOLYGON') THEN \"geom\""
        f" WHEN GeometryType(\"geom\") = 'GEOMETRYCOLLECTION' THEN ST_ForceCollection({parts})"
        f" WHEN GeometryType(\"geom\") IN ('POLYHEDRALSURFACE', 'TIN', 'TRIANGLE') THEN {parts}"
        ' ELSE ST_CurveToLine("geom") END',
        (),
    )


def test_columns_of_these_types_need_none_of_it() -> None:
    one = {"Point", "LineString", "Polygon"}
    assert one | {f"Multi{kind}" for kind in one} == SIMPLE
