"""The statements that count, as the database gets them."""

# ruff: noqa: S608 - what is put together here is compared, and never run

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from libs.catalogue.model import GeometryColumn
from libs.pg.sql import Sql, bind, sql
from libs.selection.selection import Selection
from services.features.aggregation import statements
from services.features.aggregation.facet import PlaceFacet, TermFacet, TimeFacet
from tests.services.features.aggregation.test_statements import COLUMNS, GEOM, KINDS

CONDITION = sql("whole > {n}", n=bind(7, "int4"))
SOME = Selection(KINDS, GEOM, (CONDITION,), KINDS.columns, ())
AREAS = GeometryColumn("area", "Polygon", 3857)
NEW_YEAR = datetime(2020, 1, 1, tzinfo=UTC)
CLOCK, DAY, MOMENT = (
    f'CASE WHEN "{name}" >= \'0001-01-01\' AND "{name}" < \'10000-01-01\' THEN "{name}" END'
    for name in ("clock", "day", "moment")
)
EXACT = 'CASE WHEN "exact" BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308 THEN "exact" END'
DOUBLE = 'CASE WHEN "double" > \'-Infinity\' AND "double" < \'Infinity\' THEN "double" END'
MIDNIGHT = f"({DAY})::timestamp AT TIME ZONE 'UTC'"
LAST_OF_DAY = f"({MIDNIGHT} + interval '86399.999999 s')"
ON_EARTH = "CASE WHEN shape.g @ 'SRID=4326;LINESTRING(-540 -90, 540 90)'::geometry AND"
POINT = (
    f"(SELECT {ON_EARTH} ST_X(shape.g) + ST_Y(shape.g) < 'Infinity' THEN shape.g END"
    ' FROM (SELECT "geom" AS g OFFSET 0) AS shape)'
)
WITHIN = (
    f"(SELECT {ON_EARTH} ST_Length(shape.g) + ST_Perimeter(shape.g) < 'Infinity' THEN ST_PointOnSurface(shape.g) END"
    ' FROM (SELECT ST_Transform("area", 4326) AS g OFFSET 0) AS shape)'
)
LONLAT = (
    " CROSS JOIN LATERAL (SELECT ST_X(p) - 360 * floor((ST_X(p) + 180) / 360) AS x, ST_Y(p) AS y, $2::float8 AS s)"
    " AS lonlat CROSS JOIN LATERAL "
)
SQUARE = (
    "(SELECT CASE WHEN x IS NOT NULL THEN least(floor((x + 180) / s), ceil(360 / s) - 1)::int END AS i,"
    " CASE WHEN x IS NOT NULL THEN greatest(0, least(floor((y + 90) / s), ceil(180 / s) - 1))::int END AS j) AS cell"
)
HEXAGON = (
    "(SELECT 3 * s AS w, sqrt(3) * s AS h) AS lattice"
    " CROSS JOIN LATERAL (SELECT round(x / w) AS a, round(y / h) AS b, floor(x / w) AS c, floor(y / h) AS d) AS near"
    " CROSS JOIN LATERAL (SELECT (x - w * a) ^ 2 + (y - h * b) ^ 2"
    " <= (x - w * (c + 0.5)) ^ 2 + (y - h * (d + 0.5)) ^ 2 AS even) AS nearest"
    " CROSS JOIN LATERAL (SELECT (CASE WHEN even THEN 2 * a ELSE 2 * c + 1 END)::int AS i,"
    " (CASE WHEN even THEN b ELSE d END)::int AS j) AS cell"
)


def _rows(columns: str, number: int = 1) -> str:
    return f'SELECT {columns} FROM "pg_temp"."kinds" WHERE (whole > ${number}::int4)'


def _terms(shown: str, numbers: tuple[int, int, int]) -> str:
    condition, least, size = numbers
    return (
        f"SELECT {shown}, n, count(v) OVER (), coalesce(sum(n) FILTER (WHERE v IS NOT NULL) OVER (), 0)::int8,"
        " coalesce(sum(n) FILTER (WHERE v IS NULL) OVER (), 0)::int8"
        f" FROM (SELECT v, count(*) AS n FROM ({_rows('X AS v', condition)}) AS rows GROUP BY v) AS terms"
        f" ORDER BY v IS NULL, n < ${least}::int8, ORDER LIMIT ${size}::int8"
    )


@pytest.mark.parametrize(
    ("facet", "shown", "order"),
    [
        (TermFacet("word", COLUMNS["word"], 5, "value_desc", 3), True, "v DESC"),
        (TermFacet("number", COLUMNS["number"], 5, "count_asc", 3), True, "n, v"),
        (TermFacet("whole", COLUMNS["whole"], 5, "count_desc", 3), False, "n DESC, v"),
        (TermFacet("yes", COLUMNS["yes"], 5, "value_asc", 3), False, "v"),
    ],
)
def test_terms_with_their_sums(facet: TermFacet, shown: bool, order: str) -> None:
    text = _terms("left(v::text, $1::int4)", (2, 3, 4)) if shown else _terms("v", (1, 2, 3))
    value = f'"{facet.name}"'
    assert statements.terms(SOME, facet).render() == (
        text.replace("X AS v", f"{value} AS v").replace("ORDER LIMIT", f"{order} LIMIT"),
        (*((1001,) if shown else ()), 7, 3, 5),
    )


@pytest.mark.parametrize(
    ("statement", "text", "values"),
    [
        (
            statements.number_ends(SOME, COLUMNS["exact"]),
            f"SELECT min(v)::text, max(v)::text FROM ({_rows(f'{EXACT} AS v')}) AS rows",
            (7,),
        ),
        (
            statements.number_quantiles(SOME, COLUMNS["double"], 4),
            "SELECT (percentile_disc($1::float8[]) WITHIN GROUP (ORDER BY v))::text[]"
            f" FROM ({_rows(f'{DOUBLE} AS v', 2)}) AS rows",
            ([0.0, 0.25, 0.5, 0.75, 1.0], 7),
        ),
        (
            statements.time_quantiles(SOME, TimeFacet("d", COLUMNS["day"], COLUMNS["clock"]), 2),
            "SELECT (percentile_disc($1::float8[]) WITHIN GROUP (ORDER BY v))"
            f" FROM ({_rows(f'{MIDNIGHT} AS v', 2)}) AS rows",
            ([0.0, 0.5, 1.0], 7),
        ),
        *(
            (
                statements.numbers(SOME, COLUMNS[name], ["1", "2.5"]),
                f"SELECT width_bucket(v, $1::text[]::{kind}[]), count(*)"
                f" FROM ({_rows(f'({value})::{kind} AS v', 2)}) AS rows GROUP BY 1",
                (["1", "2.5"], 7),
            )
            for name, kind, value in (
                ("whole", "numeric", '"whole"'),
                ("price", "numeric", '"price"::numeric'),
                ("exact", "numeric", EXACT),
                ("double", "double precision", DOUBLE),
            )
        ),
        *(
            (
                statements.times(SOME, COLUMNS[name], [NEW_YEAR]),
                f"SELECT width_bucket(v, $1::timestamptz[]), count(*) FROM ({_rows(f'{value} AS v', 2)}) AS rows"
                " GROUP BY 1",
                ([NEW_YEAR], 7),
            )
            for name, value in (("clock", f"({CLOCK}) AT TIME ZONE 'UTC'"), ("moment", MOMENT), ("day", MIDNIGHT))
        ),
        *(
            (
                statements.time_ends(SOME, TimeFacet("d", COLUMNS["moment"], end)),
                f"SELECT min(least(s, e)), max(greatest(s, e)) FROM ({_rows(f'{MOMENT} AS s, {last} AS e')}) AS rows",
                (7,),
            )
            for end, last in ((COLUMNS["day"], LAST_OF_DAY), (None, MOMENT))
        ),
        (
            statements.lasting(SOME, COLUMNS["day"], COLUMNS["clock"], [NEW_YEAR]),
            "SELECT width_bucket(s, $1::timestamptz[]), width_bucket(e, $1::timestamptz[]), count(*)"
            f""" FROM ({_rows(f"{MIDNIGHT} AS s, ({CLOCK}) AT TIME ZONE 'UTC' AS e", 2)}) AS rows GROUP BY 1, 2""",
            ([NEW_YEAR], 7),
        ),
        (
            statements.places(SOME, PlaceFacet("geom", GEOM, 5.0)),
            f"SELECT i, j, count(*) FROM ({_rows(f'{POINT} AS p')} OFFSET 0) AS rows{LONLAT}{SQUARE}"
            " GROUP BY i, j LIMIT $3::int8",
            (7, 5.0, 10_002),
        ),
        (
            statements.places(SOME, PlaceFacet("area", AREAS, 2.5, hexagons=True, placed=sql("is_placed"))),
            f"SELECT i, j, count(*) FROM ({_rows(f'CASE WHEN is_placed THEN {WITHIN} END AS p')} OFFSET 0) AS rows"
            f"{LONLAT}{HEXAGON} GROUP BY i, j LIMIT $3::int8",
            (7, 2.5, 10_002),
        ),
        (statements.is_placed(AREAS), f"coalesce(ST_X({WITHIN}), 0) > '-Infinity'", ()),
    ],
)
def test_ends_ranges_and_places(statement: Sql, text: str, values: tuple[object, ...]) -> None:
    assert statement.render() == (text, values)
