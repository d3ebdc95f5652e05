"""The exact statements that read extents."""

from __future__ import annotations

from dataclasses import replace

import pytest

from libs.catalogue.model import Collection, GeometryColumn, TimeColumn
from libs.pg.sql import Sql, sql
from services.common.introspection.extents_sql import (
    box_of_index,
    box_query,
    ends_of_view,
    sampled_times,
    time_query,
    view_box,
)
from tests.services.common.introspection.test_extents_sql import AT, GEOM, TABLE

PARTED = replace(TABLE, kind="partitioned table", sources=(7, 8))
GEOGRAPHY = GeometryColumn("geom", "Point", 4326, is_geography=True)
PERIOD = TimeColumn("at", "tstzrange")


def box(table: Collection, column: GeometryColumn) -> Sql:
    """As the sixth of a batch."""
    query = box_query(table, column)
    assert query is not None
    return query(sql("5"))


def ends(table: Collection) -> Sql:
    """The same of its times."""
    query = time_query(table, AT)
    assert query is not None
    return query(sql("5"))


@pytest.mark.parametrize(
    ("statement", "text", "arguments"),
    [
        (
            box(TABLE, replace(GEOM, srid=3857)),
            """
            SELECT 5, ST_XMin(b), ST_YMin(b), ST_XMax(b), ST_YMax(b), beyond
            FROM (SELECT ST_MakeBox2D(ST_MakePoint(ST_XMin(box) / 111319.49079327358,
            ST_Y(ST_Transform(ST_SetSRID(ST_MakePoint(0, ST_YMin(box)), 3857), 4326))), ST_MakePoint(ST_XMax(box) /
            111319.49079327358, ST_Y(ST_Transform(ST_SetSRID(ST_MakePoint(0, ST_YMax(box)), 3857), 4326)))) AS box,
            beyond
            FROM (SELECT found.*
            FROM (SELECT pg_table_size($1::oid) <= $2::int8 AS yes OFFSET 0) AS is_small
            CROSS JOIN LATERAL (SELECT ST_Extent("geom"::geometry) FILTER (WHERE "geom"::geometry @
            'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0 1000000000.0)'::geometry AND "geom"::geometry &&
            'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0 1000000000.0)'::geometry) AS box,
            coalesce(bool_or(NOT ("geom"::geometry @ 'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0
            1000000000.0)'::geometry AND "geom"::geometry && 'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0
            1000000000.0)'::geometry) AND NOT ST_IsEmpty("geom"::geometry)), false) AS beyond
            FROM "s"."t" WHERE is_small.yes
            UNION ALL SELECT CASE WHEN box::geometry @ 'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0
            1000000000.0)'::geometry AND box::geometry && 'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0
            1000000000.0)'::geometry THEN box END AS box, NOT (box::geometry @ 'LINESTRING(-1000000000.0
            -1000000000.0, 1000000000.0 1000000000.0)'::geometry AND box::geometry && 'LINESTRING(-1000000000.0
            -1000000000.0, 1000000000.0 1000000000.0)'::geometry) AS beyond
            FROM (SELECT ST_EstimatedExtent($3::text, $4::text, $5::text) AS box) AS known WHERE NOT is_small.yes)
            AS found) AS native WHERE box IS NOT NULL) AS found(b, beyond) WHERE b IS NOT NULL
            """,
            (7, 8388608, "s", "t", "geom"),
        ),
        (
            box(PARTED, replace(GEOM, srid=25832)),
            """
            SELECT 5, ST_XMin(b), ST_YMin(b), ST_XMax(b), ST_YMax(b), beyond
            FROM (SELECT Box2D(ST_Transform(ST_Segmentize(ST_SetSRID(box::geometry, $1::int4), greatest(ST_XMax(box)
            - ST_XMin(box), 1e-9) / 32), 4326)) AS box, beyond
            FROM (SELECT found.*
            FROM (SELECT (SELECT sum(pg_table_size(inhabited))
            FROM unnest($2::oid || $3::bigint[]::oid[]) AS inhabited) <= $4::int8 AS yes OFFSET 0) AS is_small
            CROSS JOIN LATERAL (SELECT ST_Extent("geom"::geometry) FILTER (WHERE "geom"::geometry @
            'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0 1000000000.0)'::geometry AND "geom"::geometry &&
            'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0 1000000000.0)'::geometry) AS box,
            coalesce(bool_or(NOT ("geom"::geometry @ 'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0
            1000000000.0)'::geometry AND "geom"::geometry && 'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0
            1000000000.0)'::geometry) AND NOT ST_IsEmpty("geom"::geometry)), false) AS beyond
            FROM "s"."t" WHERE is_small.yes
            UNION ALL SELECT CASE WHEN box::geometry @ 'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0
            1000000000.0)'::geometry AND box::geometry && 'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0
            1000000000.0)'::geometry THEN box END AS box, NOT (box::geometry @ 'LINESTRING(-1000000000.0
            -1000000000.0, 1000000000.0 1000000000.0)'::geometry AND box::geometry && 'LINESTRING(-1000000000.0
            -1000000000.0, 1000000000.0 1000000000.0)'::geometry) AS beyond
            FROM (SELECT CASE WHEN bool_and(has_table_privilege(c.oid, 'SELECT')) THEN ST_Extent(CASE WHEN
            has_table_privilege(c.oid, 'SELECT') THEN ST_EstimatedExtent(n.nspname, c.relname, $5::text)
            END::geometry) END AS box
            FROM pg_partition_tree($6::oid) t JOIN pg_class c ON c.oid = t.relid AND c.relkind = 'r' JOIN
            pg_namespace n ON n.oid = c.relnamespace) AS known WHERE NOT is_small.yes) AS found) AS native) AS
            found(b, beyond) WHERE b IS NOT NULL
            """,
            (25832, 7, [7, 8], 8388608, "geom", 7),
        ),
        (
            box(TABLE, GEOGRAPHY),
            """
            SELECT 5, ST_XMin(b), ST_YMin(b), ST_XMax(b), ST_YMax(b), beyond
            FROM (SELECT found.*
            FROM (SELECT pg_table_size($1::oid) <= $2::int8 AS yes OFFSET 0) AS is_small
            CROSS JOIN LATERAL (SELECT ST_Extent(g) FILTER (WHERE g @ 'LINESTRING(-1000000000.0 -1000000000.0,
            1000000000.0 1000000000.0)'::geometry AND g && 'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0
            1000000000.0)'::geometry) AS box, coalesce(bool_or(NOT (g @ 'LINESTRING(-1000000000.0 -1000000000.0,
            1000000000.0 1000000000.0)'::geometry AND g && 'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0
            1000000000.0)'::geometry) AND NOT ST_IsEmpty(g)), false) AS beyond
            FROM (SELECT "geom"::geometry AS g
            FROM "s"."t" OFFSET 0) AS placed WHERE is_small.yes
            UNION ALL SELECT NULL::box2d AS box, false AS beyond) AS found) AS found(b, beyond) WHERE b IS NOT NULL
            """,
            (7, 8388608),
        ),
        (
            ends(TABLE),
            """
            (SELECT 5, true, CASE WHEN "at" >= '0001-01-02' AND "at" < '9999-12-31' THEN "at"::timestamptz END
            FROM "s"."t" WHERE "at" IS NOT NULL AND (SELECT pg_table_size($1::oid)) <= $2::int8 ORDER BY "at"
            LIMIT 1)
            UNION ALL (SELECT 5, false, CASE WHEN "at" >= '0001-01-02' AND "at" < '9999-12-31' THEN
            "at"::timestamptz END
            FROM "s"."t" WHERE "at" IS NOT NULL AND (SELECT pg_table_size($1::oid)) <= $2::int8 ORDER BY "at"
            DESC LIMIT 1)
            UNION ALL (SELECT 5, NULL, NULL
            FROM "s"."t" WHERE "at" IS NULL AND (SELECT pg_table_size($1::oid)) <= $2::int8 LIMIT 1)
            """,
            (7, 8388608),
        ),
        (
            view_box(TABLE, GEOM),
            """
            SELECT 0, ST_XMin(b), ST_YMin(b), ST_XMax(b), ST_YMax(b), beyond
            FROM (SELECT ST_Extent("geom"::geometry) FILTER (WHERE "geom"::geometry @ 'LINESTRING(-1000000000.0
            -1000000000.0, 1000000000.0 1000000000.0)'::geometry AND "geom"::geometry && 'LINESTRING(-1000000000.0
            -1000000000.0, 1000000000.0 1000000000.0)'::geometry) AS box, coalesce(bool_or(NOT ("geom"::geometry @
            'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0 1000000000.0)'::geometry AND "geom"::geometry &&
            'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0 1000000000.0)'::geometry) AND NOT
            ST_IsEmpty("geom"::geometry)), false) AS beyond
            FROM "s"."t") AS found(b, beyond) WHERE b IS NOT NULL
            """,
            (),
        ),
        (
            box_of_index(TABLE, GEOM),
            """
            SELECT 0, ST_XMin(b), ST_YMin(b), ST_XMax(b), ST_YMax(b), beyond
            FROM (SELECT ST_MakeBox2D(ST_MakePoint(ST_XMin(west.g), ST_YMin(south.g)), ST_MakePoint(ST_XMax(east.g),
            ST_YMax(north.g))) AS box, beyond
            FROM (SELECT greatest(ST_XMin(b), $1::float8) AS x1, greatest(ST_YMin(b), $2::float8) AS y1,
            least(ST_XMax(b), $3::float8) AS x2, least(ST_YMax(b), $4::float8) AS y2, NOT (b::geometry @
            'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0 1000000000.0)'::geometry AND b::geometry &&
            'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0 1000000000.0)'::geometry) AS beyond
            FROM (SELECT ST_EstimatedExtent($5::text, $6::text, $7::text) AS box) AS known(b) WHERE b IS NOT NULL
            AND EXISTS (SELECT
            FROM pg_index i JOIN pg_opclass o ON o.oid = i.indclass[0] AND o.opcname = 'gist_geometry_ops_2d' JOIN
            pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] WHERE i.indrelid = $8::oid AND
            i.indisvalid AND i.indpred IS NULL AND a.attname = $9::text)) AS known
            CROSS JOIN LATERAL (SELECT "geom" AS g
            FROM "s"."t" WHERE "geom" @ 'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0
            1000000000.0)'::geometry AND "geom" && 'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0
            1000000000.0)'::geometry ORDER BY "geom" <#> ST_SetSRID(ST_MakeLine(ST_MakePoint(x1 - 1, y1 - 1),
            ST_MakePoint(x1 - 1, y2 + 1)), $10::int4) LIMIT 1) AS "west"
            CROSS JOIN LATERAL (SELECT "geom" AS g
            FROM "s"."t" WHERE "geom" @ 'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0
            1000000000.0)'::geometry AND "geom" && 'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0
            1000000000.0)'::geometry ORDER BY "geom" <#> ST_SetSRID(ST_MakeLine(ST_MakePoint(x1 - 1, y1 - 1),
            ST_MakePoint(x2 + 1, y1 - 1)), $11::int4) LIMIT 1) AS "south"
            CROSS JOIN LATERAL (SELECT "geom" AS g
            FROM "s"."t" WHERE "geom" @ 'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0
            1000000000.0)'::geometry AND "geom" && 'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0
            1000000000.0)'::geometry ORDER BY "geom" <#> ST_SetSRID(ST_MakeLine(ST_MakePoint(x2 + 1, y1 - 1),
            ST_MakePoint(x2 + 1, y2 + 1)), $12::int4) LIMIT 1) AS "east"
            CROSS JOIN LATERAL (SELECT "geom" AS g
            FROM "s"."t" WHERE "geom" @ 'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0
            1000000000.0)'::geometry AND "geom" && 'LINESTRING(-1000000000.0 -1000000000.0, 1000000000.0
            1000000000.0)'::geometry ORDER BY "geom" <#> ST_SetSRID(ST_MakeLine(ST_MakePoint(x1 - 1, y2 + 1),
            ST_MakePoint(x2 + 1, y2 + 1)), $13::int4) LIMIT 1) AS "north") AS found(b, beyond) WHERE b IS NOT NULL
            """,
            (
                -1000000000.0,
                -1000000000.0,
                1000000000.0,
                1000000000.0,
                "s",
                "t",
                "geom",
                7,
                "geom",
                4326,
                4326,
                4326,
                4326,
            ),
        ),
        (
            ends_of_view(TABLE, PERIOD),
            """
            (SELECT 0, true, CASE WHEN CASE WHEN NOT isempty("at") THEN coalesce(lower("at"), '-infinity') END
            >= '0001-01-02' AND CASE WHEN NOT isempty("at") THEN coalesce(lower("at"), '-infinity') END <
            '9999-12-31' THEN CASE WHEN NOT isempty("at") THEN coalesce(lower("at"), '-infinity')
            END::timestamptz END
            FROM "s"."t" WHERE CASE WHEN NOT isempty("at") THEN coalesce(lower("at"), '-infinity') END IS NOT
            NULL ORDER BY CASE WHEN NOT isempty("at") THEN coalesce(lower("at"), '-infinity') END LIMIT 1)
            UNION ALL (SELECT 0, false, CASE WHEN CASE WHEN NOT isempty("at") THEN coalesce(upper("at"),
            'infinity') END >= '0001-01-02' AND CASE WHEN NOT isempty("at") THEN coalesce(upper("at"),
            'infinity') END < '9999-12-31' THEN CASE WHEN NOT isempty("at") THEN coalesce(upper("at"),
            'infinity') END::timestamptz END
            FROM "s"."t" WHERE CASE WHEN NOT isempty("at") THEN coalesce(upper("at"), 'infinity') END IS NOT
            NULL ORDER BY CASE WHEN NOT isempty("at") THEN coalesce(upper("at"), 'infinity') END DESC LIMIT 1)
            UNION ALL (SELECT 0, NULL, NULL
            FROM "s"."t" WHERE CASE WHEN NOT isempty("at") THEN coalesce(lower("at"), '-infinity') END IS NULL
            LIMIT 1)
            """,
            (),
        ),
        (
            sampled_times([("s", "t", "at"), ("u", "v", "on")]),
            """
            SELECT s.schemaname AS schema, s.tablename AS name, s.attname AS attribute,
            array_remove(ARRAY[bounds[1], bounds[array_upper(bounds, 1)]] || common, NULL) AS values,
            s.null_frac > 0 AS nulls
            FROM unnest($1::text[], $2::text[], $3::text[]) AS wanted(schema, name, attribute) JOIN pg_stats s
            ON s.schemaname = wanted.schema AND s.tablename = wanted.name AND s.attname = wanted.attribute,
            LATERAL (SELECT s.histogram_bounds::text::text[] AS bounds, s.most_common_vals::text::text[] AS
            common) AS held
            """,
            (["s", "u"], ["t", "v"], ["at", "on"]),
        ),
    ],
)
def test_they_are_as_they_are_written_down(statement: Sql, text: str, arguments: tuple[object, ...]) -> None:
    assert statement.render() == (" ".join(text.split()), arguments)
